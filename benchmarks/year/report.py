"""The tables of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

from benchmarks import measure
from benchmarks.year.judging import Judged, Verdict
from benchmarks.year.life import QUARTERS
from benchmarks.year.probes import Kind, Year

_KINDS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "deleted")
_JUDGED: tuple[Judged, ...] = tuple(judged for judged in get_args(Judged) if judged != "deleted")
_TITLES = {"right": "right first", "stale": "stale as current"}
_SEASONS = ("spring", "summer", "autumn", "winter")


class Cost(NamedTuple):
    """CPU milliseconds in one quarter: of a search of Memoro, and of a text that was stored and indexed."""

    way: str
    quarter: int
    search: float
    store: float


def print_answers(verdicts: Sequence[Verdict]) -> None:
    """What the first result was, in per cent of the questions of a kind."""
    rows = []
    for way, method in dict.fromkeys((one.way, one.method) for one in verdicts):
        for kind in _KINDS:
            own = [one.judged for one in verdicts if (one.way, one.method, one.probe.kind) == (way, method, kind)]
            if own:
                rows.append([way, method, kind, str(len(own)), *(_share(own, judged) for judged in _JUDGED)])
    measure.table(["fed by", "method", "asked", "n", *(_TITLES.get(judged, judged) for judged in _JUDGED)], rows)


def print_quarters(verdicts: Sequence[Verdict]) -> None:
    rows = []
    for way, own in _by_way(one for one in verdicts if one.probe.kind in ("now", "here")):
        quarters = [[one.judged for one in own if one.probe.asked == day] for day in QUARTERS]
        rows.append([way, *(f"{_share(one, 'right')} / {_share(one, 'stale')}" for one in quarters)])
    measure.table(["right first / stale", *_SEASONS], rows)


def print_marks(verdicts: Sequence[Verdict]) -> None:
    """Statements that still hold but are marked as older, and deleted ones that are shown."""
    rows = []
    for way, own in _by_way(one for one in verdicts if one.probe.kind in ("now", "here", "steady", "deleted")):
        current, wrong = sum(one.current for one in own), sum(one.wrongly_marked for one in own)
        deleted = [one.judged for one in own if one.probe.kind == "deleted"]
        share = f"{100 * wrong / max(current, 1):.1f} % of {current}"
        rows.append([way, share, f"{deleted.count('deleted')} of {len(deleted)}"])
    measure.table(["fed by", "still true, marked as older", "deleted, shown"], rows)


def print_growth(costs: Sequence[Cost]) -> None:
    rows = []
    for way in dict.fromkeys(cost.way for cost in costs):
        cells = []
        for quarter in range(len(QUARTERS)):
            own = [cost for cost in costs if cost.way == way]
            first, now = _mean(own, 0), _mean(own, quarter)
            cells.append(f"{now.search / first.search:.2f} / {now.store / first.store:.2f}")
        rows.append([way, f"{first.search:.1f} / {first.store:.1f} ms", *cells])
    measure.table(["CPU of a search / of a stored text", "spring", *(f"{name}, ratio" for name in _SEASONS)], rows)


def print_shown(verdicts: Sequence[Verdict], year: Year, wanted: str) -> None:
    """The answers of Memoro that were judged so, `WAY:JUDGED`, with the statement that was wanted."""
    way, _, judged = wanted.partition(":")
    for one in verdicts:
        if (one.way, one.method) != (way, "memoro") or one.judged != (judged or one.judged):
            continue
        probe, fact = one.probe, year.facts[one.probe.fact]
        wanted_texts = [
            f"{turn.day} {turn.explicit}"
            for turn in year.turns
            if turn.fact == fact.number
            and turn.period in probe.periods
            and turn.way in ("said", "changed", "retracted")
        ]
        as_of = f" as of {probe.as_of}" if probe.as_of else ""
        project = f" in {probe.project}" if probe.project else ""
        print(f"{one.judged:9} {probe.kind:6} {probe.asked}{as_of}{project}: {probe.text}")
        print("          first:", one.first.replace("\n", " / "))
        print("          wanted:", " | ".join(wanted_texts))


def _by_way(verdicts: Iterable[Verdict]) -> list[tuple[str, list[Verdict]]]:
    own = [one for one in verdicts if one.method == "memoro"]
    return [(way, [one for one in own if one.way == way]) for way in dict.fromkeys(one.way for one in own)]


def _share(judged: Sequence[Judged], name: Judged) -> str:
    return f"{100 * Counter(judged)[name] / max(len(judged), 1):.0f}"


def _mean(costs: Sequence[Cost], quarter: int) -> Cost:
    own = [cost for cost in costs if cost.quarter == quarter]
    search, store = sum(cost.search for cost in own) / len(own), sum(cost.store for cost in own) / len(own)
    return Cost(own[0].way, quarter, search, store)

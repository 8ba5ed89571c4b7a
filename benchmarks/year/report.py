"""The tables of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple, get_args

from benchmarks import measure
from benchmarks.year.extracting import ExtractionCounts
from benchmarks.year.judging import Judged, Verdict
from benchmarks.year.life import QUARTERS, Turn
from benchmarks.year.probes import Kind, Year

_KINDS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "deleted")
_JUDGED: tuple[Judged, ...] = tuple(judged for judged in get_args(Judged) if judged != "deleted")
_NOW: tuple[Kind, ...] = ("now", "here")
_PAST: tuple[Kind, ...] = ("past", "as of", "when")
_TITLES = {"right": "right first", "stale": "stale as current"}
_SEASONS = ("spring", "summer", "autumn", "winter")


class QuarterCost(NamedTuple):
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
            own = _judged([one for one in verdicts if (one.way, one.method) == (way, method)], (kind,))
            if own:
                rows.append([way, method, kind, str(len(own)), *(_share(own, judged) for judged in _JUDGED)])
    measure.table(["fed by", "method", "asked", "n", *(_TITLES.get(judged, judged) for judged in _JUDGED)], rows)


def print_summary(verdicts: Sequence[Verdict]) -> None:
    """The figures that have a goal, of Memoro alone."""
    header = [
        "fed by",
        "current first",
        "stale as current",
        "past right first",
        "true, marked as older",
        "by quarter",
    ]
    rows = []
    for way, own in _by_way(verdicts):
        now, past = _judged(own, _NOW), _judged(own, _PAST)
        quarters = " ".join(_share(_judged(own, _NOW, day), "right") for day in QUARTERS)
        shares = _share(now, "right"), _share(now, "stale"), _share(past, "right")
        rows.append([way, *shares, _wrongly_marked(own), quarters])
    measure.table(header, rows)


def print_quarters(verdicts: Sequence[Verdict]) -> None:
    rows = []
    for way, own in _by_way(verdicts):
        for title, kinds in ((f"{way}, now", _NOW), (f"{way}, past", _PAST)):
            quarters = [_judged(own, kinds, day) for day in QUARTERS]
            rows.append([title, *(f"{_share(one, 'right')} / {_share(one, 'stale')}" for one in quarters)])
    measure.table(["right first / stale (past: another time)", *_SEASONS], rows)


def print_marks(verdicts: Sequence[Verdict]) -> None:
    """Statements that still hold but are marked as older, and deleted ones that are shown."""
    rows = []
    for way, own in _by_way(verdicts):
        current = sum(one.current for one in own if one.probe.kind not in _PAST)
        deleted = _judged(own, ("deleted",))
        rows.append([way, f"{_wrongly_marked(own)} % of {current}", f"{deleted.count('deleted')} of {len(deleted)}"])
    measure.table(["fed by", "still true, marked as older", "deleted, shown"], rows)


def print_growth(costs: Sequence[QuarterCost]) -> None:
    rows = []
    for way in dict.fromkeys(cost.way for cost in costs):
        quarters = [_mean([cost for cost in costs if cost.way == way], number) for number in range(len(QUARTERS))]
        first = quarters[0]
        ratios = [f"{_ratio(now.search, first.search)} / {_ratio(now.store, first.store)}" for now in quarters]
        rows.append([way, f"{first.search:.1f} / {first.store:.1f} ms", *ratios])
    measure.table(["CPU of a search / of a stored text", "spring", *(f"{name}, ratio" for name in _SEASONS)], rows)


def print_extraction(way: str, counts: ExtractionCounts) -> None:
    """One line about what extraction brought, and what the owner decided."""
    print(
        f"{way}: {counts.stated} statements; {counts.extracted} facts extracted, {counts.right} of them such "
        f"statements, {counts.stored} stored; {counts.changes} of them replace a memory, rightly named for "
        f"{counts.named}; {counts.proposed} proposals, {counts.accepted} accepted"
    )


def print_shown(verdicts: Sequence[Verdict], year: Year, wanted: str) -> None:
    """The answers of Memoro that were judged so, `WAY:JUDGED`, with the statement that was wanted."""
    way, _, judged = wanted.partition(":")
    for one in verdicts:
        if (one.way, one.method) != (way, "memoro") or one.judged != (judged or one.judged):
            continue
        probe, fact = one.probe, year.facts[one.probe.fact]
        wanted_texts = [
            f"{turn.day} {_told(turn, way)}"
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


def _told(turn: Turn, way: str) -> str:
    return {"perfect": turn.fact_text, "notes": turn.explicit}.get(way, turn.text)


def _wrongly_marked(verdicts: Sequence[Verdict]) -> str:
    own = [one for one in verdicts if one.probe.kind not in _PAST]
    return f"{100 * sum(one.wrongly_marked for one in own) / max(sum(one.current for one in own), 1):.1f}"


def _by_way(verdicts: Iterable[Verdict]) -> list[tuple[str, list[Verdict]]]:
    own = [one for one in verdicts if one.method == "memoro"]
    return [(way, [one for one in own if one.way == way]) for way in dict.fromkeys(one.way for one in own)]


def _judged(verdicts: Sequence[Verdict], kinds: Sequence[Kind], day: date | None = None) -> list[Judged]:
    """What was judged of questions of these kinds, on one day or all."""
    own = [one for one in verdicts if one.probe.kind in kinds]
    return [one.judged for one in own if day is None or one.probe.asked == day]


def _share(judged: Sequence[Judged], name: Judged) -> str:
    return f"{100 * Counter(judged)[name] / max(len(judged), 1):.0f}"


def _ratio(now: float, first: float) -> str:
    return f"{now / first:.2f}" if first else "-"


def _mean(costs: Sequence[QuarterCost], quarter: int) -> QuarterCost:
    own = [cost for cost in costs if cost.quarter == quarter]
    search, store = sum(cost.search for cost in own) / len(own), sum(cost.store for cost in own) / len(own)
    return QuarterCost(own[0].way, quarter, search, store)

"""A simulated year: does the answer that holds now come first, and is an outdated one shown as current?

Each quarter's end asks about everything known, in other words than it was told. The first result counts.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import memoro
from benchmarks import measure
from benchmarks.year.life import FIRST, QUARTERS, Probe, Year, make_year
from benchmarks.year.ways import Agent, Clock, FeedingWay, Logs, Notes, Origin, Unit, moment
from memoro.workspace import Workspace

SEED = int(os.environ.get("MEMORO_YEAR_SEED", "1"))
WAYS = ("perfect", "notes", "hinted", "lazy", "logs")
KINDS = ("now", "here", "past")

Judged = Literal["current", "stale", "marked", "question", "attribute", "subject", "nothing"]


class Verdict(NamedTuple):
    probe: Probe
    method: str
    judged: Judged


def run() -> None:
    year = make_year(SEED)
    print(
        f"seed {SEED}: {len(year.facts)} facts, {sum(len(fact.values) - 1 for fact in year.facts)} changes, "
        f"{len(year.turns)} messages, {len(year.probes)} questions\n"
    )
    wanted = os.environ.get("MEMORO_YEAR_WAYS", " ".join(WAYS)).split()
    verdicts = {name: _live(name, year) for name in wanted}
    _print_table(verdicts)
    print()
    _print_quarters(verdicts)


def _live(name: str, year: Year) -> list[Verdict]:
    """Live the year in one way of feeding; ask at the end of each quarter."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for made in ("vault", "logs"):
            (place / made).mkdir()
        (place / "home").mkdir(mode=0o700)
        _write_settings(place)
        clock = Clock()
        ways: dict[str, FeedingWay] = {"notes": Notes(place / "vault", year), "logs": Logs(place / "logs")}
        verdicts = []
        with memoro.open(place / "home", place / "vault", clock=clock) as m:
            way = ways.get(name) or Agent(name, m, clock)
            since = FIRST
            for day in QUARTERS:
                way.feed([turn for turn in year.turns if since <= turn.day < day])
                clock.now, since = moment(day), day
                m.sync()
                verdicts += _ask(m, way, year, [probe for probe in year.probes if probe.asked == day])
        if isinstance(way, Agent) and way.named:
            share = 100 * sum(way.named) / len(way.named)
            print(f"{name}: storing named the replaced statement in {share:.0f} % of {len(way.named)} changes\n")
        return verdicts


def _write_settings(place: Path) -> None:
    text = f'[transcripts]\nfolders = ["{place / "logs"}"]\n'
    (place / "home" / "memoro.toml").write_text(text, encoding="utf-8")


def _ask(m: Workspace, way: FeedingWay, year: Year, probes: Sequence[Probe]) -> list[Verdict]:
    words = PlainWords(way.units())
    verdicts = []
    for probe in probes:
        for method, found in {
            "memoro": _searched(m, way, probe, "hybrid"),
            "vectors": _searched(m, way, probe, "vectors"),
            "BM25": words.find(probe, newest=False),
            "BM25 newest": words.find(probe, newest=True),
        }.items():
            verdicts.append(Verdict(probe, method, _judge(found, probe, year)))
        if isinstance(way, Agent):
            verdicts.append(Verdict(probe, "memory query", _judge(_queried(m, way, probe), probe, year)))
    return verdicts


class FirstHit(NamedTuple):
    origins: tuple[Origin, ...]
    marked: bool = False  # shown as outdated


def _searched(m: Workspace, way: FeedingWay, probe: Probe, mode: str) -> FirstHit | None:
    options = {"project": probe.project} if probe.project and not isinstance(way, Notes) else {}
    hits = m.search(probe.text, limit=6, mode=mode, **options).results  # type: ignore[arg-type]
    for hit in hits:
        origins = way.origins(hit.path, hit.start_line, hit.end_line)
        return FirstHit(origins, _is_marked(hit))
    return None


def _is_marked(hit: object) -> bool:
    return bool(getattr(hit, "until", None) or getattr(hit, "replaced_by", None))


def _queried(m: Workspace, way: FeedingWay, probe: Probe) -> FirstHit | None:
    options = {"project": probe.project} if probe.project else {}
    for one in m.memories.query(probe.text, 5, **options).results:  # type: ignore[arg-type]
        return FirstHit(way.origins(f"memory:{one.memory.id}", 1, 1))
    return None


def _judge(found: FirstHit | None, probe: Probe, year: Year) -> Judged:
    if found is None:
        return "nothing"
    own = [origin for origin in found.origins if origin.fact == probe.fact]
    if any(origin.period == probe.period for origin in own):
        return "current"
    if any(origin.period is not None for origin in own):
        return "marked" if found.marked else "stale"
    if any(origin.asks for origin in found.origins):
        return "question"
    subject = year.facts[probe.fact].subject
    same = any(origin.fact is not None and year.facts[origin.fact].subject == subject for origin in found.origins)
    return "attribute" if same else "subject"


class PlainWords:
    """The naive way: FTS5 with porter stems, any word counts; the best, or the newest of the ten best."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE u USING fts5(text, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO u(rowid, text) VALUES(?, ?)", [(n, u.text) for n, u in enumerate(units)])

    def find(self, probe: Probe, *, newest: bool) -> FirstHit | None:
        terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", probe.text))
        sql = "SELECT rowid FROM u WHERE u MATCH ? ORDER BY rank LIMIT 60"
        found = [self._units[number] for (number,) in self._db.execute(sql, (terms,))]
        found = [unit for unit in found if probe.project is None or unit.project in (probe.project, None)][:10]
        if not found:
            return None
        return FirstHit((max(found, key=lambda unit: unit.day) if newest else found[0]).origins)


def _print_table(verdicts: dict[str, list[Verdict]]) -> None:
    rows = []
    for way, judged in verdicts.items():
        for method in dict.fromkeys(one.method for one in judged):
            for kind in KINDS:
                own = [one.judged for one in judged if one.method == method and one.probe.kind == kind]
                if own:
                    rows.append([way, method, kind, str(len(own)), *_shares(own)])
    measure.table(
        [
            "fed by",
            "method",
            "asked",
            "n",
            "right first",
            "stale as current",
            "marked",
            "question",
            "attribute",
            "subject",
            "nothing",
        ],
        rows,
    )


def _shares(judged: Sequence[Judged]) -> list[str]:
    counts = Counter(judged)
    names: tuple[Judged, ...] = ("current", "stale", "marked", "question", "attribute", "subject", "nothing")
    return [f"{100 * counts[name] / len(judged):.0f}" for name in names]


def _print_quarters(verdicts: dict[str, list[Verdict]]) -> None:
    rows = []
    for way, judged in verdicts.items():
        own = [one for one in judged if one.method == "memoro" and one.probe.kind != "past"]
        cells = []
        for day in QUARTERS:
            quarter = [one.judged for one in own if one.probe.asked == day]
            right, stale = _shares(quarter)[:2]
            cells.append(f"{right} / {stale}")
        rows.append([way, *cells])
    measure.table(["right first / stale", "spring", "summer", "autumn", "winter"], rows)

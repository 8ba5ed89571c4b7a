"""The methods of searching that are compared."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from benchmarks.year.extracting import ExtractedLogs
from benchmarks.year.probes import Probe
from benchmarks.year.ways import Agent, FeedingWay, Notes, Origin, Unit
from memoro.workspace import Workspace

METHODS = ("memoro", "memory query", "vectors", "BM25", "BM25 newest")
SHOWN = 6  # results that are looked at


class AnswerText(NamedTuple):
    """One result. `marked`: it is shown as outdated."""

    text: str
    origins: tuple[Origin, ...]
    marked: bool = False


Method = Callable[[Probe], list[AnswerText]]


def methods(m: Workspace, way: FeedingWay, wanted: Collection[str]) -> dict[str, Method]:
    words = PlainWords(way.units())
    known: dict[str, Method] = {
        "memoro": lambda probe: _search(m, way, probe, "hybrid"),
        "vectors": lambda probe: _search(m, way, probe, "vectors"),
        "BM25": lambda probe: words.find(probe, newest=False),
        "BM25 newest": lambda probe: words.find(probe, newest=True),
    }
    if isinstance(way, Agent | ExtractedLogs):
        known["memory query"] = lambda probe: _query(m, way, probe)
    return {name: known[name] for name in METHODS if name in known and name in wanted}


def can_answer(way: FeedingWay, probe: Probe, *, as_of: bool) -> bool:
    """Tell whether the question makes sense here. `as_of`: whether that is an option of the search.

    Notes know no session's project, and a line that was edited no longer tells what held before.
    """
    if isinstance(way, Notes) and probe.periods:
        told = any(way.tells(probe.fact, period) for period in probe.periods)
        return probe.kind != "here" and told and (as_of or probe.as_of is None)
    return as_of or probe.as_of is None


def takes_as_of(m: Workspace) -> bool:
    try:
        m.search("anything", as_of="2025-01-06")
    except TypeError:
        return False
    return True


def _search(m: Workspace, way: FeedingWay, probe: Probe, mode: str) -> list[AnswerText]:
    hits = m.search(probe.text, limit=SHOWN, mode=mode, **_options(probe)).results  # type: ignore[arg-type]
    return [
        AnswerText(hit.snippet, way.origins(hit.path, hit.start_line, hit.end_line), _is_marked(hit)) for hit in hits
    ]


def _options(probe: Probe) -> dict[str, str]:
    options = {"project": probe.project} if probe.project else {}
    return options | ({"as_of": probe.as_of.isoformat()} if probe.as_of else {})


def _is_marked(hit: object) -> bool:
    return bool(getattr(hit, "until", None) or getattr(hit, "replaced_by", None))


def _query(m: Workspace, way: FeedingWay, probe: Probe) -> list[AnswerText]:
    found = m.memories.query(probe.text, SHOWN, **_options(probe)).results  # type: ignore[arg-type]
    return [
        AnswerText(one.memory.content, way.origins(f"memory:{one.memory.id}", 1, 1), _is_marked(one)) for one in found
    ]


class PlainWords:
    """The naive way: FTS5 with porter stems, any word counts; the best, or the newest of the ten best."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE u USING fts5(text, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO u(rowid, text) VALUES(?, ?)", [(n, u.text) for n, u in enumerate(units)])

    def find(self, probe: Probe, *, newest: bool) -> list[AnswerText]:
        terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", probe.text))
        sql = "SELECT rowid FROM u WHERE u MATCH ? ORDER BY rank LIMIT 200"
        found = [self._units[number] for (number,) in self._db.execute(sql, (terms,))]
        found = [unit for unit in found if _may_answer(unit, probe)][:10]
        if newest:
            found.sort(key=lambda unit: unit.day, reverse=True)
        return [AnswerText(unit.text, unit.origins) for unit in found[:SHOWN]]


def _may_answer(unit: Unit, probe: Probe) -> bool:
    if probe.as_of and unit.day > probe.as_of:
        return False
    return probe.project is None or unit.project in (probe.project, None)

"""A simulated year: does the answer that holds now come first, and is an outdated one shown as current?

Each quarter's end asks about everything known, mostly in other words than it was told. The first result counts.

Environment, each a list: MEMORO_YEAR_SEED (1), MEMORO_YEAR_WAYS (all), MEMORO_YEAR_METHODS (all, comma between),
MEMORO_YEAR_SHOW (`lazy:stale` prints those questions with the first result and what was wanted).
MEMORO_YEAR_WORDS names the world (`year`).
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import memoro
from benchmarks.year import report
from benchmarks.year.extracting import SETTINGS, ExtractedLogs, ExtractionCounts, TrueModel
from benchmarks.year.judging import Verdict, count_current, judge
from benchmarks.year.life import FIRST, QUARTERS
from benchmarks.year.methods import METHODS, Method, can_answer, methods, takes_as_of
from benchmarks.year.probes import Probe, Year, make_year
from benchmarks.year.ways import Agent, Clock, FeedingWay, Logs, Notes, moment
from benchmarks.year.words import read_words
from memoro.workspace import Workspace

WAYS = ("perfect", "notes", "hinted", "lazy", "logs", "extracted", "judged")


class RunChoice(NamedTuple):
    """What a run does. `seeds` make a year each, and the tables are about all of them."""

    world: str
    seeds: tuple[int, ...]
    ways: tuple[str, ...]
    methods: tuple[str, ...]
    show: tuple[str, ...]


class Lived(NamedTuple):
    verdicts: list[Verdict]
    costs: list[report.QuarterCost]
    named: list[bool]  # for each change: whether storing it named an older statement
    extraction: ExtractionCounts | None = None


def run() -> None:
    chosen = _read_environment()
    verdicts: list[Verdict] = []
    costs: list[report.QuarterCost] = []
    for seed in chosen.seeds:
        year = make_year(seed, chosen.world)
        changes = sum(len(fact.values) - 1 for fact in year.facts)
        sizes = (
            f"{len(year.facts)} facts, {changes} changes, {len(year.turns)} messages, {len(year.probes)} questions"
        )
        print(f"{chosen.world}, seed {seed}: {sizes}")
        for way in chosen.ways:
            lived = live(way, year, chosen)
            for wanted in chosen.show:
                report.print_shown(lived.verdicts, year, wanted)
            if lived.named:
                share = 100 * sum(lived.named) / len(lived.named)
                print(f"{way}: storing named the replaced statement in {share:.0f} % of {len(lived.named)} changes")
            if lived.extraction:
                report.print_extraction(way, lived.extraction)
            verdicts += lived.verdicts
            costs += lived.costs
    for print_table in (report.print_answers, report.print_quarters, report.print_marks):
        print()
        print_table(verdicts)
    print()
    report.print_growth(costs)
    print()
    report.print_summary(verdicts)


def _read_environment() -> RunChoice:
    read = os.environ.get
    wanted = read("MEMORO_YEAR_METHODS")
    chosen = RunChoice(
        world=read("MEMORO_YEAR_WORDS", "year"),
        seeds=tuple(map(int, read("MEMORO_YEAR_SEED", "1").split())),
        ways=tuple(read("MEMORO_YEAR_WAYS", " ".join(WAYS)).split()),
        methods=tuple(name.strip() for name in wanted.split(",")) if wanted else METHODS,
        show=tuple(read("MEMORO_YEAR_SHOW", "").split()),
    )
    if unknown := {*chosen.ways, *chosen.methods} - {*WAYS, *METHODS}:
        raise SystemExit(f"Unknown: {', '.join(unknown)}. Ways: {', '.join(WAYS)}. Methods: {', '.join(METHODS)}.")
    return chosen


def live(name: str, year: Year, chosen: RunChoice) -> Lived:
    """Live the year in one way of feeding; ask at the end of each quarter."""
    with tempfile.TemporaryDirectory() as folder:
        place = _make_place(Path(folder), SETTINGS if name in ("extracted", "judged") else "")
        clock, truth = Clock(), TrueModel()
        model = truth.model if name == "judged" else None
        with memoro.open(place / "home", place / "vault", clock=clock, language_model=model) as m:
            way: FeedingWay
            if name == "notes":
                way = Notes(place / "vault", year)
            elif name == "logs":
                way = Logs(place / "logs", m)
            elif name in ("extracted", "judged"):
                way = ExtractedLogs(place, m, clock, truth)
            else:
                way = Agent(name, m, clock, read_words(chosen.world))
            verdicts: list[Verdict] = []
            costs: list[report.QuarterCost] = []
            since = FIRST
            for number, day in enumerate(QUARTERS):
                turns = [turn for turn in year.turns if since <= turn.day < day]
                started = time.process_time()
                texts = way.feed(turns)
                clock.now, since = moment(day), day
                m.sync()
                store = time.process_time() - started
                for turn in turns:
                    if turn.way == "deleted" and turn.fact is not None:
                        way.delete(turn.fact)
                answers = QuarterQuestions(name, m, way, year)
                verdicts += answers.ask([probe for probe in year.probes if probe.asked == day], chosen.methods)
                search = answers.seconds / max(answers.searches, 1)
                costs.append(report.QuarterCost(name, number, 1000 * search, 1000 * store / max(texts, 1)))
            return Lived(
                verdicts,
                costs,
                way.named if isinstance(way, Agent) else [],
                way.counts if isinstance(way, ExtractedLogs) else None,
            )


def _make_place(place: Path, settings: str) -> Path:
    for made in ("vault", "logs"):
        (place / made).mkdir()
    (place / "home").mkdir(mode=0o700)
    text = f'[transcripts]\nfolders = ["{place / "logs"}"]\n{settings}'
    (place / "home" / "memoro.toml").write_text(text, encoding="utf-8")
    return place


class QuarterQuestions:
    """The questions of one day, and the CPU time that Memoro's own searches took."""

    def __init__(self, name: str, m: Workspace, way: FeedingWay, year: Year) -> None:
        self._name, self._m, self._way, self._year = name, m, way, year
        self._as_of = takes_as_of(m)
        self.seconds, self.searches = 0.0, 0

    def ask(self, probes: Sequence[Probe], wanted: Sequence[str]) -> list[Verdict]:
        known = methods(self._m, self._way, wanted)
        asked = [probe for probe in probes if can_answer(self._way, probe, as_of=self._as_of)]
        return [self._verdict(method, find, probe) for probe in asked for method, find in known.items()]

    def _verdict(self, method: str, find: Method, probe: Probe) -> Verdict:
        started = time.process_time()
        found = find(probe)
        if method == "memoro":
            self.seconds += time.process_time() - started
            self.searches += 1
        return Verdict(
            self._name,
            method,
            probe,
            judge(found, probe, self._year),
            found[0].text if found else "(nothing)",
            *count_current(found, probe, self._year),
        )

"""A round of tidying over 2,000 memories and 5 MB of notes, beside a full sync of the same home

How long each part takes, and as a share of the sync. Also the precision of what is called worth loading.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import memoro
from memoro.curate.rounds.planning import planned
from memoro.model.worth_loading import is_worth_loading

T = TypeVar("T")
MEMORIES, NOTE_BYTES, NOTES = 2000, 5_000_000, 1000
_DATA = Path(__file__).parent / "data"
_THINGS = "server proxy database cache queue gateway printer invoice contract archive report mailbox calendar".split()  # noqa: SIM905
_NAMES = "heron egret ibis crane stork plover avocet curlew dunlin godwit knot ruff snipe teal wigeon".split()  # noqa: SIM905
_PLACES = "Porto Ghent Lisbon Dublin Vienna Turin Leeds Bergen Malmö Graz Basel Bonn".split()  # noqa: SIM905


def run() -> None:
    print("| labelled lines | lines | precision | recall |\n|---|---|---|---|")
    for part in ("dev", "check"):
        _print_worth(part)
    print()
    with tempfile.TemporaryDirectory(prefix="memoro-tidying-") as folder:
        _measure(Path(folder))


def _print_worth(part: str) -> None:
    lines = [line for line in (_DATA / f"worth-loading-{part}.txt").read_text().splitlines() if line[:1] in "+-"]
    kept = [line[0] == "+" for line in lines if is_worth_loading(line[2:])]
    worth = sum(line[0] == "+" for line in lines)
    print(f"| {part} | {len(lines)} | {sum(kept) / len(kept):.2f} | {sum(kept) / worth:.2f} |")


def _measure(folder: Path) -> None:
    rng = random.Random(7)
    vault = folder / "vault"
    _write_notes(vault, rng)
    with memoro.open(home=folder / "home", vault=vault) as m:
        for number in range(MEMORIES):
            m.memories.store(_statement(rng, number), project=rng.choice([None, "atlas", "meridian"]))
        synced, _ = _timed(m.sync)
        reader, settings = m.parts.round_planning.reader, m.settings.curate
        reading, read = _timed(reader.read)
        planning, found = _timed(lambda: planned(read.state, settings, "review"))
        whole, done = _timed(lambda: m.tidy(dry_run=True))
    print(
        f"{len(read.state.alike):,} near pairs, {len(found)} suggestions, {len(done.contradictions)} contradictions\n"
    )
    print("| | seconds | share of a full sync |\n|---|---|---|")
    for name, seconds in (
        ("full sync", synced),
        ("reading what is curated", reading),
        ("all planners", planning),
        ("`memoro tidy --dry-run`, whole", whole),
    ):
        print(f"| {name} | {seconds:.2f} | {seconds / synced:.2f} |")


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    done = work()
    return time.perf_counter() - started, done


def _write_notes(vault: Path, rng: random.Random) -> None:
    vault.mkdir()
    lines = [f"- {_statement(rng, number)}" for number in range(100)]
    (vault / "MEMORY.md").write_text("# Memory\n\n" + "\n".join(lines) + "\n- See [[Old plan]]\n")
    for number in range(NOTES):
        text = [f"# Note {number}\n"]
        while sum(map(len, text)) < NOTE_BYTES / NOTES:
            text.append(f"{_statement(rng, rng.randrange(10_000))}. {_statement(rng, rng.randrange(10_000))}.\n")
        place = vault / ("agent" if number % 20 == 0 else "notes")
        place.mkdir(exist_ok=True)
        (place / f"{number}.md").write_text("\n".join(text))


def _statement(rng: random.Random, number: int) -> str:
    thing, name, place = rng.choice(_THINGS), rng.choice(_NAMES), rng.choice(_PLACES)
    return rng.choice(
        (
            f"The {thing} {number} of {place} is called {name}",
            f"The {thing} {name} listens on port {8000 + number}",
            f"{name.title()} number {number} prefers the {thing} in {place}",
            f"Requests to the {thing} {number} go through {name} in {place}",
        )
    )

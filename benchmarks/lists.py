"""Lists of memories on the page: 100,000 memories, in each order and with filters; a page of 30, rendered.

`python -m benchmarks.lists 10000` makes a smaller ledger.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import memoro
from benchmarks import corpus, measure
from memoro.model.changes import MemoryAdded
from memoro.model.journal import Authorship, entry_of
from memoro.model.memories import Memory, stamp
from memoro.model.recalls import StoredItem, StoredRecall
from memoro.model.scope import Scope
from memoro.model.sessions import Session
from memoro.page.rendering import render
from memoro.page.view import Fields, PageRequest, Shown
from memoro.page.views import memories
from memoro.workspace import Workspace

MEMORIES, RECALLS, REPEAT = 100_000, 20_000, 21
QUERIES: tuple[tuple[tuple[str, str], ...], ...] = (
    *(((("sort", sort),)) for sort in ("newest", "oldest", "feedback", "score", "used", "uses")),
    (("tag", "tea"),),
    (("tag", "tea"), ("sort", "score")),
    (("words", "harbour"),),
    (("words", "a word that no memory holds"),),
    (("state", "superseded"),),
    (("state", "invalid"),),
)


def run(count: int = MEMORIES) -> None:
    with tempfile.TemporaryDirectory() as folder, memoro.open(folder) as m:
        _fill(m, count)
        rows = [(_said(asked), *_times(memories.memories, PageRequest(m, query=Fields(asked)))) for asked in QUERIES]
        one = PageRequest(m, path={"id": str(count // 2)})
        rows.append(("one memory", *_times(memories.memory, one)))
        measure.table((f"{count:,} memories", "median ms", "p95 ms", "CPU ms"), rows)


def _fill(m: Workspace, count: int) -> None:
    """Memories of one to three sentences; some helped, some are superseded; sessions were given a few."""
    language, rng, now = corpus.Language(7), random.Random(7), datetime.now(UTC)
    access = m.ledger.access
    with access.ledger.writing() as tx:
        for number in range(count):
            text = f"{number} {language.paragraph(rng.randint(1, 3))}"
            made = Memory(
                id=0, content=text, source="agent", trust=rng.choice(("agent_inferred", "tool_or_web", "user_said")),
                created_at=stamp(now - timedelta(days=rng.expovariate(1 / 200))),
                feedback=rng.choice((3, 6, -1, 9)) if rng.random() < 0.2 else 0,
                tags=("tea",) if rng.random() < 0.1 else ("work",),
                superseded_by=1 if rng.random() < 0.05 and number else None,
            )  # fmt: skip
            kept = tx.memories.insert(made, access.digest(tx, text))
            tx.journal.add(entry_of(MemoryAdded("store", kept.id), Authorship(made.created_at, "agent")))
        tx.sessions.insert(Session("s", stamp(now), None, None, Scope()))
        for _ in range(RECALLS):
            given = [StoredItem(f"memory:{rng.randint(1, count)}", None) for _ in range(5)]
            tx.sessions.add(_recall(stamp(now)), given, None)


def _recall(at: str) -> StoredRecall:
    return StoredRecall(number=0, session="s", at=at, form="full", message="", boundary="", detail={})


def _times(view: Callable[[PageRequest], Shown], asked: PageRequest) -> tuple[str, str, str]:
    def answer() -> None:
        shown = view(asked)
        values = {**shown.values, "csrf": "", "here": "/memories", "query": asked.query, "notice": None}
        render(shown.template, values, "content")

    costs = [measure.call(answer) for _ in range(REPEAT)]
    wall, cpu = sorted(one.wall_ms for one in costs), statistics.median(one.cpu_ms for one in costs)
    return f"{statistics.median(wall):.0f}", f"{wall[int(0.95 * REPEAT)]:.0f}", f"{cpu:.0f}"


def _said(asked: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {value}" for name, value in asked)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES)

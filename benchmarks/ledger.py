"""Memories: a query over 100,000 (or more) beside plain FTS5, and eight processes that write at once; experiences.

`python -m benchmarks.ledger 1000000` asks a larger ledger, `python -m benchmarks.ledger experiences` these alone.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

import memoro
from benchmarks import corpus, measure, paraphrase, prose
from memoro.evaluate import metrics
from memoro.ledger.access import LedgerAccess
from memoro.ledger.ports import Transaction
from memoro.model.changes import ExperienceAdded
from memoro.model.experiences import Experience, canonical, identity
from memoro.model.journal import Authorship, entry_of
from memoro.model.memories import Memory, stamp
from memoro.workspace import Workspace

MEMORIES = 100_000
QUERIES = 40
WRITERS, WRITES = 8, 1000
EXPERIENCES = 10_000
OTHERS = 1500


def run(count: int = MEMORIES) -> None:
    with tempfile.TemporaryDirectory() as folder, memoro.open(folder) as m:
        texts = _fill(m, count)
        plain = _plain(texts)
        _query(m, plain, texts)
    print()
    with tempfile.TemporaryDirectory() as folder:
        _write_at_once(folder)
    print()
    _learned()


def _fill(m: Workspace, count: int) -> list[str]:
    """Memories of one to three sentences; a few have proved useful, most are old."""
    language, rng = corpus.Language(7), random.Random(7)
    now = datetime.now(UTC)
    access = m.memories._access
    texts = []
    for start in range(0, count, 2000):
        with access.ledger.writing() as tx:
            for number in range(start, start + 2000):
                text = f"{number} {language.paragraph(rng.randint(1, 3))}"
                texts.append(text)
                created = stamp(now - timedelta(days=rng.expovariate(1 / 200)))
                feedback = rng.choice((0, 0, 0, 0, 0, 3, 6, -1, 9)) if rng.random() < 0.2 else 0
                memory = Memory(0, text, "agent", "agent_inferred", created, feedback=feedback)
                tx.memories.insert(memory, access.digest(tx, text))
    return texts


def _plain(texts: list[str]) -> apsw.Connection:
    plain = apsw.Connection(":memory:")
    plain.execute("CREATE VIRTUAL TABLE memories USING fts5(content)")
    with plain:
        plain.executemany("INSERT INTO memories (content) VALUES (?)", ((text,) for text in texts))
    return plain


def _query(m: Workspace, plain: apsw.Connection, texts: list[str]) -> None:
    naive_query = "SELECT rowid FROM memories WHERE memories MATCH ? ORDER BY rank LIMIT 5"
    naive, ours = [], []
    m.memories.query("first")
    for query in _queries(texts):
        match = " OR ".join(f'"{word}"' for word in query.split())
        naive.append(measure.call(lambda: plain.execute(naive_query, (match,)).fetchall()))  # noqa: B023
        ours.append(measure.call(lambda: m.memories.query(query)))  # noqa: B023
    rows = []
    for name, costs in {"plain FTS5, in memory": naive, "Memoro, every match ranked": ours}.items():
        ratio = statistics.median(n.wall_ms / c.wall_ms for n, c in zip(naive, costs, strict=True))
        times = [c.wall_ms for c in costs]
        rows.append([name, len(texts), statistics.median(times), max(times), ratio])
    measure.table(["query of 6 words", "memories", "median ms", "worst ms", "× faster (median of pairs)"], rows)


def _queries(texts: list[str]) -> list[str]:
    rng = random.Random(11)
    found: list[str] = []
    while len(found) < QUERIES:
        words = rng.choice(texts).lower().replace(".", "").split()[1:]
        if len(words) >= 6:
            at = rng.randrange(len(words) - 5)
            found.append(" ".join(words[at : at + 6]))
    return found


def _learned() -> None:
    with tempfile.TemporaryDirectory() as folder, memoro.open(folder) as m:
        _experiences(m)
    print()
    _paraphrased()


def _paraphrased() -> None:
    """Questions that share no word with an intent: found by a vector of the intent, or of what was done as well?"""
    pairs = tomllib.loads(paraphrase.DATA.read_text(encoding="utf-8"))["pair"]
    with tempfile.TemporaryDirectory() as folder:
        prose.write_notes(Path(folder), OTHERS)
        texts = [" ".join(file.read_text(encoding="utf-8").split()) for file in sorted(Path(folder).rglob("*.md"))]
    intents = [*(pair["note"] for pair in pairs), *(text[:120] for text in texts)]
    rng = random.Random(5)
    rows = []
    for name, letters in (("intent", 0), ("intent and 250 letters of the solution", 250)):
        with tempfile.TemporaryDirectory() as folder, memoro.open(folder) as m:
            access = m.ledger.access
            with access.ledger.writing() as tx:
                for intent in intents:
                    solution = rng.choice(texts)
                    text = f"{intent}\n{solution[:letters]}".strip()
                    _keep(access, tx, text, solution, datetime.now(UTC), 1.0)
            m.sync()
            found = []
            for number, pair in enumerate(pairs, 1):
                results = m.experiences.find_similar(pair["query"], limit=10).results
                found.append(metrics.figures([one.id for one in results], [f"experience:{number}"], (1, 5, 10)))
            mean = metrics.mean(found)
        rows.append([name, *(f"{100 * value:.1f}" for value in mean.recall.values()), f"{100 * mean.mrr:.1f}"])
    measure.table(["the vector is of", "R@1", "R@5", "R@10", "MRR"], rows)


def _keep(access: LedgerAccess, tx: Transaction, intent: str, solution: object, at: datetime, success: float) -> None:
    written = canonical(solution)
    one = Experience(0, "task_solution", intent, written, success, "agent", "agent_inferred", stamp(at))
    kept = tx.experiences.insert(one, access.digest(tx, identity(one)))
    tx.journal.add(entry_of(ExperienceAdded("record", kept.id), Authorship(stamp(at), "agent")))


def _experiences(m: Workspace) -> None:
    """What an agent waits for before it begins: intents of a sentence, most of them recorded weeks ago."""
    language, rng = corpus.Language(9), random.Random(9)
    now, access = datetime.now(UTC), m.ledger.access
    intents = [f"{number} {language.paragraph(1)}" for number in range(EXPERIENCES)]
    with access.ledger.writing() as tx:
        for number, intent in enumerate(intents):
            at = now - timedelta(days=min(120.0, rng.expovariate(1 / 30)))
            _keep(access, tx, intent, {"step": number}, at, rng.random())
    m.sync()
    learned = m.experiences
    asked: dict[str, Callable[[str], object]] = {
        "find_similar, by words": lambda query: learned.find_similar(query, mode="words"),
        "find_similar, by meaning too": learned.find_similar,
        "hints": learned.hints,
    }
    rows = []
    for name, ask in asked.items():
        ask("first")
        costs = [measure.call(lambda: ask(query)) for query in _queries(intents)]  # noqa: B023
        walls = [cost.wall_ms for cost in costs]
        rows.append(
            [name, EXPERIENCES, statistics.median(walls), statistics.median(c.cpu_ms for c in costs), max(walls)]
        )
    measure.table(["6 words", "experiences", "median ms", "median ms of CPU", "worst ms"], rows)


_WRITER = """
import sys, time, memoro
with memoro.open(sys.argv[1]) as m:
    for number in range(int(sys.argv[3])):
        started = time.perf_counter()
        m.memories.store(f"fact {number} of writer {sys.argv[2]}")
        print((time.perf_counter() - started) * 1000)
"""


def _write_at_once(folder: str) -> None:
    with memoro.open(folder) as m:
        m.memories.store("the first")
    started = time.perf_counter()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, folder, str(writer), str(WRITES)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ},
        )
        for writer in range(WRITERS)
    ]  # fmt: skip
    said = [writer.communicate() for writer in writers]
    took = time.perf_counter() - started
    times = sorted(float(line) for out, _ in said for line in out.split())
    failed = sum(1 for _, error in said if error)
    with memoro.open(folder) as m:
        kept = len(m.memories.all()) - 1
    middle, late = statistics.median(times), times[int(len(times) * 0.99)]
    row = [f"{WRITERS} × {WRITES}", kept, failed, middle, late, times[-1], kept / took]
    measure.table(
        ["writers × writes", "kept", "writers that failed", "median ms", "p99 ms", "max ms", "writes/s"], [row]
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["experiences"]:
        _learned()
    else:
        run(int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES)

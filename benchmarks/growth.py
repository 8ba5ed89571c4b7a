"""How a warm hybrid query grows with the vault, beside FTS5 with every word and sqlite-vec in float32.

1,000,000 chunks are measured with MEMORO_BIG=1. Each size has a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import apsw
import numpy

import memoro
from benchmarks import corpus, measure
from memoro.evaluate.metrics import percentile
from memoro.index.space_filling import Effort
from memoro.index.vector_upkeep import VectorUpkeep
from memoro.model.notes import Chunk, FileEntry, Indexed, Note
from memoro.model.words import searchable
from memoro.providers.builtin.model import SPACE, builtin
from memoro.providers.cached import digest
from memoro.providers.registry import EmbedderSettings, ProviderContext, embedders
from memoro.store.changes import Write
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome

SIZES = (10_000, 100_000)
BIG = 1_000_000
COMPARED = 100_000  # where the naive way is measured too
QUERIES = 40
WARM_UP = 40
RESULTS = 10
_BATCH = 1000


def run() -> None:
    sizes = [*SIZES, BIG] if os.environ.get("MEMORO_BIG") else list(SIZES)
    rows, notes = [], []
    before: dict[str, Any] | None = None
    for size in sizes:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.growth", str(size)], stdout=subprocess.PIPE, text=True, check=True
        )
        found = json.loads(done.stdout.splitlines()[-1])
        growth = found["cpu"] / before["cpu"] if before else 1.0
        sizes_mb = [found[part] for part in ("index_mb", "vectors_mb", "cache_mb", "start_mb", "rss_mb")]
        rows.append([f"{size:,}", found["median"], found["p95"], found["cpu"], growth, *sizes_mb, found["fill_s"]])
        notes += found["notes"]
        before = found
    header = [
        "chunks",
        "median ms",
        "p95 ms",
        "CPU ms",
        "× the row above's CPU",
        "index MB",
        "vectors MB",
        "cache MB",
    ]
    measure.table([*header, "RSS before MB", "RSS after MB", "filled in s"], rows)
    print()
    print("\n".join(notes))


def main(size: int) -> None:
    """One size: fill a home, ask, and print what it cost as a line of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        # What filling needs in memory is not what searching needs.
        filling = multiprocessing.get_context("spawn").Process(target=_fill, args=(folder, size))
        filling.start()
        filling.join()
        assert filling.exitcode == 0, "filling failed"
        took = float((Path(folder) / "took").read_text())
        print(json.dumps({**_measured(folder, size), "fill_s": took}))


def _measured(folder: str, size: int) -> dict[str, Any]:
    asked = json.loads((Path(folder) / "queries").read_text())
    start = _rss()
    with memoro.open(folder) as m:

        def ask(query: str) -> object:
            return m.search(query, limit=RESULTS, mode="hybrid")

        for query in asked[2 * QUERIES :]:  # words and pages that any long-running process has met
            ask(query)
        # Each question is asked once: what is remembered from a question must not flatter the next.
        costs = [measure.call(lambda: ask(query)) for query in asked[:QUERIES]]  # noqa: B023
        rss = _rss()
        notes = _beside(folder, asked[QUERIES : 2 * QUERIES], ask) if size == COMPARED else []
    files = list(Path(folder).iterdir())
    return {
        "median": statistics.median(cost.wall_ms for cost in costs),
        "p95": percentile([cost.wall_ms for cost in costs], 0.95),
        "cpu": statistics.median(cost.cpu_ms for cost in costs),
        "start_mb": start,
        "rss_mb": rss,
        "index_mb": _megabytes(file for file in files if re.match(r"index\.\d+\.db", file.name)),
        "cache_mb": _megabytes(file for file in files if file.name.startswith("embeddings.db")),
        "vectors_mb": _megabytes(file for file in files if file.suffix in (".rows", ".scales", ".chunks", ".sums")),
        "notes": notes,
    }


def _fill(folder: str, size: int) -> None:
    """Write chunks with their vectors straight into the store, and keep questions to ask of them."""
    cost = measure.call(lambda: _write(folder, size))
    (Path(folder) / "took").write_text(str(cost.wall_ms / 1000))


def _write(folder: str, size: int) -> None:
    home = SqliteIndexHome(folder, engine(folder))
    index = home.first()
    upkeep = VectorUpkeep(home, embedders(EmbedderSettings(), ProviderContext({}, home.records)), Effort(whole=False))
    sample: list[str] = []
    for start, texts in _texts(size):
        index.apply([_write_of(start + i, text) for i, text in enumerate(texts)])
        upkeep.fill()
        sample += texts[:1]
    index.put_meta({"synced_at": "2026-01-01T00:00:00"})
    index.settle()
    home.close()
    (Path(folder) / "memoro.toml").write_text("[sync]\non_search = false\n")  # there are no notes to compare with
    (Path(folder) / "queries").write_text(json.dumps(_queries(sample)))


def _texts(size: int) -> Iterator[tuple[int, list[str]]]:
    language, rng = corpus.Language(7), random.Random(7)
    for start in range(0, size, _BATCH):
        yield start, [language.paragraph(rng.randint(3, 16)) for _ in range(_BATCH)]


def _write_of(number: int, text: str) -> Write:
    chunk = Chunk(text, 1, 1, (), digest(text))
    entry = FileEntry(f"n{number}.md", "note", f"{number:x}", None)
    return Write(Indexed(entry, Note(title=f"n{number}"), "2026-01-01", (chunk,)))


def _queries(texts: Sequence[str]) -> list[str]:
    """Eight words that stand together in some passage, function words and all; no two are the same."""
    rng = random.Random(11)
    found: dict[str, None] = {}
    while len(found) < 2 * QUERIES + WARM_UP:
        words = rng.choice(texts).lower().replace(".", "").split()
        at = rng.randrange(max(1, len(words) - 8))
        found[" ".join(words[at : at + 8])] = None
    return list(found)


def _beside(folder: str, asked: Sequence[str], ask: Callable[[str], object]) -> list[str]:
    """The same questions both ways in turn, so that noise falls on both alike."""
    try:
        sqlite_vec = import_module("sqlite_vec")
    except ImportError:
        return ["sqlite-vec is not installed (pip install sqlite-vec): the naive way was not measured."]
    naive = _Naive(Path(folder) / "naive.db", sqlite_vec.loadable_path())
    naive.fill(COMPARED)
    naive(asked[0])
    theirs, ours = [], []
    for query in asked:
        theirs.append(measure.call(lambda: naive(query)))  # noqa: B023
        ours.append(measure.call(lambda: ask(query)))  # noqa: B023
    wall = statistics.median(a.wall_ms / b.wall_ms for a, b in zip(theirs, ours, strict=True))
    cpu = statistics.median(a.cpu_ms / b.cpu_ms for a, b in zip(theirs, ours, strict=True))
    words = statistics.median(naive.word_ms[1:])
    return [
        f"FTS5 with every word + sqlite-vec float32 at {COMPARED:,} chunks: {_spread(theirs)} (FTS5 {words:.0f} ms). "
        f"Memoro in turn with it: {_spread(ours)}. × {wall:.1f} faster, × {cpu:.1f} less CPU (medians of pairs)."
    ]


def _spread(costs: Sequence[measure.Cost]) -> str:
    walls = [cost.wall_ms for cost in costs]
    cpu = statistics.median(cost.cpu_ms for cost in costs)
    return f"median {statistics.median(walls):.1f} ms, p95 {percentile(walls, 0.95):.1f} ms, CPU {cpu:.1f} ms"


class _Naive:
    """Every word joined by OR in the order of bm25(), nearest vectors by sqlite-vec, merged by rank."""

    def __init__(self, file: Path, extension: str) -> None:
        self._db = apsw.Connection(str(file))
        self._db.enable_load_extension(True)
        self._db.load_extension(extension)
        self._db.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61')")
        self._db.execute(f"CREATE VIRTUAL TABLE vectors USING vec0(vector float[{SPACE.dimensions}])")
        self.word_ms: list[float] = []

    def fill(self, size: int) -> None:
        for start, texts in _texts(size):
            numbers = range(start + 1, start + 1 + len(texts))
            rows = builtin().embed(texts).astype(numpy.float32)
            with self._db:
                self._db.executemany(
                    "INSERT INTO words (rowid, text) VALUES (?, ?)", zip(numbers, texts, strict=True)
                )
                self._db.executemany(
                    "INSERT INTO vectors (rowid, vector) VALUES (?, ?)",
                    ((number, row.tobytes()) for number, row in zip(numbers, rows, strict=True)),
                )

    def __call__(self, query: str) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", searchable(query)))
        found: list[list[int]] = []
        cost = measure.call(
            lambda: found.append(
                self._ids("SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 80", (match,))
            )
        )
        self.word_ms.append(cost.wall_ms)
        vector = builtin().embed([query])[0].tobytes()
        found.append(self._ids("SELECT rowid FROM vectors WHERE vector MATCH ? AND k = 80", (vector,)))
        votes: dict[int, float] = {}
        for ranking in found:
            for place, one in enumerate(ranking):
                votes[one] = votes.get(one, 0.0) + 1 / (60 + place)
        return sorted(votes, key=lambda one: -votes[one])[:RESULTS]

    def _ids(self, sql: str, bindings: tuple[str | bytes, ...]) -> list[int]:
        return [int(str(row[0])) for row in self._db.execute(sql, bindings)]


def _megabytes(files: Iterator[Path]) -> float:
    return sum(file.stat().st_size for file in files) / 1e6


def _rss() -> float:
    """What the process holds at most so far, in MB; mapped pages that were touched are part of it."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / 1e6 if sys.platform == "darwin" else largest / 1e3


if __name__ == "__main__":
    main(int(sys.argv[1]))

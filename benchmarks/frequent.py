"""An OR query of 8 natural words over 100,000 chunks: planned by frequency, beside plain FTS5."""

from __future__ import annotations

import random
import statistics
import tempfile

import apsw

from benchmarks import corpus, measure
from memoro.model.answers import Where
from memoro.model.notes import Chunk, FileEntry, Indexed, Note
from memoro.search import retrieve
from memoro.search.retrieve import IndexQuery
from memoro.store.changes import Write
from memoro.store.ports import COLUMNS
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome

CHUNKS = 100_000
QUERIES = 40


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = SqliteIndexHome(folder, engine(folder))
        texts = _fill(home)
        index = home.current()
        assert index is not None
        plain = apsw.Connection(index.file, vfs=home.engine.vfs)
        weights = ", ".join(map(str, COLUMNS.values()))
        naive_query = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, {weights}) LIMIT 6"
        naive: list[measure.Cost] = []
        cold: list[measure.Cost] = []
        warm: list[measure.Cost] = []
        for query in _queries(texts):
            match = " OR ".join(f'"{word}"' for word in query.split())
            naive.append(measure.call(lambda: plain.execute(naive_query, (match,)).fetchall()))  # noqa: B023
            index._frequencies.clear()
            for into in (cold, warm):
                asked = IndexQuery(query, Where(), 6, "words")
                into.append(measure.call(lambda: retrieve.by_words(index, asked, multiplier=4)))  # noqa: B023
        rows = []
        for name, costs in {
            "plain FTS5, all words": naive,
            "Memoro, first time": cold,
            "Memoro, repeated": warm,
        }.items():
            middle = statistics.median(c.wall_ms for c in costs)
            worst = max(c.wall_ms for c in costs)
            ratio = statistics.median(n.wall_ms / c.wall_ms for n, c in zip(naive, costs, strict=True))
            rows.append([name, middle, worst, ratio])
        measure.table(["query", "median ms", "worst ms", "× faster (median of pairs)"], rows)
        home.close()


def _fill(home: SqliteIndexHome) -> list[str]:
    language = corpus.Language(7)
    rng = random.Random(7)
    texts = []
    index = home.first()
    for start in range(0, CHUNKS, 1000):
        changes = []
        for number in range(start, start + 1000):
            text = language.paragraph(rng.randint(3, 16))
            texts.append(text)
            chunk = Chunk(text, 1, 1, (), f"{number:064x}")
            entry = FileEntry(f"n{number}.md", "note", f"{number:x}", None)
            changes.append(Write(Indexed(entry, Note(title=f"n{number}"), "2026-01-01", (chunk,))))
        index.apply(changes)
    index.settle()
    return texts


def _queries(texts: list[str]) -> list[str]:
    """Eight words that stand together in some passage, as people quote or ask: function words and all."""
    rng = random.Random(11)
    found: list[str] = []
    while len(found) < QUERIES:
        words = rng.choice(texts).lower().replace(".", "").split()
        at = rng.randrange(max(1, len(words) - 8))
        if len(words[at : at + 8]) == 8:
            found.append(" ".join(words[at : at + 8]))
    return found

"""The word index of the archive: an FTS5 table beside the rows of memories. The ledger's words are in the index."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import apsw

from memoro.model.answers import Term
from memoro.model.ledger import ItemFit
from memoro.model.memories import Memory
from memoro.model.words import searchable
from memoro.store.terms import match_any, terms, tokenizer

_SATURATION = 1.2  # BM25's k1, as FTS5 has it
_TABLE = "words"


class MemoryWordTable:
    """The words of archived memories."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, memory: Memory) -> None:
        self._db.execute(
            "INSERT INTO words (rowid, content, tags) VALUES (?, ?, ?)",
            (memory.id, searchable(memory.content), searchable(" ".join(memory.tags))),
        )

    def remove(self, number: int) -> None:
        self._db.execute("DELETE FROM words WHERE rowid = ?", (number,))

    def terms(self, text: str) -> list[Term]:
        return terms(text, tokenizer(self._db))

    def fits(self, words: Sequence[Term]) -> Iterator[ItemFit]:
        """Every memory that holds any of the words, best first; lazily.

        The fit is BM25 divided by the most that these words could score, which means the same in an archive of
        three memories as in one of a million.
        """
        frequencies = {word: self._frequency(word) for word in words}
        present = [word for word in words if frequencies[word]]
        if not present:
            return
        rows = int(self._db.execute("SELECT count(*) FROM words_docsize").get)
        most = (_SATURATION + 1) * sum(_weight(min(frequencies[word], rows), rows) for word in present)
        query = "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank"
        for number, rank in self._db.execute(query, (match_any(present),)):
            fit = min(1.0, -float(str(rank)) / most)
            yield ItemFit(number=int(str(number)), fit=fit, most=fit)

    def _frequency(self, word: Term) -> int:
        if word.prefix:
            query = "SELECT sum(doc) FROM words_vocabulary WHERE term >= ? AND term < ?"
            found = self._db.execute(query, (word.stem, word.stem + "\U0010ffff")).get
        else:
            found = self._db.execute("SELECT doc FROM words_vocabulary WHERE term = ?", (word.stem,)).get
        return int(found or 0)


def merge_deleted(db: apsw.Connection) -> None:
    """Write the word index anew: FTS5 keeps traces of deleted rows until their segments are merged."""
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (_TABLE,)).get:
        db.execute("INSERT INTO words (words) VALUES ('optimize')")


def missing_words(rows: dict[str, int]) -> list[str]:
    """A complaint about a word index that does not have as many rows as there are memories."""
    words = rows.get(f"{_TABLE}_docsize")
    if words is None or words == rows["memories"]:
        return []
    return [f"{rows['memories']} memories, but {words} in their word index"]


def _weight(holding: int, rows: int) -> float:
    """The weight that FTS5 gives a word: never 0, but next to it where half of all rows hold the word."""
    return max(1e-6, math.log((rows - holding + 0.5) / (holding + 0.5)))

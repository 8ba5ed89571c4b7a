"""The word indexes of ledger and archive: FTS5 tables beside the rows of memories, narratives and experiences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import apsw

from memoro.model.answers import Term
from memoro.model.ledger import ExperienceMatch, MemoryMatch, NarrativeMatch
from memoro.model.words import searchable
from memoro.store.terms import match_any, terms, tokenizer

if TYPE_CHECKING:
    from memoro.store.sqlite.ledger.experiences import SqliteExperiences
    from memoro.store.sqlite.ledger.memories import SqliteMemories
    from memoro.store.sqlite.ledger.narratives import SqliteNarratives

MEMORY_WORDS, NARRATIVE_WORDS, EXPERIENCE_WORDS = TABLES = ("words", "narrative_words", "experience_words")
COLUMNS = {
    MEMORY_WORDS: ("content", "tags"),
    NARRATIVE_WORDS: ("summary",),
    EXPERIENCE_WORDS: ("intent", "tags"),
}
_SATURATION = 1.2  # BM25's k1, as FTS5 has it
_FEW = 500  # rows that hold a word; to rank as many takes less than half a millisecond
_ENOUGH = 6  # words that tell rows apart


class WordTable:
    """The words of one table's rows, by their numbers."""

    def __init__(self, db: apsw.Connection, name: str) -> None:
        self._db = db
        self._name = name

    def add(self, number: int, *texts: str) -> None:
        columns = COLUMNS[self._name]
        self._db.execute(
            f"INSERT INTO {self._name} (rowid, {', '.join(columns)}) VALUES (?{', ?' * len(columns)})",
            (number, *map(searchable, texts)),
        )

    def remove(self, number: int) -> None:
        self._db.execute(f"DELETE FROM {self._name} WHERE rowid = ?", (number,))

    def fits(self, words: Sequence[Term]) -> Iterator[tuple[int, float]]:
        """Every row that holds any of the words, best first, each with its fit from 0 to 1; lazily.

        The fit is BM25 divided by the most that these words could score, which means the same in a ledger of
        three memories as in one of a million.
        """
        frequencies = {word: self._frequency(word) for word in words}
        present = [word for word in words if frequencies[word]]
        if not present:
            return
        rows = int(self._db.execute(f"SELECT count(*) FROM {self._name}_docsize").get)
        most = (_SATURATION + 1) * sum(_weight(min(frequencies[word], rows), rows) for word in present)
        query = f"SELECT rowid, rank FROM {self._name} WHERE {self._name} MATCH ? ORDER BY rank"
        for number, rank in self._db.execute(query, (match_any(present),)):
            yield int(str(number)), min(1.0, -float(str(rank)) / most)

    def telling(self, words: Sequence[Term], share: float) -> list[Term]:
        """Words of which a row holds at least one if it holds this share of all of them; none where no row does.

        A row that lacks at most n of the words holds one of any n + 1, so that the rarest are enough, and what
        all rows hold need not be walked through. Others that few rows hold are added, to tell by how much a row
        fits.
        """
        held = sorted(((self._frequency(word), word) for word in words), key=lambda pair: pair[0])
        lacking = int(len(held) * (1 - share) + 1e-9)
        if not held or not held[lacking][0]:  # more are in no row than any row may lack
            return []
        chosen = [word for place, (rows, word) in enumerate(held) if rows and (place <= lacking or rows <= _FEW)]
        return chosen[: max(lacking + 1, _ENOUGH)]

    def _frequency(self, word: Term) -> int:
        if word.prefix:
            query = f"SELECT sum(doc) FROM {self._name}_vocabulary WHERE term >= ? AND term < ?"
            found = self._db.execute(query, (word.stem, word.stem + "\U0010ffff")).get
        else:
            found = self._db.execute(f"SELECT doc FROM {self._name}_vocabulary WHERE term = ?", (word.stem,)).get
        return int(found or 0)


class SqliteMemoryWords:
    def __init__(self, db: apsw.Connection, memories: SqliteMemories) -> None:
        self._db = db
        self._memories = memories
        self._table = WordTable(db, MEMORY_WORDS)

    def terms(self, text: str) -> list[Term]:
        return terms(text, tokenizer(self._db))

    def memories(self, words: Sequence[Term]) -> Iterator[MemoryMatch]:
        for number, fit in self._table.fits(words):
            found = self._memories.find(number)
            if found is not None:
                yield MemoryMatch(found, fit, most=fit)

    def telling(self, words: Sequence[Term], share: float) -> list[Term]:
        return self._table.telling(words, share)


class SqliteLedgerWords(SqliteMemoryWords):
    def __init__(
        self,
        db: apsw.Connection,
        memories: SqliteMemories,
        narratives: SqliteNarratives,
        experiences: SqliteExperiences,
    ) -> None:
        super().__init__(db, memories)
        self._narratives = narratives
        self._experiences = experiences

    def narratives(self, words: Sequence[Term]) -> Iterator[NarrativeMatch]:
        for number, fit in WordTable(self._db, NARRATIVE_WORDS).fits(words):
            yield NarrativeMatch(self._narratives.get(number), fit)

    def experiences(self, words: Sequence[Term]) -> Iterator[ExperienceMatch]:
        for number, fit in WordTable(self._db, EXPERIENCE_WORDS).fits(words):
            found = self._experiences.find(number)
            if found is not None:
                yield ExperienceMatch(found, fit)


def merge_deleted(db: apsw.Connection) -> None:
    """Write the word indexes anew: FTS5 keeps traces of deleted rows until their segments are merged."""
    for table in TABLES:
        if db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).get:
            db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def missing_words(rows: dict[str, int]) -> list[str]:
    """Complaints about word indexes that do not have as many rows as the tables they are of."""
    pairs = (("memories", MEMORY_WORDS), ("narratives", NARRATIVE_WORDS), ("experiences", EXPERIENCE_WORDS))
    return [
        f"{rows[table]} {table}, but {rows[f'{words}_docsize']} in their word index"
        for table, words in pairs
        if table in rows and rows[table] != rows[f"{words}_docsize"]
    ]


def _weight(holding: int, rows: int) -> float:
    """The weight that FTS5 gives a word: never 0, but next to it where half of all rows hold the word."""
    return max(1e-6, math.log((rows - holding + 0.5) / (holding + 0.5)))

"""The rows of memories, and their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from memoro.errors import MemoryNotFound
from memoro.model.answers import Term
from memoro.model.memories import Memory
from memoro.model.words import searchable
from memoro.store.sqlite.ledger.words import fits, needed
from memoro.store.terms import terms, tokenizer

_COLUMNS = Memory._fields
_LISTS = ("tags", "parents")
_MEMORY = f"SELECT {', '.join(_COLUMNS)} FROM memories"
_INSERT = f"INSERT INTO memories ({', '.join(_COLUMNS)}, digest) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"


class Match(NamedTuple):
    """A memory that holds words of a query, and how well they fit, 0–1."""

    memory: Memory
    fit: float


class MemoryRows:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def get(self, number: int) -> Memory:
        found = self.find(number)
        if found is None:
            raise MemoryNotFound(
                f"There is no memory [id:{number}]. `memoro memory query` finds those that there are."
            )
        return found

    def find(self, number: int) -> Memory | None:
        if not 0 < number < 2**63:  # what SQLite cannot hold names nothing
            return None
        row = self._db.execute(f"{_MEMORY} WHERE id = ?", (number,)).fetchone()
        return _to_memory(row) if row else None

    def all(self, condition: str = "", values: Sequence[Any] = ()) -> Iterator[Memory]:
        for row in self._db.execute(f"{_MEMORY} {condition} ORDER BY id", tuple(values)):
            yield _to_memory(row)

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM memories").get)

    def last_number(self) -> int:
        """The highest number there is: at least as much as there are memories."""
        return int(self._db.execute("SELECT max(id) FROM memories").get or 0)

    def count_current(self, at: str) -> int:
        query = """SELECT count(*) FROM memories
                    WHERE superseded_by IS NULL
                      AND coalesce(valid_from, '') <= ?1 AND coalesce(valid_to, '~') > ?1"""
        return int(self._db.execute(query, (at,)).get)

    def begun_or_ended(self, one: str, other: str) -> list[int]:
        """Those that began or ceased to hold between two moments."""
        low, high = sorted((one, other))
        query = """SELECT id FROM memories WHERE valid_from > ?1 AND valid_from <= ?2
                    UNION SELECT id FROM memories WHERE valid_to > ?1 AND valid_to <= ?2"""
        return [int(str(number)) for (number,) in self._db.execute(query, (low, high))]

    def next_change(self, now: str) -> str | None:
        """The next moment at which one begins or ceases to hold."""
        query = """SELECT min(at) FROM (SELECT min(valid_from) AS at FROM memories WHERE valid_from > ?1
                    UNION ALL SELECT min(valid_to) FROM memories WHERE valid_to > ?1)"""
        found: str | None = self._db.execute(query, (now,)).get
        return found

    def by_digest(self, digest: bytes) -> list[Memory]:
        return list(self.all("WHERE digest = ?", (digest,)))

    def insert(self, memory: Memory, digest: bytes) -> Memory:
        """Add a memory, under its own number if it has one (not 0), else under a number never used before."""
        values = dict(zip(_COLUMNS, _row(memory), strict=True)) | {"id": memory.id or None}
        self._db.execute(_INSERT, (*values.values(), digest))
        kept = memory._replace(id=self._db.last_insert_rowid())
        self._add_words(kept)
        return kept

    def replace(self, old: Memory, new: Memory, digest: bytes) -> None:
        """Make the row of a memory say something else."""
        names = [name for name in _COLUMNS if getattr(old, name) != getattr(new, name)]
        values = dict(zip(_COLUMNS, _row(new), strict=True))
        changes = ", ".join(f"{name} = ?" for name in (*names, "digest"))
        self._db.execute(
            f"UPDATE memories SET {changes} WHERE id = ?", (*(values[name] for name in names), digest, old.id)
        )
        if "content" in names or "tags" in names:
            self._db.execute("DELETE FROM words WHERE rowid = ?", (old.id,))
            self._add_words(new)

    def delete(self, number: int) -> None:
        self._db.execute("DELETE FROM words WHERE rowid = ?", (number,))
        self._db.execute("DELETE FROM memories WHERE id = ?", (number,))

    def _add_words(self, memory: Memory) -> None:
        row = (memory.id, searchable(memory.content), searchable(" ".join(memory.tags)))
        self._db.execute("INSERT INTO words (rowid, content, tags) VALUES (?, ?, ?)", row)

    def highest(self) -> int:
        """The highest number that was ever given, or kept from being given."""
        return int(self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'").get or 0)

    def reserve(self, number: int) -> None:
        """Never give this number, nor one below it, to a new memory."""
        self._db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'memories'", (number,))
        if not self._db.changes():
            self._db.execute("INSERT INTO sqlite_sequence VALUES ('memories', ?)", (number,))

    def terms(self, text: str) -> list[Term]:
        return terms(text, tokenizer(self._db))

    def matches(self, words: Sequence[Term]) -> Iterator[Match]:
        """Every memory that holds any of the words, by how well they fit, best first; lazily."""
        for number, fit in fits(self._db, "words", words):
            found = self.find(number)
            if found is not None:
                yield Match(found, fit)

    def needed(self, words: Sequence[Term], share: float) -> list[Term]:
        return needed(self._db, "words", words, share)

    def highest_feedback(self) -> int:
        return int(self._db.execute("SELECT max(feedback) FROM memories").get or 0)


def _row(memory: Memory) -> tuple[Any, ...]:
    lists = {name: "\n".join(map(str, getattr(memory, name))) for name in _LISTS}
    return tuple((memory._asdict() | lists).values())


def _to_memory(row: Any) -> Memory:
    memory = Memory(*row)
    tags = tuple(str(memory.tags).split("\n")) if memory.tags else ()
    parents = tuple(map(int, str(memory.parents).split("\n"))) if memory.parents else ()
    return memory._replace(tags=tags, parents=parents)

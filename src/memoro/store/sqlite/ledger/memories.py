"""The rows of memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import apsw

from memoro.model.listing import ListOrder, MemoryFilter
from memoro.model.memories import EXTRACTION, Memory
from memoro.store.encoding import is_number
from memoro.store.missing import no_memory
from memoro.store.sqlite.ledger.pages import memory_rows
from memoro.store.sqlite.ledger.words import MemoryWordTable

_COLUMNS = Memory._fields
_LISTS = ("tags", "parents")
_MEMORY = f"SELECT {', '.join(_COLUMNS)} FROM memories"
_ENDED_FACT = f"source = '{EXTRACTION}' AND valid_to IS NOT NULL"  # in the words of an index of the table
_INSERT = f"INSERT INTO memories ({', '.join(_COLUMNS)}, digest) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"


class SqliteMemories:
    def __init__(self, db: apsw.Connection, words: MemoryWordTable | None = None) -> None:
        """`words` is the word index beside the rows. Only the archive has one."""
        self._db = db
        self._words = words

    def get(self, number: int) -> Memory:
        found = self.find(number)
        if found is None:
            raise no_memory(number)
        return found

    def find(self, number: int) -> Memory | None:
        if not is_number(number):
            return None
        row = self._db.execute(f"{_MEMORY} WHERE id = ?", (number,)).fetchone()
        return _to_memory(row) if row else None

    def _where(self, condition: str = "", values: Sequence[Any] = ()) -> Iterator[Memory]:
        for row in self._db.execute(f"{_MEMORY} {condition} ORDER BY id", tuple(values)):
            yield _to_memory(row)

    def all(self) -> Iterator[Memory]:
        return self._where()

    def page(self, wanted: MemoryFilter, order: ListOrder, limit: int) -> list[tuple[Memory, float | str]]:
        rows = memory_rows(self._db, ", ".join(_COLUMNS), wanted, order, limit)
        return [(_to_memory(row), value) for row, value in rows]

    def derived(self) -> Iterator[Memory]:
        return self._where("WHERE parents <> ''")

    def superseded_by(self, number: int) -> list[Memory]:
        return list(self._where("WHERE superseded_by = ?", (number,))) if is_number(number) else []

    def unsuperseded(self) -> Iterator[Memory]:
        return self._where("WHERE superseded_by IS NULL")

    def by_digest(self, digest: bytes) -> list[Memory]:
        return list(self._where("WHERE digest = ?", (digest,)))

    def origins(self) -> Iterator[tuple[str, int]]:
        query = "SELECT origin, id FROM memories WHERE origin IS NOT NULL ORDER BY id"
        yield from cast(Any, self._db.execute(query))

    def ended_facts(self, origins: Sequence[str]) -> list[Memory]:
        marks = ", ".join("?" * len(origins))
        return list(self._where(f"WHERE {_ENDED_FACT} AND origin IN ({marks})", origins))

    def has_ended_facts(self) -> bool:
        return self._db.execute(f"SELECT 1 FROM memories WHERE {_ENDED_FACT} LIMIT 1").get is not None

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM memories").get)

    def count_current(self, at: str) -> int:
        query = """SELECT count(*) FROM memories
                    WHERE superseded_by IS NULL
                      AND coalesce(valid_from, '') <= ?1 AND coalesce(valid_to, '~') > ?1"""
        return int(self._db.execute(query, (at,)).get)

    def begun_or_ended(self, one: str, other: str) -> list[int]:
        low, high = sorted((one, other))
        query = """SELECT id FROM memories WHERE valid_from > ?1 AND valid_from <= ?2
                    UNION SELECT id FROM memories WHERE valid_to > ?1 AND valid_to <= ?2"""
        return [int(str(number)) for (number,) in self._db.execute(query, (low, high))]

    def next_change(self, now: str) -> str | None:
        query = """SELECT min(at) FROM (SELECT min(valid_from) AS at FROM memories WHERE valid_from > ?1
                    UNION ALL SELECT min(valid_to) FROM memories WHERE valid_to > ?1)"""
        found: str | None = self._db.execute(query, (now,)).get
        return found

    def insert(self, memory: Memory, digest: bytes) -> Memory:
        values = dict(zip(_COLUMNS, _row(memory), strict=True)) | {"id": memory.id or None}
        self._db.execute(_INSERT, (*values.values(), digest))
        kept = memory._replace(id=self._db.last_insert_rowid())
        if self._words:
            self._words.add(kept)
        return kept

    def replace(self, old: Memory, new: Memory, digest: bytes) -> None:
        names = [name for name in _COLUMNS if getattr(old, name) != getattr(new, name)]
        values = dict(zip(_COLUMNS, _row(new), strict=True))
        changes = ", ".join(f"{name} = ?" for name in (*names, "digest"))
        self._db.execute(
            f"UPDATE memories SET {changes} WHERE id = ?", (*(values[name] for name in names), digest, old.id)
        )
        if self._words and ("content" in names or "tags" in names):
            self._words.remove(old.id)
            self._words.add(new)

    def delete(self, number: int) -> None:
        if self._words:
            self._words.remove(number)
        self._db.execute("DELETE FROM memories WHERE id = ?", (number,))

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

"""The rows of links between memories, and of memories that sessions were given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import apsw

from memoro.model.ledger import GivenMemory
from memoro.model.memories import Link
from memoro.store.encoding import is_number

_LINK = "SELECT low, high, strength, at FROM links"
_GIVEN = "SELECT session, answer, memory, at, reinforced FROM given"


class SqliteLinks:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def of(self, memory: int) -> list[Link]:
        rows = self._db.execute(f"{_LINK} WHERE low = ?1 OR high = ?1", (memory,)) if is_number(memory) else ()
        return [_to_link(row) for row in rows]

    def between(self, one: int, other: int) -> Link | None:
        row = self._db.execute(f"{_LINK} WHERE low = ? AND high = ?", (min(one, other), max(one, other))).fetchone()
        return _to_link(row) if row else None

    def all(self) -> list[Link]:
        return [_to_link(row) for row in self._db.execute(f"{_LINK} ORDER BY low, high")]

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM links").get)

    def put(self, link: Link) -> None:
        if link.strength > 0:
            self._db.execute("INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?)", tuple(link))
        else:
            self._db.execute("DELETE FROM links WHERE low = ? AND high = ?", (link.low, link.high))

    def delete_of(self, memory: int) -> None:
        self._db.execute("DELETE FROM links WHERE low = ?1 OR high = ?1", (memory,))


class SqliteGiven:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, session: str, memories: Sequence[int], at: str) -> None:
        answer = int(self._db.execute("SELECT max(answer) FROM given WHERE session = ?", (session,)).get or 0) + 1
        self._db.executemany(
            "INSERT INTO given (session, answer, memory, at) VALUES (?, ?, ?, ?)",
            [(session, answer, number, at) for number in dict.fromkeys(memories)],
        )

    def restore(self, given: GivenMemory) -> None:
        self._db.execute("INSERT INTO given VALUES (?, ?, ?, ?, ?)", tuple(given))

    def all(self) -> Iterator[GivenMemory]:
        for row in self._db.execute(f"{_GIVEN} ORDER BY session, answer, memory"):
            yield _to_given(row)

    def of(self, session: str) -> list[GivenMemory]:
        query = f"{_GIVEN} WHERE session = ? ORDER BY answer, memory"
        return [_to_given(row) for row in self._db.execute(query, (session,))]

    def last_session(self, memory: int) -> str | None:
        query = "SELECT session FROM given WHERE memory = ? ORDER BY at DESC, answer DESC LIMIT 1"
        found: str | None = self._db.execute(query, (memory,)).get
        return found

    def mark_reinforced(self, session: str, memory: int) -> list[int]:
        before = self._reinforced_with(session, memory)
        self._db.execute(
            "UPDATE given SET reinforced = 1 WHERE session = ? AND memory = ? AND reinforced = 0", (session, memory)
        )
        return sorted(self._reinforced_with(session, memory) - before) if self._db.changes() else []

    def _reinforced_with(self, session: str, memory: int) -> set[int]:
        query = """SELECT DISTINCT o.memory FROM given g JOIN given o ON o.session = g.session AND o.answer = g.answer
                    WHERE g.session = ? AND g.memory = ? AND g.reinforced = 1
                      AND o.memory <> g.memory AND o.reinforced = 1"""
        return {int(str(number)) for (number,) in self._db.execute(query, (session, memory))}

    def delete_of(self, memory: int) -> None:
        self._db.execute("DELETE FROM given WHERE memory = ?", (memory,))


def _to_link(row: Any) -> Link:
    low, high, strength, at = row
    return Link(low=low, high=high, strength=strength, at=at)


def _to_given(row: Any) -> GivenMemory:
    session, answer, memory, at, reinforced = cast(Any, row)
    return GivenMemory(session=session, answer=answer, memory=memory, at=at, reinforced=reinforced == 1)

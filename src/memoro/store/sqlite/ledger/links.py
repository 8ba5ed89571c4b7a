"""The rows of links, and of what sessions were given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import apsw

from memoro.model.memories import Link


class LinkRows:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def give(self, session: str, memories: Sequence[int], at: str) -> None:
        answer = int(self._db.execute("SELECT max(answer) FROM given WHERE session = ?", (session,)).get or 0) + 1
        self._db.executemany(
            "INSERT INTO given (session, answer, memory, at) VALUES (?, ?, ?, ?)",
            [(session, answer, number, at) for number in dict.fromkeys(memories)],
        )

    def given(self, session: str) -> list[tuple[int, int, str, bool]]:
        """What a session was given: number of the answer, memory, when, and whether it was reinforced since."""
        query = "SELECT answer, memory, at, reinforced FROM given WHERE session = ? ORDER BY answer, memory"
        return [(a, m, t, r == 1) for a, m, t, r in cast(Any, self._db.execute(query, (session,)))]

    def last_session_given(self, memory: int) -> str | None:
        query = "SELECT session FROM given WHERE memory = ? ORDER BY at DESC, answer DESC LIMIT 1"
        found: str | None = self._db.execute(query, (memory,)).get
        return found

    def used_with(self, session: str, memory: int) -> list[int]:
        """Note that a session reinforced a memory. The others of its answers that it also did, each pair once."""
        before = self._both_used(session, memory)
        self._db.execute(
            "UPDATE given SET reinforced = 1 WHERE session = ? AND memory = ? AND reinforced = 0", (session, memory)
        )
        return sorted(self._both_used(session, memory) - before) if self._db.changes() else []

    def _both_used(self, session: str, memory: int) -> set[int]:
        query = """SELECT DISTINCT o.memory FROM given g JOIN given o ON o.session = g.session AND o.answer = g.answer
                    WHERE g.session = ? AND g.memory = ? AND g.reinforced = 1
                      AND o.memory <> g.memory AND o.reinforced = 1"""
        return {int(str(number)) for (number,) in self._db.execute(query, (session, memory))}

    def of(self, memory: int) -> list[Link]:
        query = "SELECT low, high, strength, at FROM links WHERE low = ?1 OR high = ?1"
        return [Link(*row) for row in cast(Any, self._db.execute(query, (memory,)))]

    def between(self, one: int, other: int) -> Link | None:
        query = "SELECT low, high, strength, at FROM links WHERE low = ? AND high = ?"
        row = self._db.execute(query, (min(one, other), max(one, other))).fetchone()
        return Link(*cast(Any, row)) if row else None

    def put(self, link: Link) -> None:
        if link.strength > 0:
            self._db.execute("INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?)", tuple(link))
        else:
            self._db.execute("DELETE FROM links WHERE low = ? AND high = ?", (link.low, link.high))

    def all(self) -> list[Link]:
        query = "SELECT low, high, strength, at FROM links ORDER BY low, high"
        return [Link(*row) for row in cast(Any, self._db.execute(query))]

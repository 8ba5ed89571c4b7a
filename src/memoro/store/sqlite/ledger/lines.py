"""The rows of writes to notes that are under way, and of lines that are watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import apsw

from memoro.model.ledger import WatchedLine

_LINE = "SELECT entry, path, line, seen, returned FROM lines"


class SqlitePending:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def begin(self, entry: int) -> None:
        self._db.execute("INSERT INTO pending VALUES (?)", (entry,))

    def end(self, entry: int) -> None:
        self._db.execute("DELETE FROM pending WHERE entry = ?", (entry,))

    def all(self) -> list[int]:
        return [int(str(entry)) for (entry,) in self._db.execute("SELECT entry FROM pending ORDER BY entry")]


class SqliteLines:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def watch(self, line: WatchedLine) -> None:
        self._db.execute(
            "INSERT INTO lines (entry, path, line, seen, returned) VALUES (?, ?, ?, ?, ?)",
            (line.entry, line.path, line.line, line.seen, line.returned),
        )

    def all(self) -> list[WatchedLine]:
        return self._lines("", ())

    def in_note(self, path: str, *, but: bytes | None = None) -> list[WatchedLine]:
        return self._lines("WHERE path = ?1 AND (?2 IS NULL OR seen <> ?2)", (path, but))

    def _lines(self, condition: str, values: Sequence[Any]) -> list[WatchedLine]:
        rows = cast(Any, self._db.execute(f"{_LINE} {condition} ORDER BY entry", tuple(values)))
        return [
            WatchedLine(entry=entry, path=path, line=line, seen=bytes(seen), returned=returned == 1)
            for entry, path, line, seen, returned in rows
        ]

    def saw(self, entry: int, state: bytes, *, returned: bool | None = None) -> None:
        self._db.execute(
            "UPDATE lines SET seen = ?, returned = coalesce(?, returned) WHERE entry = ?", (state, returned, entry)
        )

    def note_changed(self, path: str, before: bytes, after: bytes) -> None:
        self._db.execute("UPDATE lines SET seen = ? WHERE path = ? AND seen = ?", (after, path, before))

    def note_moved(self, old: str, new: str) -> None:
        self._db.execute("UPDATE lines SET path = ? WHERE path = ?", (new, old))

    def unwatch(self, entry: int) -> None:
        self._db.execute("DELETE FROM lines WHERE entry = ?", (entry,))

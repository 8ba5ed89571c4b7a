"""One transaction of a shared ledger: that of its copy, which also knows who sees each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from memoro.model.vocabulary import Visibility
from memoro.store.postgres import replica
from memoro.store.postgres.push import Move
from memoro.store.sqlite.ledger.transaction import SqliteTransaction

if TYPE_CHECKING:
    from memoro.ledger.repositories.visibility import SeenKind

_TABLES: dict[SeenKind, str] = {"memory": "memories", "experience": "experiences"}


class SharedTransaction(SqliteTransaction):
    def __init__(self, db: apsw.Connection, person: str, moves: list[Move] | None = None) -> None:
        super().__init__(db, person)
        self.visibility = CopyVisibility(db, moves if moves is not None else [])


class CopyVisibility:
    """Who sees memories and experiences. Changes are sent to the server when the transaction ends."""

    def __init__(self, db: apsw.Connection, moves: list[Move]) -> None:
        self._db = db
        self._moves = moves

    def of(self, kind: SeenKind, number: int) -> Visibility | None:
        return "private" if replica.is_private(self._db, _TABLES[kind], number) else "shared"

    def put(self, kind: SeenKind, number: int, visibility: Visibility) -> None:
        if self.of(kind, number) == visibility:
            return
        self._db.execute("DELETE FROM private_rows WHERE name = ? AND id = ?", (_TABLES[kind], number))
        if visibility == "private":
            self._db.execute("INSERT INTO private_rows VALUES (?, ?)", (_TABLES[kind], number))
        self._moves.append(Move(_TABLES[kind], number, visibility == "private"))

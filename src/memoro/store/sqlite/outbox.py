"""The outbox of a home: writes that wait for the server of a shared ledger, in `outbox.db`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from memoro.model.outbox import WaitingWrite
from memoro.store.lock import KernelLock
from memoro.store.sqlite.durable import DurableDatabase, Shape
from memoro.store.sqlite.engine import Engine

OUTBOX_FILE = "outbox.db"
_SCHEMA = """
CREATE TABLE waiting (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    operation TEXT NOT NULL,
    document TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL,
    refused TEXT
);
"""
_SHAPE = Shape(format=1, schema=_SCHEMA, migrations={}, synchronous="FULL")


class Outbox:
    """Every write that was acknowledged is on the disk, and stays there until the server has it."""

    def __init__(self, home: str, engine: Engine) -> None:
        self._file = os.path.join(home, OUTBOX_FILE)
        self._database = DurableDatabase(self._file, engine, _SHAPE)
        self._sending = KernelLock(f"{self._file.removesuffix('.db')}.sending.lock")

    def add(self, operation: str, document: Mapping[str, Any], key: str, at: str) -> int:
        """Keep a write; return its number. One that waits already with this key is not kept twice."""
        with self._database.write() as db:
            db.execute(
                """INSERT INTO waiting (operation, document, key, at) VALUES (?, ?, ?, ?)
                   ON CONFLICT (key) DO NOTHING""",
                (operation, json.dumps(document), key, at),
            )
            return int(db.execute("SELECT number FROM waiting WHERE key = ?", (key,)).get)

    def all(self) -> list[WaitingWrite]:
        """Everything that is kept, in the order in which it was asked for."""
        if not os.path.exists(self._file):
            return []
        with self._database.read() as db:
            rows = db.execute(
                "SELECT number, operation, document, key, at, refused FROM waiting ORDER BY number"
            ).fetchall()
        return [
            WaitingWrite(
                number=int(str(number)),
                operation=str(operation),
                document=json.loads(str(document)),
                key=str(key),
                at=str(at),
                refused=None if refused is None else str(refused),
            )
            for number, operation, document, key, at, refused in rows
        ]

    def refuse(self, number: int, why: str) -> None:
        """Keep a write that will never be taken, with the reason: its owner decides."""
        with self._database.write() as db:
            db.execute("UPDATE waiting SET refused = ? WHERE number = ?", (why, number))

    def delete(self, number: int) -> bool:
        """Delete a write; returns whether it was there."""
        with self._database.write() as db:
            db.execute("DELETE FROM waiting WHERE number = ?", (number,))
            return db.changes() > 0

    @contextmanager
    def sending(self) -> Iterator[bool]:
        """One process at a time sends. Yields whether this one may."""
        with self._sending.tried() as free:
            yield free

    def close(self) -> None:
        self._database.close()

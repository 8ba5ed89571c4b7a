"""Copies of a shared ledger, which are ledgers of their own: backups, and what moves between stores."""

from __future__ import annotations

import apsw

from memoro.store.postgres.tables import NUMBERED, Part, tables_of
from memoro.store.sqlite.engine import Engine, connect
from memoro.store.sqlite.ledger.memories import SqliteMemories
from memoro.store.sqlite.ledger.words import MemoryWordTable

_TABLES_OF_COPIES = ("copy", "erasures")


def make_whole(file: str, engine: Engine) -> None:
    """Take out of a copied file what only a local copy has; it is a ledger like any other then.

    `private_rows` stays: it tells, when the file is moved to a server again, what nobody else was to see.
    """
    db = connect(file, engine, synchronous="FULL")
    try:
        db.pragma("journal_mode", "DELETE")
        for name in _TABLES_OF_COPIES:
            db.execute(f"DROP TABLE {name}")
    finally:
        db.close()


def replace_rows(db: apsw.Connection, source: apsw.Connection, part: Part) -> None:
    """Make a local copy hold the rows of another ledger, within a transaction that records what changes."""
    db.pragma("defer_foreign_keys", True)
    for table in reversed(tables_of(part)):
        db.execute(f"DELETE FROM {table.name}")
    for table in tables_of(part):
        names = ", ".join(f'"{name}"' for name in table.names)
        marks = ", ".join("?" * len(table.names))
        rows = source.execute(f"SELECT {names} FROM {table.name}")
        db.executemany(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", rows)
    _copy_numbers(db, source)
    if part == "archive":
        _index_words(db)


def _copy_numbers(db: apsw.Connection, source: apsw.Connection) -> None:
    """The highest number of either: none is given twice."""
    for name, highest in source.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
        if name not in NUMBERED:
            continue
        db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (highest, name))
        if not db.changes():
            db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, highest))


def _index_words(db: apsw.Connection) -> None:
    db.execute("DELETE FROM words")
    words = MemoryWordTable(db)
    for memory in list(SqliteMemories(db).all()):
        words.add(memory)

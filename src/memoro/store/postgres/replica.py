"""The local copy of a shared ledger: a SQLite file with the rows that one person may see.

The copy is never trusted. It knows the revision it is of; a write checks on the server what it replaces, and whoever
finds a difference deletes the copy, which is then made anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw

from memoro.model.memories import Memory
from memoro.store.postgres.tables import NUMBERED, SHARED, Part, Table, tables_of
from memoro.store.sqlite.durable import Shape
from memoro.store.sqlite.ledger import schema
from memoro.store.sqlite.ledger.memories import SqliteMemories
from memoro.store.sqlite.ledger.words import MemoryWordTable

# `private_rows` names the rows that only one person sees: what is written about one of them is private, too.
_COPY = """
CREATE TABLE copy (
    revision INTEGER NOT NULL
);
INSERT INTO copy VALUES (0);
CREATE TABLE private_rows (
    name TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (name, id)
) WITHOUT ROWID;
DELETE FROM meta;
"""
# Rows that others tell of, and the journal: what was removed comes back as private as its history.
_FOLLOWED = ("memories", "experiences", "narratives", "journal", "proposals")


class Rows(NamedTuple):
    """Rows of one table, each with its owner before its columns."""

    table: Table
    rows: Sequence[tuple[Any, ...]]


class Deleted(NamedTuple):
    name: str
    key: str  # JSON


class Numbers(NamedTuple):
    kind: str
    highest: int


class Changes(NamedTuple):
    """Everything that happened on the server between two revisions."""

    revision: int
    deleted: Sequence[Deleted]
    written: Sequence[Rows]
    numbers: Sequence[Numbers]


def shape_of(part: Part) -> Shape:
    if part == "ledger":
        return Shape(schema.FORMAT, schema.LEDGER + _COPY, {}, synchronous="NORMAL")
    return Shape(schema.ARCHIVE_FORMAT, schema.ARCHIVE + _COPY, {}, synchronous="NORMAL")


def revision(db: apsw.Connection) -> int:
    """The revision that the copy is of."""
    return int(db.execute("SELECT revision FROM copy").get or 0)


def put_revision(db: apsw.Connection, number: int) -> None:
    db.execute("UPDATE copy SET revision = ?", (number,))


def is_private(db: apsw.Connection, name: str, id: int) -> bool:
    return db.execute("SELECT 1 FROM private_rows WHERE name = ? AND id = ?", (name, id)).get is not None


def note_owner(db: apsw.Connection, name: str, id: int, owner: str) -> None:
    """Record whether a row is private."""
    if name not in _FOLLOWED:
        return
    if owner == SHARED:
        db.execute("DELETE FROM private_rows WHERE name = ? AND id = ?", (name, id))
    else:
        db.execute("INSERT OR IGNORE INTO private_rows VALUES (?, ?)", (name, id))


def sequences(db: apsw.Connection) -> dict[str, int]:
    """The highest number given in each numbered table."""
    found = {str(name): int(str(seq)) for name, seq in db.execute("SELECT name, seq FROM sqlite_sequence")}
    return {name: found[name] for name in NUMBERED if name in found}


def apply(db: apsw.Connection, part: Part, changes: Changes) -> None:
    """Make the copy what the server is. Rows are deleted first: one that was made again has a later revision."""
    db.pragma("defer_foreign_keys", True)
    tables = {table.name: table for table in tables_of(part)}
    for name, key in changes.deleted:
        _delete(db, tables[name], json.loads(key))
    for table, rows in changes.written:
        _write(db, table, rows)
    for kind, highest in changes.numbers:
        _raise_number(db, kind, highest)
    put_revision(db, changes.revision)


def _delete(db: apsw.Connection, table: Table, key: Sequence[Any]) -> None:
    values = _from_json(table, key)
    if _has_words(table):
        MemoryWordTable(db).remove(values[0])
    condition = " AND ".join(f'"{name}" = ?' for name in table.key)
    db.execute(f"DELETE FROM {table.name} WHERE {condition}", tuple(values))


def _from_json(table: Table, key: Sequence[Any]) -> list[Any]:
    """Bytes are in hexadecimal there."""
    types = {column.name: column.type for column in table.columns}
    return [bytes.fromhex(one) if types[name] == "bytea" else one for name, one in zip(table.key, key, strict=True)]


def _write(db: apsw.Connection, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
    names = table.names
    quoted = ", ".join(f'"{name}"' for name in names)
    others = [name for name in names if name not in table.key]
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
    query = f"""INSERT INTO {table.name} ({quoted}) VALUES ({", ".join("?" * len(names))})
                ON CONFLICT ({", ".join(table.key)}) DO {f"UPDATE SET {changes}" if others else "NOTHING"}"""
    place = names.index(table.key[0])
    for owner, *values in rows:
        db.execute(query, tuple(values))
        note_owner(db, table.name, values[place], owner)
    if _has_words(table):
        _index_words(db, [row[1 + place] for row in rows])


def _has_words(table: Table) -> bool:
    return table.part == "archive" and table.name == "memories"


def _index_words(db: apsw.Connection, numbers: Iterable[int]) -> None:
    words, memories = MemoryWordTable(db), SqliteMemories(db)
    for number in numbers:
        memory: Memory = memories.get(number)
        words.remove(number)
        words.add(memory)


def _raise_number(db: apsw.Connection, kind: str, highest: int) -> None:
    db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (highest, kind))
    if not db.changes():
        db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (kind, highest))

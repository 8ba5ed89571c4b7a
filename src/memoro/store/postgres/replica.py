"""The local copy of a shared ledger: a SQLite file with the rows that one person may see.

The copy is never trusted. It knows the revision it is of; a write checks on the server what it replaces, and whoever
finds a difference deletes the copy, which is then made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw

from memoro.model.memories import Memory
from memoro.model.notes import EXPERIENCE, MEMORY, NARRATIVE
from memoro.store.postgres.tables import NUMBERED, SHARED, Part, Table, tables_of
from memoro.store.sqlite.durable import Shape
from memoro.store.sqlite.ledger import schema
from memoro.store.sqlite.ledger.memories import SqliteMemories
from memoro.store.sqlite.ledger.words import MemoryWordTable

# `private_rows` names the rows that only one person sees: what is written about one of them is private, too.
_PRIVATE_ROWS = """
CREATE TABLE private_rows (
    name TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (name, id)
) WITHOUT ROWID;
"""
_COPY = f"""{_PRIVATE_ROWS}
CREATE TABLE copy (
    revision INTEGER NOT NULL,
    commit_id TEXT NOT NULL -- which commit made that revision: another history may have a revision of the same number
);
INSERT INTO copy VALUES (0, '');
-- What other nodes forgot, until this one has erased it from its index too: by path, and by SHA-256 of the text.
CREATE TABLE erasures (
    path TEXT NOT NULL,
    digest TEXT NOT NULL
);
DELETE FROM meta;
"""
# Rows whose text the index holds: their path there, and the column of the text.
_INDEXED = {
    "memories": (MEMORY, "content"),
    "narratives": (NARRATIVE, "summary"),
    "experiences": (EXPERIENCE, "intent"),
}
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


class CopyState(NamedTuple):
    """The revision that a copy is of, and the id of the commit that made it."""

    revision: int
    commit: str


NEW_COPY = CopyState(0, "")


class Changes(NamedTuple):
    """Everything that happened on the server between two revisions."""

    revision: int
    commit: str  # the id of the commit that made the revision
    deleted: Sequence[Deleted]
    written: Sequence[Rows]
    numbers: Sequence[Numbers]

    @property
    def forgets(self) -> bool:
        """Return whether texts went that must leave no trace in any file."""
        return any(rows for table, rows in self.written if table.name == "forgotten")

    @property
    def leaves_traces(self) -> bool:
        """Return whether the log of the copy holds bytes of rows that went."""
        return bool(self.deleted) or self.forgets


def shape_of(part: Part) -> Shape:
    if part == "ledger":
        return Shape(schema.FORMAT, schema.LEDGER + _COPY, {}, synchronous="NORMAL")
    return Shape(schema.ARCHIVE_FORMAT, schema.ARCHIVE + _COPY, {}, synchronous="NORMAL")


def revision(db: apsw.Connection) -> int:
    """The revision that the copy is of."""
    return int(db.execute("SELECT revision FROM copy").get or 0)


def state(db: apsw.Connection) -> CopyState:
    found, commit = db.execute("SELECT revision, commit_id FROM copy").fetchall()[0]
    return CopyState(int(str(found)), str(commit))


def put_revision(db: apsw.Connection, number: int, commit: str) -> None:
    db.execute("UPDATE copy SET revision = ?, commit_id = ?", (number, commit))


def identity(db: apsw.Connection) -> str:
    return str(db.execute("SELECT value FROM meta WHERE key = 'identity'").get or "")


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


def private_rows_in_memory() -> apsw.Connection:
    """A place to note owners where there is no copy."""
    db = apsw.Connection(":memory:")
    db.execute(_PRIVATE_ROWS)
    return db


def sequences(db: apsw.Connection) -> dict[str, int]:
    """The highest number given in each numbered table."""
    found = {str(name): int(str(seq)) for name, seq in db.execute("SELECT name, seq FROM sqlite_sequence")}
    return {name: found[name] for name in NUMBERED if name in found}


def apply(db: apsw.Connection, part: Part, changes: Changes) -> None:
    """Make the copy what the server is. Rows are deleted first: one that was made again has a later revision."""
    db.pragma("defer_foreign_keys", True)
    tables = {table.name: table for table in tables_of(part)}
    for name, key in changes.deleted:
        values = _from_json(tables[name], json.loads(key))
        if changes.forgets:
            _note_erasure(db, tables[name], values)
        _delete(db, tables[name], values)
    for table, rows in changes.written:
        _write(db, table, rows)
    for kind, highest in changes.numbers:
        _raise_number(db, kind, highest)
    put_revision(db, changes.revision, changes.commit)


def empty(db: apsw.Connection, part: Part) -> None:
    """Leave a copy that holds nothing, to be filled anew."""
    db.pragma("defer_foreign_keys", True)
    tables = tables_of(part)
    if any(map(_has_words, tables)):
        words = MemoryWordTable(db)
        for (number,) in db.execute("SELECT id FROM memories").fetchall():
            words.remove(int(str(number)))
    for name in (*(table.name for table in reversed(tables)), "private_rows", "sqlite_sequence"):
        db.execute(f"DELETE FROM {name}")
    put_revision(db, *NEW_COPY)


def _note_erasure(db: apsw.Connection, table: Table, key: Sequence[Any]) -> None:
    kept = _INDEXED.get(table.name) if table.part == "ledger" else None
    if kept is None or not revision(db):
        return
    prefix, column = kept
    for (text,) in db.execute(f"SELECT {column} FROM {table.name} WHERE id = ?", (key[0],)).fetchall():
        digest = hashlib.sha256(str(text).encode()).hexdigest()
        db.execute("INSERT INTO erasures VALUES (?, ?)", (f"{prefix}{key[0]}", digest))


def erasures(db: apsw.Connection) -> list[tuple[str, str]]:
    """What other nodes forgot and the index of this one may still hold: paths, and the SHA-256 of texts."""
    return [(str(path), str(digest)) for path, digest in db.execute("SELECT path, digest FROM erasures")]


def delete_erasures(db: apsw.Connection) -> None:
    db.execute("DELETE FROM erasures")


def _delete(db: apsw.Connection, table: Table, values: Sequence[Any]) -> None:
    if _has_words(table):
        MemoryWordTable(db).remove(values[0])
    condition = " AND ".join(f'"{name}" = ?' for name in table.key)
    db.execute(f"DELETE FROM {table.name} WHERE {condition}", tuple(values))


def _from_json(table: Table, key: Sequence[Any]) -> list[Any]:
    """Bytes are in hexadecimal there."""
    types = {column.name: column.type for column in table.columns}
    return [bytes.fromhex(one) if types[name] == "bytea" else one for name, one in zip(table.key, key, strict=True)]


def _write(db: apsw.Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    names = table.names
    quoted = ", ".join(f'"{name}"' for name in names)
    others = [name for name in names if name not in table.key]
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
    query = f"""INSERT INTO {table.name} ({quoted}) VALUES ({", ".join("?" * len(names))})
                ON CONFLICT ({", ".join(table.key)}) DO {f"UPDATE SET {changes}" if others else "NOTHING"}"""
    place = names.index(table.key[0])
    db.executemany(query, (row[1:] for row in rows))
    if table.name in _FOLLOWED:
        _note_owners(db, table.name, [(row[1 + place], row[0]) for row in rows])
    if _has_words(table):
        _index_words(db, [row[1 + place] for row in rows])


def _note_owners(db: apsw.Connection, name: str, owners: Iterable[tuple[int, str]]) -> None:
    """Record which of these rows are private. Most ledgers have none, and their copies need no look at each row."""
    has_private = db.execute("SELECT 1 FROM private_rows WHERE name = ?", (name,)).get is not None
    for id, owner in owners:
        if has_private or owner != SHARED:
            note_owner(db, name, id, owner)


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

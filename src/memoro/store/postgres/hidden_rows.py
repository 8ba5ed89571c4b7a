"""Rows of a backup that have become private to another person since: a restore leaves them as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw

from memoro.store.postgres.ownership import KIND_OF_TABLE, TABLE_OF_KIND
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import SHARED, Part, Table, tables_of
from memoro.store.postgres.values import to_server
from memoro.store.sqlite.ledger.words import MemoryWordTable

Row = dict[str, Any]
# The number of such a row names it among those of all people of a tenant.
_NUMBERED_TOGETHER = ("memories", "experiences", "narratives", "rests_on", "proposals", "journal")


def hidden_rows(
    cursor: Cursor, seat: Seat, part: Part, db: apsw.Connection, source: apsw.Connection
) -> dict[Table, list[Row]]:
    """Return the rows of another ledger that the server has, and that its person does not see there.

    `db` is the local copy, up to date. The server shows no row of others. It only takes no second one in its place,
    so each row that the copy lacks is tried, and taken back.
    """
    found = {}
    for table in tables_of(part):
        missing = _missing(db, source, table) if table.name in _NUMBERED_TOGETHER else []
        if missing:
            found[table] = list(_not_taken(cursor, seat, table, missing))
    return found


def leave_out(db: apsw.Connection, hidden: dict[Table, list[Row]]) -> None:
    """Delete hidden rows from a copy, with all that tells of them."""
    for table, rows in hidden.items():
        named = " AND ".join(f'"{name}" = ?' for name in table.key)
        for row in rows:
            if table.part == "archive":
                leave_out_archived(db, row["id"])
                continue
            db.execute(f"DELETE FROM {table.name} WHERE {named}", [row[name] for name in table.key])
            _leave_out_subject(db, *_subject(table, row))


def leave_out_archived(db: apsw.Connection, number: int) -> None:
    """Delete a memory from a copy of the archive."""
    MemoryWordTable(db).remove(number)
    db.execute("DELETE FROM memories WHERE id = ?", (number,))


def _missing(db: apsw.Connection, source: apsw.Connection, table: Table) -> list[Row]:
    key, columns = (", ".join(f'"{name}"' for name in names) for names in (table.key, table.names))
    known = set(db.execute(f"SELECT {key} FROM {table.name}"))
    rows = (dict(zip(table.names, row, strict=True)) for row in source.execute(f"SELECT {columns} FROM {table.name}"))
    return [row for row in rows if tuple(row[name] for name in table.key) not in known]


def _not_taken(cursor: Cursor, seat: Seat, table: Table, rows: list[Row]) -> Iterator[Row]:
    names = ", ".join(f'"{name}"' for name in table.names)
    marks = ", ".join(["%s"] * (len(table.names) + 3))
    query = f"""INSERT INTO {SCHEMA}.{table.on_server} (tenant, owner, revision, {names}) VALUES ({marks})
                ON CONFLICT DO NOTHING RETURNING 1"""
    values = [
        (seat.tenant, SHARED, 0, *(to_server(row[column.name], column.type) for column in table.columns))
        for row in rows
    ]
    cursor.execute("SAVEPOINT tried")
    cursor.executemany(query, values, returning=True)
    taken = [cursor.fetchone() is not None for _ in cursor.results()]
    cursor.execute("ROLLBACK TO SAVEPOINT tried")
    return (row for row, is_taken in zip(rows, taken, strict=True) if not is_taken)


def _subject(table: Table, row: Row) -> tuple[str, int | None]:
    """Return the kind and the number of what a hidden row is, or tells of: the row itself may be gone."""
    if table.name == "journal":
        return (row["kind"], row["item"]) if row["kind"] in TABLE_OF_KIND else ("", None)
    return (KIND_OF_TABLE[table.name], row["id"]) if table.name in KIND_OF_TABLE else ("", None)


def _leave_out_subject(db: apsw.Connection, kind: str, number: int | None) -> None:
    if number is None:
        return
    db.execute(f"DELETE FROM {TABLE_OF_KIND[kind]} WHERE id = ?", (number,))
    db.execute("DELETE FROM journal WHERE kind = ? AND item = ?", (kind, number))
    if kind == "memory":
        db.execute("DELETE FROM links WHERE low = ?1 OR high = ?1", (number,))
        db.execute("DELETE FROM rests_on WHERE memory = ?", (number,))
    if kind == "narrative":
        db.execute("DELETE FROM rests_on WHERE narrative = ?", (number,))

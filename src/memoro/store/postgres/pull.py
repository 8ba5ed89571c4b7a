"""Reads from the server what has changed since a revision."""

from __future__ import annotations

from typing import Any

from memoro.store.postgres.replica import Changes, Deleted, Numbers, Rows
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import Part, Table, tables_of
from memoro.store.postgres.values import from_server


class CopyTooOld(Exception):
    """The server no longer knows what was deleted since: the copy must be made anew."""


def head(cursor: Cursor, seat: Seat, part: Part) -> tuple[int, int]:
    """The present revision, and the one up to which deletions are no longer known."""
    cursor.execute(
        f"SELECT revision, trimmed FROM {SCHEMA}.heads WHERE tenant = %s AND part = %s", [seat.tenant, part]
    )
    found = cursor.fetchone()
    return (int(found[0]), int(found[1])) if found else (0, 0)


def changes_since(cursor: Cursor, seat: Seat, part: Part, known: int) -> Changes | None:
    """Everything after the revision `known`, as of one moment; None where nothing has changed.

    The cursor's transaction sees one moment: it is repeatable, or holds the lock of the head.
    """
    now, trimmed = head(cursor, seat, part)
    if now == known:
        return None
    if known and known < trimmed:
        raise CopyTooOld
    return Changes(
        revision=now,
        deleted=_deleted(cursor, seat, part, known) if known else (),
        written=[_rows(cursor, seat, table, known) for table in tables_of(part)],
        numbers=_numbers(cursor, seat, part, known),
    )


def _deleted(cursor: Cursor, seat: Seat, part: Part, known: int) -> list[Deleted]:
    cursor.execute(
        f"SELECT name, key FROM {SCHEMA}.deleted WHERE tenant = %s AND part = %s AND revision > %s",
        [seat.tenant, part, known],
    )
    return [Deleted(*row) for row in cursor.fetchall()]


def _numbers(cursor: Cursor, seat: Seat, part: Part, known: int) -> list[Numbers]:
    cursor.execute(
        f"SELECT kind, highest FROM {SCHEMA}.numbers WHERE tenant = %s AND part = %s AND revision > %s",
        [seat.tenant, part, known],
    )
    return [Numbers(*row) for row in cursor.fetchall()]


def _rows(cursor: Cursor, seat: Seat, table: Table, known: int) -> Rows:
    columns = ", ".join(f'"{name}"' for name in table.names)
    cursor.execute(
        f"SELECT owner, {columns} FROM {SCHEMA}.{table.on_server} WHERE tenant = %s AND revision > %s",
        [seat.tenant, known],
        binary=True,
    )
    types = [column.type for column in table.columns]
    odd = [place for place, type in enumerate(types) if type in ("text", "json")]
    return Rows(table, [_decoded(row, odd, types) for row in cursor.fetchall()])


def _decoded(row: tuple[Any, ...], odd: list[int], types: list[Any]) -> tuple[Any, ...]:
    values = list(row)
    for place in odd:
        if values[place + 1]:
            values[place + 1] = from_server(values[place + 1], types[place])
    return tuple(values)

"""Reads from the server what has changed since a revision."""

from __future__ import annotations

from typing import Any, NamedTuple

from memoro.store.postgres.replica import Changes, Deleted, Numbers, Rows
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import Part, Table, tables_of
from memoro.store.postgres.values import from_server


class CopyTooOld(Exception):
    """The server no longer knows what was deleted since: the copy must be made anew."""


class Head(NamedTuple):
    """How far a part of a tenant's ledger has come. A tenant that does not exist has revision 0."""

    revision: int = 0
    trimmed: int = 0  # up to this revision it is no longer known what was deleted
    commit: str = ""  # the id of the commit that made the revision
    known_commit: str = ""  # the id of the commit that made the revision that was asked about


def head(cursor: Cursor, seat: Seat, part: Part, known: int = 0) -> Head:
    """The head of a part. Where nothing has changed since the revision `known`, one statement says so."""
    cursor.execute(
        f"SELECT revision, trimmed, commit_id FROM {SCHEMA}.heads WHERE tenant = %s AND part = %s",
        [seat.tenant, part],
    )
    found = cursor.fetchone()
    if found is None:
        return Head()
    now = Head(*found)
    if now.revision == known:
        return now._replace(known_commit=now.commit)
    return now._replace(known_commit=_commit_of(cursor, seat, part, known)) if known else now


def _commit_of(cursor: Cursor, seat: Seat, part: Part, revision: int) -> str:
    """The id of the commit that made a revision; empty where the server does not know it."""
    cursor.execute(
        f"SELECT id FROM {SCHEMA}.commits WHERE tenant = %s AND part = %s AND revision = %s",
        [seat.tenant, part, revision],
    )
    found = cursor.fetchone()
    return str(found[0]) if found else ""


def changes_since(cursor: Cursor, seat: Seat, part: Part, known: int) -> Changes | None:
    """Everything after the revision `known`, as of one moment; None where nothing has changed.

    The cursor's transaction sees one moment: it is repeatable, or holds the lock of the head.
    """
    now = head(cursor, seat, part)
    if now.revision == known:
        return None
    if known and known < now.trimmed:
        raise CopyTooOld
    return Changes(
        revision=now.revision,
        commit=now.commit,
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

"""Making and updating the tables of shared ledgers, and the tenants in them. For the owner of the database alone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from memoro.errors import LedgerServerRefused
from memoro.store.postgres import schema
from memoro.store.postgres.ledger_rows import Commit, record_commit, record_identity
from memoro.store.postgres.roles import make_role
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import Part

SCHEMA = schema.SCHEMA
_INSTALL_LOCK = 0x6D656D6F726F  # "memoro"; no other program is likely to use this number
# A migration waits this long for the writers of older nodes, and then gives up: those behind it would wait, too.
_LOCK_SECONDS = 20


class Installed(NamedTuple):
    """What an installation did."""

    before: int | None  # the format that was there; None: nothing
    after: int
    role: str  # for nodes
    role_made: bool


def install(
    connection: psycopg.Connection[Any], role: str = schema.APPLICATION_ROLE, password: str | None = None
) -> Installed:
    """Make the tables, or bring them up to date, in one transaction; make the role for nodes where it is missing."""
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{_LOCK_SECONDS}s"])
        before = _bring_to_format(cursor)
        role_made = make_role(connection, role, password)
        for statement in schema.grant_statements(sql.Identifier(role).as_string(cursor)):
            cursor.execute(statement)
    return Installed(before=before, after=schema.FORMAT, role=role, role_made=role_made)


def _bring_to_format(cursor: Cursor) -> int | None:
    _wait_for_others(cursor)
    cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [f"{SCHEMA}.format"])
    if not (cursor.fetchone() or (False,))[0]:
        _run(cursor, schema.create_statements())
        return None
    cursor.execute(f"SELECT format FROM {SCHEMA}.format FOR UPDATE")
    before = int((cursor.fetchone() or (0,))[0])
    if before > schema.FORMAT:
        raise LedgerServerRefused(
            f"The ledger has format {before}, and this version knows {schema.FORMAT}. Update Memoro on this machine. "
            "Nothing was changed."
        )
    if before < schema.FORMAT:
        for step in range(before, schema.FORMAT):
            _run(cursor, schema.MIGRATIONS[step])
        cursor.execute(
            f"UPDATE {SCHEMA}.format SET format = %s, oldest_node = %s", [schema.FORMAT, schema.OLDEST_NODE]
        )
    return before


def _wait_for_others(cursor: Cursor) -> None:
    """Two installations at once: the second waits here, and finds the work done.

    Some distributed engines lack this lock. There the second of two first installations fails as a whole, because
    the tables exist; of two that bring them up to date, the second waits for the row of `format`.
    """
    try:
        with cursor.connection.transaction():
            cursor.execute("SELECT pg_advisory_xact_lock(%s::bigint)", [_INSTALL_LOCK])
    except (psycopg.errors.UndefinedFunction, psycopg.errors.FeatureNotSupported):
        return


def _run(cursor: Cursor, statements: Iterable[str]) -> None:
    for statement in statements:
        cursor.execute(statement)


def add_tenant(cursor: Cursor, tenant: str) -> None:
    """Make an empty ledger and archive for a tenant. The caller's transaction acts as that tenant."""
    cursor.execute(f"INSERT INTO {SCHEMA}.tenants (tenant) VALUES (%s)", [tenant])
    seat = Seat(tenant, "", "")
    parts: tuple[Part, ...] = ("ledger", "archive")
    for part in parts:
        cursor.execute(f"INSERT INTO {SCHEMA}.heads (tenant, part, revision) VALUES (%s, %s, 1)", [tenant, part])
        identity = os.urandom(16).hex()
        table = "meta" if part == "ledger" else "archive_meta"
        values = {"identity": identity} | ({"salt": os.urandom(16).hex()} if part == "ledger" else {"position": "0"})
        for key, value in values.items():
            cursor.execute(
                f"INSERT INTO {SCHEMA}.{table} (tenant, owner, revision, key, value) VALUES (%s, '', 1, %s, %s)",
                [tenant, key, value],
            )
        record_identity(cursor, seat, part, identity, 1)
        record_commit(cursor, seat, part, Commit(1, identity))

"""Makes the bytes of deleted rows go from the files of a server, and names what else may still hold them.

A deleted row stays in its table's file until the table is rewritten: a plain vacuum only frees its space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from memoro.errors import LedgerUnreachable
from memoro.store.postgres import schema
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, PostgresServer, Seat, owner_connection

_MAINTAIN_SINCE = 170000  # the version in which a role that owns nothing may be let to vacuum
# A table of this size is rewritten within a second, while others wait; a larger one is left to the owner.
_REWRITTEN_BYTES = 64 * 1024 * 1024
_LOCK_SECONDS = 3


class Cleaned(NamedTuple):
    """What cleaning tables has come to."""

    rewritten: tuple[str, ...] = ()
    left: tuple[str, ...] = ()  # whose files may still hold the bytes


def clean_tables(server: PostgresServer, tables: Iterable[str]) -> Cleaned:
    """Rewrite tables as far as the role may and others need not wait for long."""
    rewritten: list[str] = []
    left: list[str] = []
    with server.connection() as connection:
        for table in sorted(tables):
            (rewritten if _clean(connection, table) else left).append(table)
    return Cleaned(tuple(rewritten), tuple(left))


def _clean(connection: psycopg.Connection[Any], table: str) -> bool:
    if connection.info.server_version < _MAINTAIN_SINCE:
        return False
    name = f"{SCHEMA}.{table}"
    found = connection.execute(
        "SELECT has_table_privilege(%s, 'MAINTAIN'), pg_total_relation_size(%s::regclass)", [name, name]
    ).fetchone()
    may, size = found or (False, 0)
    if not may:
        return False
    connection.execute(f"SET lock_timeout = '{_LOCK_SECONDS}s'")
    try:
        if size <= _REWRITTEN_BYTES:
            connection.execute(_rewrite(table))
            return True
        connection.execute(sql.SQL("VACUUM {}").format(sql.Identifier(SCHEMA, table)))
    except psycopg.errors.LockNotAvailable:
        pass
    finally:
        connection.execute("RESET lock_timeout")
    return False


def _rewrite(table: str) -> sql.Composed:
    return sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(SCHEMA, table))


def rewrite_tables(url: str) -> list[str]:
    """Rewrite every table with rows of ledgers, as their owner. Nobody writes to a table while it is rewritten."""
    tables = [name for name in schema.GUARDED_TABLES if name not in schema.ADMINISTERED_TABLES]
    with owner_connection(url) as connection:
        for table in tables:
            connection.execute(_rewrite(table))
        connection.execute("CHECKPOINT") if _may_checkpoint(connection) else None
    return tables


def _may_checkpoint(connection: psycopg.Connection[Any]) -> bool:
    found = connection.execute(
        """SELECT rolsuper OR (current_setting('server_version_num')::int >= 150000
                               AND pg_has_role('pg_checkpoint', 'MEMBER'))
             FROM pg_roles WHERE rolname = current_user"""
    ).fetchone()
    return bool(found and found[0])


def out_of_reach(server: PostgresServer, seat: Seat, cleaned: Cleaned) -> list[str]:
    """Name in sentences what may still hold bytes that were deleted."""
    try:
        with server.reading(seat) as cursor:
            return [
                *_left_in_tables(cleaned),
                *_log(cursor),
                *_replicas(cursor),
                *_dumps(cursor, seat),
                *_nodes(cursor, seat),
            ]
    except LedgerUnreachable:
        return ["The server of the shared ledger does not answer now, so it is not known what else holds it."]


def _left_in_tables(cleaned: Cleaned) -> Iterator[str]:
    if cleaned.left:
        yield (
            f"The files of {len(cleaned.left)} tables on the server may hold it until they are overwritten: "
            "the owner of the server runs `memoro admin vacuum`."
        )


def _log(cursor: Cursor) -> Iterator[str]:
    cursor.execute("SELECT current_setting('archive_mode')")
    if (cursor.fetchone() or ("off",))[0] == "off":
        yield "The server's log (WAL) may hold it until the server has overwritten it."
    else:
        yield "The server archives its log (WAL): the archive holds it until its owner deletes those files."


def _replicas(cursor: Cursor) -> Iterator[str]:
    cursor.execute("SELECT count(*) FROM pg_stat_replication")
    if replicas := int((cursor.fetchone() or (0,))[0]):
        yield f"Replicas that follow the server now ({replicas}) delete it when they have caught up."
    cursor.execute("SELECT slot_name FROM pg_replication_slots ORDER BY 1")
    if slots := [str(name) for (name,) in cursor.fetchall()]:
        yield f"Replication slots keep the server's log, and with it the text: {', '.join(slots)}."


def _dumps(cursor: Cursor, seat: Seat) -> Iterator[str]:
    cursor.execute(
        f"SELECT place, made_at::date::text FROM {SCHEMA}.dumps WHERE tenant = %s ORDER BY made_at", [seat.tenant]
    )
    if dumps := [f"{place} ({day})" for place, day in cursor.fetchall()]:
        yield f"Dumps of the server that were made after it hold it, until they are deleted: {', '.join(dumps)}."


def _nodes(cursor: Cursor, seat: Seat) -> Iterator[str]:
    cursor.execute(
        f"""SELECT person, node, to_char(max(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') FROM {SCHEMA}.commits
             WHERE tenant = %s AND node NOT IN ('', %s) GROUP BY person, node ORDER BY 3 DESC""",
        [seat.tenant, seat.node],
    )
    if nodes := [f"{person} on {node} (wrote last {at} UTC)" for person, node, at in cursor.fetchall()]:
        yield f"Other machines hold it until they next catch up: {'; '.join(nodes)}."
    yield "Machines that only read the ledger are not known, and hold it until they next catch up."

"""What can be seen of a shared ledger: its server, the role, the guards on its rows, and the local copy."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import psycopg
from psycopg import sql

from memoro.errors import LedgerServerRefused, LedgerUnreachable
from memoro.store.postgres import schema
from memoro.store.postgres.address import is_on_this_machine, parsed
from memoro.store.postgres.ledger import PostgresLedger
from memoro.store.postgres.ledger_rows import UNTOUCHED
from memoro.store.postgres.opening import place_of
from memoro.store.postgres.pull import head
from memoro.store.postgres.roles import RoleRights, rights_of
from memoro.store.postgres.server import Cursor, PostgresServer, Seat, acting_as
from memoro.store.postgres.tables import LEDGER_TABLES

if TYPE_CHECKING:
    from memoro.ledger.ports import Ledger
    from memoro.store.opening import SharedLedger


class LedgerRows(NamedTuple):
    """The rows of one tenant that one person may see."""

    revision: int
    counts: Mapping[str, int]  # by table of the local copy

    @property
    def is_untouched(self) -> bool:
        """Return whether nothing was ever written there, so that a ledger can be moved there."""
        return self.revision == UNTOUCHED


class ServerFacts(NamedTuple):
    server: str
    version: str
    rights: RoleRights
    format: int | None  # of the ledgers there; None: there are none
    oldest_node: int | None  # the oldest format that a node may have
    is_on_this_machine: bool
    encryption: str | None  # such as TLSv1.3; None: the connection is not encrypted
    seconds_ahead: float  # of the server's clock before this machine's
    unguarded: tuple[str, ...]  # tables whose rows are not kept apart by the server itself
    has_tenant: bool
    has_person: bool
    rows: LedgerRows | None  # None: there are no ledgers, or the role may not read them

    @property
    def needs_update(self) -> bool:
        """Return whether the ledgers are older than this version."""
        return self.format is not None and self.format < schema.FORMAT

    @property
    def is_too_new(self) -> bool:
        return self.oldest_node is not None and self.oldest_node > schema.FORMAT


class CopyFacts(NamedTuple):
    """The local copy of a shared ledger."""

    server: str
    tenant: str
    person: str
    rows: LedgerRows | None  # None: there is no copy yet
    current_at: float | None  # seconds since 1970, when it was last known to be up to date
    failure: str | None  # why it may be old
    is_on_this_machine: bool
    sslmode: str | None  # libpq's word for how the connection is guarded


def server_facts(home: str, shared: SharedLedger) -> ServerFacts:
    """Look at a server in one transaction. Raises LedgerUnreachable."""
    seat, server = place_of(home, shared).seat, PostgresServer(shared.url, shared.password)
    connection = server.new_connection()
    try:
        with connection, connection.transaction(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute(acting_as(seat), prepare=False)  # several statements cannot be prepared
            return _look(cursor, shared, seat, server.name)
    except psycopg.OperationalError as error:
        raise LedgerUnreachable(server.name, str(error).strip()) from error


def _look(cursor: Cursor, shared: SharedLedger, seat: Seat, name: str) -> ServerFacts:
    rights = rights_of(cursor)
    cursor.execute("SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = %s", [schema.SCHEMA])
    may_read = bool((cursor.fetchone() or (False,))[0])
    made = _format(cursor) if may_read else None
    cursor.execute("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    encryption = (cursor.fetchone() or (None,))[0]
    has_ledgers = made is not None and (rights.owns_tables or _may_read_rows(cursor))
    return ServerFacts(
        server=name,
        version=cursor.connection.info.parameter_status("server_version") or "?",
        rights=rights,
        format=made[0] if made else None,
        oldest_node=made[1] if made else None,
        is_on_this_machine=is_on_this_machine(parsed(shared.url)),
        encryption=encryption,
        seconds_ahead=_seconds_ahead(cursor),
        unguarded=_unguarded(cursor) if made else (),
        has_tenant=has_ledgers and _has(cursor, "tenants", [seat.tenant]),
        has_person=has_ledgers and _has(cursor, "people", [seat.tenant, seat.person]),
        rows=LedgerRows(head(cursor, seat, "ledger")[0], _server_counts(cursor, seat)) if has_ledgers else None,
    )


def _format(cursor: Cursor) -> tuple[int, int] | None:
    cursor.execute(
        "SELECT has_table_privilege(c.oid, 'SELECT') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = 'format'",
        [schema.SCHEMA],
    )
    if not (cursor.fetchone() or (False,))[0]:
        return None
    cursor.execute(f"SELECT format, oldest_node FROM {schema.SCHEMA}.format")
    found = cursor.fetchone()
    return (int(found[0]), int(found[1])) if found else None


def _may_read_rows(cursor: Cursor) -> bool:
    cursor.execute("SELECT has_table_privilege(%s, 'SELECT')", [f"{schema.SCHEMA}.tenants"])
    return bool((cursor.fetchone() or (False,))[0])


def _seconds_ahead(cursor: Cursor) -> float:
    before = time.time()
    cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
    after, there = time.time(), float((cursor.fetchone() or (before,))[0])
    return there - (before + after) / 2


def _unguarded(cursor: Cursor) -> tuple[str, ...]:
    cursor.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relkind IN ('r', 'p') AND c.relname <> 'format' "
        "AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY 1",
        [schema.SCHEMA],
    )
    return tuple(str(row[0]) for row in cursor.fetchall())


def _has(cursor: Cursor, table: str, key: list[str]) -> bool:
    own = " AND person = %s AND removed_at IS NULL" if table == "people" else ""
    cursor.execute(f"SELECT 1 FROM {schema.SCHEMA}.{table} WHERE tenant = %s{own}", key)
    return cursor.fetchone() is not None


def _server_counts(cursor: Cursor, seat: Seat) -> Mapping[str, int]:
    counts = {}
    for table in LEDGER_TABLES:
        name = sql.SQL("{}.{}").format(sql.Identifier(schema.SCHEMA), sql.Identifier(table.on_server))
        cursor.execute(sql.SQL("SELECT count(*) FROM {} WHERE tenant = %s").format(name), [seat.tenant])
        counts[table.name] = int((cursor.fetchone() or (0,))[0])
    return counts


def copy_facts(ledger: Ledger) -> CopyFacts | None:
    """The copy as it is, without asking the server."""
    if not isinstance(ledger, PostgresLedger):
        return None
    replica = ledger.replica
    parameters = replica.server.parameters
    return CopyFacts(
        server=replica.server.name,
        tenant=replica.seat.tenant,
        person=replica.seat.person,
        rows=_copy_rows(ledger) if replica.is_made() else None,
        current_at=replica.current_at() or _written_at(ledger),
        failure=_why(replica.failure),
        is_on_this_machine=is_on_this_machine(parameters),
        sslmode=parameters.get("sslmode"),
    )


def _why(failure: LedgerUnreachable | LedgerServerRefused | None) -> str | None:
    return failure.why if isinstance(failure, LedgerUnreachable) else str(failure) if failure else None


def _copy_rows(ledger: PostgresLedger) -> LedgerRows:
    with ledger.replica.database.read() as db:
        revision = int(str(db.execute("SELECT revision FROM copy").get or 0))
        counts = {
            table.name: int(str(db.execute(f"SELECT count(*) FROM {table.name}").get)) for table in LEDGER_TABLES
        }
    return LedgerRows(revision, counts)


def _written_at(ledger: PostgresLedger) -> float | None:
    """When the copy was last changed: it was up to date then, and maybe later."""
    file = ledger.replica.database.file
    times = [os.stat(name).st_mtime for name in (file, f"{file}-wal") if os.path.exists(name)]
    return max(times, default=None)

"""Connections to the Postgres server of a shared ledger: as whom, for how long, and what its errors mean."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from memoro.errors import LedgerServerRefused, LedgerUnreachable
from memoro.store.postgres import schema

Cursor = psycopg.Cursor[tuple[Any, ...]]
_CONNECT_SECONDS = 3
_STATEMENT_SECONDS = 30
# How long a writer waits for the others of its tenant; 24 of them at once wait for less than one second.
_LOCK_SECONDS = 20
_MOST_CONNECTIONS = 4  # of one process: a server has some 100 for all nodes


class Seat(NamedTuple):
    """As whom a node acts."""

    tenant: str
    person: str
    node: str  # the machine, for what tells of its own notes

    @property
    def node_owner(self) -> str:
        """The owner of rows about this node. No name of a person has an @ in it."""
        return f"{self.person}@{self.node}"


class RolledBack(LedgerUnreachable):
    """The server undid a transaction because of another one. It changed nothing, and can be run again."""


class PostgresServer:
    """One server, for all tenants that this process serves. Each transaction says as whom it acts."""

    def __init__(self, url: str, password: str | None = None) -> None:
        self.name = _shown(url)
        self._lock = threading.Lock()
        self._pool: ConnectionPool[psycopg.Connection[Any]] | None = None
        self._is_checked = False
        self._parameters: dict[str, Any] = {
            "connect_timeout": _CONNECT_SECONDS,
            "tcp_user_timeout": 1000 * _STATEMENT_SECONDS,
            "keepalives_idle": 30,
            "application_name": "memoro",
            "client_encoding": "utf8",
            **conninfo_to_dict(url),
        }
        if password is not None:
            self._parameters["password"] = password

    @contextmanager
    def transaction(self, seat: Seat) -> Iterator[Cursor]:
        """All that the block does is committed when it ends, and undone if it raises."""
        with self._transaction(seat) as cursor:
            yield cursor

    @contextmanager
    def reading(self, seat: Seat) -> Iterator[Cursor]:
        """One moment of the tenant's rows for the whole block."""
        with self._transaction(seat, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY") as cursor:
            yield cursor

    @contextmanager
    def _transaction(self, seat: Seat, first: str | None = None) -> Iterator[Cursor]:
        with self._translated(), self._connection() as found, found.transaction(), found.cursor() as cursor:
            if first is not None:
                cursor.execute(first)
            _act_as(cursor, seat)
            yield cursor

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection[Any]]:
        """One connection that acts as nobody yet, in no transaction."""
        with self._translated(), self._connection() as connection:
            yield connection

    def new_connection(self) -> psycopg.Connection[Any]:
        """A connection of the caller's own, for listening. The caller closes it."""
        with self._translated():
            return psycopg.connect(**self._parameters, autocommit=True)

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        with self._opened().connection() as connection:
            if not self._is_checked:
                with connection.transaction(), connection.cursor() as cursor:
                    _check_role(cursor, self.name)
                    _check_format(cursor, self.name)
                self._is_checked = True
            yield connection

    def _opened(self) -> ConnectionPool[psycopg.Connection[Any]]:
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(
                    kwargs={**self._parameters, "autocommit": True},
                    min_size=0,
                    max_size=_MOST_CONNECTIONS,
                    timeout=_CONNECT_SECONDS,
                    reconnect_timeout=0,
                    max_idle=30,
                    num_workers=1,
                    check=ConnectionPool.check_connection,
                    open=True,
                )
            return self._pool

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Raise errors of the server as ours."""
        try:
            yield
        except (PoolTimeout, PoolClosed) as error:
            raise LedgerUnreachable(self.name, "it does not answer") from error
        except psycopg.errors.InsufficientPrivilege as error:
            raise LedgerServerRefused(
                f"The server {self.name} refuses this to its role: {_first_line(error)}."
            ) from error
        except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected) as error:
            raise RolledBack(self.name, _first_line(error)) from error
        except psycopg.OperationalError as error:
            raise LedgerUnreachable(self.name, _first_line(error)) from error
        except psycopg.InterfaceError as error:
            raise LedgerUnreachable(self.name, "the connection was lost") from error

    def close(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


def _act_as(cursor: Cursor, seat: Seat) -> None:
    """What is set here ends with the transaction, so a connection that is used again sees nothing of it.

    By SET LOCAL, not set_config(): Citus passes on only the former to the machines that hold the rows.
    """
    settings = {
        schema.TENANT: seat.tenant,
        schema.PERSON: seat.person,
        schema.NODE: seat.node_owner,
        "statement_timeout": f"{_STATEMENT_SECONDS}s",
        "lock_timeout": f"{_LOCK_SECONDS}s",
    }
    statements = [
        sql.SQL("SET LOCAL {} = {}").format(sql.SQL(name), sql.Literal(value)) for name, value in settings.items()
    ]
    cursor.execute(sql.SQL("; ").join(statements), prepare=False)  # several statements cannot be prepared


def _check_role(cursor: Cursor, name: str) -> None:
    """Refuse a role that row-level security does not bind."""
    cursor.execute("SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
    role, is_super, bypasses = cursor.fetchone() or ("?", True, True)
    cursor.execute(
        "SELECT count(*) FROM pg_tables WHERE schemaname = %s AND pg_has_role(tableowner, 'USAGE')", [schema.SCHEMA]
    )
    owned = (cursor.fetchone() or (0,))[0]
    if not (is_super or bypasses or owned):
        return
    why = "is a superuser" if is_super else "passes by row-level security" if bypasses else "owns the tables"
    raise LedgerServerRefused(
        f"The role {role} of {name} {why}, so nothing would keep tenants apart. "
        f"Use a role that may only read and write rows: `memoro admin install` makes {schema.APPLICATION_ROLE}."
    )


def _check_format(cursor: Cursor, name: str) -> None:
    cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [f"{schema.SCHEMA}.format"])
    found = None
    if (cursor.fetchone() or (False,))[0]:
        cursor.execute(f"SELECT format, oldest_node FROM {schema.SCHEMA}.format")
        found = cursor.fetchone()
    if found is None:
        raise LedgerServerRefused(
            f"The database {name} has no ledger yet. Its owner makes one with `memoro admin install URL`."
        )
    made, oldest = found
    if oldest > schema.FORMAT:
        raise LedgerServerRefused(
            f"The ledger at {name} has format {made}, which this version cannot write. Update Memoro on this machine."
        )
    if made < schema.FORMAT:
        raise LedgerServerRefused(
            f"The ledger at {name} has format {made}, and this version needs {schema.FORMAT}. "
            "Its owner brings it up to date with `memoro admin install URL`; older machines can go on meanwhile."
        )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")


def _shown(url: str) -> str:
    """The address for people, without a password."""
    parts = conninfo_to_dict(url)
    host, port = parts.get("host", "localhost"), parts.get("port")
    return f"{host}{f':{port}' if port else ''}/{parts.get('dbname', '')}"

"""Connections to the Postgres server of a shared ledger: as whom, for how long, and what its errors mean."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from memoro.errors import LedgerServerRefused, LedgerUnreachable
from memoro.store.postgres import schema
from memoro.store.postgres.address import CONNECT_SECONDS, connection_parameters, shown
from memoro.store.postgres.roles import check_role

Cursor = psycopg.Cursor[tuple[Any, ...]]
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


class PostgresServer:
    """One server, for all tenants that this process serves. Each transaction says as whom it acts."""

    def __init__(self, url: str, password: str | None = None) -> None:
        self.name = shown(url)
        self._lock = threading.Lock()
        self._pool: ConnectionPool[psycopg.Connection[Any]] | None = None
        self._is_checked = False
        self._parameters = connection_parameters(url, password)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What connections are made with, the password left out."""
        return {name: value for name, value in self._parameters.items() if name != "password"}

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
            act_as(cursor, seat)
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
                    check_role(cursor, self.name)
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
                    timeout=CONNECT_SECONDS,
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
        except psycopg.OperationalError as error:
            raise LedgerUnreachable(self.name, _first_line(error)) from error
        except psycopg.InterfaceError as error:
            raise LedgerUnreachable(self.name, "the connection was lost") from error

    def close(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


def act_as(cursor: Cursor, seat: Seat) -> None:
    """What is set here ends with the transaction, so a connection that is used again sees nothing of it."""
    settings = {
        schema.TENANT: seat.tenant,
        schema.PERSON: seat.person,
        schema.NODE: seat.node_owner,
        "statement_timeout": f"{_STATEMENT_SECONDS}s",
        "lock_timeout": f"{_LOCK_SECONDS}s",
    }
    calls = ", ".join("set_config(%s, %s, true)" for _ in settings)
    cursor.execute(f"SELECT {calls}", [text for pair in settings.items() for text in pair])


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

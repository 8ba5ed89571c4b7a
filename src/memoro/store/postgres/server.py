"""The Postgres server of a shared ledger: as whom a process acts there, for how long it waits, what errors mean."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from memoro.errors import LedgerServerRefused, LedgerUnreachable, PersonUnknown
from memoro.store.postgres import schema
from memoro.store.postgres.address import connection_parameters, shown
from memoro.store.postgres.connections import Connection, Connections, Deadline, NotInTime
from memoro.store.postgres.listening import Listening, channel_of, message_of
from memoro.store.postgres.roles import check_role
from memoro.store.postgres.server_errors import FOUND_BY_LIBPQ, IN_SETTINGS, translated
from memoro.store.postgres.tables import Part

Cursor = psycopg.Cursor[tuple[Any, ...]]
# How long a server may take to accept a connection, and to begin a transaction.
CONNECT_SECONDS = 3.0
# How long a writer waits for the others of its tenant; 24 of them at once wait for less than one second.
_LOCK_SECONDS = 10
_STATEMENT_SECONDS = 20
# Longer than the server's own limits, whose errors say more. Only a server that hangs is broken off.
_ANSWER_SECONDS = 22.0
_ANNOUNCE_SECONDS = 1.0
# After a failure to connect the server is left alone for this long: nobody waits for it again and again.
_REST_SECONDS = 2.0
# A person who is removed is refused after at most so long by a process that runs on.
KNOWN_SECONDS = 60.0


class Seat(NamedTuple):
    """As whom a node acts."""

    tenant: str
    person: str
    node: str  # the machine, for what tells of its own notes

    @property
    def node_owner(self) -> str:
        """The owner of rows about this node. No name of a person has an @ in it."""
        return f"{self.person}@{self.node}"


class _TimedCursor(psycopg.Cursor[tuple[Any, ...]]):
    """A cursor each of whose statements has so many seconds for its answer."""

    deadline: Deadline
    seconds = _ANSWER_SECONDS

    def execute(self, *arguments: Any, **options: Any) -> _TimedCursor:
        self.deadline.extend(self.seconds)
        return super().execute(*arguments, **options)

    def executemany(self, *arguments: Any, **options: Any) -> None:
        self.deadline.extend(self.seconds)
        super().executemany(*arguments, **options)


class ServerTransaction(NamedTuple):
    """A transaction that its user commits; one that is not committed is undone."""

    cursor: Cursor
    server: str
    deadline: Deadline

    def commit(self) -> None:
        with translated(self.server, self.deadline):
            if self.cursor.execute("COMMIT").statusmessage != "COMMIT":
                raise AssertionError("a transaction that had failed was committed")


class PostgresServer:
    """One server, for all tenants that this process serves. Each transaction says as whom it acts."""

    def __init__(self, url: str, password: str | None = None, where: str = IN_SETTINGS) -> None:
        self.name = shown(url)
        parameters = connection_parameters(url, password)
        self.parameters = {name: value for name, value in parameters.items() if name != "password"}  # of connections
        self._where = where  # the password is looked for, as a sentence
        self._role = str(parameters.get("user") or "your user name")
        self._connections = Connections(parameters)
        self.listening = Listening(self.new_connection, self._notify, self._connections.close_idle)
        self._failure: tuple[float, LedgerUnreachable] | None = None  # when it did not answer, by the monotonic clock
        self._is_checked = False
        self._known: dict[tuple[str, str], float] = {}  # a tenant and its person: when last seen, monotonic

    @contextmanager
    def transaction(self, seat: Seat) -> Iterator[Cursor]:
        """All that the block does is committed when it ends, and undone if it raises."""
        with self.begun(seat) as begun:
            yield begun.cursor
            begun.commit()

    @contextmanager
    def begun(self, seat: Seat) -> Iterator[ServerTransaction]:
        """A transaction that the block commits. The server has answered once when it begins."""
        with self._transaction("BEGIN", seat, CONNECT_SECONDS, _ANSWER_SECONDS) as cursor:
            yield ServerTransaction(cursor, self.name, cursor.deadline)

    @contextmanager
    def reading(
        self, seat: Seat, patience: float = CONNECT_SECONDS, seconds: float = _ANSWER_SECONDS
    ) -> Iterator[Cursor]:
        """One moment of the tenant's rows for the whole block.

        `patience`: until the server has answered once. `seconds`: for each statement.
        """
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", seat, patience, seconds) as cursor:
            yield cursor

    @contextmanager
    def _transaction(self, begin: str, seat: Seat, patience: float, seconds: float) -> Iterator[_TimedCursor]:
        with self._connected(patience, _beginning(begin, seat)) as (connection, deadline):
            cursor = _TimedCursor(connection)
            cursor.deadline, cursor.seconds = deadline, seconds
            self._check(cursor)
            self._check_person(cursor, seat)
            yield cursor

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """One connection that acts as nobody yet, in no transaction."""
        with self._connected(CONNECT_SECONDS, sql.SQL("SELECT 1")) as (connection, deadline):
            deadline.extend(_ANSWER_SECONDS)
            with connection.cursor() as cursor:
                self._check(cursor)
            yield connection

    def new_connection(self) -> Connection:
        """A connection of the caller's own, for listening. The caller closes it."""
        with translated(self.name, role=self._role, where=self._where):
            return self._connections.new()

    @contextmanager
    def _connected(self, patience: float, first: sql.SQL | sql.Composed) -> Iterator[tuple[Connection, Deadline]]:
        """A connection on which the server has answered a first statement. Leaves no transaction open."""
        self._raise_if_resting()
        # A reader with a copy is in a hurry. Everybody else waits for other threads as for other writers.
        wait = patience if patience < CONNECT_SECONDS else _LOCK_SECONDS
        with translated(self.name), self._connections.turn(wait):
            connection, deadline = self._first_answer(patience, first)
            try:
                with translated(self.name, deadline):
                    yield connection, deadline
            finally:
                _roll_back(connection, deadline)
                deadline.end()
                self._connections.keep(connection)

    def _first_answer(self, patience: float, first: sql.SQL | sql.Composed) -> tuple[Connection, Deadline]:
        """As `_answering`; notes whether the server answers."""
        try:
            with translated(self.name, role=self._role):
                found = self._answering(patience, first)
        except LedgerUnreachable as error:
            self._failure = (time.monotonic(), error)
            raise
        self._failure = None
        return found

    def _answering(self, patience: float, first: sql.SQL | sql.Composed) -> tuple[Connection, Deadline]:
        """Connect, and run a statement. A server that was started anew has ended the connections that were idle."""
        ends_at = time.monotonic() + patience
        while True:
            connection, was_idle = self._connections.take(max(0.0, ends_at - time.monotonic()))
            deadline = Deadline(connection, max(0.0, ends_at - time.monotonic()))
            try:
                connection.execute(first)
                return connection, deadline
            except psycopg.Error as error:
                deadline.end()
                connection.close()
                if deadline.has_passed:
                    raise NotInTime from error
                if not was_idle:
                    raise

    def _raise_if_resting(self) -> None:
        failure = self._failure
        if failure is not None and time.monotonic() - failure[0] < _REST_SECONDS:
            raise LedgerUnreachable(self.name, failure[1].why) from failure[1]

    def _check(self, cursor: Cursor) -> None:
        if not self._is_checked:
            check_role(cursor, self.name)
            _check_format(cursor, self.name)
            self._is_checked = True

    def _check_person(self, cursor: Cursor, seat: Seat) -> None:
        """Raise PersonUnknown, unless the owner of the server has named nobody of this tenant."""
        now, name = time.monotonic(), (seat.tenant, seat.person)
        if not seat.person or now - self._known.get(name, -KNOWN_SECONDS) < KNOWN_SECONDS:
            return
        cursor.execute(
            f"SELECT person, removed_at IS NULL FROM {schema.SCHEMA}.people WHERE tenant = %s", [seat.tenant]
        )
        people = cursor.fetchall()
        if people and (seat.person, True) not in people:
            raise PersonUnknown(seat.person, seat.tenant)
        self._known[name] = now

    def announce(self, tenant: str, part: Part, revision: int) -> None:
        """Tell the other nodes of a commit. One that does not hear it asks by itself."""
        with suppress(LedgerUnreachable):
            self._notify(channel_of(tenant), message_of(part, revision))

    def _notify(self, channel: str, message: str) -> None:
        told = sql.SQL("SELECT pg_notify({}, {})").format(sql.Literal(channel), sql.Literal(message))
        with self._connected(_ANNOUNCE_SECONDS, told):
            pass

    def close(self) -> None:
        self.listening.close()
        self._connections.close()


def owner_connection(url: str) -> Connection:
    """A connection of the server's owner, whose password libpq finds by itself. The caller closes it."""
    role = str(psycopg.conninfo.conninfo_to_dict(url).get("user") or "your user name")
    with translated(shown(url), role=role, where=FOUND_BY_LIBPQ):
        return psycopg.connect(url, autocommit=True)


def _beginning(begin: str, seat: Seat) -> sql.Composed:
    """Begin a transaction as a seat, in one round trip.

    What is set here ends with the transaction, so a connection that is used again sees nothing of it. By SET LOCAL,
    not set_config(): Citus passes on only the former to the machines that hold the rows.
    """
    return sql.SQL("; ").join([sql.SQL(begin), acting_as(seat)])


def acting_as(seat: Seat) -> sql.Composed:
    """The statements that make the rest of a transaction act as a seat."""
    settings = {
        schema.TENANT: seat.tenant,
        schema.PERSON: seat.person,
        schema.NODE: seat.node_owner,
        "statement_timeout": f"{_STATEMENT_SECONDS}s",
        "lock_timeout": f"{_LOCK_SECONDS}s",
    }
    set = [sql.SQL("SET LOCAL {} = {}").format(sql.SQL(name), sql.Literal(value)) for name, value in settings.items()]
    return sql.SQL("; ").join(set)


def _roll_back(connection: Connection, deadline: Deadline) -> None:
    """End what was not committed. A connection on which that fails is closed, which ends it too."""
    if connection.closed or connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
        return
    deadline.extend(CONNECT_SECONDS)
    try:
        connection.execute("ROLLBACK")
    except psycopg.Error:
        connection.close()


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

"""The connections of a process to one Postgres server: few, kept for a while, and broken off after a deadline."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import psycopg

Connection = psycopg.Connection[Any]
_MOST_CONNECTIONS = 8  # of one process: a server has some 100 for all nodes
_IDLE_SECONDS = 30.0


class NotInTime(Exception):
    """No connection was to be had in the time that the caller can wait."""


class AllInUse(Exception):
    """Other threads of this process have used all its connections for longer than the caller can wait."""


class Deadline:
    """Breaks a connection off when the time is up.

    A server that hangs, or a network that swallows packets, would keep libpq waiting for minutes or for ever: its own
    time limits are those of a server that answers.
    """

    def __init__(self, connection: Connection, seconds: float) -> None:
        # A descriptor of its own: that of the connection may be closed and given to another file meanwhile.
        self._socket = socket.socket(fileno=os.dup(connection.fileno()))
        self._changed = threading.Condition()
        self._ends_at: float | None = time.monotonic() + seconds
        self.has_passed = False
        threading.Thread(target=self._watch, daemon=True, name="memoro-deadline").start()

    def extend(self, seconds: float) -> None:
        """Allow so many seconds from now."""
        with self._changed:
            if self._ends_at is not None:
                self._ends_at = time.monotonic() + seconds
                self._changed.notify()

    def end(self) -> None:
        with self._changed:
            self._ends_at = None
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while self._ends_at is not None:
                left = self._ends_at - time.monotonic()
                if left <= 0:
                    self.has_passed = True
                    with suppress(OSError):  # the other side has ended it already
                        self._socket.shutdown(socket.SHUT_RDWR)
                    break
                self._changed.wait(left)
            self._socket.close()


class Taken(NamedTuple):
    """A connection in use."""

    connection: Connection
    was_idle: bool  # it was opened a while ago, and the server may have ended it since


class _Idle(NamedTuple):
    since: float  # monotonic
    connection: Connection


class Connections:
    """Opens connections, and keeps those that were given back for the next."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._parameters = parameters
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._idle: list[_Idle] = []
        self._is_closed = False

    @contextmanager
    def turn(self, seconds: float) -> Iterator[None]:
        """The right to use one connection. Raises `AllInUse` where there is none within so many seconds."""
        if not self._turns.acquire(timeout=seconds):
            raise AllInUse
        try:
            yield
        finally:
            self._turns.release()

    def take(self, seconds: float) -> Taken:
        """A connection, which the caller gives to `keep` afterwards. Raises `NotInTime`, or as psycopg does."""
        with self._lock:
            if self._idle:
                return Taken(self._idle.pop().connection, was_idle=True)
        return Taken(self._opened(seconds), was_idle=False)

    def new(self) -> Connection:
        """A connection of the caller's own, outside of the count. The caller closes it."""
        # No prepared statements: poolers that share connections between clients lose them.
        return psycopg.connect(**self._parameters, autocommit=True, prepare_threshold=None)

    def close_idle(self) -> None:
        """Close what nobody has used for a while."""
        before = time.monotonic() - _IDLE_SECONDS
        with self._lock:
            old = [one for one in self._idle if one.since < before]
            self._idle = [one for one in self._idle if one.since >= before]
        for one in old:
            one.connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for one in idle:
            one.connection.close()

    def _opened(self, seconds: float) -> Connection:
        """Connect on a thread of its own: names are looked up and hosts are tried without a limit that we could set.

        One that comes too late is kept, for whoever asks next.
        """
        opening = _Opening(self)
        opening.start()
        opening.join(max(0.0, seconds))
        return opening.result()

    def keep(self, connection: Connection) -> None:
        """Keep a connection for the next. One that was closed, or is within a transaction, is not kept."""
        is_usable = not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            if is_usable and not self._is_closed and len(self._idle) < _MOST_CONNECTIONS:
                self._idle.append(_Idle(time.monotonic(), connection))
                return
        connection.close()


class _Opening(threading.Thread):
    """One attempt to connect."""

    def __init__(self, connections: Connections) -> None:
        super().__init__(daemon=True, name="memoro-connect")
        self._connections = connections
        self._lock = threading.Lock()
        self._found: Connection | None = None
        self._error: Exception | None = None
        self._is_abandoned = False

    def run(self) -> None:
        found, error = None, None
        try:
            found = self._connections.new()
        except Exception as raised:  # raised again where the result is asked for
            error = raised
        with self._lock:
            self._found, self._error = found, error
            is_late = self._is_abandoned
        if is_late and found is not None:
            self._connections.keep(found)

    def result(self) -> Connection:
        with self._lock:
            if self._found is None and self._error is None:
                self._is_abandoned = True
                raise NotInTime
        if self._error is not None:
            raise self._error
        assert self._found is not None
        return self._found

"""Accepts connections for the HTTP server, within limits, and goes on after errors of the system.

A connection costs next to nothing until its first byte arrives: only then does it get a protocol and buffers.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable

from memoro.serve.connections import ConnectionTable, Peer

SWEEP_SECONDS = 1.0  # between two looks for connections whose time is over
# The system has no descriptor or memory left for a connection; others in this process may give some back.
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_GONE_ALREADY = (errno.ECONNABORTED, errno.EPROTO, errno.EINTR, errno.EPERM)  # the client left before it was accepted
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0  # seconds to wait after such an error

MakeProtocol = Callable[[], asyncio.Protocol]


class Acceptor:
    """Accepts on listening sockets until it is cancelled."""

    def __init__(self, table: ConnectionTable, make_protocol: MakeProtocol, report: Callable[[str], None]) -> None:
        """`report` receives a sentence when the system is exhausted, and again only after it had recovered."""
        self._table = table
        self._make_protocol = make_protocol
        self._report = report
        self._starting: set[asyncio.Task[None]] = set()
        # A connection that was accepted must be read from before it can be the oldest of a full table.
        self._at_once = max(1, table.most // 16)

    async def run(self, listener: socket.socket) -> None:
        """Raise OSError if the listening socket fails."""
        loop, pause, accepted = asyncio.get_running_loop(), _FIRST_PAUSE, 0
        while True:
            try:
                connection, address = await loop.sock_accept(listener)
            except OSError as error:
                if error.errno in _GONE_ALREADY:
                    continue
                if error.errno not in _EXHAUSTED:
                    raise
                if pause == _FIRST_PAUSE:
                    why = (error.strerror or str(error)).lower()
                    self._report(
                        f"http: a connection cannot be accepted ({why}); idle ones are ended, and it goes on"
                    )
                self._table.shed()
                await asyncio.sleep(pause)
                pause = min(_LONGEST_PAUSE, 2 * pause)
                continue
            pause, accepted = _FIRST_PAUSE, accepted + 1
            self._take(connection, (address[0], address[1]))
            if accepted % self._at_once == 0:
                await asyncio.sleep(0)

    def take_last(self, listener: socket.socket) -> None:
        """Take what has connected already, and close the socket at once: whatever waits then would be reset."""
        while True:
            try:
                connection, address = listener.accept()
            except OSError:  # none waits, or it has left
                listener.close()
                return
            connection.setblocking(False)
            self._take(connection, (address[0], address[1]))

    def _take(self, connection: socket.socket, peer: Peer) -> None:
        if not self._table.make_room():
            connection.close()
            return
        silent = _SilentConnection(connection, lambda: self._start(connection, peer))
        self._table.add(peer, silent, asyncio.get_running_loop().time())

    def _start(self, connection: socket.socket, peer: Peer) -> None:
        """Give the connection its protocol, now that its first bytes are there."""
        task = asyncio.create_task(self._connect(connection, peer))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _connect(self, connection: socket.socket, peer: Peer) -> None:
        def make() -> asyncio.Protocol:
            return _CountedProtocol(self._make_protocol(), self._table, peer)

        try:
            await asyncio.get_running_loop().connect_accepted_socket(make, connection)
        except OSError:  # the client has left
            self._table.discard(peer)
            connection.close()


async def sweep(table: ConnectionTable) -> None:
    """End overdue connections until cancelled."""
    while True:
        table.end_overdue(asyncio.get_running_loop().time())
        await asyncio.sleep(SWEEP_SECONDS)


class _SilentConnection:
    """A connection that has sent nothing yet. Calls `start` once when something is there to be read."""

    def __init__(self, connection: socket.socket, start: Callable[[], None]) -> None:
        self._connection = connection
        self._start = start
        self._is_silent = True
        asyncio.get_running_loop().add_reader(connection, self._on_readable)

    def _on_readable(self) -> None:
        self._stop_waiting()
        self._start()

    def abort(self) -> None:
        """End it. While its protocol is being made, its descriptor is not ours: the protocol ends it then."""
        if self._is_silent:
            self._stop_waiting()
            self._connection.close()

    def _stop_waiting(self) -> None:
        self._is_silent = False
        asyncio.get_running_loop().remove_reader(self._connection)


class _CountedProtocol(asyncio.Protocol):
    """A protocol around the server's own, which keeps the table of connections."""

    def __init__(self, inner: asyncio.Protocol, table: ConnectionTable, peer: Peer) -> None:
        self._inner = inner
        self._table = table
        self._peer = peer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._inner.connection_made(transport)
        if not self._table.replace(self._peer, transport):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        self._table.discard(self._peer)
        self._inner.connection_lost(error)

"""The open connections of the HTTP server: how many there may be, how long each may last, and which end first.

Anybody on this machine can open a connection, so connections without a token must not use up the descriptors that
syncing needs, nor keep out a client that has the token.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

# A client that has the token sends its first request as soon as it is connected.
FIRST_REQUEST_SECONDS = 10.0
IDLE_SECONDS = 20.0  # between two requests of a client; the next one must have arrived whole by then
REQUEST_SECONDS = 75.0  # for one request: its body, its work, and a client that reads the answer slowly
MOST_CONNECTIONS = 512  # more than any number of agents holds; each may hold 16 KB of an unfinished head
LEAST_CONNECTIONS = 8

Peer = tuple[str, int]  # the address and the port of the client


class Abortable(Protocol):
    """The part of a transport that is needed to end a connection at once."""

    def abort(self) -> None: ...


class OpenConnection(NamedTuple):
    transport: Abortable
    since: float  # when it was accepted, began its request, or finished its last one


def most_connections(descriptors: int) -> int:
    """Return how many connections to hold: half of the descriptors stay for syncing, databases and listening."""
    if descriptors <= 0:  # no limit
        return MOST_CONNECTIONS
    return max(LEAST_CONNECTIONS, min(MOST_CONNECTIONS, descriptors // 2))


def descriptor_limit() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class ConnectionTable:
    """The connections in three groups, each with its oldest first: strangers, idle clients, running requests.

    A stranger has never sent a request with the token.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._strangers: dict[Peer, OpenConnection] = {}
        self._idle: dict[Peer, OpenConnection] = {}
        self._running: dict[Peer, OpenConnection] = {}

    def __len__(self) -> int:
        return len(self._strangers) + len(self._idle) + len(self._running)

    @property
    def strangers(self) -> int:
        """Return how many have not sent a request with a token yet."""
        return len(self._strangers)

    def add(self, peer: Peer, transport: Abortable, now: float) -> None:
        self._strangers[peer] = OpenConnection(transport, now)

    def replace(self, peer: Peer, transport: Abortable) -> bool:
        """Set the transport of a connection that has sent its first bytes; it gets no new time by that.

        Return False if the connection was ended in the meantime.
        """
        found = self._strangers.get(peer)
        if found is not None:
            self._strangers[peer] = found._replace(transport=transport)
        return found is not None

    def discard(self, peer: Peer) -> None:
        for group in (self._strangers, self._idle, self._running):
            group.pop(peer, None)

    @contextmanager
    def running(self, peer: Peer | None, clock: Callable[[], float]) -> Iterator[None]:
        """Count the connection among the running ones for the block, and among the idle clients afterwards."""
        found = (self._strangers.pop(peer, None) or self._idle.pop(peer, None)) if peer else None
        if peer is None or found is None:
            yield
            return
        self._running[peer] = found._replace(since=clock())
        try:
            yield
        finally:
            if self._running.pop(peer, None):
                self._idle[peer] = found._replace(since=clock())

    def make_room(self) -> bool:
        """End connections until one more fits: strangers first, then idle clients, the oldest of each first.

        Return False if all are running requests, which are never ended for a new connection.
        """
        while len(self) >= self.most:
            if not self.shed():
                return False
        return True

    def shed(self) -> bool:
        """End the connection that is missed least; return False if there is none but running requests."""
        for group in (self._strangers, self._idle):
            if group:
                peer = next(iter(group))
                group.pop(peer).transport.abort()
                return True
        return False

    def end_overdue(self, now: float) -> int:
        """End the connections whose time is over; return how many."""
        ended = 0
        for group, seconds in (
            (self._strangers, FIRST_REQUEST_SECONDS),
            (self._idle, IDLE_SECONDS),
            (self._running, REQUEST_SECONDS),
        ):
            overdue = [peer for peer, one in group.items() if one.since + seconds <= now]
            for peer in overdue:
                group.pop(peer).transport.abort()
            ended += len(overdue)
        return ended

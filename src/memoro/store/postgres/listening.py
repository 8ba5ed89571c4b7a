"""Hears which ledgers have changed on a server, by LISTEN and NOTIFY: whoever hears it need not ask.

A notification says which part of a ledger has which revision, and nothing of what is in it. It is sent after a
commit, in a statement of its own: within a transaction it would make all commits of the database wait for each other.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import psycopg
from psycopg import sql

from memoro.errors import StoreError
from memoro.store.postgres.connections import Connection, Deadline
from memoro.store.postgres.tables import Part

_BEAT_SECONDS = 1.0  # between two questions whether the server is still there
# How long the last beat is trusted. After this, whoever reads asks the server itself.
_TRUST_SECONDS = 2.5
_ANSWER_SECONDS = 1.0
_AGAIN_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)  # after the first, second, … failure in a row


class Heard(NamedTuple):
    """What is known of one part of a ledger by listening."""

    since: int  # which listening it was: what changed before it began was not heard
    revision: int  # the highest that was heard; 0: none


class NotHeard(Exception):
    """The server, or a pooler before it, does not deliver notifications."""


def channel_of(tenant: str) -> str:
    """The channel of a tenant. Any client of the database can listen to it, so it does not tell the name."""
    return f"memoro_{hashlib.sha256(tenant.encode()).hexdigest()[:24]}"


def message_of(part: Part, revision: int) -> str:
    return f"{part} {revision}"


class Listening:
    """One connection and one thread for all ledgers of a server that this process uses."""

    def __init__(
        self,
        connect: Callable[[], Connection],
        notify: Callable[[str, str], None],
        each_beat: Callable[[], None] = lambda: None,
    ) -> None:
        """`notify` sends a message to a channel over another connection."""
        self._each_beat = each_beat
        self._connect = connect
        self._notify = notify
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._wanted: Counter[str] = Counter()  # channels
        self._heard: dict[str, tuple[int, dict[str, int]]] = {}  # channel -> since, highest revision by part
        self._begun = 0
        self._beat_at = -_TRUST_SECONDS  # monotonic

    def follow(self, tenant: str) -> None:
        """Listen to what is announced about a tenant's ledger, from some moment soon on."""
        with self._lock:
            self._wanted[channel_of(tenant)] += 1
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, daemon=True, name="memoro-listening")
                self._thread.start()

    def leave(self, tenant: str) -> None:
        with self._lock:
            self._wanted[channel_of(tenant)] -= 1

    def heard(self, tenant: str, part: Part) -> Heard | None:
        """What was announced; None where nothing would be heard now."""
        with self._lock:
            found = self._heard.get(channel_of(tenant))
            if found is None or time.monotonic() - self._beat_at > _TRUST_SECONDS:
                return None
            return Heard(found[0], found[1].get(part, 0))

    def close(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                with self._connect() as connection:
                    self._listen(connection)
            except (psycopg.Error, NotHeard, StoreError):  # whoever reads asks the server meanwhile
                failures = 0 if time.monotonic() - began > _AGAIN_SECONDS[-1] else failures + 1
            finally:
                with self._lock:
                    self._heard.clear()
            self._stop.wait(_AGAIN_SECONDS[min(failures, len(_AGAIN_SECONDS)) - 1])

    def _listen(self, connection: Connection) -> None:
        self._check_delivery(connection)
        while not self._stop.is_set():
            deadline = Deadline(connection, _ANSWER_SECONDS)
            try:
                connection.execute("SELECT 1")
                self._follow_wanted(connection)
            finally:
                deadline.end()
            with self._lock:
                self._beat_at = time.monotonic()
            self._each_beat()
            for told in connection.notifies(timeout=_BEAT_SECONDS):
                self._note(told.channel, told.payload)

    def _check_delivery(self, connection: Connection) -> None:
        """Raise where a notification of another connection does not arrive, as behind a pooler."""
        channel = f"memoro_check_{os.urandom(8).hex()}"
        deadline = Deadline(connection, 3 * _ANSWER_SECONDS)
        try:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            self._notify(channel, "")
            arrived = [*connection.notifies(timeout=_ANSWER_SECONDS, stop_after=1)]
            connection.execute(sql.SQL("UNLISTEN {}").format(sql.Identifier(channel)))
        finally:
            deadline.end()
        if not arrived:
            raise NotHeard

    def _follow_wanted(self, connection: Connection) -> None:
        with self._lock:
            wanted = {channel for channel, count in self._wanted.items() if count > 0}
            new, old = wanted - self._heard.keys(), self._heard.keys() - wanted
            for channel in old:
                del self._heard[channel]
        for channel in old:
            connection.execute(sql.SQL("UNLISTEN {}").format(sql.Identifier(channel)))
        for channel in new:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            with self._lock:
                self._begun += 1
                self._heard[channel] = (self._begun, {})

    def _note(self, channel: str, message: str) -> None:
        part, _, revision = message.partition(" ")
        with self._lock:
            found = self._heard.get(channel)
            if found is not None and revision.isdecimal():
                found[1][part] = max(found[1].get(part, 0), int(revision))

"""Readiness: whether this process should get requests now. Load balancers ask often."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from memoro.errors import StoreError

KEPT_SECONDS = 2.0  # that an answer of the ledger's server is kept: probes must not load it


class Ready(NamedTuple):
    is_ready: bool
    why: str


class Readiness:
    """Knows whether the process drains, and asks whether there is anything to answer from."""

    def __init__(self, check_server: Callable[[], None] | None = None, count_seats: Callable[[], int] = int) -> None:
        """`check_server` raises StoreError where the ledger's server does not answer; None: there is none."""
        self._check_server = check_server
        self._count_seats = count_seats
        self._asked_at = float("-inf")
        self._answers = True
        self.is_draining = False

    def ready(self) -> Ready:
        """For a thread: it may wait for the server."""
        if self.is_draining:
            return Ready(False, "It is ending.")
        if self._server_answers():
            return Ready(True, "")
        if self._count_seats():
            return Ready(True, "The server of the shared ledger does not answer; local copies do.")
        return Ready(False, "The server of the shared ledger does not answer, and there are no local copies.")

    def _server_answers(self) -> bool:
        if self._check_server is None:
            return True
        if time.monotonic() >= self._asked_at + KEPT_SECONDS:
            try:
                self._check_server()
                self._answers = True
            except StoreError:
                self._answers = False
            self._asked_at = time.monotonic()
        return self._answers

"""Limits on the requests of a token and of a tenant."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

REQUESTS_A_SECOND = 100  # of one token, on average, and as many at once
IN_FLIGHT = 64  # of one token, and of the home's own tokens together: more than any number of agents sends at once
TENANT_IN_FLIGHT = 128  # of all tokens of a tenant: the server holds some 500 connections
_KEPT_SECONDS = 60.0  # how long the account of a token is kept after its last request
_MOST_KEPT = 1000


class RateLimit:
    """Admits so many requests a second on average, and as many at once."""

    def __init__(self, requests_a_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = self._left = float(requests_a_second)
        self._clock = clock
        self._at = clock()

    def take(self) -> bool:
        now = self._clock()
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class TokenName(NamedTuple):
    """A team token, named without its secret."""

    tenant: str
    id: str


class _Account:
    def __init__(self, clock: Callable[[], float]) -> None:
        self.rate = RateLimit(REQUESTS_A_SECOND, clock)
        self.running = 0
        self.used_at = clock()


class TeamLimits:
    """Counts the requests of each team token and each tenant."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._accounts: dict[TokenName, _Account] = {}
        self._running: dict[str, int] = {}  # by tenant

    def refusal(self, token: TokenName) -> str | None:
        """Return why a request must wait; None counts it as sent."""
        account = self._account(token)
        if account.running >= IN_FLIGHT:
            return f"More than {IN_FLIGHT} requests of this token at once; wait."
        if self._running.get(token.tenant, 0) >= TENANT_IN_FLIGHT:
            return f"More than {TENANT_IN_FLIGHT} requests of this tenant at once; wait."
        if not account.rate.take():
            return f"More than {REQUESTS_A_SECOND} requests a second of this token; wait."
        return None

    @contextmanager
    def running(self, token: TokenName) -> Iterator[None]:
        """Count a request as running for the block."""
        account = self._account(token)
        account.running += 1
        self._running[token.tenant] = self._running.get(token.tenant, 0) + 1
        try:
            yield
        finally:
            account.running -= 1
            account.used_at = self._clock()
            self._running[token.tenant] -= 1
            if not self._running[token.tenant]:
                del self._running[token.tenant]

    def _account(self, token: TokenName) -> _Account:
        found = self._accounts.get(token)
        if found is not None:
            return found
        if len(self._accounts) >= _MOST_KEPT:
            since = self._clock() - _KEPT_SECONDS
            self._accounts = {name: one for name, one in self._accounts.items() if one.running or one.used_at > since}
        made = self._accounts[token] = _Account(self._clock)
        return made

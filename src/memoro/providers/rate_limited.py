"""An embedder that sends no more requests a minute than the provider takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.model.vocabulary import Role
from memoro.providers.pausing import Timing, go_on, pause
from memoro.providers.ports import Embedder
from memoro.providers.wrapping import Wrapping

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

_BURST_SECONDS = 6.0  # so much of a minute's requests may come at once, after a pause


class TokenBucket:
    """Says how long a request has to wait. Threads share it."""

    def __init__(self, per_minute: float, clock: Callable[[], float]) -> None:
        self._rate, self._clock = per_minute / 60, clock
        self._most = max(1.0, self._rate * _BURST_SECONDS)
        self._left, self._at = self._most, clock()
        self._alone = threading.Lock()

    def take(self) -> float:
        """Take the place of one request; return after how many seconds it may be sent."""
        with self._alone:
            now = self._clock()
            self._left = min(self._most, self._left + self._rate * max(0.0, now - self._at)) - 1
            self._at = now
            return max(0.0, -self._left / self._rate)


_buckets: dict[tuple[str, float], TokenBucket] = {}


def shared_bucket(host: str, per_minute: float, clock: Callable[[], float] = time.monotonic) -> TokenBucket:
    """Return the bucket of a host in this process."""
    return _buckets.setdefault((host, per_minute), TokenBucket(per_minute, clock))


class RateLimited(Wrapping):
    """Lets documents wait until they may be sent. A query never waits, yet counts: documents then wait longer."""

    def __init__(
        self,
        inner: Embedder,
        bucket: TokenBucket,
        *,
        check: Callable[[], None] = go_on,
        timing: Timing | None = None,
    ) -> None:
        """`check` is called while it waits: what it raises ends the waiting."""
        super().__init__(inner)
        self._bucket, self._check, self._timing = bucket, check, timing or Timing()

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        seconds = self._bucket.take() if texts else 0.0
        if role == "document" and seconds:
            pause(seconds, self._timing, self._check)
        return self._inner.embed(texts, role)

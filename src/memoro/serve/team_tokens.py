"""As whom the tokens of people and agents act, remembered for some seconds."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import StoreError
from memoro.serve.limits import RateLimit

if TYPE_CHECKING:
    from memoro.model.token_holder import TokenHolder

PREFIX = "memoro_"
FRESH_SECONDS = 5.0  # within which a token that was revoked, or has expired, ends
# While the server does not answer, tokens that it knew go on for so long: their people read from local copies.
OUTAGE_SECONDS = 15 * 60.0
UNKNOWN_A_SECOND = 20  # look-ups of tokens that nobody has used before; guessing must not reach the database
_MOST_KNOWN, _MOST_UNKNOWN = 10_000, 1_000
_AT_ONCE = 2  # look-ups; each takes about a millisecond


class TooManyUnknown(Exception):
    """More unknown tokens were sent than are looked up."""


class _Looked(NamedTuple):
    holder: TokenHolder | None
    at: float


class TeamTokens:
    """Finds the holders of tokens. For one event loop; the server is asked on a thread."""

    def __init__(
        self, find: Callable[[str], TokenHolder | None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`find` asks the server; it raises StoreError where that does not answer."""
        self._find = find
        self._clock = clock
        self._known: OrderedDict[bytes, _Looked] = OrderedDict()
        self._unknown: OrderedDict[bytes, _Looked] = OrderedDict()  # apart: guesses push no holder out
        self._asking: dict[bytes, asyncio.Task[TokenHolder | None]] = {}
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._new = RateLimit(UNKNOWN_A_SECOND, clock)
        self.look_ups = 0

    async def holder(self, token: str) -> TokenHolder | None:
        """Return the holder of a token; None for one that opens nothing. Raises StoreError, and TooManyUnknown."""
        digest = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        looked = self._known.get(digest) or self._unknown.get(digest)
        if looked is not None and self._clock() < looked.at + FRESH_SECONDS:
            return looked.holder
        if digest not in self._asking:
            if digest not in self._known and not self._new.take():
                raise TooManyUnknown
            task = self._asking[digest] = asyncio.create_task(self._ask(digest, token))
            task.add_done_callback(lambda _: self._asking.pop(digest, None))
        return await asyncio.shield(self._asking[digest])

    async def _ask(self, digest: bytes, token: str) -> TokenHolder | None:
        from anyio import to_thread

        try:
            async with self._slots:
                self.look_ups += 1
                found: TokenHolder | None = await to_thread.run_sync(self._find, token)
        except StoreError:
            known = self._known.get(digest)
            if known is None or known.at + OUTAGE_SECONDS < self._clock():
                raise
            return known.holder
        self._keep(digest, found)
        return found

    def _keep(self, digest: bytes, found: TokenHolder | None) -> None:
        self._known.pop(digest, None)
        kept, most = (self._unknown, _MOST_UNKNOWN) if found is None else (self._known, _MOST_KNOWN)
        kept[digest] = _Looked(found, self._clock())
        kept.move_to_end(digest)
        while len(kept) > most:
            kept.popitem(last=False)

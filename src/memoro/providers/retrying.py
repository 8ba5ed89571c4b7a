"""An embedder that asks again where that may help."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.errors import (
    AgreementSpent,
    CapReached,
    LeftAlone,
    PartialResponse,
    ProviderRejected,
    ProviderUnavailable,
)
from memoro.model.vocabulary import Role
from memoro.providers.pausing import Timing, go_on, pause
from memoro.providers.ports import Embedder
from memoro.providers.wrapping import Wrapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    import stamina

    from memoro.providers.ports import Vectors

_Answer = TypeVar("_Answer")

_JITTER = 0.5  # of a pause: processes that failed together do not come back together
_AFTER_RETRY_AFTER = 0.25  # seconds at most, added to the time that the provider named


class Patience(NamedTuple):
    """How often and how long a request is tried."""

    attempts: int = 5
    first_pause: float = 0.5  # seconds; each further one is twice as long
    longest_pause: float = 8.0
    longest_retry_after: float = 60.0  # a provider that wants to be left alone for longer is given up for now
    seconds: float = 240.0  # from the first attempt on, no other is begun later


class Retrying(Wrapping):
    """Asks again for documents where the inner embedder raises `ProviderUnavailable`; a query never waits.

    Between two attempts it waits as long as the provider named, else longer each time. It raises the last error.
    """

    def __init__(
        self,
        inner: Embedder,
        patience: Patience | None = None,
        *,
        check: Callable[[], None] = go_on,
        timing: Timing | None = None,
    ) -> None:
        """`check` is called before every further attempt and while it waits: what it raises ends the work."""
        super().__init__(inner)
        self._patience, self._check, self._timing = patience or Patience(), check, timing or Timing()

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "query" or not texts:
            return self._inner.embed(texts, role)
        return repeated(lambda: self._inner.embed(texts, role), self._patience, self._timing, self._check)


def repeated(
    ask: Callable[[], _Answer], patience: Patience, timing: Timing, check: Callable[[], None] = go_on
) -> _Answer:
    """Ask, and ask again where `ProviderUnavailable` is raised and patience is left. Raises the last error."""
    schedule = _Schedule(patience, timing)
    for attempt in _attempts(schedule, patience):
        schedule.shortest_pause = attempt.next_wait
        if attempt.num > 1:
            pause(schedule.pause, timing, check, schedule.failure)
        with attempt:
            return ask()
    raise AssertionError("the last attempt returns or raises")


class _Schedule:
    """Decides about each failure whether to ask again, and after what pause."""

    def __init__(self, patience: Patience, timing: Timing) -> None:
        self._patience, self._timing = patience, timing
        self._started = timing.clock()
        self.shortest_pause = 0.0  # after the attempt that is under way
        self.pause = 0.0
        self.failure = ""

    def decide(self, error: Exception) -> float | bool:
        """Return False to give up, else zero: `Retrying` waits itself, so that it can be stopped."""
        if not may_retry(error) or not isinstance(error, ProviderUnavailable):
            return False
        self.pause, self.failure = self._pause(error), str(error)
        if (error.retry_after or 0.0) > self._patience.longest_retry_after:
            return False
        if self._timing.clock() + self.pause > self._started + self._patience.seconds:
            return False
        return 0.0

    def _pause(self, error: ProviderUnavailable) -> float:
        if error.retry_after is not None:
            return error.retry_after + _AFTER_RETRY_AFTER * self._timing.chance()
        return self.shortest_pause * (1 + _JITTER * self._timing.chance())


def may_retry(error: Exception) -> bool:
    """Return whether the same request may pass in a moment.

    A response that has some of the vectors is left to the one who keeps them: he asks only for the rest.
    """
    if isinstance(error, PartialResponse):
        return not error.rows
    return isinstance(error, ProviderUnavailable) and not isinstance(error, (AgreementSpent, CapReached, LeftAlone))


def _attempts(schedule: _Schedule, patience: Patience) -> Iterator[stamina.Attempt]:
    try:
        import stamina
    except ImportError as error:
        raise ProviderRejected('Other models need more libraries: run `pip install "memoro[remote]"`.') from error

    # Unless the application has chosen otherwise, its user does not read about every attempt.
    logger = logging.getLogger("stamina")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return iter(
        stamina.retry_context(
            schedule.decide,
            attempts=patience.attempts,
            timeout=None,
            wait_initial=patience.first_pause,
            wait_max=patience.longest_pause,
            wait_jitter=0.0,
        )
    )

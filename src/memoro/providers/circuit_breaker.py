"""An embedder that leaves a provider alone for a while after it failed. The processes of a home share its state."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple
from weakref import WeakKeyDictionary

from memoro.errors import (
    AddressRefused,
    AgreementSpent,
    CapReached,
    KeyRefused,
    LeftAlone,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
    RequestTooLarge,
    ServerFailed,
    StoreError,
    TextRejected,
    WrongWidth,
)
from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder
from memoro.providers.records import BreakerState
from memoro.providers.wrapping import Wrapping

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.providers.records import ProviderRecords

# What a server is asked for; it is left alone for each of them separately. "language": a language model's answers.
ServerWork = Role | Literal["language"]

CLOSED = BreakerState()
_READ_SECONDS = 1.0  # how long a process believes what it read


class Rests(NamedTuple):
    """After how many failures in a row a provider is left alone, and for how long. In seconds."""

    failures: int
    first: float = 30.0  # each further failure doubles it
    longest: float = 600.0
    first_refused: float = 600.0  # after a refused key or an exhausted quota
    longest_refused: float = 3600.0


# A query has no time for a second try: another space answers it. A document is waited for. A document that a wrong
# key keeps waiting is asked for again soon, because somebody who has just mended the key runs a sync.
OF_QUERIES = Rests(failures=1)
OF_DOCUMENTS = Rests(failures=5, first_refused=30.0, longest_refused=60.0)
# Rules stand in for a language model. Whoever has just mended its key runs a command that needs it.
OF_LANGUAGE = Rests(failures=3, first_refused=30.0, longest_refused=60.0)
LONGEST_REST = 3600.0  # whatever a provider asks for: recovery needs no person
_LONG_RETRY_AFTER = 60.0  # documents do not wait for it


def rests(work: ServerWork) -> Rests:
    return {"query": OF_QUERIES, "document": OF_DOCUMENTS, "language": OF_LANGUAGE}[work]


def is_resting(state: BreakerState, now: float) -> bool:
    """Return whether nothing is sent now. A rest that ends too far ahead was written by a clock that was wrong."""
    return now < state.open_until <= now + LONGEST_REST


def is_on_trial(state: BreakerState, role: ServerWork, now: float) -> bool:
    """Return whether the rest is over, and the next request shows whether the provider has recovered."""
    return state.failures >= rests(role).failures and not is_resting(state, now)


def is_failure(error: ProviderError, role: ServerWork) -> bool:
    """Return whether an error says something about the provider, and not about one text or the owner's own limits."""
    if isinstance(error, (LeftAlone, AgreementSpent, CapReached, AddressRefused, RequestTooLarge, TextRejected)):
        return False
    if role == "query":
        return True
    if isinstance(error, ProviderRejected):
        return isinstance(error, (KeyRefused, QuotaExhausted, WrongWidth))
    if role == "language":
        return True
    return not isinstance(error, (PartialResponse, ServerFailed))  # perhaps one text breaks the server


def after_failure(state: BreakerState, error: ProviderError, role: ServerWork, now: float) -> BreakerState:
    """Return the state after one more failure. During a rest only its reason changes: the newest is told."""
    if is_resting(state, now):
        return state._replace(why=str(error))
    limits, failures = rests(role), state.failures + 1
    is_refused = isinstance(error, (KeyRefused, QuotaExhausted))
    asked_for = error.retry_after or 0.0 if isinstance(error, ProviderUnavailable) else 0.0
    if is_refused or asked_for > _LONG_RETRY_AFTER:
        failures = max(failures, limits.failures)
    if failures < limits.failures:
        return BreakerState(failures, 0.0, str(error))
    first, longest = (limits.first_refused, limits.longest_refused) if is_refused else (limits.first, limits.longest)
    seconds = min(longest, first * 2.0 ** min(failures - limits.failures, 20))
    return BreakerState(failures, now + min(LONGEST_REST, max(seconds, asked_for)), str(error))


class SharedStates:
    """The states of breakers in the records of a home, read at most once a second in a process.

    Where the records cannot be read or written, what this process saw itself still holds.
    """

    def __init__(self, records: Callable[[], ProviderRecords], clock: Callable[[], float]) -> None:
        self._records, self._clock = records, clock

    def read(self, name: str) -> BreakerState:
        if name in _unwritten:
            return _unwritten[name]
        try:
            records = self._records()
            known = _read.setdefault(records, {})
            at, state = known.get(name, (float("-inf"), CLOSED))
            if not 0 <= self._clock() - at < _READ_SECONDS:
                state = records.breaker(name)
                known[name] = (self._clock(), state)
        except StoreError:
            return CLOSED
        return state

    def write(self, name: str, state: BreakerState) -> None:
        try:
            records = self._records()
            records.set_breaker(name, state)
        except StoreError:
            _unwritten[name] = state
        else:
            _unwritten.pop(name, None)
            _read.setdefault(records, {})[name] = (self._clock(), state)


_read: WeakKeyDictionary[ProviderRecords, dict[str, tuple[float, BreakerState]]] = WeakKeyDictionary()
_unwritten: dict[str, BreakerState] = {}


class CircuitBreaker(Wrapping):
    """Raises `LeftAlone` at once while the provider rests after failures; queries and documents count separately.

    After the rest, the next document is a trial. The next query is one too, yet nobody waits for it: the trial goes
    out in the background while the caller gets `LeftAlone`.
    """

    def __init__(
        self,
        inner: Embedder,
        records: Callable[[], ProviderRecords],
        *,
        insists: bool = False,
        clock: Callable[[], float] = time.time,
        start: Callable[[Callable[[], None], float], None] | None = None,
    ) -> None:
        """`insists`: documents are sent during a rest, too, because a person has just asked for that.

        `start` runs a trial; its second argument is how long a process that ends should wait for it.
        """
        super().__init__(inner)
        self._insists = insists
        self._states, self._clock, self._start = SharedStates(records, clock), clock, start or in_background
        self._host = self.info.host or str(self.space)

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if not texts:
            return self._inner.embed(texts, role)
        state, now = self._states.read(self._name(role)), self._clock()
        if is_resting(state, now) and not (self._insists and role == "document"):
            raise self._left_alone(state, now)
        if role == "query" and is_on_trial(state, role, now):
            self._try_in_background(list(texts), state)
            raise LeftAlone(f"{self._host} failed before ({_clause(state.why)}) and is being tried again now.")
        return self._ask(texts, role, state)

    def prepare(self) -> None:
        if not is_resting(self._states.read(self._name("query")), self._clock()):
            super().prepare()

    def report_failure(self, role: Role, error: ProviderError) -> None:
        """Begin a rest: the caller has seen enough."""
        state = self._states.read(self._name(role))
        enough = state._replace(failures=max(state.failures, rests(role).failures - 1))
        self._states.write(self._name(role), after_failure(enough, error, role, self._clock()))

    def _ask(self, texts: Sequence[str], role: Role, state: BreakerState) -> Vectors:
        try:
            rows = self._inner.embed(texts, role)
        except ProviderError as error:
            if is_failure(error, role):
                state = self._states.read(self._name(role))
                self._states.write(self._name(role), after_failure(state, error, role, self._clock()))
            raise
        if role == "document":
            self._documents_arrived(state)
        return rows

    def _documents_arrived(self, state: BreakerState) -> None:
        """The provider answers: documents go on, and the next query is a trial."""
        if state != CLOSED:
            self._states.write(self._name("document"), CLOSED)
        queries, now = self._states.read(self._name("query")), self._clock()
        if is_resting(queries, now):
            self._states.write(self._name("query"), queries._replace(open_until=now))

    def _try_in_background(self, texts: list[str], state: BreakerState) -> None:
        """Begin the next rest and send the trial, which ends the rest if it succeeds.

        Other processes send no trial meanwhile. Where this one ends before the answer, the next trial comes later.
        """
        self._states.write(
            self._name("query"), after_failure(state, ProviderUnavailable(state.why), "query", self._clock())
        )
        self._start(lambda: self._trial(texts), self.info.query_seconds)

    def _trial(self, texts: list[str]) -> None:
        """Ask, and where a right answer comes late, once more: a server may have had to load its model first."""
        state = self._states.read(self._name("query"))
        for _ in range(2):
            began = self._clock()
            try:
                self._inner.embed(texts, "query")
            except ProviderError as error:
                if is_failure(error, "query"):
                    before = state._replace(failures=state.failures - 1, open_until=0.0)
                    self._states.write(self._name("query"), after_failure(before, error, "query", self._clock()))
                return
            if self._clock() - began <= self.info.query_seconds:
                self._states.write(self._name("query"), CLOSED)
                return

    def _name(self, role: Role) -> str:
        return f"{self._host} {role}"

    def _left_alone(self, state: BreakerState, now: float) -> LeftAlone:
        return left_alone(self._host, state, now)


def left_alone(host: str, state: BreakerState, now: float) -> LeftAlone:
    """Return the error that stands for an answer while a provider rests."""
    seconds = max(1, round(state.open_until - now))
    return LeftAlone(
        f"{host} is not asked for another {_duration(seconds)}, because it failed: {_clause(state.why)}.",
        retry_after=float(seconds),
    )


def end_rests(records: ProviderRecords, host: str, works: Sequence[ServerWork] = ("query", "document")) -> None:
    """Ask a provider again at once: somebody has seen that it answers."""
    for role in works:
        if records.breaker(f"{host} {role}") != CLOSED:
            SharedStates(lambda: records, time.time).write(f"{host} {role}", CLOSED)


def last_failure(records: ProviderRecords, host: str | None, work: ServerWork = "document") -> str | None:
    """Return why a provider failed when it was last asked for this, as a clause; None where it did not."""
    state = records.breaker(f"{host} {work}") if host is not None else CLOSED
    return _clause(state.why) if state.failures else None


def _clause(sentence: str) -> str:
    return sentence.rstrip(". ") or "no reason is known"


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 100 else f"{round(seconds / 60)} minutes"


_trials: list[tuple[threading.Thread, float]] = []


def in_background(work: Callable[[], None], seconds: float) -> None:
    """Run a trial, or a report about a late query, in a thread.

    Whoever closes the home waits for it, no longer than `seconds` from now.
    """
    thread = threading.Thread(target=_quietly, args=(work,), daemon=True)
    _trials.append((thread, time.monotonic() + seconds))
    thread.start()


def _quietly(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:  # nobody waits for it, the home may be closed by now, and the rest has begun already
        return


def finish_trials() -> None:
    """Wait for what runs in the background as long as was said when it began: a hook's process ends soon."""
    while _trials:
        thread, until = _trials.pop()
        thread.join(max(0.0, until - time.monotonic()))

"""An embedder that nobody waits for longer than a set time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.errors import ProviderUnavailable
from memoro.model.vocabulary import Role
from memoro.providers.circuit_breaker import in_background
from memoro.providers.pausing import waiting
from memoro.providers.ports import Embedder
from memoro.providers.wrapping import Wrapping, prepare, report_failure

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# By space and role, the call that has not come back in time.
_unanswered: dict[tuple[str, Role], threading.Thread] = {}
_REPORT_SECONDS = 0.2  # that a process which ends leaves to the report of a late query
_FAIR_SHARE = 0.5  # of the time that a provider has for a query: who gives it less says nothing about the provider


class WithDeadline(Wrapping):
    """Answers as the inner embedder does, or raises `ProviderUnavailable` once the time is over.

    It raises at once where the inner embedder begins to wait before it asks again, unless the caller is `patient`.
    The call goes on in its thread: a `Cached` inside still keeps what arrives late. While an earlier call is out,
    no other is sent; only a `patient` caller waits for it. A circuit breaker inside is told about a late query.
    """

    def __init__(self, inner: Embedder, seconds: float, *, patient: bool = False) -> None:
        super().__init__(inner)
        self._seconds, self._patient = seconds, patient

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        earlier = _unanswered.get((str(self.space), role))
        if earlier is not None and self._patient:
            earlier.join(self._seconds)
        if earlier is not None and earlier.is_alive():
            raise ProviderUnavailable(f"{self.space} has not answered an earlier question yet.")
        prepare(self._inner)
        call = _Call(self._inner, texts, role)
        call.start()
        if self._patient:
            call.join(self._seconds)
        else:
            call.released.wait(self._seconds)
        if call.failure is not None:
            raise call.failure
        if call.answer is not None:
            return call.answer
        _unanswered[str(self.space), role] = call
        missed = "waits before it is asked" if call.released.is_set() else self._missed()
        late = ProviderUnavailable(call.why or f"{self.space} {missed}.")
        if role == "query" and self._seconds >= _FAIR_SHARE * self.info.query_seconds:
            # To write it down may have to wait for the disk, or for another process; the caller has waited enough.
            in_background(lambda: report_failure(self._inner, role, late), _REPORT_SECONDS)
        raise late

    def _missed(self) -> str:
        seconds = f"{self._seconds:g} s" if self._seconds >= 1 else f"{1000 * self._seconds:.0f} ms"
        return f"has not answered within {seconds}"


class _Call(threading.Thread):
    """One question to an embedder, with its answer or its failure once it has come back."""

    def __init__(self, embedder: Embedder, texts: Sequence[str], role: Role) -> None:
        super().__init__(daemon=True)
        self._embedder, self._texts, self._role = embedder, texts, role
        self.answer: Vectors | None = None
        self.failure: BaseException | None = None
        self.why = ""  # of the failure after which it pauses
        self.released = threading.Event()  # set: it has come back, or pauses before it asks again

    def run(self) -> None:
        waiting.tell = self._release
        try:
            self.answer = self._embedder.embed(self._texts, self._role)
        except BaseException as error:  # raised again in the thread that asked
            self.failure = error
        finally:
            self.released.set()

    def _release(self, why: str) -> None:
        self.why = why
        self.released.set()

"""An embedder that is not waited for longer than a moment."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.errors import ProviderUnavailable
from memoro.providers.ports import Embedder, Space

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# By space, the call that did not come back. While it is out, nobody sends another after it.
_waiting: dict[str, threading.Thread] = {}


class WithDeadline:
    """Answers as the inner one does, or raises `ProviderUnavailable` once the time is over."""

    def __init__(self, inner: Embedder, seconds: float) -> None:
        self._inner, self._seconds = inner, seconds

    @property
    def space(self) -> Space:
        return self._inner.space

    def embed(self, texts: Sequence[str]) -> Vectors:
        name = str(self.space)
        before = _waiting.get(name)
        if before is not None and before.is_alive():
            raise ProviderUnavailable(f"{name} has not answered an earlier question yet.")
        answer: list[Vectors] = []
        failure: list[BaseException] = []
        thread = threading.Thread(target=self._ask, args=(texts, answer, failure), daemon=True)
        thread.start()
        thread.join(self._seconds)
        if answer:
            return answer[0]
        if failure:
            raise failure[0]
        _waiting[name] = thread
        raise ProviderUnavailable(f"{name} has not answered within {1000 * self._seconds:.0f} ms.")

    def _ask(self, texts: Sequence[str], answer: list[Vectors], failure: list[BaseException]) -> None:
        try:
            answer.append(self._inner.embed(texts))
        except BaseException as error:  # it belongs to whoever asked
            failure.append(error)

"""What every embedder around another one has: the inner one's space and facts, and a way down to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memoro.errors import ProviderError
from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder, EmbedderInfo, Space, info_of

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


@runtime_checkable
class Preparable(Protocol):
    """An embedder whose first request has something to wait for in this process."""

    def prepare(self) -> None: ...


class Wrapping:
    """Asks the inner embedder. A wrapper overrides `embed`, and what else it does in another way."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.space: Space = inner.space
        self.info: EmbedderInfo = info_of(inner)

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        return self._inner.embed(texts, role)

    def embed_anew(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return vectors that the provider computed just now, whatever a cache has."""
        return self.embed(texts, role)

    def prepare(self) -> None:
        """Do now what the first request would have to wait for, such as importing a library. Sends nothing."""
        prepare(self._inner)

    def report_failure(self, role: Role, error: ProviderError) -> None:
        """Tell a circuit breaker inside of a failure that it cannot see itself."""
        report_failure(self._inner, role, error)


def embed_anew(embedder: Embedder, texts: Sequence[str], role: Role) -> Vectors:
    return embedder.embed_anew(texts, role) if isinstance(embedder, Wrapping) else embedder.embed(texts, role)


def report_failure(embedder: Embedder, role: Role, error: ProviderError) -> None:
    if isinstance(embedder, Wrapping):
        embedder.report_failure(role, error)


def prepare(embedder: Embedder) -> None:
    """Let an embedder do what takes time before the deadline of a query runs."""
    if isinstance(embedder, Preparable):
        embedder.prepare()

"""The upkeep of vectors where no model can be loaded. It needs none of the libraries that may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memoro.errors import VectorsDamaged
    from memoro.index.embedding_plan import EmbeddingReport
    from memoro.store.ports import Index


class WithoutModel(NamedTuple):
    """The upkeep where no model can be loaded: it says so, and leaves the vectors to a later sync."""

    problem: str

    @property
    def damage(self) -> VectorsDamaged | None:
        return None

    @property
    def embedding(self) -> EmbeddingReport | None:
        return None

    def begin(self, index: Index) -> None:
        """The next sync that has a model sees what has changed since."""

    def erase(self, chunks: Sequence[int]) -> None:
        """The next sync that has a model erases them."""

    def take_from_cache(self) -> None:
        """To read the cache takes the libraries of a model."""

    def mend(self, damage: VectorsDamaged) -> None:
        """Vectors that nobody can read need no mending yet."""

    def fill(self) -> tuple[str, ...]:
        return (f"vectors: {self.problem}",)

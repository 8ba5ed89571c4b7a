"""What an embedder must do, whoever it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]


class Space(NamedTuple):
    """The vector space of one model. Vectors of different spaces are never compared."""

    provider: str
    model: str
    dimensions: int
    preparation: str  # what is done to a text before the model sees it

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}/{self.dimensions}/{self.preparation}"

    @classmethod
    def parse(cls, name: str) -> Space:
        provider, _, rest = name.partition("/")
        model, dimensions, preparation = rest.rsplit("/", 2)
        return cls(provider, model, int(dimensions), preparation)


class Embedder(Protocol):
    @property
    def space(self) -> Space: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length one for each text, in order; a row of zeros where a text has no words for it."""

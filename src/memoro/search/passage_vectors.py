"""The vectors of the candidates and of the passages beside them, read once for each query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.store.ports import Neighbour, VectorIndex

Beside = Mapping[int, "tuple[Neighbour | None, Neighbour | None]"]  # by candidate: what stands before and after it


class PassageVectors:
    """Vectors at 8-bit precision, by the number of the chunk."""

    def __init__(self, vectors: VectorIndex, beside: Beside) -> None:
        self._beside = beside
        others = (other.chunk for other in chain.from_iterable(beside.values()) if other)
        numbers = list(dict.fromkeys(chain(beside, others)))
        self._places = {chunk: place for place, chunk in enumerate(numbers)}
        self._rows = vectors.rows(numbers)

    def of(self, chunks: Sequence[int]) -> Vectors:
        """The vectors of these candidates, as a copy; zeros for those without one."""
        return self._rows.take([self._places[chunk] for chunk in chunks], 0)

    def around(self, chunks: Sequence[int], rows: Vectors, vector: Vectors) -> Vectors:
        """The cosine of each candidate's row together with half of what stands before and after it."""
        window = rows
        for side in (0, 1):
            found = [(place, other) for place, chunk in enumerate(chunks) if (other := self._beside[chunk][side])]
            if found:
                window = window.copy() if window is rows else window
                window[[place for place, _ in found]] += 0.5 * self.of([other.chunk for _, other in found])
        lengths = numpy.linalg.norm(window, axis=1)
        cosines: Vectors = (window @ vector) / numpy.maximum(lengths, 1e-9)
        return cosines

"""Vectors in plain arrays: for homes without files, and the oracle of the memory-mapped ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.store.matrix import check

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


class PlainVectors:
    """Compares a query with every vector, exactly."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._rows: dict[int, Vectors] = {}
        self.length = 0

    @property
    def last(self) -> int:
        return max(self._rows, default=0)

    def rows(self, chunks: Sequence[int]) -> Vectors:
        nothing = numpy.zeros(self._dimensions, numpy.float32)
        return numpy.stack([self._rows.get(chunk, nothing) for chunk in chunks]) if chunks else nothing[None, :][:0]

    def append(self, chunks: Sequence[int], vectors: Vectors) -> None:
        check(vectors, self._dimensions)
        self._rows.update(zip(chunks, vectors, strict=True))
        self.length += len(vectors)

    def erase(self, chunks: Sequence[int]) -> None:
        for chunk in chunks:
            self._rows.pop(chunk, None)

    def keep(self, chunks: Sequence[int]) -> None:
        self.erase(list(set(self._rows) - set(chunks)))

    def check(self) -> None:
        """Do nothing: nothing can be damaged."""

    def scrub(self) -> None:
        """Do nothing: vectors dropped from a dictionary leave no trace."""

    @property
    def count(self) -> int:
        return len(self._rows)

    def reclaim(self) -> None:
        self.length = len(self._rows)

    def drop(self) -> None:
        self._rows.clear()
        self.length = 0

    def nearest(self, query: Vectors, count: int, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        allowed = self._rows if among is None else [chunk for chunk in among if chunk in self._rows]
        scored = [(chunk, float(self._rows[chunk] @ query)) for chunk in allowed]
        scored.sort(key=lambda pair: (-pair[1], pair[0]))
        return [(chunk, score) for chunk, score in scored[:count] if score > 0]


class PlainCache:
    def __init__(self) -> None:
        self._vectors: dict[tuple[str, str], Vectors] = {}

    def get(self, space: str, digests: Sequence[str]) -> dict[str, Vectors]:
        return {d: self._vectors[space, d] for d in digests if (space, d) in self._vectors}

    def known(self, space: str, digests: Sequence[str]) -> set[str]:
        return set(self.get(space, digests))

    def put(self, space: str, vectors: Mapping[str, Vectors]) -> None:
        self._vectors |= {(space, digest): numpy.array(vector, numpy.float32) for digest, vector in vectors.items()}

    def drop(self, digests: Sequence[str]) -> None:
        self._vectors = {key: vector for key, vector in self._vectors.items() if key[1] not in digests}

    def drop_space(self, space: str) -> int:
        found = [key for key in self._vectors if key[0] == space]
        for key in found:
            del self._vectors[key]
        return len(found)

    def count(self) -> dict[str, int]:
        names = [space for space, _ in self._vectors]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    def prune(self, keep: int, wanted: str = "") -> int:
        surplus = max(0, len(self._vectors) - keep)
        for key in sorted(self._vectors, key=lambda key: key[0] == wanted)[:surplus]:
            del self._vectors[key]
        return surplus

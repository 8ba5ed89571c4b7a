"""An embedder that computes each text once, and keeps its vector for another time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy

from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder, Space

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


class DigestedVectors(Protocol):
    """Vectors by space and by the digest of the text they stand for."""

    def get(self, space: str, digests: Sequence[str]) -> dict[str, Vectors]: ...

    def put(self, space: str, vectors: Mapping[str, Vectors]) -> None: ...


class Cached:
    """Asks the inner embedder only for documents that the cache has no vector of.

    Every row is rounded as the cache rounds, so that it is the same wherever it comes from. Queries are not kept.
    """

    def __init__(self, inner: Embedder, cache: DigestedVectors) -> None:
        self._inner, self._cache = inner, cache
        self.space: Space = inner.space

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "query":
            return self._inner.embed(texts, role)
        digests = [digest(text) for text in texts]
        known = self._cache.get(str(self.space), digests)
        missing = {key: text for key, text in zip(digests, texts, strict=True) if key not in known}
        if missing:
            known |= self._compute(missing)
        nothing = numpy.zeros(self.space.dimensions, numpy.float32)
        return numpy.stack([known.get(key, nothing) for key in digests]) if digests else nothing[None, :][:0]

    def _compute(self, missing: Mapping[str, str]) -> dict[str, Vectors]:
        rows = self._inner.embed(list(missing.values()), "document")
        found = {
            key: row.astype(numpy.float16).astype(numpy.float32)
            for key, row in zip(missing, rows, strict=True)
            if row.any()  # a text without a word that the model knows has no direction, and so no vector
        }
        self._cache.put(str(self.space), found)
        return found


def digest(text: str) -> str:
    """Return the digest by which the cache and the index know a text."""
    return hashlib.sha256(text.encode()).hexdigest()

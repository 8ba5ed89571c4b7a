"""An embedder that computes each text once, and keeps its vector for another time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy

from memoro.errors import PartialResponse
from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder
from memoro.providers.wrapping import Wrapping, embed_anew

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


class DigestedVectors(Protocol):
    """Vectors by space and by the digest of the text they stand for."""

    def get(self, space: str, digests: Sequence[str]) -> dict[str, Vectors]: ...

    def put(self, space: str, vectors: Mapping[str, Vectors]) -> None: ...


class RejectedTexts(Protocol):
    """Texts that a provider cannot embed, by space and digest; `ProviderRecords` is one."""

    def rejected(self, space: str, digests: Sequence[str]) -> dict[str, str]: ...


class Cached(Wrapping):
    """Asks the inner embedder only for documents that the cache has no vector of.

    Every row is rounded as the cache rounds, so that it is the same wherever it comes from. Queries are not kept.
    A text that the provider is known to reject is not sent: its row is zeros. What came back in a partial response
    is kept, and only the rest is asked for again, once.
    """

    def __init__(
        self,
        inner: Embedder,
        cache: DigestedVectors,
        *,
        rejected: Callable[[], RejectedTexts] | None = None,
        count_hits: Callable[[int], None] | None = None,
    ) -> None:
        """`count_hits` is called with the number of texts that the cache answered."""
        super().__init__(inner)
        self._cache, self._rejected, self._count_hits = cache, rejected, count_hits

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "query":
            return self._inner.embed(texts, role)
        digests = [digest(text) for text in texts]
        known = self._cache.get(str(self.space), digests)
        hits = sum(key in known for key in digests)
        if hits and self._count_hits is not None:
            self._count_hits(hits)
        missing = {key: text for key, text in zip(digests, texts, strict=True) if key not in known}
        if missing and self._rejected is not None:
            refused = self._rejected().rejected(str(self.space), list(missing))
            missing = {key: text for key, text in missing.items() if key not in refused}
        if missing:
            known |= self._compute(missing, known, digests)
        nothing = numpy.zeros(self.space.dimensions, numpy.float32)
        return numpy.stack([known.get(key, nothing) for key in digests]) if digests else nothing[None, :][:0]

    def embed_anew(self, texts: Sequence[str], role: Role) -> Vectors:
        return embed_anew(self._inner, texts, role)

    def _compute(
        self, missing: Mapping[str, str], known: Mapping[str, Vectors], digests: Sequence[str]
    ) -> dict[str, Vectors]:
        """Return the vectors of texts that have none. Raises `PartialResponse` with all rows that are known then."""
        found: dict[str, Vectors] = {}
        for is_last in (False, True):
            rest = {key: text for key, text in missing.items() if key not in found}
            try:
                return found | self._ask(rest)
            except PartialResponse as error:
                found |= self._keep(rest, error.rows)
                if is_last:
                    all_known = {**known, **found}
                    rows = {place: all_known[key] for place, key in enumerate(digests) if key in all_known}
                    raise PartialResponse(str(error), rows) from error
        raise AssertionError("the last turn returns or raises")

    def _ask(self, missing: Mapping[str, str]) -> dict[str, Vectors]:
        rows = self._inner.embed(list(missing.values()), "document")
        return self._keep(missing, dict(enumerate(rows)))

    def _keep(self, asked: Mapping[str, str], rows: Mapping[int, object]) -> dict[str, Vectors]:
        """Put the vectors that came back into the cache; `rows` has them by the place of their text."""
        keys = list(asked)
        rounded = {keys[place]: _rounded(row) for place, row in rows.items()}
        # A text without a word that the model knows has no direction, and so no vector.
        found = {key: row for key, row in rounded.items() if row.any()}
        self._cache.put(str(self.space), found)
        return found


def _rounded(row: object) -> Vectors:
    return numpy.asarray(row, numpy.float16).astype(numpy.float32)


def digest(text: str) -> str:
    """Return the digest by which the cache and the index know a text."""
    return hashlib.sha256(text.encode()).hexdigest()

"""An embedder whose every response is checked before anyone uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.errors import ProviderError, ProviderRejected, ProviderUnavailable
from memoro.model.guard import outside_transactions
from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder, EmbedderInfo, Space, info_of

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


class Checked:
    """Returns what the inner embedder returns, in rows of length one, or raises a `ProviderError`.

    Refuses a response with another count or width, with numbers that are not finite, or with rows of zeros.
    Any other exception of the inner embedder becomes `ProviderUnavailable`: none may end a search or a sync.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.space: Space = inner.space
        self.info: EmbedderInfo = info_of(inner)

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        outside_transactions("embedding")
        if not texts:
            return numpy.zeros((0, self.space.dimensions), numpy.float32)
        try:
            response = self._inner.embed(texts, role)
        except ProviderError:
            raise
        except Exception as error:
            raise ProviderUnavailable(f"{self.space} failed: {type(error).__name__}: {error}") from error
        return check_response(response, len(texts), self.space)


def check_response(response: object, count: int, space: Space) -> Vectors:
    """Return the vectors of a response in rows of length one. Raises `ProviderRejected` where they cannot be used."""
    try:
        with numpy.errstate(over="ignore"):  # too large a number becomes infinite, and is refused below
            rows: Vectors = numpy.array(response, numpy.float32)
    except (ValueError, TypeError) as error:
        raise ProviderRejected(f"{space} answered with something that is no list of vectors: {error}") from error
    if rows.ndim != 2 or len(rows) != count:
        raise ProviderRejected(f"{space} answered with {_shape(rows)} for {count} texts.")
    if rows.shape[1] != space.dimensions:
        raise ProviderRejected(f"{space} answered with vectors of {rows.shape[1]} numbers.")
    if not numpy.isfinite(rows).all():
        raise ProviderRejected(f"{space} answered with numbers that are not finite.")
    lengths = numpy.linalg.norm(rows.astype(numpy.float64), axis=1, keepdims=True)
    if not (lengths > 1e-9).all():
        raise ProviderRejected(f"{space} answered with a vector that is all zeros and points nowhere.")
    unit: Vectors = (rows / lengths).astype(numpy.float32)
    return unit


def _shape(rows: Vectors) -> str:
    return f"{len(rows)} vectors" if rows.ndim == 2 else f"an array of the shape {rows.shape}"

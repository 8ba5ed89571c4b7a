"""An embedder whose every response is checked before anyone uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.errors import PartialResponse, ProviderError, ProviderRejected, ProviderUnavailable, WrongWidth
from memoro.model.guard import outside_transactions
from memoro.model.vocabulary import Role
from memoro.providers.ports import Space
from memoro.providers.wrapping import Wrapping

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoro.providers.ports import Vectors


class Checked(Wrapping):
    """Returns what the inner embedder returns, in rows of length one, or raises a `ProviderError`.

    Refuses a response with another count or width. Rows of zeros, and rows with numbers that are not finite, are
    left out: `PartialResponse` carries the others. Any other exception of the inner embedder becomes
    `ProviderUnavailable`: none may end a search or a sync.
    """

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        outside_transactions("embedding")
        if not texts:
            return numpy.zeros((0, self.space.dimensions), numpy.float32)
        try:
            response = self._inner.embed(texts, role)
        except PartialResponse as error:
            raise _checked_part(error, len(texts), self.space) from error
        except ProviderError:
            raise
        except Exception as error:
            raise ProviderUnavailable(f"{self.space} failed: {type(error).__name__}: {error}") from error
        return check_response(response, len(texts), self.space)


def check_response(response: object, count: int, space: Space) -> Vectors:
    """Return the vectors of a response in rows of length one.

    Raises `PartialResponse` where some rows cannot be used, and `ProviderRejected` where none can be trusted.
    """
    rows = _rows(response, space)
    if rows.ndim != 2 or len(rows) != count:
        raise ProviderRejected(f"{space} answered with {_shape(rows)} for {count} texts.")
    usable, unit = _unit(rows, space)
    if not usable.all():
        raise PartialResponse(
            f"{space} answered with {_complaint(rows)} for {count - int(usable.sum())} of {count} texts.",
            {n: row for n, row in enumerate(unit) if usable[n]},
        )
    return unit


def _checked_part(partial: PartialResponse, count: int, space: Space) -> PartialResponse:
    """Return a partial response with only those rows that can be used. Raises as `check_response` does."""
    places = [place for place in partial.rows if 0 <= place < count]
    if not places:
        return partial if not partial.rows else PartialResponse(str(partial), {})
    rows = _rows([partial.rows[place] for place in places], space)
    if rows.ndim != 2:
        raise ProviderRejected(f"{space} answered with {_shape(rows)} for {len(places)} texts.")
    usable, unit = _unit(rows, space)
    return PartialResponse(
        str(partial), {place: row for place, row, is_usable in zip(places, unit, usable, strict=True) if is_usable}
    )


def _rows(response: object, space: Space) -> Vectors:
    try:
        with numpy.errstate(over="ignore"):  # too large a number becomes infinite, and is left out later
            rows: Vectors = numpy.array(response, numpy.float32)
    except (ValueError, TypeError) as error:
        raise ProviderRejected(f"{space} answered with something that is no list of vectors: {error}") from error
    return rows


def _unit(rows: Vectors, space: Space) -> tuple[NDArray[numpy.bool_], Vectors]:
    """Return which rows can be used, and all of them with those made one long."""
    if rows.shape[1] != space.dimensions:
        raise WrongWidth(
            f"{space} answered with vectors of {rows.shape[1]} numbers. Another model may answer there; "
            "`memoro provider test` shows more."
        )
    finite = numpy.isfinite(rows).all(axis=1, keepdims=True)
    lengths = numpy.linalg.norm(numpy.where(finite, rows, 0).astype(numpy.float64), axis=1)
    usable: NDArray[numpy.bool_] = numpy.greater(lengths, 1e-9)
    unit: Vectors = (rows / numpy.where(usable, lengths, 1.0)[:, None]).astype(numpy.float32)
    return usable, unit


def _complaint(rows: Vectors) -> str:
    if not numpy.isfinite(rows).all():
        return "numbers that are not finite"
    return "a vector that is all zeros and points nowhere"


def _shape(rows: Vectors) -> str:
    return f"{len(rows)} vectors" if rows.ndim == 2 else f"an array of the shape {rows.shape}"

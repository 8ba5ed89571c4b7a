"""Turn the vectors of a response into rows, each in the place of its text. A vector never gets a text by a guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.errors import PartialResponse, ProviderRejected, ProviderUnavailable, RequestTooLarge, WrongWidth

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


class RawVector(NamedTuple):
    """One vector as a response has it. Nothing about it is checked yet."""

    place: object  # of its text in the request; None: the response does not say
    values: object


class Expected(NamedTuple):
    """What a response must hold, and what an error calls its server."""

    texts: int
    dimensions: int
    host: str
    is_asked_for: bool = False  # the width was asked for, and is not simply that of the model
    learnt_for: str | None = None  # the space whose width the server itself told before, where no other knows it


def rows_of(found: Sequence[RawVector], expected: Expected) -> Vectors:
    """Return one row of length one for each text, in order.

    Raises `PartialResponse` with the usable rows where some are missing, `RequestTooLarge` where too few came and
    none says which text it belongs to, and `WrongWidth`.
    """
    if not found:
        raise ProviderUnavailable(f"{expected.host} answered without a vector.")
    placed = _by_index(found, expected) if any(one.place is not None for one in found) else _in_order(found, expected)
    numbers = {place: row for place, values in placed.items() if (row := _numbers(values)) is not None}
    if not numbers and any(isinstance(values, str) for values in placed.values()):
        raise ProviderRejected(f"{expected.host} answered in base64, although numbers were asked for.")
    _check_width(numbers, expected)
    rows = {place: row for place, values in numbers.items() if (row := _unit(values, expected)) is not None}
    if len(rows) < expected.texts:
        raise PartialResponse(
            f"{expected.host} answered with usable vectors for {len(rows)} of {expected.texts} texts.", rows
        )
    return numpy.stack([rows[place] for place in range(expected.texts)])


def _in_order(found: Sequence[RawVector], expected: Expected) -> dict[int, object]:
    count = expected.texts
    if len(found) < count:
        raise RequestTooLarge(f"{expected.host} answered with {len(found)} vectors for {count} texts.")
    if len(found) > count:
        raise ProviderUnavailable(f"{expected.host} answered with {len(found)} vectors for {count} texts.")
    return {place: one.values for place, one in enumerate(found)}


def _by_index(found: Sequence[RawVector], expected: Expected) -> dict[int, object]:
    """Return the vectors by the place that they name. A place that two different vectors name has none."""
    placed: dict[int, object] = {}
    doubtful: set[int] = set()
    for place, values in found:
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < expected.texts:
            continue
        if placed.setdefault(place, values) != values:
            doubtful.add(place)
    sure = {place: values for place, values in placed.items() if place not in doubtful}
    if not sure and expected.texts > 1:
        raise RequestTooLarge(f"{expected.host} does not say which vector belongs to which of several texts.")
    if not sure:
        raise ProviderUnavailable(f"{expected.host} answered with a vector for another text.")
    return sure


def _numbers(values: object) -> Vectors | None:
    if not isinstance(values, list):
        return None
    try:
        with numpy.errstate(over="ignore"):  # too large a number becomes infinite, and the row is left out
            row: Vectors = numpy.array(values, numpy.float32)
    except (ValueError, TypeError, OverflowError):
        return None
    return row if row.ndim == 1 else None


def _check_width(rows: Mapping[int, Vectors], expected: Expected) -> None:
    """Raise where no row has the right width. A single wrong one is left out later."""
    widths = {len(row) for row in rows.values()}
    if not widths or expected.dimensions in widths:
        return
    found = max(widths)
    why = ""
    if found * 4 == expected.dimensions:
        why = " That is a quarter of it: something on the way reads base64 as numbers."
    elif expected.is_asked_for:
        why = f" It seems to ignore `embedding.dimensions`: unset it, or set it to {found}."
    has = "has" if expected.learnt_for is None else "had"
    if expected.learnt_for is not None:
        why += (
            f" Another model answers under this name now: run `memoro space drop {expected.learnt_for}`, then "
            "`memoro sync`, or start the former model again."
        )
    raise WrongWidth(
        f"{expected.host} answered with vectors of {found} numbers, where the model {has} {expected.dimensions}.{why}"
    )


def _unit(row: Vectors, expected: Expected) -> Vectors | None:
    """Return the row with length one; None where it has another width, points nowhere or is not finite."""
    if len(row) != expected.dimensions or not numpy.isfinite(row).all():
        return None
    length = float(numpy.linalg.norm(row.astype(numpy.float64)))
    unit: Vectors = (row / length).astype(numpy.float32) if length > 1e-9 else row[:0]
    return unit if len(unit) else None

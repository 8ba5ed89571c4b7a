"""Vectors of a response: each gets the place of its text, or none. A vector is never given to a text by a guess."""

from __future__ import annotations

import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import (
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    RequestTooLarge,
    WrongWidth,
)
from memoro.providers.response_rows import Expected, RawVector, rows_of

WIDTH = 8


def vector(text: int) -> list[float]:
    """The vector of the text at a place: no two are alike."""
    return [1.0, *(float(bit) for bit in f"{text:0{WIDTH - 1}b}")]


def expected(texts: int) -> Expected:
    return Expected(texts=texts, dimensions=WIDTH, host="gpu.lan")


def is_of(row: object, text: int) -> bool:
    right = numpy.array(vector(text)) / numpy.linalg.norm(vector(text))
    return bool(numpy.allclose(numpy.asarray(row), right, atol=1e-6))


spoils = st.sampled_from(
    ["fine", "missing", "nan", "none", "zeros", "string", "narrow", "huge", "double", "outside", "bool"]
)


@given(st.lists(spoils, min_size=1, max_size=12), st.booleans(), st.randoms(use_true_random=False))
def test_no_vector_is_ever_given_to_the_text_of_another(
    spoiled: list[str], is_placed: bool, chance: random.Random
) -> None:
    found: list[RawVector] = []
    for text, spoil in enumerate(spoiled):
        values: object = {
            "nan": [float("nan")] * WIDTH,
            "none": None,
            "zeros": [0.0] * WIDTH,
            "string": "AAAAAAAA",
            "narrow": vector(text)[:2],
            "huge": [1e300] * WIDTH,
        }.get(spoil, vector(text))
        place: object = {"outside": len(spoiled) + 3, "bool": True}.get(spoil, text)
        if spoil != "missing":
            found.append(RawVector(place if is_placed else None, values))
        if spoil == "double":
            found.append(RawVector(place if is_placed else None, vector(text + 50)))
    if is_placed:
        chance.shuffle(found)
    try:
        rows: dict[int, object] = dict(enumerate(rows_of(found, expected(len(spoiled)))))
    except PartialResponse as error:
        rows = dict(error.rows)
        assert len(rows) < len(spoiled)
    except ProviderError:
        return
    if is_placed or not {"double", "missing"} & set(spoiled):
        assert all(is_of(row, text) for text, row in rows.items())
    if is_placed:
        assert set(rows) == {text for text, spoil in enumerate(spoiled) if spoil == "fine"}


def test_vectors_are_put_in_the_order_of_their_texts() -> None:
    rows = rows_of([RawVector(1, vector(1)), RawVector(0, vector(0))], expected(2))
    assert rows.dtype == numpy.float32
    assert is_of(rows[0], 0) and is_of(rows[1], 1)
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1, 1])


def test_of_a_partly_bad_response_the_good_rows_are_kept() -> None:
    with pytest.raises(PartialResponse, match="1 of 3 texts") as partial:
        rows_of([RawVector(2, vector(2)), RawVector(0, [float("inf")] * WIDTH)], expected(3))
    assert list(partial.value.rows) == [2]


def test_one_vector_for_many_texts_is_a_request_that_was_too_large() -> None:
    with pytest.raises(RequestTooLarge, match="1 vectors for 3 texts"):
        rows_of([RawVector(None, vector(0))], expected(3))
    with pytest.raises(RequestTooLarge, match="which vector belongs"):
        rows_of([RawVector(0, vector(n)) for n in range(3)], expected(3))


def test_too_many_or_no_vectors_may_be_better_next_time() -> None:
    for found in ([RawVector(None, vector(0))] * 2, [], [RawVector(7, vector(0))]):
        with pytest.raises(ProviderUnavailable):
            rows_of(found, expected(1))


def test_a_vector_that_comes_twice_alike_is_kept() -> None:
    assert len(rows_of([RawVector(0, vector(0)), RawVector(0, vector(0))], expected(1))) == 1


def test_a_wrong_width_is_refused_with_both_widths_in_words() -> None:
    with pytest.raises(WrongWidth, match=r"vectors of 6 numbers, where the model has 8\.$"):
        rows_of([RawVector(0, vector(0)[:6])], expected(1))
    with pytest.raises(WrongWidth, match="a quarter of it"):
        rows_of([RawVector(0, [0.5, 0.5])], expected(1))
    with pytest.raises(WrongWidth, match="set it to 6"):
        rows_of([RawVector(0, vector(0)[:6])], expected(1)._replace(is_asked_for=True))


def test_base64_is_refused_whatever_its_width() -> None:
    with pytest.raises(ProviderRejected, match="base64"):
        rows_of([RawVector(0, "AACAPwAAAAA=")], expected(1))

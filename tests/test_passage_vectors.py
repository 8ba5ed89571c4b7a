"""The vectors of candidates, read once, are those that the index has, and so is what stands around them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.search.passage_vectors import PassageVectors
from memoro.store.plain.vectors import PlainVectors
from memoro.store.ports import Neighbour

DIMENSIONS = 4


def vectors_of(numbers: Sequence[int]) -> PlainVectors:
    vectors = PlainVectors(DIMENSIONS)
    rows = numpy.random.default_rng(3).normal(size=(len(numbers), DIMENSIONS)).astype(numpy.float32)
    if numbers:
        vectors.append(numbers, rows / numpy.linalg.norm(rows, axis=1, keepdims=True))
    return vectors


def one_by_one(vectors: PlainVectors, beside: dict[int, tuple[Neighbour | None, Neighbour | None]]) -> list[float]:
    """The same in the plain way: each candidate by itself, with half of what stands before and after it."""
    asked, found = numpy.ones(DIMENSIONS, numpy.float32), []
    for chunk, (before, after) in beside.items():
        window = vectors.rows([chunk])[0]
        for other in (before, after):
            window = window + 0.5 * vectors.rows([other.chunk])[0] if other else window
        found.append(float(window @ asked) / max(float(numpy.linalg.norm(window)), 1e-9))
    return found


neighbours = st.none() | st.builds(Neighbour, st.integers(1, 12), st.none(), st.booleans())


@given(
    numbers=st.lists(st.integers(1, 12), unique=True).map(sorted),
    beside=st.dictionaries(st.integers(1, 12), st.tuples(neighbours, neighbours), min_size=1),
)
def test_each_candidate_is_taken_together_with_half_of_what_stands_beside_it(
    numbers: list[int], beside: dict[int, tuple[Neighbour | None, Neighbour | None]]
) -> None:
    vectors, asked = vectors_of(numbers), numpy.ones(DIMENSIONS, numpy.float32)
    read, chunks = PassageVectors(vectors, beside), list(beside)
    rows = read.of(chunks)
    assert (rows == vectors.rows(chunks)).all()
    assert read.around(chunks, rows, asked).tolist() == pytest.approx(one_by_one(vectors, beside), abs=1e-5)
    assert (rows == vectors.rows(chunks)).all(), "what stands around a passage is not added to the passage itself"

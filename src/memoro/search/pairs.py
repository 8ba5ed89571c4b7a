"""Pairs of statements with the same subject, and how near what they say about it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.model.names import OWNER, Subject, Subjects
from memoro.search.same_thing import StatementPair

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

LEAST = 0.1  # pairs that are less near than this, and share no word, are about different things


def near_pairs(
    subjects: Sequence[Subjects], words: Sequence[frozenset[str]], vectors: Vectors, tell: Sequence[bool]
) -> list[StatementPair]:
    """The pairs with the same subject that share a word, are near, or both `tell` what is asked for.

    How near two are, is the cosine and half of the shared words.
    """
    if len(words) < 2:
        return []
    shared, smaller = _shared(words)
    near = vectors @ vectors.T + 0.5 * shared / numpy.maximum(smaller, 1)
    classes = list(dict.fromkeys(subjects))
    of = numpy.asarray([classes.index(one) for one in subjects])
    same = numpy.asarray([[_is_same(one, other) for other in classes] for one in classes])
    both_tell = numpy.logical_and.outer(tell, tell)
    found = numpy.tril(same[of][:, of] & ((shared > 0) | (near >= LEAST) | both_tell), -1)
    ones, others = numpy.nonzero(found)
    return list(map(StatementPair, ones.tolist(), others.tolist(), near[ones, others].tolist()))


def _shared(words: Sequence[frozenset[str]]) -> tuple[Vectors, Vectors]:
    """Return how many words each two have in common, and how many the smaller of them has.

    By bits: as a product of matrices, BLAS would start threads that spin on it.
    """
    bits = {word: 1 << number for number, word in enumerate(frozenset().union(*words))}
    held = [sum(map(bits.__getitem__, own)) for own in words]
    shared = numpy.zeros((len(words), len(words)), numpy.float32)
    for i, one in enumerate(held):
        shared[i, : i + 1] = [(one & other).bit_count() for other in held[: i + 1]]
    sizes = numpy.asarray([len(own) for own in words], numpy.float32)
    return numpy.maximum(shared, shared.T), numpy.minimum.outer(sizes, sizes)


def _is_same(one: Subjects, other: Subjects) -> bool:
    """Return whether two texts are about the same: about one that both name, or about nothing that has a name.

    What a project's session says of "us" may be about the project.
    """
    if one == other:
        return True
    first, second = _meant(one), _meant(other)
    if not first or not second:
        return first == second or (OWNER in first or OWNER in second)
    return first == second or any(_is_one(a, b) for a in first for b in second)


def _meant(subjects: Subjects) -> frozenset[Subject]:
    named = subjects.told - {OWNER}
    return named or (subjects.told | subjects.assumed)


def _is_one(one: Subject, other: Subject) -> bool:
    first, second = set(one.name.split()), set(other.name.split())
    return first <= second or second <= first

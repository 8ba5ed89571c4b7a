"""The numbers that depend on how a model's cosines are spread: weights, confidence and thresholds, by space."""

from __future__ import annotations

from typing import NamedTuple

from memoro.providers.ports import BUILTIN, Space


class ByLength(NamedTuple):
    """A weight among short passages and one among long ones; between them it changes gradually."""

    short: float
    long: float


class MeaningWeights(NamedTuple):
    """How much words and meaning count against each other when a passage is ranked."""

    words: ByLength  # BM25 share
    meaning: ByLength  # cosine of the passage
    around: ByLength  # cosine of the passage together with its neighbours
    word_by_word: ByLength  # nearest words, rare ones counting more


class ConfidenceWeights(NamedTuple):
    """A logistic function from the evidence for one passage to how likely it is that the passage is relevant."""

    coverage: float
    nearness: float
    words: float
    bias: float
    small: float  # for each halving of an index below `SMALL` passages, by the natural logarithm


SMALL = 150  # passages: in a smaller index, less is near by chance


class Calibration(NamedTuple):
    """How the cosines of one space are read. It belongs to the space: another model's cosines mean other things."""

    weights: MeaningWeights
    confidence: ConfidenceWeights
    abstain_hybrid: float  # below this confidence, recall says nothing
    abstain_vectors: float  # the same in a search by meaning alone
    near: float | None  # a cosine from which a passage is no chance hit, however few words it shares; None: unknown
    same: float  # a passage nearer to a better one than this repeats it


# Round numbers, as benchmarks/weights.py chose them, and never by the figures on locomo-dev, which only measures.
# A short turn has too few words for one vector to mean much, and its neighbours say what it is about. Confidence was
# fitted on the `dev` half of `benchmarks noise`, on longmemeval-dev and on the chats; the thresholds on `benchmarks
# abstention`.
OF_BUILTIN = Calibration(
    weights=MeaningWeights(
        words=ByLength(0.5, 0.4),
        meaning=ByLength(0.1, 0.3),
        around=ByLength(0.5, 0.1),
        word_by_word=ByLength(0.5, 0.5),
    ),
    confidence=ConfidenceWeights(coverage=5.5, nearness=5.0, words=2.5, bias=-5.3, small=0.3),
    abstain_hybrid=0.3,
    abstain_vectors=0.3,
    near=0.45,
    same=0.98,
)
# For a model that nobody has measured. Ranking standardises cosines, so the weights carry over. Absolute values
# do not: some models put every pair of texts above 0.7. Confidence therefore takes every cosine for 1/3, which
# is between chance and a good match of the built-in model.
UNMEASURED = OF_BUILTIN._replace(
    confidence=OF_BUILTIN.confidence._replace(nearness=0.0, bias=OF_BUILTIN.confidence.bias + 5.0 / 3), near=None
)


def calibration(space: Space) -> Calibration:
    """Return the numbers for a space; `UNMEASURED` where its model has not been measured."""
    return OF_BUILTIN if space.provider == BUILTIN else UNMEASURED

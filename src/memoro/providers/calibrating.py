"""How the cosines of a space are to be read, measured beside the built-in model on the same texts. Pure.

The built-in model's numbers were fitted by hand (`OF_BUILTIN`). Another space takes them over in its own terms: a
cosine says as much as that cosine of the built-in model which is as rare between texts that have nothing to do with
each other. Thousands of such pairs are compared, so that this is well known, whatever the model. Pairs that belong
together, such as a heading and what follows in its note, are few and say less: by them meaning gains or loses weight.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.providers.calibration import FLAT, OF_BUILTIN, CosineReading, MeasuredSpace, is_usable

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

_HIGH = (0.95, 0.99)  # of chance pairs: what is nearer than the others
_LEAST_SPREAD = 1e-4  # between the middle and the high ones; with less, all texts have one vector
# As many queries as this count as much as the default: every cosine for 1/3, and meaning as heavy as it is.
_QUERIES_LIKE_DEFAULT, _PAIRS_LIKE_DEFAULT = 5, 60
_LEAST_PAIRS = 10
_LEAST_SEPARATION = 0.2  # where the built-in model hardly tells the pairs from chance, they are no measure
_BLIND = 0.1  # a factor of meaning's weights at which cosines say nothing
_LOWEST, _HIGHEST = 0.15, 1.25  # factors of meaning's weights; ranking changes little between a half and this


class SpaceCosines(NamedTuple):
    """Cosines of one space. Those of two spaces are of the same texts, in the same order."""

    chance: Vectors  # of queries with passages of other files
    around: Vectors  # the same, of passages together with their neighbours
    headings: Vectors  # of headings with what follows in their note
    replies: Vectors  # of questions in conversations with what was said next
    passages: Vectors  # of passages with passages of other files


class ChanceCosines(NamedTuple):
    """How near texts are that have nothing to do with each other: in the middle, and those that seem near."""

    middle: float
    high: float

    @property
    def spread(self) -> float:
        return self.high - self.middle


def measured(own: SpaceCosines, builtin: SpaceCosines, queries: int, passages: int) -> MeasuredSpace | None:
    """Return how a space is to be read; None where its cosines tell nothing, or where there are none."""
    if not (len(own.chance) and len(builtin.chance)):
        return None
    chance, known = chance_of(own.chance), chance_of(builtin.chance)
    if min(chance.spread, known.spread, chance_of(own.around).spread) < _LEAST_SPREAD:
        return None
    factor = meaning_factor(own, builtin)
    trust = queries / (queries + _QUERIES_LIKE_DEFAULT) * min(1.0, (factor - _BLIND) / (1 - _BLIND))
    found = MeasuredSpace(
        queries=queries,
        labelled=len(own.headings) + len(own.replies),
        passages=passages,
        reading=reading(chance, known, trust),
        around=reading(chance_of(own.around), chance_of(builtin.around), trust),
        same=_same(own.passages, builtin.passages),
        meaning=factor,
    )
    return found if is_usable(found) else None


def chance_of(cosines: Vectors) -> ChanceCosines:
    middle, *high = numpy.quantile(cosines, (0.5, *_HIGH)).tolist()
    return ChanceCosines(middle, sum(high) / len(high))


def reading(own: ChanceCosines, builtin: ChanceCosines, trust: float) -> CosineReading:
    """Return how cosines are read: the middle and the high ones as those of the built-in model.

    `trust` is how much that counts beside the default, which takes every cosine for 1/3.
    """
    scale = trust * builtin.spread / own.spread
    shift = trust * builtin.middle - scale * own.middle
    return CosineReading(scale, shift + (1 - trust) * FLAT.shift)


def meaning_factor(own: SpaceCosines, builtin: SpaceCosines) -> float:
    """Return by what the weights of meaning are multiplied: more than 1 where a model tells what belongs together.

    Replies only take weight away. The built-in model seldom sees that a reply belongs to its question, which has
    other words, though it finds what a question of a search asks for: that another model sees it proves little.
    """
    chance, known = chance_of(own.chance), chance_of(builtin.chance)
    for mine, theirs, most in (
        (own.headings, builtin.headings, _HIGHEST),
        (own.replies, builtin.replies, 1.0),
    ):
        usual = separation(theirs, known)
        if len(mine) >= _LEAST_PAIRS and usual >= _LEAST_SEPARATION:
            ratio = max(separation(mine, chance) / usual, _LOWEST)
            trust = len(mine) / (len(mine) + _PAIRS_LIKE_DEFAULT)
            return min(most, max(_LOWEST, math.exp(trust * math.log(ratio))))
    return 1.0


def separation(related: Vectors, chance: ChanceCosines) -> float:
    """Return how far texts that belong together stand out among others: 1 as far as the nearest chance pairs."""
    return (float(numpy.median(related)) - chance.middle) / chance.spread if len(related) else 0.0


def _same(own: Vectors, builtin: Vectors) -> float:
    """Return from which cosine a passage repeats another: as far from 1 as in the built-in model, by chance pairs."""
    if not (len(own) and len(builtin)):
        return OF_BUILTIN.same
    distance = (1 - OF_BUILTIN.same) * (1 - float(numpy.median(own))) / (1 - float(numpy.median(builtin)))
    return 1 - min(distance, 2 * (1 - OF_BUILTIN.same))

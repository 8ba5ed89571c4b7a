"""How much of a query a passage covers, by its words and by words near them, beyond what chance brings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.model.answers import Statistics, Term
from memoro.search.rank import rarity

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors, WordModel
    from memoro.search.signals import NearestWords

# How rare a word is, is told by the vault and by the language. The language counts as much as this many passages: a
# vault of eight notes cannot tell that "feline" is rarer than "day".
_BACKGROUND = 200
# By Zipf's law, the share of passages of sixty words that hold the word of this rank, times the rank.
_COMMON = 6.0
_FIRST_RANKS = 2.7  # the most frequent words are less frequent than the law says
_SAME = 0.85  # two words as near as this mean the same
_MOST_BY_CHANCE = 0.7


def information(terms: Sequence[Term], statistics: Statistics, word_model: WordModel) -> list[float]:
    """How much each word says, with the frequencies of the language where the vault has too few passages to tell."""
    chunks = statistics.chunks + _BACKGROUND
    return [
        rarity(statistics.frequencies[term.stem] + _BACKGROUND * _common(word_model.rank(term.word)), chunks)
        for term in terms
    ]


def _common(rank: int) -> float:
    return min(1.0, _COMMON / (rank + _FIRST_RANKS))


def coverage(words: Sequence[str], weights: Sequence[float], nearest: NearestWords, word_model: WordModel) -> Vectors:
    """For each passage, the share of the query's information that it carries, 0–1.

    A word that it holds counts in full. Another counts by how much nearer than chance its nearest word is: among many
    words one is near by chance.
    """
    if not words:
        return numpy.zeros(len(nearest.sizes), numpy.float32)
    chance = numpy.clip(word_model.near_by_chance(words, nearest.sizes), 0.0, _MOST_BY_CHANCE)
    near = numpy.clip((nearest.values - chance) / (_SAME - chance), 0.0, 1.0)
    total = math.fsum(weights) or 1.0
    share = numpy.asarray(weights, numpy.float32) / total
    covered: Vectors = share @ numpy.where(nearest.held, 1.0, near)
    return covered

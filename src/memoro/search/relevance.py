"""Scores as estimates that a passage is what was asked for, and the place where results end."""

import math
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from memoro.model.answers import TermScore
from memoro.model.notes import kind_of
from memoro.model.vocabulary import Kind, Mode
from memoro.search.rank import Ranked

# A result scores at least this, and at least that share of the best.
FLOOR = 0.15
SHARE = 0.3
# By words alone, every result holds a word of the query: only what holds next to nothing of it is left out.
FLOOR_WORDS = 0.1
# With meaning something is always the nearest. If the best result scores less than this, nothing is shown.
ENOUGH = 0.33
# A turn of a conversation says little by itself, and the turns around it say the rest. Turns are therefore never cut
# one by one; all are, where the best scores less than this: the largest of the round numbers tried that costs less
# than half a point of recall@10 on chats made from a seed.
ENOUGH_TURN = 0.1
# A memory is one sentence. Asked within a project ("which database do we use?"), the right one often shares no word
# with the question, and scores little beside a passage of a note.
ENOUGH_MEMORY = 0.05
# By words alone: what a passage scores that holds the whole query, but only just. The rest is how full it is of it.
_HELD = 0.6
_WHOLE = 0.999  # of the query's weight, but for rounding


class Cut(NamedTuple):
    """The results that are worth showing, and the number of others with the score that they lacked, at most."""

    kept: tuple[Ranked, ...]
    left_out: int = 0
    least: float = 0.0

    def first(self, found: Sequence[Ranked], limit: int) -> "Cut":
        """Return what to show of the first passages found, and if all of them are left out, the first that is not.

        What is left out there is not made up for by passages behind: these are weaker still.
        """
        chunks = {one.match.chunk for one in found[:limit]}
        kept = tuple(one for one in self.kept if one.match.chunk in chunks)
        return self._replace(kept=kept or self.kept[:1], left_out=len(chunks) - len(kept))


def cut(found: Sequence[Ranked], mode: Mode, min_score: float | None) -> Cut:
    """Leave out what is not relevant. The order stays.

    A passage that holds every word of the query is never left out by default: the thresholds are for chance hits.
    """
    if min_score is not None:
        kept = tuple(one for one in found if one.score >= min_score)
        return Cut(kept, len(found) - len(kept), min_score)
    if any(map(_is_weighted, found)):
        return Cut(tuple(found))
    best = max((one.score for one in found), default=0.0)
    floor, enough = (FLOOR_WORDS, FLOOR_WORDS) if mode == "words" else (max(FLOOR, SHARE * best), ENOUGH)
    whole = [_holds_all(one) for one in found]
    is_answer = best >= enough or any(whole)
    memory = max(ENOUGH_MEMORY, SHARE * best)
    least = {"transcript": 0.0 if _best_of("transcript", found) >= ENOUGH_TURN else math.inf, "memory": memory}
    others = floor if is_answer else math.inf
    fits = [one.score >= least.get(_kind(one), others) for one in found]
    passes = [all_held or is_fit for all_held, is_fit in zip(whole, fits, strict=True)]
    lacked = {"transcript": ENOUGH_TURN, "memory": memory}
    usual = floor if is_answer else enough
    missed = [lacked.get(_kind(one), usual) for one, is_kept in zip(found, passes, strict=True) if not is_kept]
    return Cut(tuple(compress(found, passes)), len(missed), max(missed, default=usual))


def word_scores(found: Sequence[Ranked]) -> list[float]:
    """The scores by words alone, for passages in the order of their BM25 sums.

    A passage scores the share of the query's weight that it holds, and up to two fifths less if it is not full of it.
    """
    return isotonic([_word_score(one.explanation.terms) for one in found])


def isotonic(values: Sequence[float]) -> list[float]:
    """The nearest values that never rise: where one does, it and those before it get their mean."""
    blocks: list[tuple[float, int]] = []  # sum and number of values
    for value in values:
        total, count = value, 1
        while blocks and blocks[-1][0] * count < total * blocks[-1][1]:
            before, several = blocks.pop()
            total, count = total + before, count + several
        blocks.append((total, count))
    return [total / count for total, count in blocks for _ in range(count)]


def _word_score(terms: Sequence[TermScore]) -> float:
    return sum(term.weight * (_HELD + (1 - _HELD) * term.fullness) for term in terms)


def _holds_all(one: Ranked) -> bool:
    """Return whether the passage itself holds every word of the query, and not only its neighbours."""
    return sum(t.weight for t in one.explanation.terms if any(c != "context" for c in t.columns)) > _WHOLE


def _is_weighted(one: Ranked) -> bool:
    """Return whether the score is a weighted sum, which has a least score of its own."""
    return one.explanation.total is not None and one.explanation.confidence is None


def _kind(one: Ranked) -> Kind:
    return kind_of(one.match.passage.path)


def _best_of(kind: Kind, found: Sequence[Ranked]) -> float:
    return max((one.score for one in found if _kind(one) == kind), default=0.0)

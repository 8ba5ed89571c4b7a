"""How well a passage answers a query, and the account of it."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Evidence, Explanation, Match, Passage, Replacement, Statistics, Term, TermScore
from memoro.search.query import WordPlan
from memoro.store.ports import LENGTH, SATURATION

if TYPE_CHECKING:
    from memoro.providers.calibration import ConfidenceWeights


# A smaller index is taken for one of this size when words are weighed: by itself, a vault of one note would say that
# the words it holds mean next to nothing.
FEW = 200


class Ranked(NamedTuple):
    match: Match
    score: float
    explanation: Explanation
    replaced_by: Replacement | None = None  # it is older
    is_older_in_part: bool = False  # of its lines, the one that answers is older, and others hold


def rank(
    matches: Sequence[Match], plan: WordPlan, statistics: Statistics, weights: Mapping[str, float]
) -> list[Ranked]:
    """Best first. A score is the share of the query's weight that a passage carries, 0–1.

    This is BM25, divided by the most that these words could have scored: so it means the same in a
    vault of three notes as in one of thirty thousand, and a word that no passage holds counts against
    them all.
    """
    shares = word_shares(plan.looked_up, statistics._replace(chunks=max(statistics.chunks, FEW)))
    ignored = tuple(term.word for term in plan.ignored)
    scored = []
    for match in matches:
        terms = tuple(_term_scores(match, plan.looked_up, shares, statistics, weights))
        scored.append((sum(term.share for term in terms), terms, match))
    scored.sort(key=lambda item: (-item[0], *_place(item[2].passage)))
    return [
        Ranked(match, score, Explanation(terms, ignored, position))
        for position, (score, terms, match) in enumerate(scored, 1)
    ]


def confidence(evidence: Evidence, weights: "ConfidenceWeights", small: int) -> float:
    """Return how likely it is that a passage is relevant, 0–1, from what does not depend on the other candidates.

    In an index with fewer than `small` passages, the same evidence says more.
    """
    total = (
        weights.coverage * evidence.coverage
        + weights.nearness * evidence.nearness
        + weights.words * evidence.words
        + weights.small * max(0.0, math.log(small / max(1, evidence.passages)))
        + weights.bias
    )
    return 1 / (1 + math.exp(-total))


def _place(passage: Passage) -> tuple[str, int, str, int]:
    """Tells any two passages apart, the parts of one long line too: equal scores then have one order."""
    return passage.path, passage.start_line, passage.digest, passage.number


def word_shares(terms: Sequence[Term], statistics: Statistics) -> dict[str, float]:
    """Return how much of the query each word is: rare words say more. They add up to 1."""
    weights = {term.stem: rarity(statistics.frequencies[term.stem], statistics.chunks) for term in terms}
    total = sum(weights.values())
    return {stem: value / total for stem, value in weights.items()}


def rarity(frequency: float, chunks: int) -> float:
    """Always above zero: on a tiny vault every word is frequent and must count all the same."""
    return math.log(1 + (max(chunks - frequency, 0) + 0.5) / (frequency + 0.5))


def fit(counts: Sequence[tuple[str, int]], length: float, shares: Mapping[str, float], average: float) -> float:
    """Return the score of a passage with one column: the share of the query that it carries, 0–1."""
    norm = _norm(length, average)
    return sum(shares[stem] * _fullness(count, norm) for stem, count in counts if stem in shares)


def _norm(length: float, average: float) -> float:
    return 1 - LENGTH + LENGTH * length / (average or 1)


def _fullness(times: float, norm: float) -> float:
    return times / (times + SATURATION * norm)


def _term_scores(
    match: Match,
    terms: Sequence[Term],
    shares: Mapping[str, float],
    statistics: Statistics,
    weights: Mapping[str, float],
) -> list[TermScore]:
    norm = _norm(match.length, statistics.average_length)
    held: dict[str, dict[str, int]] = {}
    for stem, column, count in match.counts:
        held.setdefault(stem, {})[column] = count
    scores = []
    for term in terms:
        if columns := held.get(term.stem):
            times = sum(weights[column] * n for column, n in columns.items())
            scores.append(
                TermScore(word=term.word, columns=columns, weight=shares[term.stem], fullness=_fullness(times, norm))
            )
    return scores

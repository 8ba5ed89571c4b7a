"""What a ranking is worth, by the usual definitions. Each figure is 0–1 and higher is better."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

GAIN_DEPTH = 10


class Figures(NamedTuple):
    """Of one ranking, or the mean of many."""

    recall: dict[int, float]  # by depth
    ndcg: float  # at GAIN_DEPTH
    mrr: float


def figures(ranking: Sequence[str], relevant: Collection[str], depths: Sequence[int]) -> Figures:
    """Score a ranking, in which only the first place of anything counts."""
    if not relevant:
        raise ValueError("a question without a right answer cannot be scored")
    distinct = list(dict.fromkeys(ranking))
    recalls = {depth: recall(distinct, relevant, depth) for depth in depths}
    return Figures(recalls, ndcg(distinct, relevant), reciprocal_rank(distinct, relevant))


def recall(ranking: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """The share of what is relevant that stands among the first `depth`."""
    return len(set(relevant) & set(ranking[:depth])) / len(set(relevant))


def ndcg(ranking: Sequence[str], relevant: Collection[str], depth: int = GAIN_DEPTH) -> float:
    """The gain of the first `depth`, later places counting less, as a share of the best possible."""
    ideal = sum(_discount(place) for place in range(min(depth, len(set(relevant)))))
    return sum(_discount(place) for place, one in enumerate(ranking[:depth]) if one in relevant) / ideal


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """1 for a first place, ½ for a second, …; 0 where nothing relevant was found."""
    return next((1 / place for place, one in enumerate(ranking, 1) if one in relevant), 0.0)


def mean(found: Sequence[Figures]) -> Figures:
    count = len(found)
    return Figures(
        {depth: sum(one.recall[depth] for one in found) / count for depth in found[0].recall},
        sum(one.ndcg for one in found) / count,
        sum(one.mrr for one in found) / count,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def area_under_curve(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a score of `right` is above one of `wrong`, ties counting half: the area under the ROC curve."""
    above = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in right for b in wrong)
    return above / (len(right) * len(wrong))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)

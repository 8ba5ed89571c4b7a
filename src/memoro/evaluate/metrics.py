"""The usual figures of a ranking: recall, nDCG, MRR. Each is 0–1 and higher is better."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

GAIN_DEPTH = 10


class Figures(NamedTuple):
    """The figures of one ranking, or the mean of many."""

    recall: dict[int, float]  # by depth
    ndcg: float  # at GAIN_DEPTH
    mrr: float


def figures(ranking: Sequence[str], relevant: Collection[str], depths: Sequence[int]) -> Figures:
    """Score a ranking; of repeated results only the first counts."""
    if not relevant:
        raise ValueError("a question without a right answer cannot be scored")
    distinct = list(dict.fromkeys(ranking))
    recalls = {depth: recall(distinct, relevant, depth) for depth in depths}
    return Figures(recalls, ndcg(distinct, relevant), reciprocal_rank(distinct, relevant))


def recall(ranking: Sequence[str], relevant: Collection[str], depth: int) -> float:
    """Return the share of the relevant results among the first `depth`."""
    return len(set(relevant) & set(ranking[:depth])) / len(set(relevant))


def ndcg(ranking: Sequence[str], relevant: Collection[str], depth: int = GAIN_DEPTH) -> float:
    """Return the gain of the first `depth` as a share of the best possible; later ranks count less."""
    ideal = sum(_discount(rank) for rank in range(min(depth, len(set(relevant)))))
    return sum(_discount(rank) for rank, one in enumerate(ranking[:depth]) if one in relevant) / ideal


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Return 1 for a relevant result at rank 1, ½ at rank 2, …; 0 if there is none."""
    return next((1 / rank for rank, one in enumerate(ranking, 1) if one in relevant), 0.0)


def mean(found: Sequence[Figures]) -> Figures:
    count = len(found)
    return Figures(
        recall={depth: sum(one.recall[depth] for one in found) / count for depth in found[0].recall},
        ndcg=sum(one.ndcg for one in found) / count,
        mrr=sum(one.mrr for one in found) / count,
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def area_under_curve(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Return the area under the ROC curve: how often a score of `right` exceeds one of `wrong`; ties count half."""
    above = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in right for b in wrong)
    return above / (len(right) * len(wrong))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)

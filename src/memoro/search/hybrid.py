"""Words and meaning together: candidates of both, one sum of named parts, and a score to abstain by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.model.answers import Explanation, Replacement, Signal
from memoro.providers.calibration import SMALL
from memoro.search import phrasing
from memoro.search.candidate_signals import CandidateSignals
from memoro.search.candidates import HybridCandidates, find_candidates
from memoro.search.coverage import information
from memoro.search.newest import Comparison, OrderedPassages, marked_replacement, moment, newest_first
from memoro.search.past import which_statement
from memoro.search.rank import Ranked, confidence
from memoro.search.relevance import isotonic
from memoro.search.retrieve import identifier
from memoro.search.same_thing import UNCHANGED, Arrangement, Older, WhichStatement, best_of, lifted

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.search.hybrid_query import HybridQuery, Meaning, WeightedSum
    from memoro.store.ports import Index

LONG_TURN = 300  # characters
SIDES = ("User", "Assistant")


class HybridResult(NamedTuple):
    """The best passages, notices about the query, and how much each stem of the query says."""

    ranked: list[Ranked]
    notices: tuple[str, ...]
    information: Mapping[str, float] = MappingProxyType({})


def search(index: Index, asked: HybridQuery, meaning: Meaning) -> HybridResult:
    candidates, notices = find_candidates(index, asked, meaning)
    if candidates is None:
        return HybridResult([], notices)
    ranking = _CandidateRanking(index, asked, meaning, candidates)
    if meaning.weighted and asked.words:
        return HybridResult(ranking.weighted(meaning.weighted, asked.limit), notices, ranking.information())
    return HybridResult(ranking.best(asked.limit), notices, ranking.information())


class _CandidateRanking:
    """Orders the candidates by their signals."""

    def __init__(self, index: Index, asked: HybridQuery, meaning: Meaning, candidates: HybridCandidates) -> None:
        self._asked, self._text, self._meaning, self._candidates = asked, asked.text, meaning, candidates
        self._as_of = asked.as_of or meaning.today
        self._found, self._vector = candidates.found, candidates.vector
        self._chunks = [one.match.chunk for one in self._found]
        self._near_rank = {chunk: place for place, chunk in enumerate(candidates.near, 1)}
        self._signals = CandidateSignals(index, asked, meaning, candidates)
        self.vectors = self._signals.vectors

    def best(self, limit: int) -> list[Ranked]:
        """By the sum of all signals, the newest statement about a thing before the older ones."""
        plan, statistics = self._candidates.plan, self._candidates.statistics
        measured = self._signals.measure([*plan.looked_up, *plan.ignored], statistics)
        values, shares, evidence = measured
        sums = numpy.sum(list(shares.values()), axis=0)
        totals = sums.tolist()
        order = sorted(range(len(self._found)), key=lambda i: (-totals[i], *_place(self._found[i])))
        own = self._meaning.calibration.confidence
        sure = [confidence(one, own, SMALL) for one in evidence]
        is_arranged = self._asked.words and self._asked.asks
        arranged = self._newest_first(order, sums) if is_arranged else UNCHANGED._replace(order=tuple(order))
        order = list(arranged.order)
        totals, sure_of = lifted(arranged, totals), best_of(arranged, sure)
        scores = dict(zip(order, isotonic([sure[sure_of[i]] for i in order]), strict=True))
        chosen = _different(order, self.vectors, limit, self._meaning.calibration.same)
        shown = numpy.minimum.accumulate([scores[i] for i in chosen])  # a repeat never stands out
        shares["newer"] = numpy.asarray(totals) - sums
        values["newer"] = [1.0 if i in arranged.raised else 0.0 for i in range(len(self._found))]
        added = {name: column.tolist() for name, column in shares.items()}
        return [
            self._found[i]._replace(
                score=float(score),
                explanation=self._explained(i, values, added)._replace(
                    total=totals[i],
                    confidence=sure[sure_of[i]],
                    evidence=evidence[sure_of[i]],
                    newer_than=self._identifier(arranged.raised.get(i)),
                    own=evidence[i] if sure_of[i] != i else None,
                ),
                replaced_by=self._replacement(arranged.older.get(i), i),
                is_older_in_part=i in arranged.older_in_part,
            )
            for i, score in zip(chosen, shown, strict=True)
        ]

    def information(self) -> dict[str, float]:
        """Return how much each stem of the query says, by the vault and the language."""
        terms = self._candidates.plan.looked_up
        said = information(terms, self._candidates.statistics, self._meaning.word_model)
        return dict(zip((term.stem for term in terms), said, strict=True))

    def _newest_first(self, order: Sequence[int], sums: Vectors) -> Arrangement:
        """The candidates with the newest statement about a thing before the older ones."""
        passages = [self._found[i].match.passage for i in order]
        comparison = Comparison(
            known=self._candidates.subjects.known,
            embed=self._meaning.word_model.embed,
            trusts=self._meaning.trusts,
            as_of=self._as_of.isoformat(),
            is_past=self._as_of < self._meaning.today,
            which=self._which(order),
        )
        sources = [self._candidates.said[self._chunks[i]].source for i in order]
        ordered = OrderedPassages(passages, sources, [float(sums[i]) for i in order])
        found = newest_first(self._text, ordered, comparison)
        return Arrangement(
            order=tuple(order[place] for place in found.order),
            raised={order[one]: order[over] for one, over in found.raised.items()},
            older={order[one]: older._replace(by=order[older.by]) for one, older in found.older.items()},
            older_in_part=frozenset(order[one] for one in found.older_in_part),
        )

    def _asks_what_was_said(self, order: Sequence[int]) -> bool:
        """Return whether the best passage is wanted and not the newest.

        So it is for what was said on several occasions and for what an assistant said. Long turns and talk between
        people touch many things and seldom state one: the newest of them mostly answers another question.
        """
        first = self._found[order[0]].match.passage
        is_talk = first.speaker is not None and (first.speaker not in SIDES or len(first.text) > LONG_TURN)
        return is_talk or phrasing.is_about_several(self._text) or phrasing.side(self._text) == "Assistant"

    def _which(self, order: Sequence[int]) -> WhichStatement:
        return "best" if self._asks_what_was_said(order) else which_statement(self._asked.when)

    def _identifier(self, i: int | None) -> str | None:
        return None if i is None else identifier(self._found[i].match.passage)

    def _replacement(self, older: Older | None, i: int) -> Replacement | None:
        known = marked_replacement(self._found[i].match.passage)
        if older is None or (known and known.why == "ledger" != older.why):
            return known
        passage = self._found[older.by].match.passage
        day = moment(passage).day
        return Replacement(id=identifier(passage), date=day, text=older.text, why=older.why)

    def weighted(self, weights: WeightedSum, limit: int) -> list[Ranked]:
        """By a weighted sum. What holds a word of the query is never lost to the least score for vectors."""
        both = weights.vector_weight + weights.text_weight or 1.0
        near = numpy.maximum(self.vectors @ self._vector, 0.0) * (weights.vector_weight / both)
        held = numpy.asarray([one.score for one in self._found]) * (weights.text_weight / both)
        kept = [
            i for i, one in enumerate(self._found) if one.explanation.terms or near[i] + held[i] >= weights.min_score
        ]
        order = sorted(kept, key=lambda i: (-float(near[i] + held[i]), *_place(self._found[i])))
        return [
            self._found[i]._replace(
                score=float(near[i] + held[i]),
                explanation=self._found[i].explanation._replace(
                    vector_rank=self._near_rank.get(self._chunks[i]),
                    parts=(
                        Signal("meaning", float(self.vectors[i] @ self._vector), float(near[i])),
                        Signal("words", self._found[i].score, float(held[i])),
                    ),
                    total=float(near[i] + held[i]),
                ),
            )
            for i in order[:limit]
        ]

    def _explained(self, i: int, values: Mapping[str, list[float]], shares: Mapping[str, list[float]]) -> Explanation:
        parts = tuple(
            Signal(name, value, share)
            for name, column in shares.items()
            if _tells(share := column[i], value := values[name][i], name)
        )
        return self._found[i].explanation._replace(vector_rank=self._near_rank.get(self._chunks[i]), parts=parts)


def _tells(share: float, value: float, name: str) -> bool:
    """Return whether an explanation names this part: it moved the sum, or confidence depends on it."""
    return share != 0 or (value != 0 and name in ("words", "meaning", "word by word"))


def _different(order: Sequence[int], vectors: Vectors, limit: int, same_from: float) -> list[int]:
    """The first ones in order, those that repeat an earlier one behind all that do not."""
    chosen: list[int] = []
    repeats: list[int] = []
    for i in order:
        same = bool(chosen) and float((vectors[chosen] @ vectors[i]).max()) > same_from
        (repeats if same else chosen).append(i)
        if len(chosen) == limit:
            return chosen
    return (chosen + repeats)[:limit]


def _place(one: Ranked) -> tuple[str, int, str, int]:
    passage = one.match.passage
    return passage.path, passage.start_line, passage.digest, passage.number

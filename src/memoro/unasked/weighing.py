"""How sure it is that a unit answers a message: evidence of all its passages together, as one estimate. Pure.

A unit is a passage of a note, a memory, or an exchange of a conversation, whose parts are found one by one: the
question was asked in other words than its answer was given in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Evidence
from memoro.search.retrieve import identifier
from memoro.search.sources import has_ended
from memoro.unasked.exchanges import USER, Exchange

if TYPE_CHECKING:
    from memoro.search.rank import Ranked


class Unit(NamedTuple):
    """What may be given as one item, with the passages of it that a search found, best first."""

    found: tuple[Ranked, ...]
    exchange: Exchange | None = None  # of a conversation

    @property
    def key(self) -> tuple[int, ...]:
        """Tells units apart."""
        return self.exchange.chunks if self.exchange else (self.found[0].match.chunk,)

    @property
    def date(self) -> str:
        """The day it is of; what has none counts as old."""
        passage = self.found[0].match.passage
        return passage.valid_from or passage.date or passage.written or ""

    @property
    def moment(self) -> tuple[str, str, int]:
        """When it was said: the day, and the place in its conversation."""
        passage = self.found[0].match.passage
        return self.date, passage.path, passage.start_line

    def is_after(self, other: Unit) -> bool:
        """Return whether it was said later: on a later day, or further down in the same conversation."""
        own, others = self.found[0].match.passage, other.found[0].match.passage
        if own.path == others.path:  # further down a note is not later
            return own.speaker is not None and own.start_line > others.start_line
        return self.date > other.date > ""

    @property
    def is_older(self) -> bool:
        """Return whether each passage that was found of it was replaced by something newer, or has ended."""
        return all(one.replaced_by or one.is_older_in_part or has_ended(one.match.passage) for one in self.found)

    @property
    def is_measured(self) -> bool:
        """Return whether meaning was compared, too; by words alone, and by a weighted sum, there is only a score."""
        return all(one.explanation.evidence is not None for one in self.found)


class UnitEvidence(NamedTuple):
    """What tells that a unit answers a message, each between 0 and 1 unless it says otherwise."""

    held: float  # the share of the message's information whose very words the unit holds
    rarest: float  # the information of the rarest word that it holds, in natural logarithms
    coverage: float  # the same share with words near in meaning
    nearness: float  # the cosine of its best passage
    asked: float  # the cosine of what the person said in it, if that asks
    words: float  # BM25
    behind: float  # how far its best passage is behind the best of all, in the sum that orders a search; from 0
    answers: float = 0.0  # 1: it holds the kind of thing that is asked for
    shared: float = 0.0  # 1: a note of no project
    general: float = 0.0  # 1: the message asks for something that anybody may know
    project: float = 0.0  # 1: the message says "this", and the unit is of the note about the project


NO_EVIDENCE = UnitEvidence(held=0.0, rarest=0.0, coverage=0.0, nearness=0.0, asked=0.0, words=0.0, behind=0.0)


def units_of(ranked: Sequence[Ranked], exchanges: Mapping[int, Exchange]) -> list[Unit]:
    """Put the passages of one exchange together; any other passage is a unit by itself."""
    found: dict[tuple[int, ...], tuple[Exchange | None, list[Ranked]]] = {}
    for one in ranked:
        exchange = exchanges.get(one.match.chunk)
        key = exchange.chunks if exchange else (one.match.chunk,)
        found.setdefault(key, (exchange, []))[1].append(one)
    return [Unit(tuple(passages), exchange) for exchange, passages in found.values()]


def evidence_of(unit: Unit, information: Mapping[str, float], best: float) -> UnitEvidence:
    """Measure a unit. `best` is the highest total of all passages that were found."""
    own = [_own(one) for one in unit.found]
    held = {stem for one in unit.found for stem, column, _ in one.match.counts if column != "context"}
    known = [information[stem] for stem in held if stem in information]
    total = math.fsum(information.values()) or 1.0
    return UnitEvidence(
        held=math.fsum(known) / total,
        rarest=max(known, default=0.0),
        coverage=max(one.coverage for one in own),
        nearness=max(one.nearness for one in own),
        asked=_asked(unit),
        words=max(one.words for one in own),
        behind=best - max(one.explanation.total or 0.0 for one in unit.found),
    )


def _own(one: Ranked) -> Evidence:
    terms = one.explanation.terms
    return (
        one.explanation.own
        or one.explanation.evidence
        or Evidence(
            coverage=math.fsum(term.weight for term in terms),
            nearness=0.0,
            words=math.fsum(term.share for term in terms),
            passages=0,
        )
    )


def _asked(unit: Unit) -> float:
    if unit.exchange is None or unit.exchange.said is None:
        return 0.0
    said = set(unit.exchange.said.chunks)
    near = [_own(one).nearness for one in unit.found if one.match.chunk in said and one.match.passage.speaker == USER]
    return max(near, default=0.0)


class WeighedUnit(NamedTuple):
    """A unit with the evidence for it."""

    unit: Unit
    evidence: UnitEvidence
    sure: float  # 0–1
    why: str = ""  # in a few words, where the evidence does not tell

    @property
    def id(self) -> str:
        return identifier(self.unit.found[0].match.passage)


class _Weights(NamedTuple):
    """Of a logistic function. Fitted on the people of `benchmarks days` that are not for checking, and rounded."""

    held: float
    rarest: float
    coverage: float
    nearness: float
    asked: float
    words: float
    behind: float
    answers: float
    shared: float
    general: float
    project: float
    bias: float


_WEIGHTS = _Weights(
    held=0.3,
    rarest=0.45,
    coverage=1.1,
    nearness=0.4,
    asked=0.6,
    words=2.9,
    behind=-0.28,
    answers=0.45,
    shared=0.0,
    general=-1.6,
    project=2.5,
    bias=-3.0,
)
_FAR_BEHIND = 10.0


_SUREST = 0.99  # a score of 1 has no odds


def sure_of(evidence: UnitEvidence) -> float:
    """Return how sure it is that a unit with this evidence answers."""
    return _logistic(_sum(_capped(evidence)) + _WEIGHTS.bias)


def sure_by_score(unit: Unit, evidence: UnitEvidence) -> float:
    """Return how sure it is where meaning was not compared: by the best score, and by what the message asks for.

    Without a language model every word of a small vault is rare, so its rarity tells nothing.
    """
    score = min(_SUREST, max(1 - _SUREST, *(one.score for one in unit.found)))
    beside = NO_EVIDENCE._replace(
        answers=evidence.answers, shared=evidence.shared, general=evidence.general, project=evidence.project
    )
    return _logistic(math.log(score / (1 - score)) + _sum(beside))


def _sum(evidence: UnitEvidence) -> float:
    return math.fsum(weight * value for weight, value in zip(_WEIGHTS, evidence, strict=False))


def _logistic(total: float) -> float:
    return 1 / (1 + math.exp(-total))


def _capped(evidence: UnitEvidence) -> UnitEvidence:
    return evidence._replace(behind=min(evidence.behind, _FAR_BEHIND))

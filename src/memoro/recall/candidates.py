"""The candidates for a block: passages that a search found, and their neighbours."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from memoro.model.answers import Passage, Replacement
from memoro.model.given_text import CUT
from memoro.model.replaced import short_mark
from memoro.model.tokens import tokens
from memoro.recall.pack import PackCandidate, Pool
from memoro.search.retrieve import Ranking, identifier
from memoro.store.ports import Index

if TYPE_CHECKING:
    from memoro.search.rank import Ranked
    from memoro.search.times import OfThatTime

_FALL = 4  # a total this much behind the best is worth 1/e of it
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")


def candidates(found: Ranking) -> list[PackCandidate]:
    """The passages of a search, best first."""
    return [
        PackCandidate(
            chunk=one.match.chunk,
            passage=one.match.passage,
            id=identifier(one.match.passage),
            score=one.score,
            sure=one.score if one.explanation.confidence is None else one.explanation.confidence,
            worth=worth,
            wanted=frozenset(stem for stem, column, _ in one.match.counts if column == "text"),
            near=_cosine(one),
            older=_older(one.replaced_by),
        )
        for one, worth in zip(found.ranked, _worths(found.ranked), strict=True)
    ]


def _older(replacement: Replacement | None) -> str:
    """What to say of the replacement. A memory that the ledger calls superseded says until when it held."""
    return "" if replacement is None or replacement.why == "ledger" else short_mark(replacement)


def dated(found: Sequence[OfThatTime]) -> list[PackCandidate]:
    """Passages that were found by their dates alone."""
    return [
        PackCandidate(
            chunk=match.chunk,
            passage=match.passage,
            id=identifier(match.passage),
            score=score,
            sure=score,
            worth=score,
        )
        for match, score in found
    ]


def _worths(found: Sequence[Ranked]) -> list[float]:
    """Return the worth of each passage beside the best. A repeat of an earlier one is never worth more."""
    best = found[0].explanation.total if found else None
    return list(accumulate((_worth(one, best or 0.0) for one in found), min))


def _worth(one: Ranked, best: float) -> float:
    """By how far its total lies behind the best; by words alone, the share of them that it carries."""
    told = one.explanation
    if told.total is None:
        return sum(term.share for term in told.terms)
    return one.score if told.confidence is None else math.exp((told.total - best) / _FALL)


def _cosine(one: Ranked) -> float:
    return next((part.value for part in one.explanation.parts if part.name == "meaning"), 0.0)


def pool(index: Index, chosen: Sequence[PackCandidate], *, around: int, window: int, given: Collection[str]) -> Pool:
    """The chosen ones, and up to `window` passages on each side of the first `around` of them."""
    known = {one.chunk: one for one in chosen}
    following: dict[int, int] = {}
    sides: dict[int, tuple[int | None, int | None]] = {}
    seen: list[int] = [one.chunk for one in chosen]
    for _ in range(max(1, window)):  # once at least: it also tells which of them follow each other
        for chunk, (before, after) in index.neighbours([chunk for chunk in seen if chunk not in sides]).items():
            sides[chunk] = (before.chunk if before else None, after.chunk if after else None)
            following.update({chunk: after.chunk} if after else {})
            following.update({before.chunk: chunk} if before else {})
        seen = [other for side in sides.values() for other in side if other is not None]
    beside = {one.chunk: _near(one.chunk, sides, window) for one in chosen[:around]}
    missing = dict.fromkeys(chunk for near in beside.values() for chunk in near if chunk not in known)
    others = {m.chunk: _other(m.chunk, m.passage) for m in index.look_up(list(missing), [])}
    others = {n: one for n, one in others.items() if one.id not in given and one.passage.path not in given}
    return Pool(candidates=chosen, others={**others, **known}, beside=beside, following=following)


def _near(chunk: int, sides: Mapping[int, tuple[int | None, int | None]], window: int) -> tuple[int, ...]:
    found: list[int] = []
    for side in (1, 0):  # what follows tells more than what comes before
        at: int | None = chunk
        for _ in range(window):
            at = sides.get(at, (None, None))[side] if at is not None else None
            found += [at] if at is not None else []
    return tuple(found)


def _other(chunk: int, passage: Passage) -> PackCandidate:
    return PackCandidate(chunk=chunk, passage=passage, id=identifier(passage), score=0.0, sure=0.0)


def excerpt(index: Index, one: PackCandidate, limit: int) -> str | None:
    """The run of lines, or of sentences where there is one line, that holds most of what was asked for.

    A caution stays before it: without it, a part of what failed would read like a solution.
    """
    if one.caution:
        rest = one.passage._replace(text=one.passage.text.removeprefix(f"{one.caution}\n"))
        part = excerpt(index, one._replace(passage=rest, caution=""), limit - tokens(one.caution) - 1)
        return None if part is None else f"{one.caution}\n{part}"
    text = one.passage.text
    units, joint = (text.split("\n"), "\n") if "\n" in text else (_SENTENCE.split(text), " ")
    held = [one.wanted.intersection(index.stems(unit)) if one.wanted else frozenset[str]() for unit in units]
    costs = [tokens(unit) + 1 for unit in units]
    runs = [(start, _end(start, costs, limit)) for start in range(len(units))]
    fitting = [(start, end) for start, end in runs if end > start]
    if not fitting:
        return None
    start, end = max(fitting, key=lambda run: (len(frozenset().union(*held[slice(*run)])), run[1] - run[0], -run[0]))
    kept = joint.join(units[start:end]).strip()
    return (f"{CUT} " if start else "") + kept + (f" {CUT}" if end < len(units) else "")


def _end(start: int, costs: Sequence[int], limit: int) -> int:
    spent, end = 2, start
    while end < len(costs) and spent + costs[end] <= limit:
        spent += costs[end]
        end += 1
    return end

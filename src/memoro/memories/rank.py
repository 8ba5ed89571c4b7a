"""Ranking memories by fit, usefulness and recency."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.index.mirror import validity
from memoro.model.experiences import Experience
from memoro.model.ledger import ItemFit
from memoro.model.memories import UNTRUSTED, Memory, recency, score, usefulness

if TYPE_CHECKING:
    from memoro.model.answers import Explanation, Replacement

T = TypeVar("T")

# Of one answer, the share that a single source that is not trusted may fill while others have something to say.
_ONE_SOURCE = 0.3


class RankedMemory(NamedTuple):
    """A memory in an answer, with what its place was decided by."""

    memory: Memory
    score: float  # 0–1
    fit: float  # how well its words match, 0–1
    usefulness: float
    recency: float
    linked_to: int | None = None  # not found itself, but linked with this one
    archived: bool = False
    explanation: Explanation | None = None  # of its place by words and meaning; None: by fit × usefulness × recency
    replaced_by: Replacement | None = None  # it is older: this is what holds now

    @property
    def since(self) -> str:
        """The first day on which it holds, as YYYY-MM-DD."""
        return validity(self.memory).first

    @property
    def until(self) -> str | None:
        """The last day on which it holds, if it has ended or has an end."""
        return validity(self.memory).last

    @property
    def worth(self) -> float:
        return self.fit * self.usefulness * self.recency


def best(
    fits: Iterable[ItemFit],
    limit: int,
    *,
    most_useful: float,
    see: Callable[[int], Memory | None],
    now: datetime,
) -> list[RankedMemory]:
    """The best matches by fit × usefulness × recency, out of all of them.

    Each says how well later ones can fit at most. As no memory is more than `most_useful`, the rest need not be
    looked at once none could enter any more. `see` shows a memory as it is to be seen, or not at all.
    """
    chosen = _Chosen(limit)
    for number, fit, most in fits:
        if most * most_useful < chosen.bar:
            break
        seen = see(number) if fit * most_useful >= chosen.bar else None
        if seen is not None:
            chosen.add(rank_memory(seen, fit, now))
    return chosen.ordered()


def rank_memory(memory: Memory, fit: float, now: datetime) -> RankedMemory:
    use, fresh = usefulness(memory.feedback, memory.trust), recency(memory, now)
    return RankedMemory(memory=memory, score=score(fit, use * fresh), fit=fit, usefulness=use, recency=fresh)


def worth(memory: Memory, now: datetime) -> float:
    """Return the worth of a memory where a query finds it by words and meaning.

    The ranking adds half of the logarithm of this. So feedback counts in full, as it does by words alone, and age a
    quarter: what is out of date has been superseded, and a fact of last year that nobody took back still holds.
    """
    return float(usefulness(memory.feedback, memory.trust) ** 2 * recency(memory, now) ** 0.5)


def limit_sources(ordered: Iterable[T], limit: int, item: Callable[[T], Memory | Experience]) -> list[T]:
    """The first of these; but a source that is not trusted has few places, and waits for the others in the rest."""
    taken: list[T] = []
    rest: list[T] = []
    held: Counter[str | None] = Counter()
    for one in ordered:
        source = _doubtful_source(item(one))
        held[source] += 1
        (taken if source is None or held[source] <= _places(limit) else rest).append(one)
    return (taken + rest)[:limit]


def memory_of(one: RankedMemory) -> Memory:
    return one.memory


def _doubtful_source(one: Memory | Experience) -> str | None:
    return one.source if one.trust in UNTRUSTED else None


def _places(limit: int) -> int:
    return max(1, int(limit * _ONE_SOURCE))


class _Chosen:
    """The best so far. A source that is not trusted has few places, and waits for the others in the rest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._places = _places(limit)
        self._heaps: dict[str | None, list[tuple[float, int, RankedMemory]]] = {}
        self._surplus: list[tuple[float, int, RankedMemory]] = []
        self.bar = float("-inf")  # what falls short of this does not enter

    def add(self, one: RankedMemory) -> None:
        source = _doubtful_source(one.memory)
        heap = self._heaps.setdefault(source, [])
        item = (one.worth, one.memory.id, one)  # of two alike, the later memory
        out = _push(heap, item, self._limit if source is None else self._places)
        if out is not None and source is not None:
            _push(self._surplus, out, self._limit)
        worths = sorted((worth for heap in self._heaps.values() for worth, _, _ in heap), reverse=True)
        if len(worths) >= self._limit:
            self.bar = worths[self._limit - 1]

    def ordered(self) -> list[RankedMemory]:
        taken = sorted((item for heap in self._heaps.values() for item in heap), reverse=True)
        rest = sorted(self._surplus, reverse=True)
        return [one for _, _, one in (taken + rest)[: self._limit]]


def _push(
    heap: list[tuple[float, int, RankedMemory]], item: tuple[float, int, RankedMemory], size: int
) -> tuple[float, int, RankedMemory] | None:
    """Add an item; what had to leave for it, if the heap was full."""
    if len(heap) < size:
        heapq.heappush(heap, item)
        return None
    return heapq.heappushpop(heap, item)

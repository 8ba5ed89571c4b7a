"""Pack a block: the best passages first, then those worth most for their tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memoro.model.answers import Passage
from memoro.model.memories import UNTRUSTED
from memoro.model.recall import LeftOut, RecalledItem
from memoro.model.tokens import quarters
from memoro.model.vocabulary import Trust
from memoro.recall import fence
from memoro.recall.merge import Part, item_of, stretches

# Round numbers, as benchmarks/packing_weights.py chose them, never by the figures on locomo-dev, which only measures.
# How fast passages fall behind the best: one with half its worth is taken for an eighth.
_FALL = 3
# What stands beside a passage is worth this much of it: hardly ever the answer, but it may say what is meant.
_BESIDE = 0.02
# Of a passage with less than this share of the best worth, nothing that stands beside it is offered.
_WORTH_MORE = 0.5
# Tokens added to every cost, so that a few short words are not chosen for their shortness alone.
_BASE = 25
_LEAST_EXCERPT = 40  # tokens: less than this says nothing
FROM_ONE_SOURCE = 0.3  # the share of the items that may come from one source that is not trusted

BUDGET = "no room left in the budget"
ENOUGH = "there are enough items"
ONE_SOURCE = "too much from one source that is not trusted"


class PackCandidate(NamedTuple):
    """A passage that may go in."""

    chunk: int
    passage: Passage
    id: str
    score: float
    sure: float  # how sure it is that it answers, whatever the others are
    trust: Trust | None = None
    source: str | None = None  # of a memory: who said it
    wanted: frozenset[str] = frozenset()  # stems of the message that it holds
    near: float = 0.0  # its cosine, where that tells anything
    worth: float = 0.0  # beside the best candidate
    older: str = ""  # something newer about the same thing was found: since when it holds, and its id
    muted: bool = False  # its owner called it wrong: who asks is told so
    caution: str = ""  # the first line of its text, which an excerpt keeps


class Pool(NamedTuple):
    """All that may go in: candidates, best first, and what stands beside some of them, by the number of the chunk."""

    candidates: Sequence[PackCandidate]
    others: Mapping[int, PackCandidate]
    beside: Mapping[int, tuple[int, ...]]
    following: Mapping[int, int]  # chunk -> the one right after it


class PackLimits(NamedTuple):
    room: int  # quarters of a token, the fence not counted
    items: int | None = None


class Packed(NamedTuple):
    items: tuple[RecalledItem, ...]
    left_out: tuple[LeftOut, ...]


Excerpt = Callable[[PackCandidate, int], str | None]  # the best of a passage in so many tokens


def pack(pool: Pool, limits: PackLimits, clean: Callable[[str], str], excerpt: Excerpt) -> Packed:
    """Items whose records fit into the room, the best source first, and why no other candidate is among them."""
    if not pool.candidates:
        return Packed((), ())
    packing = _Packing(pool, limits, clean, excerpt)
    packing.fill()
    return packing.result()


class _Packing:
    def __init__(self, pool: Pool, limits: PackLimits, clean: Callable[[str], str], excerpt: Excerpt) -> None:
        self._pool, self._limits, self._clean, self._excerpt = pool, limits, clean, excerpt
        best = pool.candidates[0].worth or 1.0
        self._waiting = {c.chunk: (c, (c.worth / best) ** _FALL) for c in pool.candidates}
        self._taken: dict[int, Part] = {}
        self._heads: set[str] = set()
        self._costs: dict[int, tuple[str, int]] = {}
        self._left = limits.room
        self._why: dict[str, str] = {}
        self._under: dict[str, list[int]] = {}  # the chunks whose records would have this head
        # Of those that wait, and in their order: the worth of each for its tokens.
        self._rates = {chunk: self._rate(*waiting) for chunk, waiting in self._waiting.items()}

    def fill(self) -> None:
        if not self._is_full():
            self._consider(self._pool.candidates[0], excerpt=True)
        while self._waiting and self._left > 0:
            if self._is_full():
                self._why.update((one.id, ENOUGH) for one, _ in self._waiting.values())
                return
            self._consider(self._next())

    def _is_full(self) -> bool:
        return self._limits.items is not None and len(self._taken) >= self._limits.items

    def _next(self) -> PackCandidate:
        """Return the waiting passage that is worth most for its tokens; of equals, the better one."""
        return self._waiting[max(self._rates, key=self._rates.__getitem__)][0]

    def _rate(self, one: PackCandidate, worth: float) -> float:
        return worth / (_BASE + self._need(one)[1] / 4)

    def _need(self, one: PackCandidate) -> tuple[str, int]:
        """Return the head of its record, and its cost at most: less, if that record has begun already."""
        if one.chunk not in self._costs:
            item = item_of(Part(one, one.passage.text))
            self._costs[one.chunk] = (fence.head(item), quarters(fence.piece(item)) + 1)
            self._under.setdefault(self._costs[one.chunk][0], []).append(one.chunk)
        head, cost = self._costs[one.chunk]
        if head not in self._heads:
            cost += quarters(head) + len(fence.TAIL)
        return head, cost

    def _consider(self, one: PackCandidate, *, excerpt: bool = False) -> None:
        """Take it whole, or else perhaps the best of it, or say why not."""
        _, worth = self._waiting.pop(one.chunk)
        del self._rates[one.chunk]
        if self._take(Part(one, self._clean(one.passage.text))):
            self._offer_beside(one, worth)
        elif not (excerpt and self._take_excerpt(one)):
            self._why[one.id] = BUDGET

    def _take_excerpt(self, one: PackCandidate) -> bool:
        room = self._left // 4 - _LEAST_EXCERPT // 2
        if room < _LEAST_EXCERPT:
            return False
        text = self._excerpt(one, room)
        return text is not None and self._take(Part(one, self._clean(text), cut=True))

    def _take(self, part: Part) -> bool:
        item = item_of(part)
        head, cost = fence.head(item), quarters(fence.piece(item)) + 1
        if head not in self._heads:
            cost += quarters(head) + len(fence.TAIL)
        if cost > self._left:
            return False
        self._left -= cost
        self._taken[part.candidate.chunk] = part
        if head not in self._heads:
            self._heads.add(head)
            self._rates |= {c: self._rate(*self._waiting[c]) for c in self._under.get(head, ()) if c in self._waiting}
        return True

    def _offer_beside(self, one: PackCandidate, worth: float) -> None:
        for chunk in self._pool.beside.get(one.chunk, ()) if worth >= _WORTH_MORE**_FALL else ():
            if chunk in self._pool.others and chunk not in self._taken:
                offered = self._pool.others[chunk]
                known = self._waiting.get(chunk, (offered, 0.0))
                if known[1] < _BESIDE * worth and offered.id not in self._why:
                    self._waiting[chunk] = (known[0], _BESIDE * worth)
                    self._rates[chunk] = self._rate(*self._waiting[chunk])

    def result(self) -> Packed:
        self._drop_one_sided()
        items = self._items()
        while quarters(fence.body(items)) > self._limits.room:  # joining passages has made a line longer
            self._drop(min(self._taken.values(), key=_worth), BUDGET)
            self._drop_one_sided()
            items = self._items()
        out = (one for one in self._pool.candidates if one.chunk not in self._taken)
        return Packed(tuple(items), tuple(LeftOut(one.id, self._why.get(one.id, BUDGET)) for one in out))

    def _items(self) -> list[RecalledItem]:
        return fence.weighed(stretches(list(self._taken.values()), self._pool.following))

    def _drop_one_sided(self) -> None:
        """No source that is not trusted fills more than its share; one item it may always have."""
        while True:
            parts = [p for p in self._taken.values() if p.candidate.trust in UNTRUSTED and p.candidate.source]
            counts = Counter(part.candidate.source for part in parts)
            most = max(1, int(FROM_ONE_SOURCE * len(self._taken)))
            source = next((source for source, count in counts.items() if count > most), None)
            if source is None:
                return
            self._drop(min((p for p in parts if p.candidate.source == source), key=_worth), ONE_SOURCE)

    def _drop(self, part: Part, why: str) -> None:
        del self._taken[part.candidate.chunk]
        self._why[part.candidate.id] = why


def _worth(part: Part) -> float:
    return part.candidate.worth

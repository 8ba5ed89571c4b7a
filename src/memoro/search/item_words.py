"""Memories, experiences and narratives by their own words: the fit of each, with document frequencies of its kind."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from memoro.model.answers import Statistics, Term
from memoro.model.ledger import ItemFit
from memoro.model.vocabulary import MirroredKind
from memoro.search import query as queries
from memoro.search.rank import fit, word_shares
from memoro.store.columns import item_words
from memoro.store.ports import Index

_FEW = 500  # items that hold a word; to rank as many takes less than a millisecond
_ENOUGH = 6  # words that tell items apart


def best_fits(
    fits: Iterable[ItemFit], limit: int, admits: Callable[[int], bool] = lambda _number: True
) -> list[ItemFit]:
    """Return the items that fit best, of those that are admitted; of two alike, the earlier first."""
    heap: list[tuple[float, int, ItemFit]] = []
    for one in fits:
        if len(heap) == limit and one.most < heap[0][0]:
            break
        enters = len(heap) < limit or (one.fit, -one.number) > heap[0][:2]
        if enters and admits(one.number):
            heapq.heappush(heap, (one.fit, -one.number, one))
            if len(heap) > limit:
                heapq.heappop(heap)
    return [one for _, _, one in sorted(heap, reverse=True)]


class ItemText(NamedTuple):
    """The text of an item. An item without words is never found."""

    text: str
    tags: tuple[str, ...] = ()


NO_TEXT = ItemText("")
WordCounts = Counter[str]  # the words of an item by their stems


def count_words(index: Index, one: ItemText) -> WordCounts:
    """Count the words of an item as the index does."""
    return Counter(term.stem for term in index.terms(item_words(one.text, one.tags)))


class ItemWords:
    """The items of one kind as one reading of the index finds them.

    `unseen` are the items that the index does not know as they are now, each with its words: they are ranked by
    these instead of looked up.
    """

    def __init__(self, index: Index, kind: MirroredKind, unseen: Mapping[int, WordCounts]) -> None:
        self._index, self._kind, self._unseen = index, kind, unseen

    def terms(self, query: str) -> Sequence[Term]:
        """Return the words of a query that are worth looking up."""
        return queries.parse(query, self._index.terms).terms

    def stems(self, text: str) -> set[str]:
        return {term.stem for term in self.terms(text)}

    @contextmanager
    def fits(self, terms: Sequence[Term], said: Mapping[int, ItemText] | None = None) -> Iterator[Iterator[ItemFit]]:
        """Yield every item that holds any of the terms. `said` has items that are to be seen with another text."""
        texts = {**self._unseen, **{number: count_words(self._index, one) for number, one in (said or {}).items()}}
        read = [_Read(number, _counts(words, terms), float(words.total())) for number, words in texts.items()]
        known = self._index.item_statistics(self._kind, terms)
        statistics = _with_read(known, [one for one in read if one.counts])
        shares = word_shares([term for term in terms if statistics.frequencies[term.stem]], statistics)
        average = statistics.average_length
        ours = (ItemFit(one.number, fit(one.counts, one.length, shares, average), 1.0) for one in read if one.counts)
        with self._index.item_matches(self._kind, terms, shares) as matches:
            theirs = (
                ItemFit(one.number, fit(one.counts, one.length, shares, average), one.most)
                for one in matches
                if one.number not in texts
            )
            yield chain(ours, theirs)

    def telling(self, terms: Sequence[Term], share: float) -> list[Term]:
        """Return words of which an item holds at least one if it holds this share of all; none where no item does.

        An item that lacks at most n of the words holds one of any n + 1, so that the rarest are enough, and what
        all items hold need not be walked through. Others that few items hold are added, to tell by how much an
        item fits.
        """
        frequencies = Counter(self._index.item_statistics(self._kind, terms).frequencies)
        frequencies.update(stem for words in self._unseen.values() for stem, _ in _counts(words, terms))
        held = sorted(((frequencies[term.stem], term) for term in terms), key=lambda pair: pair[0])
        lacking = int(len(held) * (1 - share) + 1e-9)
        if not held or not held[lacking][0]:  # more are in no item than any item may lack
            return []
        chosen = [term for place, (rows, term) in enumerate(held) if rows and (place <= lacking or rows <= _FEW)]
        return chosen[: max(lacking + 1, _ENOUGH)]


class _Read(NamedTuple):
    number: int
    counts: tuple[tuple[str, int], ...]
    length: float


def _counts(words: WordCounts, terms: Sequence[Term]) -> tuple[tuple[str, int], ...]:
    counted = ((term.stem, _count(words, term)) for term in terms)
    return tuple((stem, count) for stem, count in counted if count)


def _count(words: WordCounts, term: Term) -> int:
    if term.prefix:
        return sum(count for word, count in words.items() if word.startswith(term.stem))
    return words[term.stem]


def _with_read(known: Statistics, read: Sequence[_Read]) -> Statistics:
    """The statistics with items that were read. The usual length stays that of the index, if it has one."""
    if not read:
        return known
    frequencies = Counter(known.frequencies)
    frequencies.update(stem for one in read for stem, _ in one.counts)
    average = known.average_length or sum(one.length for one in read) / len(read)
    return Statistics(known.chunks + len(read), average, dict(frequencies))

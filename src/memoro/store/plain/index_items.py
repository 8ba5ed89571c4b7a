"""The items of the ledger in a plain index: every one is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memoro.model.answers import Statistics, Term
from memoro.store.ports import ItemMatch


def statistics(held: Sequence[Counter[str]], terms: Sequence[Term]) -> Statistics:
    """Return the statistics over items, given by their words."""
    frequencies = {t.stem: sum(sum(is_word(word, t) for word in words) for words in held) for t in terms}
    if not any(frequencies.values()):
        return Statistics(0, 0.0, frequencies)
    return Statistics(len(held), sum(map(Counter.total, held)) / len(held), frequencies)


def matches(items: Sequence[tuple[int, Counter[str]]], terms: Sequence[Term]) -> Iterator[ItemMatch]:
    """Yield the items that hold any of the terms. Each may be the best: the reader ranks them all."""
    for number, words in items:
        counted = ((term.stem, sum(n for word, n in words.items() if is_word(word, term))) for term in terms)
        counts = tuple((stem, count) for stem, count in counted if count)
        if counts:
            yield ItemMatch(number=number, counts=counts, length=float(words.total()), most=1.0)


def is_word(word: str, term: Term) -> bool:
    return word.startswith(term.stem) if term.prefix else word == term.stem

"""The word index of a plain archive: every row is looked at."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import apsw

from memoro.model.answers import Term
from memoro.model.ledger import ItemFit
from memoro.model.words import searchable
from memoro.store.plain.tables import Tables
from memoro.store.terms import terms, tokenizer

_SATURATION, _LENGTH = 1.2, 0.75  # BM25's k1 and b, as FTS5 has them


class PlainWords:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._tokenize = tokenizer(apsw.Connection(":memory:"))

    def terms(self, text: str) -> list[Term]:
        return terms(text, self._tokenize)

    def fits(self, words: Sequence[Term]) -> Iterator[ItemFit]:
        rows = {number: (one.content, *one.tags) for number, one in self._tables.memories.items()}
        for number, fit in self._fits(rows, words):
            yield ItemFit(number=number, fit=fit, most=fit)

    def _counts(self, texts: Sequence[str]) -> Counter[str]:
        return Counter(term.stem for text in texts for term in self.terms(searchable(text)))

    def _fits(self, rows: Mapping[int, Sequence[str]], words: Sequence[Term]) -> Iterator[tuple[int, float]]:
        held = {number: self._counts(texts) for number, texts in rows.items()}
        usual = sum(map(Counter.total, held.values())) / max(1, len(held))
        weights = {word: _weight(sum(bool(_frequency(c, word)) for c in held.values()), len(held)) for word in words}
        most = (_SATURATION + 1) * sum(weight for weight in weights.values() if weight)
        found = []
        for number, counts in held.items():
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * counts.total() / max(usual, 1e-9))
            frequencies = {word: _frequency(counts, word) for word in weights}
            if any(frequencies.values()):
                score = sum(weights[w] * n * (_SATURATION + 1) / (n + norm) for w, n in frequencies.items())
                found.append((number, min(1.0, score / most)))
        yield from sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _frequency(counts: Counter[str], word: Term) -> int:
    if word.prefix:
        return sum(count for stem, count in counts.items() if stem.startswith(word.stem))
    return counts[word.stem]


def _weight(holding: int, rows: int) -> float:
    """0 for a word that no row holds."""
    return max(1e-6, math.log((rows - holding + 0.5) / (holding + 0.5))) if holding else 0.0

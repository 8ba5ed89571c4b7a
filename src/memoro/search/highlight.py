"""Where the words that a search has found stand in a text that is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from memoro.model.answers import Answer, Term
from memoro.model.words import UNSPACED, clean, is_unspaced, searchable

_RUN = f"[{UNSPACED}]+|[^\\W{UNSPACED}]+(?:['’][^\\W{UNSPACED}]+)*"  # of characters without spaces, or a word

Terms = Callable[[str], list[Term]]


class TextPart(NamedTuple):
    """A part of a text: words that were looked for, or what stands between them."""

    text: str
    is_match: bool


class SoughtWords(NamedTuple):
    """The words of a query that were found, as the index stores them."""

    stems: frozenset[str] = frozenset()
    beginning: str = ""  # of a word that was still being typed


def sought_words(answer: Answer, terms: Terms) -> SoughtWords:
    """Return the words that the results of an answer were found by."""
    words = dict.fromkeys(term.word for hit in answer.results for term in hit.explanation.terms)
    return sought(words, answer.query, terms)


def sought(words: Iterable[str], query: str, terms: Terms) -> SoughtWords:
    """The same for words, of which the one that ends the query may be the beginning of one."""
    found = terms(" ".join(words))
    ends = [term.stem for term in found if len(term.word) > 2 and _ends_with(query, term.word)]
    return SoughtWords(frozenset(term.stem for term in found), ends[-1] if ends else "")


def highlight(texts: Sequence[str], words: SoughtWords, terms: Terms) -> list[tuple[TextPart, ...]]:
    """Cut each text into what matches and what does not. The parts of a text, joined, are the text."""
    if not words.stems:
        return [(TextPart(text, is_match=False),) if text else () for text in texts]
    runs = [[(run[0], run.start()) for run in re.finditer(_RUN, text)] for text in texts]
    matching = _matching_words({run for found in runs for run, _ in found}, words, terms)
    return [
        tuple(_parts(text, _spans(found, matching, words.stems))) for text, found in zip(texts, runs, strict=True)
    ]


def _matching_words(runs: set[str], words: SoughtWords, terms: Terms) -> set[str]:
    """Return the words in any of their forms; identifiers by their parts too. Plain words are asked for at once."""
    beginnings = {stem[:2] for stem in words.stems}  # a stem begins as its word does; most words are out by this
    plain, matching = [], set()
    for run in runs:
        if run.isascii() and run.isalnum() and searchable(run) == run:
            if run[:2].lower() in beginnings:
                plain.append(run)
        elif not is_unspaced(run) and any(_is_sought(term.stem, words) for term in terms(searchable(run))):
            matching.add(run)
    found = terms(" ".join(plain))
    return matching.union(run for run, term in zip(plain, found, strict=True) if _is_sought(term.stem, words))


def _is_sought(stem: str, words: SoughtWords) -> bool:
    return stem in words.stems or bool(words.beginning and stem.startswith(words.beginning))


def _spans(runs: Iterable[tuple[str, int]], matching: set[str], stems: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The places of what matches, in order."""
    for run, start in runs:
        if run in matching:
            yield start, start + len(run)
        elif is_unspaced(run):
            yield from ((start + i, start + i + 1) for i in _characters(run, stems))


def _characters(run: str, stems: frozenset[str]) -> Iterator[int]:
    """Characters without spaces between words match in pairs, or alone where one alone was looked for."""
    same = clean(run)
    same = same if len(same) == len(run) else run
    for i in range(len(run)):
        if not stems.isdisjoint({same[max(0, i - 1) : i + 1], same[i : i + 2], same[i]}):
            yield i


def _parts(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[TextPart]:
    """The text in parts; places that stand together are one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    at = 0
    for start, end in joined:
        if at < start:
            yield TextPart(text[at:start], is_match=False)
        yield TextPart(text[start:end], is_match=True)
        at = end
    if at < len(text):
        yield TextPart(text[at:], is_match=False)


def _ends_with(query: str, word: str) -> bool:
    return query.casefold().endswith(word.casefold())

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
    runs = {run[0] for text in texts for run in re.finditer(_RUN, text)} if words.stems else set()
    marked = _matching_words({run for run in runs if not is_unspaced(run)}, words, terms)
    return [tuple(_merged(_parts(text, words, marked))) for text in texts]


def _matching_words(runs: set[str], words: SoughtWords, terms: Terms) -> set[str]:
    """Return the words in any of their forms; identifiers by their parts too. Plain words are asked for at once."""
    plain = sorted(run for run in runs if run.isascii() and run.isalnum() and searchable(run) == run)
    found = terms(" ".join(plain))
    if len(found) != len(plain):  # never so far; each by itself is slower and as right
        plain, found = [], []
    matching = {run for run, term in zip(plain, found, strict=True) if _is_sought(term.stem, words)}
    for run in runs.difference(plain):
        if any(_is_sought(term.stem, words) for term in terms(searchable(run))):
            matching.add(run)
    return matching


def _is_sought(stem: str, words: SoughtWords) -> bool:
    return stem in words.stems or bool(words.beginning and stem.startswith(words.beginning))


def _parts(text: str, words: SoughtWords, marked: set[str]) -> Iterator[TextPart]:
    end = 0
    for run in re.finditer(_RUN, text) if words.stems else ():
        yield TextPart(text[end : run.start()], is_match=False)
        if is_unspaced(run[0]):
            yield from _characters(run[0], words.stems)
        else:
            yield TextPart(run[0], run[0] in marked)
        end = run.end()
    yield TextPart(text[end:], is_match=False)


def _characters(run: str, stems: frozenset[str]) -> Iterator[TextPart]:
    """Characters without spaces between words match in pairs, or alone where one alone was looked for."""
    same = clean(run)
    same = same if len(same) == len(run) else run
    for i, character in enumerate(run):
        pairs = {same[max(0, i - 1) : i + 1], same[i : i + 2], same[i]}
        yield TextPart(character, not stems.isdisjoint(pairs))


def _merged(parts: Iterable[TextPart]) -> Iterator[TextPart]:
    """Join parts of the same sort that stand together."""
    waiting = ""
    is_match = False
    for part in parts:
        if not part.text:
            continue
        if waiting and part.is_match != is_match:
            yield TextPart(waiting, is_match)
            waiting = ""
        waiting, is_match = waiting + part.text, part.is_match
    if waiting:
        yield TextPart(waiting, is_match)


def _ends_with(query: str, word: str) -> bool:
    return query.casefold().endswith(word.casefold())

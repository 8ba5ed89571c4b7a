"""Passages of notes and conversations that repeat a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memoro.model.answers import Passage, Where
from memoro.model.derivation import repeats_most_of
from memoro.model.sessions import repeating

if TYPE_CHECKING:
    from memoro.store.ports import Index

_MOST_TERMS = 64  # of a long text; more find the same passages
_MOST_PASSAGES = 200  # that hold words of the text and are compared with it


def is_repeating(texts: Sequence[str]) -> Callable[[str], bool]:
    """Return a test whether another text holds one of these, a line of one, or most of the words of one in order."""
    tests = [repeating(texts), *map(repeats_most_of, texts)]
    return lambda text: any(repeats(text) for repeats in tests)


def passages_repeating(index: Index, texts: Sequence[str]) -> list[Passage]:
    """Return the passages of notes and conversations that repeat one of these texts. A paraphrase is not found."""
    repeats = is_repeating(texts)
    terms = list(dict.fromkeys(term for text in texts for term in index.terms(text)))[:_MOST_TERMS]
    found = index.match(terms, Where(kinds=("note", "transcript")), _MOST_PASSAGES) if terms else []
    return [match.passage for match in found if repeats(match.passage.text)]

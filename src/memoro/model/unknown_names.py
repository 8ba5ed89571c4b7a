"""Capitalised words in a row of a query that together are no known name: which of them may be one.

German writes nouns with capitals, and people write headings so: "Huber Telefon" asks for the phone of a Huber.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from memoro.model import name_forms as forms
from memoro.model.attributes import asked_attributes
from memoro.model.given_names import GIVEN_NAMES


def likely_names(query: str, words: Sequence[str], parts: frozenset[str], texts: Sequence[str]) -> Iterator[str]:
    """Yield the names among these words, in lower case. `parts` are words of names, `texts` those that were found.

    A word for an attribute is no part of a name. Nor is a word beside one that the texts tell of as a name, unless it
    is a given name or such a name itself: it may be a noun. As it may be a family name too, neither is asked about.
    In an English sentence, it is a name.
    """
    may_be_noun = not forms.is_english(query)
    for some in _in_a_row(words, lambda word: word.lower() in parts or not asked_attributes(word.lower())):
        yield from _likely(some, parts, texts, may_be_noun=may_be_noun)


def _likely(words: Sequence[str], parts: frozenset[str], texts: Sequence[str], *, may_be_noun: bool) -> Iterator[str]:
    name, capitalised = _name(words), [word.lower() for word in words if _is_capitalised(word)]
    names = parts.union(*map(_words_of_names, texts))
    told = {word for word in capitalised if forms.without_s(word, names) is not None}
    strangers = {one for one in capitalised if may_be_noun and len(one) > 1 and one not in told | GIVEN_NAMES}
    if len(capitalised) == 1:
        yield from filter(None, [forms.without_s(name, names)])
    elif not strangers or any(forms.place_of(name, text.lower()) is not None for text in texts):
        yield name
    elif told:
        rows = _in_a_row(words, lambda word: word.lower() not in strangers)
        yield from (_name(row) for row in rows if len(row) > 1)
    elif not any(forms.place_of(word, text) is not None for word in strangers for text in texts):  # in small letters
        yield name


def _words_of_names(text: str) -> frozenset[str]:
    """The words of a text that stand with others in what has the form of a name."""
    found = (forms.name_words(run[0]) for run in forms.runs(text) if " " in run[0])
    return frozenset(word.lower() for words in found if len(words) > 1 for word in words)


def _in_a_row(words: Sequence[str], is_kept: Callable[[str], bool]) -> Iterator[list[str]]:
    """Yield the rows of words that are kept, without a particle at either end."""
    for kept, row in groupby(words, is_kept):
        found = list(row)
        while found and not _is_capitalised(found[0]):
            del found[0]
        while found and not _is_capitalised(found[-1]):
            del found[-1]
        if kept and found:
            yield found


def _is_capitalised(word: str) -> bool:
    return word[0].isupper()


def _name(words: Sequence[str]) -> str:
    return " ".join(words).lower()

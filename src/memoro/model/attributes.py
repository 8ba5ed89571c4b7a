"""Everyday attributes, such as home, employer or database: which a question asks for and which a text states.

Words alone do not join "Where does Anna live?" with "Anna moved to Porto"; a table of cues does (`attribute_cues`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memoro.model.attribute_cues import (
    AttributeCue,
    Cues,
    Pattern,
    asked_cues,
    pattern,
    rows,
    stated_cues,
    technical_names,
)
from memoro.model.remembered import remembered

_NUMBER = "0"  # stands for all numbers
# How a question begins that names no attribute.
_FIRST_WORDS = {(word,) for word in ("do", "does", "did", "is", "are", "was", "has", "have", "nutzen", "ist", "hat")}
_SIGNS = (("+0", "+", r"\+\d"), ("@", "@", r"\w@\w"), ("#", "#", r"(?<!\w)#\w"))
# A text with one of these words speaks of what is used, or of a change of it.
_WORDS_OF_USE = """
    use uses used using usage switch switched switching migrate migrated migrating moved replace replaced replacing
    adopt adopted run runs running written rewrite rewrote rewritten ported port default prefer prefers via installed
    tool chose picked settled nutzt nutze nutzen benutzt benutzen verwendet verwenden umgestellt umgestiegen
    gewechselt wechseln geschrieben läuft ersetzt
"""
_OF_USE = frozenset(_WORDS_OF_USE.split())


class _Characters(dict[int, str]):
    """How each character is read: letters and digits in lower case, `+` and `#` as they are, others as a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        lower = character.lower()
        self[code] = read = lower if lower.isalnum() or character in "+#" else " "
        return read


_CHARACTERS = _Characters()
_CHARACTERS.update({code: _CHARACTERS[code] for code in range(128)})


def names() -> tuple[str, ...]:
    """Return the names of all attributes."""
    return tuple(dict.fromkeys(name for name, _, _ in rows()))


def asked_attributes(query: str) -> frozenset[str]:
    """Return the attributes that a question asks for, such as `home` for "Where does Anna live?"."""
    return frozenset(cue.name for cue in find_asked(query))


def stated_attributes(text: str) -> frozenset[str]:
    """Return the attributes that a text states, by a cue such as "moved to" or a value such as "Postgres"."""
    return frozenset(cue.name for cue in find_stated(text))


def find_asked(query: str) -> list[AttributeCue]:
    """Return the cues of a query. A question without them may still name a value: "Do we still use Jenkins?"."""
    words = split(query)
    if found := _longest(_find(words, asked_cues())):
        return found
    is_question = "?" in query or words[:1] in _FIRST_WORDS
    return [cue for cue in _stated(words) if cue.column == "values"] if is_question else []


@remembered(2048)  # one search after another meets the same passages
def find_stated(text: str) -> tuple[AttributeCue, ...]:
    """Return the cues of a statement."""
    return tuple(_stated(split(text)))


def told_attributes(text: str) -> frozenset[str]:
    """Return the attributes of which a text says something, by a verb or a value, and does not merely name them.

    Of the cues that a technical value overrules, phrases say something ("moved to"), single words name it ("food").
    """
    return frozenset(
        cue.name
        for cue in find_stated(text)
        if cue.column in ("says", "values") or (cue.column == "maybe" and len(cue.words) > 1)
    )


def is_cue(word: str) -> bool:
    """Return whether a word, in lower case, speaks of an attribute by itself: "postgres", "birthday"."""
    return word in stated_cues().single


@remembered(256)  # a search reads each of its candidates several times
def split(text: str) -> tuple[str, ...]:
    """Return the words of a text, numbers as `0`. At the end, signs tell of phone numbers, addresses and channels."""
    words = [_NUMBER if word.isdigit() else word for word in text.translate(_CHARACTERS).split()]
    words += [sign for sign, character, form in _SIGNS if character in text and re.search(form, text)]
    return tuple(words)


def _stated(words: Sequence[str]) -> list[AttributeCue]:
    found = _find(words, stated_cues())
    if any(cue.column == "values" and cue.name in technical_names() for cue in found):
        found = [cue for cue in found if cue.column != "maybe"]
    return _longest(found)


def _find(words: Sequence[str], cues: Cues) -> list[AttributeCue]:
    different = set(words)
    found = [
        AttributeCue(frozenset((word,)), name, column)
        for word in cues.single.keys() & different
        if word not in cues.ambiguous or not _OF_USE.isdisjoint(different)
        for name, column, _ in cues.single[word]
    ]
    longer = [row for pair in cues.pairs.keys() & set(pairwise(words)) for row in cues.pairs[pair]]
    longer += [row for word in cues.gapped.keys() & different for row in cues.gapped[word]]
    for row in longer:
        if match := _match(pattern(row), words, different):
            found.append(AttributeCue(match, row[0], row[1]))
    return found


def _match(wanted: Pattern, words: Sequence[str], different: set[str]) -> frozenset[str] | None:
    """Return the words of the text that make up the cue; None if they do not occur in its order."""
    for forms in wanted.forms:
        if forms.isdisjoint(different):
            return None
    for start in (place for place, word in enumerate(words) if word in wanted.forms[0]):
        match, place = [words[start]], start + 1
        for forms, gap in zip(wanted.forms[1:], wanted.gaps[1:], strict=True):
            near = words[place : place + gap + 1]
            step = next((i for i, word in enumerate(near) if word in forms), None)
            if step is None:
                break
            match.append(near[step])
            place += step + 1
        else:
            return frozenset(match)
    return None


def _longest(found: list[AttributeCue]) -> list[AttributeCue]:
    """Return the cues without those that are part of a longer one: "language model" speaks of no language."""
    longer = [cue.words for cue in found if len(cue.words) > 1]
    return [cue for cue in found if not any(cue.words < words for words in longer)] if longer else found

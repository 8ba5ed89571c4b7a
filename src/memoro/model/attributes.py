"""Everyday attributes, such as home, employer or database: which a question asks for and which a text states.

Words alone do not join "Where does Anna live?" with "Anna moved to Porto". The tables `personal_attributes`,
`technical_attributes` and `team_attributes` list, for each attribute, cues in English and German:

- `both`: names of the attribute, in questions and in statements
- `asks`: cues of questions. The words must occur in this order, other words may stand between them
- `says`: cues of statements. The words must follow each other; `..` stands for up to four other words
- `values`: what the attribute often is, such as well-known products
- `maybe`: cues of statements that do not count where a technical value is named: "moved to Postgres"

`move*` stands for the forms of a regular English verb, `test+` for singular and plural, `wohn~` for German endings.
`0` stands for any number, `+0` for a phone number, `@` for a mail address, `#` for a channel. `go!` is also an
everyday word, and counts only where a text speaks of using or changing something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Literal, NamedTuple

Column = Literal["both", "asks", "says", "values", "maybe"]
_COLUMNS: tuple[Column, ...] = ("both", "asks", "says", "values", "maybe")
_GERMAN_ENDINGS = ("", "e", "en", "t", "et", "st", "te", "ten", "er", "es", "em", "m", "n", "r", "s")
_NUMBER = "0"  # stands for all numbers
_SIGNS = (("+0", "+", r"\+\d"), ("@", "@", r"\w@\w"), ("#", "#", r"(?<!\w)#\w"))
_GAP = 4  # words that `..` may stand for
_ANYWHERE = 1000  # words that may stand between those of a cue in a question
# Words that stand in most texts: a cue is looked for by another of its words.
_FREQUENT_WORDS = """
    a an and are at as by do does for from get go had has have he her his how i in is it its my no not of off on or
    our out she so the their to up was we what when where which who will with your am an auf aus bei das dem den
    der die ein eine er für im in ist mit nach sich und von was wer wie wo zu
"""
_FREQUENT = frozenset(_FREQUENT_WORDS.split())
# A text with one of these words speaks of what is used, or of a change of it.
_WORDS_OF_USE = """
    use uses used using usage switch switched switching migrate migrated migrating moved replace replaced replacing
    adopt adopted run runs running written rewrite rewrote rewritten ported port default prefer prefers via installed
    tool chose picked settled nutzt nutze nutzen benutzt benutzen verwendet verwenden umgestellt umgestiegen
    gewechselt wechseln geschrieben läuft ersetzt
"""
_OF_USE = frozenset(_WORDS_OF_USE.split())


class _Cue(NamedTuple):
    """A cue of several words: for each word its forms, and how many other words may stand before it."""

    words: tuple[frozenset[str], ...]
    gaps: tuple[int, ...]
    name: str
    column: Column


class _Cues(NamedTuple):
    """Cues by what finds them: a word, two words that follow each other, or a word of a cue with gaps."""

    single: dict[str, list[tuple[str, Column]]]
    pairs: dict[tuple[str, str], list[_Cue]]
    gapped: dict[str, list[_Cue]]
    ambiguous: set[str]


class AttributeCue(NamedTuple):
    """The words of a text that speak of an attribute, and the column of the table that lists them."""

    words: frozenset[str]
    name: str
    column: Column


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
    return tuple(dict.fromkeys(name for name, _, _ in _rows()))


def asked_attributes(query: str) -> frozenset[str]:
    """Return the attributes that a question asks for, such as `home` for "Where does Anna live?"."""
    return frozenset(cue.name for cue in find_asked(query))


def stated_attributes(text: str) -> frozenset[str]:
    """Return the attributes that a text states, by a cue such as "moved to" or a value such as "Postgres"."""
    return frozenset(cue.name for cue in find_stated(text))


def find_asked(query: str) -> list[AttributeCue]:
    """Return the cues of a question. One without them may still name a value: "Do we still use Jenkins?"."""
    words = split(query)
    return _longest(_find(words, _asked_cues())) or _stated(words)


def find_stated(text: str) -> list[AttributeCue]:
    """Return the cues of a statement."""
    return _stated(split(text))


def is_cue(word: str) -> bool:
    """Return whether a word, in lower case, speaks of an attribute by itself: "postgres", "birthday"."""
    return word in _stated_cues().single


def split(text: str) -> list[str]:
    """Return the words of a text, numbers as `0`. At the end, signs tell of phone numbers, addresses and channels."""
    words = [_NUMBER if word.isdigit() else word for word in text.translate(_CHARACTERS).split()]
    words += [sign for sign, character, form in _SIGNS if character in text and re.search(form, text)]
    return words


def _stated(words: Sequence[str]) -> list[AttributeCue]:
    found = _find(words, _stated_cues())
    if any(cue.column == "values" and cue.name in _technical() for cue in found):
        found = [cue for cue in found if cue.column != "maybe"]
    return _longest(found)


def _find(words: Sequence[str], cues: _Cues) -> list[AttributeCue]:
    different = set(words)
    found = [
        AttributeCue(frozenset((word,)), *attribute)
        for word in cues.single.keys() & different
        if word not in cues.ambiguous or not _OF_USE.isdisjoint(different)
        for attribute in cues.single[word]
    ]
    pairs = set(pairwise(words))
    longer = [cue for pair in cues.pairs.keys() & pairs for cue in cues.pairs[pair]]
    longer += [cue for word in cues.gapped.keys() & different for cue in cues.gapped[word]]
    for cue in longer:
        if match := _match(cue, words, different):
            found.append(AttributeCue(match, cue.name, cue.column))
    return found


def _match(cue: _Cue, words: Sequence[str], different: set[str]) -> frozenset[str] | None:
    """Return the words of the text that make up the cue; None if they do not occur in its order."""
    for forms in cue.words:
        if forms.isdisjoint(different):
            return None
    for start in (place for place, word in enumerate(words) if word in cue.words[0]):
        match, place = [words[start]], start + 1
        for forms, gap in zip(cue.words[1:], cue.gaps[1:], strict=True):
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


@cache
def _asked_cues() -> _Cues:
    cues = _Cues({}, {}, {}, set())
    for name, column, cue in _rows():
        if column in ("asks", "both"):
            _add(cues, cue.split(), name, "asks")
    return cues


@cache
def _stated_cues() -> _Cues:
    cues = _Cues({}, {}, {}, set())
    for name, column, cue in _rows():
        if column != "asks":
            _add(cues, cue.split(), name, column)
    return cues


def _add(cues: _Cues, parts: Sequence[str], name: str, column: Column) -> None:
    if len(parts) > 1:
        cue = _cue(parts, name, column)
        if any(cue.gaps):
            found_by = next((forms for forms in cue.words if forms.isdisjoint(_FREQUENT)), cue.words[-1])
            for form in found_by:
                cues.gapped.setdefault(form, []).append(cue)
        else:
            pairs = list(pairwise(cue.words))
            for pair in product(*next((two for two in pairs if _FREQUENT.isdisjoint(two[0] | two[1])), pairs[0])):
                cues.pairs.setdefault(pair, []).append(cue)
        return
    forms = _forms(parts[0])
    if parts[0].endswith("!"):
        cues.ambiguous.update(forms)
    for form in forms:
        cues.single.setdefault(form, []).append((name, column))


def _cue(parts: Sequence[str], name: str, column: Column) -> _Cue:
    usual = _ANYWHERE if column == "asks" else 0
    gaps, words, gap = [], [], 0
    for part in parts:
        if part == "..":
            gap = _GAP
            continue
        words.append(_forms(part))
        gaps.append(gap)
        gap = usual
    return _Cue(words=tuple(words), gaps=tuple(gaps), name=name, column=column)


@cache
def _forms(word: str) -> frozenset[str]:
    stem, mark = (word[:-1], word[-1]) if word[-1] in "*+~!" and word != "c++" else (word, "")
    if mark == "~":
        return frozenset(stem + ending for ending in _GERMAN_ENDINGS)
    if mark not in ("*", "+"):
        return frozenset((stem,))
    soft = stem[:-1] if stem.endswith("e") else stem
    plural = (
        stem[:-1] + "ies" if stem.endswith("y") else stem + ("es" if stem.endswith(("s", "x", "ch", "sh")) else "s")
    )
    forms = {stem, stem + "s", plural}
    if mark == "*":
        past = stem[:-1] + "ied" if stem.endswith("y") else soft + "ed"
        forms |= {past, soft + "ing"}
        if soft == stem and stem[-1] in "bdgklmnprt" and stem[-2] in "aeiou":  # "ship", "shipped"
            forms |= {stem + stem[-1] + "ed", stem + stem[-1] + "ing"}
    return frozenset(forms)


@cache
def _technical() -> frozenset[str]:
    from memoro.model.technical_attributes import TABLE

    return frozenset(name for name, _, _ in _rows_of(TABLE))


def _rows() -> Iterator[tuple[str, Column, str]]:
    """Every cue of the tables, as (attribute, column, cue)."""
    from memoro.model import personal_attributes, team_attributes, technical_attributes

    for table in (personal_attributes.TABLE, technical_attributes.TABLE, team_attributes.TABLE):
        yield from _rows_of(table)


def _rows_of(table: str) -> Iterator[tuple[str, Column, str]]:
    name = ""
    for line in table.replace("\n  ", " ").splitlines():
        if line.startswith("["):
            name = line[1:-1]
        elif line:
            head, _, cues = line.partition(": ")
            column = next(one for one in _COLUMNS if one == head)
            yield from ((name, column, cue) for cue in cues.split(", "))

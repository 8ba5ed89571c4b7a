"""The tables of attributes as they are looked up: each cue by a word of it, or by two that follow each other.

The tables `personal_attributes`, `daily_life_attributes`, `technical_attributes` and `team_attributes` list, for each
attribute, cues in English and German, separated by commas:

- `both`: names of the attribute, in questions and in statements
- `asks`: cues of questions. The words must occur in this order, others may stand between them
- `says`: cues of statements. The words must follow each other; `..` stands for up to four others
- `values`: what the attribute often is, such as well-known products
- `maybe`: cues of statements that do not count where a technical value is named: "moved to Postgres"

`move*` stands for the forms of a regular English verb, `test+` for singular and plural, `wohn~` for German endings.
`0` stands for any number, `+0` for a phone number, `@` for a mail address, `#` for a channel. `go!` is also an
everyday word, and counts only where a text speaks of using or changing something.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product
from typing import Literal, NamedTuple

Column = Literal["both", "asks", "says", "values", "maybe"]
_COLUMNS: tuple[Column, ...] = ("both", "asks", "says", "values", "maybe")
_GERMAN_ENDINGS = ("", "e", "en", "t", "et", "st", "te", "ten", "er", "es", "em", "m", "n", "r", "s")
_MARKS = "*+~!"
_DOTS = 4  # words that `..` may stand for
_WITHIN = 12  # words that may stand between those of a cue in a question: they are of one sentence
# Words that stand in most texts: a cue is looked for by another of its words.
_FREQUENT_WORDS = """
    a an and are at as by do does for from get go had has have he her his how i in is it its my no not of off on or
    our out she so the their to up was we what when where which who will with your am an auf aus bei das dem den
    der die ein eine er für im in ist mit nach sich und von was wer wie wo zu
"""
_FREQUENT = frozenset([*_FREQUENT_WORDS.split(), ".."])


class AttributeCue(NamedTuple):
    """The words of a text that speak of an attribute, and the column of the table that lists them."""

    words: frozenset[str]
    name: str
    column: Column


class Pattern(NamedTuple):
    """For each word of a cue its forms, and how many other words may stand before it."""

    forms: tuple[frozenset[str], ...]
    gaps: tuple[int, ...]


CueRow = tuple[str, Column, str]  # of the tables: attribute, column, cue. Thousands are read, few are ever met


class Cues(NamedTuple):
    """Cues by what finds them: a word, two words that follow each other, or a word of a cue with gaps."""

    single: dict[str, list[CueRow]]
    pairs: dict[tuple[str, str], list[CueRow]]
    gapped: dict[str, list[CueRow]]
    ambiguous: set[str]  # single words that are everyday words too


@cache
def asked_cues() -> Cues:
    """Return the cues of questions."""
    cues = Cues(single={}, pairs={}, gapped={}, ambiguous=set())
    for name, column, cue in rows():
        if column in ("asks", "both"):
            _add(cues, (name, "asks", cue))
    return cues


@cache
def stated_cues() -> Cues:
    """Return the cues of statements."""
    cues = Cues(single={}, pairs={}, gapped={}, ambiguous=set())
    for row in rows():
        if row[1] != "asks":
            _add(cues, row)
    return cues


@cache
def stating_words(name: str) -> tuple[str, ...]:
    """Return the words that state an attribute by themselves and are no everyday words."""
    cues = stated_cues()
    columns = ("says", "values")
    return tuple(
        word
        for word, found in cues.single.items()
        if word not in cues.ambiguous and any(row[0] == name and row[1] in columns for row in found)
    )


def _add(cues: Cues, row: CueRow) -> None:
    _, column, text = row
    if " " not in text:
        for form in _forms(text) if text[-1] in _MARKS else (text,):  # most have no mark
            cues.single.setdefault(form, []).append(row)
        if text[-1] == "!":
            cues.ambiguous.add(text[:-1])
        return
    parts = text.split()
    if column == "asks" or ".." in parts:
        for form in _forms(next((part for part in parts if part not in _FREQUENT), parts[-1])):
            cues.gapped.setdefault(form, []).append(row)
        return
    first, second = _rarest_pair(parts)
    for pair in product(_forms(first), _forms(second)):
        cues.pairs.setdefault(pair, []).append(row)


def _rarest_pair(parts: list[str]) -> tuple[str, str]:
    if len(parts) > 2:
        for two in pairwise(parts):
            if _FREQUENT.isdisjoint(two):
                return two
    return parts[0], parts[1]


@cache
def pattern(row: CueRow) -> Pattern:
    """Return what to look for in a text to find a cue of several words."""
    _, column, text = row
    usual = _WITHIN if column == "asks" else 0
    forms, gaps, gap = [], [], 0
    for part in text.split():
        if part == "..":
            gap = _DOTS
            continue
        forms.append(frozenset(_forms(part)))
        gaps.append(gap)
        gap = usual
    return Pattern(tuple(forms), tuple(gaps))


def _forms(word: str) -> tuple[str, ...]:
    mark, stem = word[-1], word[:-1]
    if mark not in _MARKS or word == "c++":
        return (word,)
    if mark == "!":
        return (stem,)
    if mark == "~":
        return tuple(stem + ending for ending in _GERMAN_ENDINGS)
    ends_in_y = stem[-1] == "y" and stem[-2] not in "aeiou"
    soft = stem[:-1] if stem[-1] == "e" else stem
    plural = stem[:-1] + "ies" if ends_in_y else stem + ("es" if stem.endswith(("s", "x", "ch", "sh")) else "s")
    if mark == "+":
        return stem, plural
    forms = [stem, plural, stem[:-1] + "ied" if ends_in_y else soft + "ed", soft + "ing"]
    if stem[-1] in "bdgklmnprt" and stem[-2] in "aeiou":  # "ship", "shipped"
        forms += [stem + stem[-1] + "ed", stem + stem[-1] + "ing"]
    return tuple(forms)


@cache
def technical_names() -> frozenset[str]:
    """Return the names of the attributes of software and its tools."""
    from memoro.model.technical_attributes import TABLE

    return frozenset(name for name, _, _ in _rows_of(TABLE))


@cache
def personal_names() -> frozenset[str]:
    """Return the names of the attributes that people have and things do not, such as a home or a birthday."""
    from memoro.model.personal_attributes import TABLE

    return frozenset(name for name, _, _ in _rows_of(TABLE))


@cache
def rows() -> tuple[CueRow, ...]:
    """Return every cue of the tables."""
    from memoro.model import daily_life_attributes, personal_attributes, team_attributes, technical_attributes

    modules = (personal_attributes, daily_life_attributes, technical_attributes, team_attributes)
    return tuple(row for module in modules for row in _rows_of(module.TABLE))


def _rows_of(table: str) -> list[CueRow]:
    found: list[CueRow] = []
    name = ""
    for line in table.replace("\n  ", " ").splitlines():
        if line.startswith("["):
            name = line[1:-1]
        elif line:
            head, _, cues = line.partition(": ")
            column = next(one for one in _COLUMNS if one == head)
            found += [(name, column, cue) for cue in cues.split(", ")]
    return found

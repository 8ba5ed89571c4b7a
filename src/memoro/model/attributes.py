"""Everyday attributes, such as home, employer or database: which a question asks for and which a text states.

Words alone do not join "Where does Anna live?" with "Anna moved to Porto". The tables `personal_attributes`,
`technical_attributes` and `team_attributes` list, for each attribute, cues in English and German:

- `both`: names of the attribute, in questions and in statements
- `asks`: cues of questions. The words must occur in this order, other words may stand between them
- `says`: cues of statements. The words must follow each other; `..` stands for up to four other words
- `values`: what the attribute often is, such as well-known products
- `maybe`: cues of statements that count only where nothing else is stated

`move*` stands for the forms of a regular English verb, `test+` for singular and plural, `wohn~` for German endings.
`go!` is also an everyday word, and counts only in a text that speaks of using or changing something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

Column = Literal["both", "asks", "says", "values", "maybe"]
_COLUMNS: tuple[Column, ...] = ("both", "asks", "says", "values", "maybe")
_GERMAN_ENDINGS = ("", "e", "en", "t", "st", "te", "ten", "er", "es", "em", "n", "s")
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


class _Cues(NamedTuple):
    """Cues by one of their words: the attributes of those of one word, and the longer ones, which must be tried."""

    single: dict[str, list[str]]
    longer: dict[str, list[_Cue]]
    ambiguous: set[str]


class _Found(NamedTuple):
    """An attribute, and the words of the text that speak of it."""

    name: str
    words: frozenset[str]


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
    """Return the attributes that a question asks for, such as `home` for "Where does Anna live?".

    A question that names no attribute may still name a value ("Do we still use Jenkins?").
    """
    words = query.translate(_CHARACTERS).split()
    return _find(words, _table().asked) or _stated(words)


def stated_attributes(text: str) -> frozenset[str]:
    """Return the attributes that a text states, by a cue such as "moved to" or a value such as "Postgres"."""
    return _stated(text.translate(_CHARACTERS).split())


def _stated(words: Sequence[str]) -> frozenset[str]:
    return _find(words, _table().stated) or _find(words, _table().maybe)


def _find(words: Sequence[str], cues: _Cues) -> frozenset[str]:
    different = set(words)
    found = [
        _Found(name, frozenset((word,)))
        for word in cues.single.keys() & different
        if word not in cues.ambiguous or not _OF_USE.isdisjoint(different)
        for name in cues.single[word]
    ]
    for word in cues.longer.keys() & different:
        for cue in cues.longer[word]:
            if match := _match(cue, words, different):
                found.append(_Found(cue.name, match))
    return _longest(found)


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


def _longest(found: Sequence[_Found]) -> frozenset[str]:
    """Return the attributes without those that part of a longer cue speaks of: "language model" is no language."""
    longer = [one.words for one in found if len(one.words) > 1]
    return frozenset(one.name for one in found if not any(one.words < words for words in longer))


class _Table(NamedTuple):
    asked: _Cues
    stated: _Cues
    maybe: _Cues


@cache
def _table() -> _Table:
    table = _Table(*(_Cues({}, {}, set()) for _ in range(3)))
    for name, column, cue in _rows():
        parts = cue.split()
        for cues in _used_by(column, table):
            if len(parts) > 1:
                _add_longer(cues, _cue(parts, name, spread=cues is table.asked))
                continue
            forms = _forms(parts[0])
            if parts[0].endswith("!"):
                cues.ambiguous.update(forms)
            for form in forms:
                cues.single.setdefault(form, []).append(name)
    return table


def _used_by(column: Column, table: _Table) -> tuple[_Cues, ...]:
    if column == "both":
        return table.asked, table.stated
    return (table.asked if column == "asks" else table.maybe if column == "maybe" else table.stated,)


def _add_longer(cues: _Cues, cue: _Cue) -> None:
    for form in max(cue.words, key=_tells):
        cues.longer.setdefault(form, []).append(cue)


def _cue(parts: Sequence[str], name: str, *, spread: bool) -> _Cue:
    usual = _ANYWHERE if spread else 0
    gaps, words, gap = [], [], usual
    for part in parts:
        if part == "..":
            gap = _GAP
            continue
        words.append(_forms(part))
        gaps.append(gap)
        gap = usual
    return _Cue(tuple(words), tuple(gaps), name)


def _tells(forms: frozenset[str]) -> tuple[bool, int]:
    """How well a word finds the cues that hold it: rare words are long, about."""
    return forms.isdisjoint(_FREQUENT), max(map(len, forms))


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
        forms |= {past, soft + "ed", soft + "ing", soft + soft[-1] + "ed", soft + soft[-1] + "ing"}
    return frozenset(forms)


def _rows() -> Iterator[tuple[str, Column, str]]:
    """Every cue of the tables, as (attribute, column, cue)."""
    from memoro.model import personal_attributes, team_attributes, technical_attributes

    name = ""
    tables = (personal_attributes.TABLE, technical_attributes.TABLE, team_attributes.TABLE)
    for line in "\n".join(tables).replace("\n  ", " ").splitlines():
        if line.startswith("["):
            name = line[1:-1]
        elif line:
            head, _, cues = line.partition(": ")
            column = next(one for one in _COLUMNS if one == head)
            yield from ((name, column, cue) for cue in cues.split(", "))

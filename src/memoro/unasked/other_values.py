"""A later statement that gives another value: "it gives up after 2000 tries", where it was 500. Pure.

Such a statement does not say that something changed, so only its pattern tells: the same words and the same unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from memoro.model.function_words import FUNCTION_WORDS
from memoro.model.sentences import past_words
from memoro.model.words import STOP_WORDS
from memoro.search.answer_kind import kind_asked
from memoro.unasked.shortening import pieces

_LONGEST = 240  # characters of what a person says to change a value
_SHARED = 0.5  # of the words of the shorter clause, without values
_CLAUSE = re.compile(r"[,;]\s+|\s(?:and|but|und|aber)\s|\s(?=[–—→])")
_SMALL = {
    name: str(number)
    for names in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for number, name in enumerate(names.split(), 2)
}
_VALUE = rf"(?<![\w.,:/#-])(?:\d(?:[\d.,:/-]*\d)?(?![\d)])|\b(?:{'|'.join(_SMALL)})\b)"  # not "2)"
_NAMED_VALUE = re.compile(
    rf"(?:\b(?P<before>[^\W\d_]{{2,}})[ =:]{{1,3}})?(?P<value>{_VALUE})(?: ?(?P<after>[^\W\d_]+|%|€|\$))?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_UNITS = {"h": "hour", "hrs": "hour", "min": "minute", "mins": "minute", "s": "second", "sec": "second", "d": "day"}
_NO_FORM = FUNCTION_WORDS | STOP_WORDS


class Form(NamedTuple):
    """A word beside a value: "shop 3" is one of the shops, and "3 shops" are so many."""

    word: str
    is_before: bool


class Clause(NamedTuple):
    """A part of a sentence, with the values that it gives."""

    values: frozenset[str]
    forms: frozenset[Form]
    stems: frozenset[str]  # of its words that carry a topic, without values


class Statements(NamedTuple):
    """What was said by a person, and what was answered or noted, as it is compared."""

    said: str
    told: Sequence[str]

    @property
    def texts(self) -> list[str]:
        return [self.said, *self.told]


class ValueComparison:
    """Tells whether a later statement gives another value for what a message asks for."""

    def __init__(
        self, message: str, information: Mapping[str, float], stems: Callable[[str], Collection[str]]
    ) -> None:
        self._asks_for_value = kind_asked(message) in ("number", "money", "time")
        self._information, self._stems = information, stems

    def is_replaced(self, older: Statements, newer: Statements) -> bool:
        """Return whether the newer one gives another value for each clause with which the older one answers.

        "Another" has the same unit, in the same words or beside the old value: "gives up after 2000 tries",
        "500 → 2000 tries". The newer one names all of the message that the older one does: else it may be
        about something else.
        """
        answers = self._answers(older)
        named = {stem for text in newer.texts for stem in self._stems(text)}
        is_about = not named.isdisjoint(self._information)  # else the older one has to tell what it is about
        others = self._clauses(newer.texts)
        asked = frozenset().union(*map(self._asked, self._parts(older.texts)))
        return bool(answers) and all(
            (asked <= named and any(_is_alike(one, other) for other in others))
            or (is_about and self._is_taken_up(one, newer, others))
            for one in answers
        )

    def _answers(self, unit: Statements) -> list[Clause]:
        """The clauses with a value that hold most of the message; if none holds any, the only one with a value.

        A clause without a value that holds more of it answers instead, unless a number is asked for.
        """
        parts = self._parts(unit.texts)
        clauses = [one for one in parts if one.values]
        considered = clauses if self._asks_for_value else parts
        most = max(map(self._held, considered), default=0.0)
        best = [one for one in clauses if self._held(one) == most]
        return best if most > 0 or len(best) == 1 else []

    def _held(self, clause: Clause) -> float:
        return sum(self._information[stem] for stem in self._asked(clause))

    def _asked(self, clause: Clause) -> frozenset[str]:
        return frozenset(stem for stem in clause.stems if stem in self._information)

    def _clauses(self, texts: Iterable[str]) -> list[Clause]:
        return [one for one in self._parts(texts) if one.values]

    def _parts(self, texts: Iterable[str]) -> list[Clause]:
        sentences = [
            one.text for text in texts for one in pieces(text) if not one.code and not one.text.endswith("?")
        ]
        return [self._clause(part) for text in sentences for part in _CLAUSE.split(text)]

    def _clause(self, text: str) -> Clause:
        named = named_values(text)
        words = _NAMED_VALUE.sub(lambda one: f"{one['before'] or ''} {one['after'] or ''}", text)
        topics = _WORD.sub(lambda one: "" if one[0].lower() in _NO_FORM else one[0], words)
        return Clause(frozenset(named), frozenset().union(*named.values()), frozenset(self._stems(topics)))

    def _is_taken_up(self, old: Clause, newer: Statements, others: Sequence[Clause]) -> bool:
        """Return whether a person names the value beside another one, and the answer to that does not hold to it."""
        if len(newer.said) > _LONGEST:
            return False
        said = self._clauses([newer.said])
        values = {value for one in said for value in one.values}
        is_changed = bool(old.values & values) and bool(values - old.values)
        is_of_one = any(old.forms & other.forms or old.stems & other.stems for other in others)
        kept = {value for text in newer.told for one in self._clauses([text]) for value in one.values}
        past = {word for text in newer.told for word in past_words(text)}
        return is_changed and is_of_one and not old.values & (kept - past)


def _is_alike(old: Clause, new: Clause) -> bool:
    """Return whether two clauses say the same of other values."""
    if old.values & new.values or not old.forms & new.forms:
        return False
    shared = len(old.stems & new.stems)
    return shared > 0 and shared >= _SHARED * min(len(old.stems), len(new.stems))


def named_values(text: str) -> dict[str, frozenset[Form]]:
    """Return the values of a text with the words beside each."""
    found: dict[str, frozenset[Form]] = {}
    for one in _NAMED_VALUE.finditer(text):
        value = _SMALL.get(one["value"].lower(), one["value"])
        beside = [(one["before"], True), (one["after"], False)]
        forms = {Form(_unit(word), is_before) for word, is_before in beside if word and word.lower() not in _NO_FORM}
        found[value] = found.get(value, frozenset()) | forms
    return found


def _unit(word: str) -> str:
    lower = word.lower()
    return _UNITS.get(lower, lower.removesuffix("s") if len(lower) > 3 else lower)

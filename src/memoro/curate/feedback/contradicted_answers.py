"""Find the one of the last answers that a note contradicts. Pure.

A note such as "The bucket is media-eu." may follow later answers about something else, or the answer that says just
that. It is about the newest that gives another value of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.curate.feedback.corrected_items import named_words, names_a_thing, newest_about, says_all
from memoro.model.remembered import remembered
from memoro.model.same_fact import fact_words
from memoro.model.sentence_ends import split_sentences
from memoro.model.sentences import past_words, topic_words
from memoro.search.compared_statements import specific_words

_PLAIN = "a"  # the form of a word of letters alone
_NOT_BY_CHANCE = 2  # words: "prod" alone is in many an answer
_CHANGING = topic_words("instead actually currently correct yes stattdessen aktuell ja")  # they name nothing
_CLAUSE = re.compile(r"[,;]\s+|\s(?:and|but|while|und|aber|während)\s")
_UNIT = re.compile(r"\d[ -]?([^\W\d_]+)")
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


class _Note(NamedTuple):
    """The thing that a note names, and the value that it gives."""

    subject: frozenset[str]
    value: frozenset[str]  # with a form of its own: of a plain name nothing tells it from a noun in German
    past: frozenset[str]  # what it says is wrong
    units: frozenset[str] = frozenset()  # of its numbers

    @property
    def forms(self) -> frozenset[str]:
        """The forms of its values: "9" of 8443, "9:9" of 14:00, "a-a" of media-eu."""
        return frozenset(map(_form, self.value))


def place_contradicted(note: str, exchanges: Sequence[str]) -> int | None:
    """Return which of the texts, the newest last, a note says is wrong: mostly the last one; None: none of them.

    What names no thing of its own, such as "No." or "Every 15 minutes.", is about the last one.
    """
    last = len(exchanges) - 1
    read = _read(note)
    if not names_a_thing(note) or not read.subject:
        return last
    able = [place for place in range(last + 1) if not says_already(note, exchanges[place])]
    if last in able and _is_near(read, exchanges[last], _share(read, exchanges[last]) > 0):
        return last
    if (place := _newest_contradicted(note, read, exchanges, able)) is not None:
        return place
    # "Mirjam Vogel, since May." has no word of its question; where it has a form, the answer has it too.
    is_apart = says_all(note) or bool(named_words(note) & topic_words(exchanges[last]))
    is_answer = last in able and (not read.forms or _gives_another(read, exchanges[last]))
    return last if is_answer and not is_apart else None


def newest_contradicted(note: str, exchanges: Sequence[str]) -> int | None:
    """Return the newest of the texts of an older conversation that a note says is wrong; None: none of them."""
    able = [place for place, text in enumerate(exchanges) if not says_already(note, text)]
    return _newest_contradicted(note, _read(note), exchanges, able)


def says_already(note: str, exchange: str) -> bool:
    """Return whether a text states what a note says is right, and nothing else of the same thing."""
    read = _read(note)
    clauses = list(_clauses(exchange))
    if not read.subject or not names_a_thing(note) or any(read.past & words for words in clauses):
        return False
    if not read.value:
        return any(read.subject <= topic_words(one) for one in _statements(exchange))
    if not read.subject & topic_words(exchange):
        return False
    others = [words for words in clauses if read.subject & words and not read.value <= words]
    return any(read.value <= words for words in clauses) and not any(_has_form(read, words) for words in others)


def contradicts(note: str, text: str) -> bool:
    """Return whether a text gives another value of the very thing that a note names, in a clause about nothing else.

    "The upload limit is 80 MB" contradicts "the limit for uploads is now 60 MB", and not "the upload limit for guests
    is 10 MB".
    """
    read = _read(note)
    if len(read.subject) < _NOT_BY_CHANCE or not read.subject <= topic_words(text):
        return False  # most: a message is compared with every correction
    if not names_a_thing(note) or says_already(note, text):
        return False
    return any(
        read.subject | read.units <= words and _has_form(read, words - read.value) and not _names_more(read, words)
        for words in _clauses(text)
    )


def may_contradict(note: str, text: str) -> bool:
    """Return whether a text gives another value of what may be the thing that a note names."""
    read = _read(note)
    is_about = names_a_thing(note) and 2 * _share(read, text) >= len(read.subject) > 0
    return is_about and _gives_another(read, text) and not says_already(note, text)


def _names_more(read: _Note, words: frozenset[str]) -> bool:
    """Return whether a clause names something beside the thing that a note names."""
    return any(_form(word) not in read.forms for word in words - read.subject - read.units - _CHANGING)


def _newest_contradicted(note: str, read: _Note, exchanges: Sequence[str], able: Sequence[int]) -> int | None:
    """Return the newest that gives another value; else the newest that speaks of most that the note names."""
    for place in reversed(able):
        is_about = 2 * _share(read, exchanges[place]) >= len(read.subject) > 0
        if is_about and _gives_another(read, exchanges[place]):
            return place
    about = [place for place in able if newest_about(note, [exchanges[place]]) is not None]
    return next((place for place in reversed(about) if _is_near(read, exchanges[place])), None)


def _is_near(read: _Note, text: str, is_about: bool = True) -> bool:
    """Return whether a text that is about a note does not merely share a word with it."""
    shared = _share(read, text)
    is_chance = shared < min(_NOT_BY_CHANCE, len(read.subject))
    return is_about and (not read.forms or not is_chance or _gives_another(read, text))


def _gives_another(read: _Note, text: str) -> bool:
    return any(read.past & words or _has_form(read, words - read.value) for words in _clauses(text))


def _has_form(read: _Note, words: frozenset[str]) -> bool:
    """Return whether words hold a value of the note's form."""
    return not read.forms.isdisjoint(_form(word) for word in words - read.subject)


def _share(read: _Note, text: str) -> int:
    return len(read.subject & topic_words(text))


@remembered(256)
def _read(note: str) -> _Note:
    past = past_words(note)
    value = frozenset(word for word in specific_words(note) - past if _form(word) != _PLAIN)
    limits = fact_words(note).limits  # "every 15 minutes" and "since Monday" name no thing
    units = topic_words(" ".join(_UNIT.findall(note)))
    named = named_words(note) - value - units - topic_words(" ".join(limits))
    return _Note(subject=named, value=value, past=past, units=units)


def _clauses(text: str) -> Iterator[frozenset[str]]:
    """Yield the words of each clause that states something, without what it calls past."""
    for one in _statements(text):
        past = past_words(one)
        yield from (topic_words(clause) - past for clause in _CLAUSE.split(one))


def _statements(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield from (one for one in split_sentences(line) if not one.rstrip().endswith("?"))


def _form(word: str) -> str:
    return _LETTERS.sub("a", _DIGITS.sub("9", word))

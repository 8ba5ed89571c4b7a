"""Later statements about an answer: the port that it names clashed, the tool that it names was replaced.

The change often shares less with a question than the old answer does, but it names what it changes. So the names and
numbers of the old answer lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.error_signatures import errors_in
from memoro.model.function_words import FUNCTION_WORDS
from memoro.model.said_changes import says_change
from memoro.model.sentences import past_words, topic_words
from memoro.model.statements import only_asks
from memoro.search.answer_kind import holds_what_is_asked
from memoro.unasked.exchanges import Exchange, TurnText, exchanges_of, following
from memoro.unasked.other_values import named_values
from memoro.unasked.shortening import pieces

if TYPE_CHECKING:
    from memoro.model.answers import Match, Where
    from memoro.store.ports import Index

_LOOKED_AT = 24  # passages
_NEXT = 3  # exchanges after an answer that may correct it
_MOST_MARKS = 8
_FEW_WORDS = 8  # of a reply that only puts something else in the place of what it answers
_LONGEST = 240  # characters of what a person says to correct an answer: more is another matter, or a paste
# A mark that more passages hold tells nothing. A plain name must be rarer: German nouns begin with a capital too.
_COMMON, _LEAST_COMMON = 0.06, 6
_COMMON_VALUE = 0.15  # the same for a value of what is asked for: it may occur elsewhere with another meaning
_MOST_OF_NAME = 8
_CODE = re.compile(r"`([^`\n]{2,60})`")
_NUMBER = re.compile(r"(?<![\w.])v?\d[\d.,:/-]*\d(?![\w])")
_ANY_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*")
_IDENTIFIER = re.compile(r"\b\w*[a-z][A-Z]\w*|\b\w+_\w+\b|\b[A-Z][A-Z0-9]+\b")
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÄÖÜÉÀ-Þ][\w&+#.-]*[\w+#]")
_FIRST = re.compile(r"(?:^|(?<=[.!?:] ))([A-Z][\w+#.-]*[\w+#])(?= (?:\d|is|was|has|can|by|for|it|[A-Z]))")

_FORMS = {
    "a dotted name": re.compile(
        r"(?<![\w/@.-])(?:[a-z0-9-]+\.)+(?:[a-z]{2,6})(?::\d+)?(?![\w(/.-]*\w)", re.IGNORECASE
    ),
    "an address": re.compile(r"\b[a-z]{3,8}://\S+|\b\d+\.\d+\.\d+\.\d+\b"),
}
# The reply to a change that does not say so itself: "a bit mean, 130" – "Changed in the config".
_CHANGED = re.compile(
    r"\W*(?:(?:done|ok|okay|erledigt)\W+)?(?:changed|updated|adjusted|raised|lowered|increased|reduced|set to"
    r"|moved to|geändert|angepasst|umgestellt|erhöht|gesenkt|verkürzt|verlängert|verschoben|aktualisiert)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;]\s+|\s(?:and|but|und|aber)\s")
_NAMED_NUMBER = re.compile(r"(?:\b([^\W\d_]{2,}) )?(?<![\w.])\d(?:[\d.,]*\d)?(?: ?([^\W\d_]+))?")


class Mark(NamedTuple):
    """A word or a piece of code that tells a statement from others."""

    text: str
    is_name: bool  # it may also be a plain noun


class FollowUp(NamedTuple):
    """A later exchange that changes or goes on with what an answer says."""

    exchange: Exchange
    replaces: bool  # it says that what the answer names is past


def marks_of(text: str) -> tuple[Mark, ...]:
    """Return the names, numbers and pieces of code that tell a statement from others."""
    sure = [one for pattern in (_CODE, _NUMBER, _IDENTIFIER) for one in pattern.findall(text)]
    names = [one for pattern in (_FIRST, _NAME) for one in pattern.findall(text)]
    found: dict[str, Mark] = {}
    for one, is_name in [*((one, False) for one in sure), *((one, True) for one in names)]:
        bare = one.strip(".,").lower()
        if len(bare) > 1 and bare not in FUNCTION_WORDS:
            found.setdefault(bare, Mark(bare, is_name))
    return tuple(found.values())[:_MOST_MARKS]


def forms_of(text: str) -> frozenset[str]:
    """Return the forms of the values in a text: a dotted name, an address, the word before or after a number."""
    found = {form for form, pattern in _FORMS.items() if pattern.search(text)}
    named = {word for match in _NAMED_NUMBER.finditer(text.lower()) for word in match.groups() if word}
    return frozenset(found | named - FUNCTION_WORDS)


class AnswerValues(NamedTuple):
    """The rare marks of an answer that a message does not name itself."""

    asked: list[str]  # in a clause that holds a word of the message
    others: list[str]


def values_of(index: Index, answer: Exchange, information: Mapping[str, float]) -> AnswerValues:
    """Return what tells an answer from others: in "cuts at 20, drops reads below 50", the reads have one of two."""
    marks = dict.fromkeys(mark for turn in answer.turns for mark in marks_of(turn.text))
    terms = {mark: index.terms(mark.text) for mark in marks}
    statistics = index.statistics([term for own in terms.values() for term in own])
    clauses = [part for turn in answer.turns for one in pieces(turn.text) for part in _CLAUSE.split(one.text)]
    about = [clause for clause in clauses if any(stem in information for stem in index.stems(clause))]
    asked = {mark for mark in marks if any(names(clause, [mark.text]) for clause in about)}

    def is_rare(mark: Mark) -> bool:
        share = _COMMON_VALUE if mark in asked else _COMMON
        limit = _MOST_OF_NAME if mark.is_name else max(_LEAST_COMMON, share * statistics.chunks)
        counts = [statistics.frequencies[term.stem] for term in terms[mark]]
        is_named = any(term.stem in information for term in terms[mark])
        return bool(counts) and 1 < min(counts) <= limit and not is_named

    rare = [mark for mark in marks if is_rare(mark)]
    return AnswerValues(
        asked=[mark.text for mark in rare if mark in asked], others=[mark.text for mark in rare if mark not in asked]
    )


def follow_ups(
    index: Index, answer: Exchange, message: str, where: Where, information: Mapping[str, float]
) -> list[FollowUp]:
    """Return later exchanges that say what became of something the answer names.

    First those that take up a value of what the message asks for: those that change it, and what corrects those that
    only repeat it. "Rows A and H rise at 37 degrees" repeats the temperature of an assay, and "30 degrees instead"
    follows. Then those with a word of the message, then the newest.
    """
    values = values_of(index, answer, information)

    def is_about(exchange: Exchange) -> bool:
        return any(stem in information for turn in exchange.turns for stem in index.stems(turn.text))

    naming = _naming_later(index, answer, values, where)
    found = _changing(naming, [*values.asked, *values.others], is_about, message)
    direct = [one for one in found if _names_any(one.exchange, values.asked)]
    repeated = {one.chunks: one for one in naming.values() if _names_any(one, values.asked)}.values()
    corrected = [
        later
        for one in sorted(repeated, key=_place, reverse=True)
        for later in corrections(index, one, message, information)
        if _has_form_of(later.exchange, one, values.asked)
    ]
    return [*direct, *corrected, *(one for one in found if one not in direct)]


def _names_any(exchange: Exchange, values: Sequence[str]) -> bool:
    return any(names(turn.text, values) for turn in exchange.turns)


def _has_form_of(later: Exchange, earlier: Exchange, values: Sequence[str]) -> bool:
    """Return whether the person then named a value of the form of one of these: "30 degrees" after "37 degrees"."""
    clauses = [part for turn in earlier.turns for one in pieces(turn.text) for part in _CLAUSE.split(one.text)]
    forms = {form for clause in clauses if names(clause, values) for form in forms_of(clause)}
    return later.said is not None and not forms.isdisjoint(forms_of(later.said.text))


def _naming_later(index: Index, answer: Exchange, values: AnswerValues, where: Where) -> dict[int, Exchange]:
    """Return the later exchanges that name a value of an answer, by their chunks."""
    looked_up = [[term for one in own for term in index.terms(one)] for own in values]
    matches = [one for terms in looked_up if terms for one in index.match(terms, where, _LOOKED_AT)]
    later = {one.chunk: one for one in matches if one.passage.speaker and _is_later(one, answer)}
    return exchanges_of(index, {n: one.passage for n, one in later.items()})


def corrections(index: Index, answer: Exchange, message: str, information: Mapping[str, float]) -> list[FollowUp]:
    """Return the next exchanges in which the person changed what the answer says, the last first.

    "Launch moves to the 24th" after "go-live stays on Friday?" shares no word with a question about it, but stands
    right behind it, says that something is different, and holds what is asked for: a date. In "let's move to our own:
    mq.example.net" it is a value of the same form as one in the answer. Of "a bit mean, 130", the reply says it:
    "changed".
    """
    found = []
    forms = frozenset(form for turn in answer.answers for form in forms_of(turn.text))
    numbers = [mark.text for turn in answer.turns for mark in marks_of(turn.text) if mark.text[:1].isdigit()]
    for place, one in enumerate(following(index, answer, _NEXT)):
        said = one.said.text if one.said else ""
        if len(said) > _LONGEST or errors_in(said):
            continue
        if place == 0 and _overrides(index, one, answer):
            found.append(FollowUp(one, replaces=False))
            continue
        changes = [text.text for text in pieces(said) if not text.code and says_change(text.text)]
        is_about = any(stem in information for text in changes for stem in index.stems(text))
        is_answer = any(holds_what_is_asked(text, message) or forms & forms_of(text) for text in changes)
        is_confirmed = holds_what_is_asked(said, message) and any(map(_confirms_change, one.answers))
        if is_confirmed or _other_number(said, numbers) or (changes and (is_about or is_answer)):
            found.append(FollowUp(one, replaces=False))
    return _of_one_matter(index, answer, found)[::-1]


def _of_one_matter(index: Index, answer: Exchange, found: Sequence[FollowUp]) -> list[FollowUp]:
    """Leave out what changes another matter, where the reply right behind the answer changes it already.

    After "keep it for 120 days" and "no, leave it at 90", "set the alarm to 14 degrees" is about something else.
    """
    if not found or found[0].exchange.chunks != following(index, answer, 1)[0].chunks:
        return list(found)
    known = _topics(index, "\n".join(turn.text for one in (answer, found[0].exchange) for turn in one.turns))
    said = (one.exchange.said.text if one.exchange.said else "" for one in found)
    return [one for one, text in zip(found, said, strict=True) if one is found[0] or known & _topics(index, text)]


def _confirms_change(answer: TurnText) -> bool:
    """Return whether an answer begins by saying that it changed something: so the message was a change."""
    return _CHANGED.match(answer.text) is not None


def _overrides(index: Index, reply: Exchange, answer: Exchange) -> bool:
    """Return whether a few words right behind an answer put something else in its place: "1200" after "1600 px".

    It is another number of the same form, or the assistant then says that it changed what it had spoken of: "after
    the destination then" – "Changed to acknowledge after the destination".
    """
    said = reply.said.text if reply.said else ""
    if not answer.answers or len(said.split()) > _FEW_WORDS or only_asks(said):
        return False
    before = "\n".join(turn.text for turn in answer.answers)
    after = "\n".join([said, *(turn.text for turn in reply.answers)])
    known, told, values = named_values(before), named_values(after), named_values(said)
    if values and known and known.keys().isdisjoint(values):
        return any(told[value] & forms for value in values for forms in known.values())
    return any(map(_confirms_change, reply.answers)) and not _topics(index, before).isdisjoint(_topics(index, after))


def _topics(index: Index, text: str) -> set[str]:
    return {term.stem for term in index.terms(text) if term.word.lower() not in FUNCTION_WORDS}


def _is_later(one: Match, answer: Exchange) -> bool:
    last = answer.turns[-1].passages[-1]
    passage = one.passage
    if passage.path == last.path:
        return passage.start_line > last.start_line
    return (passage.date or "") > (last.date or "")


def _changing(
    exchanges: Mapping[int, Exchange], marks: Sequence[str], is_about: Callable[[Exchange], bool], message: str
) -> list[FollowUp]:
    """Those that say a change of what a mark names; first those that also hold a word of the message, the newest."""
    found: list[FollowUp] = []
    for exchange in {one.chunks: one for one in exchanges.values()}.values():
        texts = [piece.text for turn in exchange.turns for piece in pieces(turn.text) if not piece.code]
        naming = [text for text in texts if names(text, marks)]
        is_answered = any(holds_what_is_asked(text, message) for text in texts)
        if _said_of(exchange, marks) or any(says_change(text) or is_answered for text in naming):
            replaces = any(past_words(text) & topic_words(" ".join(marks)) for text in naming)
            found.append(FollowUp(exchange, replaces))
    return sorted(found, key=lambda one: (is_about(one.exchange), _moment(one)), reverse=True)


def _said_of(exchange: Exchange, marks: Sequence[str]) -> bool:
    """Return whether the person names a mark and changes something: in any sentence, or by another number.

    "0.25 is ridiculous, I have to sign that. 0.1"
    """
    said = exchange.said.text if exchange.said else ""
    if not said or len(said) > _LONGEST or not names(said, marks):
        return False
    sentences = [piece.text for piece in pieces(said) if not piece.code]
    return any(map(says_change, sentences)) or _other_number(said, marks)


def _other_number(said: str, marks: Sequence[str]) -> bool:
    """Return whether a number that is a mark is named beside one that is none."""
    numbers = _numbers_in(said)
    known = {number for number in numbers if number in marks}
    return bool(known) and bool(numbers - known)


def _numbers_in(text: str) -> set[str]:
    return {found.strip(".,") for found in _ANY_NUMBER.findall(text)}


def names(text: str, marks: Sequence[str]) -> bool:
    """Return whether a sentence names one of the marks, as a whole word."""
    lower = text.lower()
    return any(mark in lower and _is_whole(mark, lower) for mark in marks)


def _is_whole(mark: str, text: str) -> bool:
    at = text.find(mark)
    before, after = text[:at][-1:], text[at + len(mark) :][:1]
    return not (before.isalnum() or (before in "-_/" and before)) and not (
        after.isalnum() or (after in "-_/" and after)
    )


def _moment(one: FollowUp) -> tuple[str, int]:
    return _place(one.exchange)


def _place(exchange: Exchange) -> tuple[str, int]:
    passage = exchange.turns[-1].passages[-1]
    return passage.date or "", passage.start_line

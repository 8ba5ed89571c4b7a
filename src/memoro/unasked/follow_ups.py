"""What was said later about an answer: the port that it names clashed, the tool that it names was replaced.

The change often shares less with a question than the old answer does, but it names what it changes. So the names and
numbers of the old answer lead to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.said_changes import says_change
from memoro.model.sentences import past_words, topic_words
from memoro.search.signals import cue
from memoro.unasked.exchanges import Exchange, exchanges_of, following
from memoro.unasked.shortening import pieces

if TYPE_CHECKING:
    from memoro.model.answers import Match, Where
    from memoro.store.ports import Index

_LOOKED_AT = 24  # passages
_NEXT = 3  # exchanges after an answer that may correct it
_MOST_MARKS = 8
# A mark that more than this share of all passages hold tells nothing.
_COMMON = 0.06
_LEAST_COMMON = 6
_CODE = re.compile(r"`([^`\n]{2,60})`")
_NUMBER = re.compile(r"(?<![\w.])v?\d[\d.,:/-]*\d(?![\w])")
_NAME = re.compile(r"(?<=[\w,;:)] )[A-ZÄÖÜÉÀ-Þ][\w&+#.-]*[\w+#]|\b\w*[a-z][A-Z]\w*|\b\w+_\w+\b|\b[A-Z]{2,}\b")
_FIRST = re.compile(r"(?:^|(?<=[.!?:] ))([A-Z][\w+#.-]*[\w+#])(?= (?:\d|is|was|has|can|by|for|it|[A-Z]))")


class FollowUp(NamedTuple):
    """A later exchange that changes or goes on with what an answer says."""

    exchange: Exchange
    match: Match
    replaces: bool  # it says that what the answer names is past


def marks_of(text: str) -> tuple[str, ...]:
    """Return the names, numbers and pieces of code that tell a statement from others."""
    found = [*_CODE.findall(text), *_NUMBER.findall(text), *_NAME.findall(text), *_FIRST.findall(text)]
    return tuple(dict.fromkeys(one.strip(".,") for one in found if len(one.strip(".,")) > 1))[:_MOST_MARKS]


def follow_ups(index: Index, answer: Exchange, where: Where, information: Mapping[str, float]) -> list[FollowUp]:
    """Return later exchanges about what the answer names, the newest first."""
    marks = [mark for turn in answer.turns for mark in marks_of(turn.text)]
    terms = [term for mark in marks for term in index.terms(mark)]
    if not terms:
        return []
    statistics = index.statistics(terms)
    most = max(_LEAST_COMMON, _COMMON * statistics.chunks)
    rare = [term for term in terms if 1 < statistics.frequencies[term.stem] <= most and term.stem not in information]
    if not rare:
        return []
    found = index.match(rare, where, _LOOKED_AT)
    later = {one.chunk: one for one in found if one.passage.speaker and _is_later(one, answer)}
    exchanges = exchanges_of(index, {n: one.passage for n, one in later.items()})
    known = {term.stem for term in rare}
    rare_marks = [mark.lower() for mark in marks if known.issuperset(index.stems(mark))]
    return _chosen(later, exchanges, rare_marks, index, information)


def corrections(index: Index, answer: Exchange, message: str, information: Mapping[str, float]) -> list[Exchange]:
    """Return the next exchanges in which the person changed what the answer says, the last first.

    "Launch moves to the 24th" after "go-live stays on Friday?" shares no word with a question about it, but stands
    right behind it, says that something is different, and holds what is asked for: a date.
    """
    is_answer = cue(message)
    found = []
    for one in following(index, answer, _NEXT):
        said = one.said.text if one.said else ""
        changes = [text.text for text in pieces(said) if not text.code and says_change(text.text)]
        is_about = any(stem in information for text in changes for stem in index.stems(text))
        if changes and (is_about or any(is_answer(text) for text in changes)):
            found.append(one)
    return found[::-1]


def _is_later(one: Match, answer: Exchange) -> bool:
    last = answer.turns[-1].passages[-1]
    passage = one.passage
    if passage.path == last.path:
        return passage.start_line > last.start_line
    return (passage.date or "") > (last.date or "")


def _chosen(
    later: Mapping[int, Match],
    exchanges: Mapping[int, Exchange],
    marks: Sequence[str],
    index: Index,
    information: Mapping[str, float],
) -> list[FollowUp]:
    found: dict[tuple[int, ...], FollowUp] = {}
    for chunk, exchange in exchanges.items():
        if exchange.chunks in found:
            continue
        sentences = [piece.text for turn in exchange.turns for piece in pieces(turn.text) if not piece.code]
        naming = [text for text in sentences if _names(text, marks)]
        changes = [text for text in naming if says_change(text)]
        is_about = any(stem in information for text in naming for stem in index.stems(text))
        if changes or is_about:
            replaces = any(past_words(text) & topic_words(" ".join(marks)) for text in changes)
            found[exchange.chunks] = FollowUp(exchange, later[chunk], replaces)
    return sorted(found.values(), key=_moment, reverse=True)


def _names(text: str, marks: Sequence[str]) -> bool:
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
    passage = one.match.passage
    return passage.date or "", passage.start_line

"""The signal `attribute`: a passage states what the question asks for, in other words than the question's own."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.model.answers import Passage
from memoro.model.attributes import AttributeCue, find_asked, find_stated, split
from memoro.model.words import STOP_WORDS

NAMED = 0.25  # what a passage counts that only names the attribute, and may say nothing of it
OTHERS = -0.5  # what a passage counts that states only other attributes
TALK = 0.5  # what a turn of a conversation counts: talk touches much and states little
ABOUT = 2  # attributes that one statement is about; a passage that states more tells less
MOST_WORDS = 3  # of a question, beside its cue and names. One with more asks for something more special
# Words that say nothing about what a question asks for.
_GENERAL = """
    like want know use uses used using currently current now still kind type sort many much long old often new name
    called make take say said day days go going these prefer actually exactly today jetzt noch aktuell gerade
    eigentlich nutzt nutzen hat haben ist sind wird werden der die das den dem ein eine für von mit im in zu wir ich
    er sie es
"""
_SAYS_NOTHING = STOP_WORDS | frozenset(_GENERAL.split())


def attribute(query: str, found: Sequence[Passage]) -> list[float]:
    """For each passage, how surely it states an attribute that the query asks for: from -0.5 to 1.

    Words that the passage shares with the query are counted by other signals, and do not count here.
    """
    asked = find_asked(query)
    if not asked or _other_words(query, asked) > MOST_WORDS:
        return [0.0] * len(found)
    wanted, own = {cue.name for cue in asked}, set(split(query))
    return [_value(passage, wanted, own) for passage in found]


def attribute_of_statement(statement: str, found: Sequence[Passage]) -> list[float]:
    """For each passage, how surely it states an attribute that the statement states too, from 0 to 1.

    One that states others may still be what the statement replaces: a job is told by a title or by an employer.
    """
    stated = {cue.name for cue in find_stated(statement)}
    return [max(0.0, _value(passage, stated, set())) for passage in found] if stated else [0.0] * len(found)


def _value(passage: Passage, wanted: set[str], own: set[str]) -> float:
    stated = find_stated(" ".join((*passage.headings[-1:], passage.text)))
    if not stated:
        return 0.0
    certain = min(1.0, ABOUT / len({cue.name for cue in stated}))
    is_talk = passage.tier == "transcript"
    fitting = [cue for cue in stated if cue.name in wanted]
    if not fitting:
        return 0.0 if is_talk else OTHERS * certain
    told = max((_weight(cue) for cue in fitting if not cue.words <= own), default=0.0)
    return told * certain * (TALK if is_talk else 1.0)


def _weight(cue: AttributeCue) -> float:
    return NAMED if cue.column == "both" else 1.0


def _other_words(query: str, asked: Sequence[AttributeCue]) -> int:
    """How many words of a question are neither general, nor part of its cue, nor names within it."""
    cue = set[str]().union(*(one.words for one in asked))
    names = {word.casefold() for word in query.split()[1:] if word[:1].isupper()}
    names = {part for name in names for part in split(name)}
    words = set(split(query)) - cue - names - _SAYS_NOTHING
    return sum(1 for word in words if len(word) > 1)

"""Statements of which only one can hold. They are listed with both sides; nobody guesses which one is true.

Only where one of them says itself that the other's value is over ("Redis, not Memcached"), a change is suggested.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memoro.config.settings import CurateSettings
from memoro.curate.planners.wording import quoted_entry, quoted_memory
from memoro.curate.snapshot.state import CuratedEntry, CuratedMemory, CuratedState, entry_name, memory_name
from memoro.model.attributes import stated_attributes
from memoro.model.local_time import local_day
from memoro.model.memories import UNTRUSTED, dated, entry_of_memory, may_supersede
from memoro.model.proposals import Evidence, RetireEntry, Suggestion, SupersedeMemory
from memoro.model.same_fact import fact_words, is_contained, repeats
from memoro.model.sentences import past_words, read_sentence, topic_words
from memoro.search.compared_statements import Moment, Statement, ends, only_ends, specific_words
from memoro.search.slots import differing_slots

_LEAST_SHARED = 2  # content words that two statements about one thing share
_SAID = 0.85  # how sure, where a statement says itself that another is over
# What may be said of several things: whoever likes one may like another.
_SEVERAL = re.compile(
    r"(?i)\b(?:likes?|loves?|enjoys?|hates?|knows?|speaks?|plays?|owns?|has|have|reads?|visited|also|mag|liebt|kennt"
    r"|spricht|spielt|hat|haben|auch)\b|喜欢|会|有"
)
# Where a statement has said what it is about, and begins to tell something about it.
_VERB = re.compile(
    r"(?i)(?<=\w) (?:is|are|was|has|listens?|runs?|uses?|costs?|lives?|works?|starts?|begins?|opens?|closes?"
    r"|takes?|lasts?"
    r"|needs?|goes|go|leads?|owns?|moved|must|should|ist|sind|hat|läuft|laufen|kostet|wohnt|lebt|arbeitet"
    r"|beginnt|öffnet"
    r"|dauert|braucht|heißt|liegt|nutzt|verwendet|leitet|muss|soll)\b|(?<=\w)[:：]|是|在|叫|用"
)
_LONGEST = 300  # characters of a statement that is compared


class Contradiction(NamedTuple):
    """Two statements of which perhaps only one holds, the newer first where that is known."""

    one: Evidence
    other: Evidence
    why: str
    names: tuple[str, str]  # as `texts_of_state` names them
    is_said: bool = False  # the first says itself that the other does not hold


def find(state: CuratedState) -> list[Contradiction]:
    """Return the pairs of near statements that seem to exclude each other."""
    known = {entry_name(one): one for one in state.entries} | {
        memory_name(one): one for one in state.memories if entry_of_memory(one.memory) is None
    }
    found: list[Contradiction] = []
    for pair in state.alike:
        first, second = known.get(pair.one), known.get(pair.other)
        if first is None or second is None or not _share_audience(first, second):
            continue
        newer, older = _ordered(first, second)
        why = why_excluded(_text(newer), _text(older), pair.cosine)
        if why is not None:
            names = (pair.one, pair.other) if newer is first else (pair.other, pair.one)
            is_said = is_over_by(_text(newer), _text(older))
            found.append(
                Contradiction(one=_quoted(newer), other=_quoted(older), why=why, names=names, is_said=is_said)
            )
    return found


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    """Suggest a change where a newer memory says itself that an older statement is over."""
    entries = {entry_name(one): one for one in state.entries}
    memories = {memory_name(one): one for one in state.memories}
    suggestions: list[Suggestion] = []
    for one in find(state):
        newer = memories.get(one.names[0])
        if not one.is_said or newer is None or newer.memory.trust in UNTRUSTED:
            continue
        older, entry = memories.get(one.names[1]), entries.get(one.names[1])
        said = f"memory:{newer.memory.id} of {local_day(dated(newer.memory))} says that this has ceased to hold."
        if entry is not None:
            change: RetireEntry | SupersedeMemory = RetireEntry(id=entry.id, path=entry.path, text=entry.text)
        elif older is not None and may_supersede(newer.memory.trust, older.memory.trust):
            change = SupersedeMemory(old=older.memory.id, new=newer.memory.id, was=older.memory.content)
        else:
            continue
        quotes = (one.one, one.other)
        suggestions.append(Suggestion(change=change, evidence=quotes, origin="tidy", score=_SAID, reason=said))
    return suggestions


def why_excluded(newer: str, older: str, cosine: float) -> str | None:
    """Say why two near statements may exclude each other; None where nothing tells so."""
    if len(newer) > _LONGEST or len(older) > _LONGEST or repeats(newer, older, cosine):
        return None
    one, other = fact_words(newer), fact_words(older)
    shared = frozenset(one.topics) & frozenset(other.topics)
    if len(shared) < _LEAST_SHARED or not (_holds(newer) and _holds(older)):
        return None
    if is_over_by(newer, older):
        return "one says that the other has ceased to hold"
    if one.topics == other.topics and one.denials % 2 != other.denials % 2:
        return "one denies what the other says"
    if is_contained(newer, older, 1.0) or is_contained(older, newer, 1.0):
        return None
    slots = differing_slots(older, newer)
    if len(slots) != 1 or not _have_one_subject(newer, older):
        return None
    has_numbers = one.numbers != other.numbers and bool(one.numbers) and bool(other.numbers)
    has_name = not slots[0].new.isdisjoint(specific_words(newer)) and not _SEVERAL.search(newer)
    if has_numbers or (has_name and stated_attributes(newer) & stated_attributes(older)):
        return "both tell the same thing with another value"
    return None


def _have_one_subject(newer: str, older: str) -> bool:
    """Return whether two statements are about one thing: "room 4 is blue" and "room 5 is red" are not."""
    subjects = [text[: found.start()] for text in (newer, older) if (found := _VERB.search(text))]
    if len(subjects) < 2:
        return False
    one, other = map(fact_words, subjects)
    return (one.topics, one.numbers) == (other.topics, other.numbers) and bool(one.topics)


def is_over_by(newer: str, older: str) -> bool:
    """Return whether a statement says that the value of another has ceased to hold."""
    if not past_words(newer) or not _holds(newer):
        return False
    later, earlier = _statement(newer), _statement(older)
    is_named = not past_words(newer).isdisjoint(specific_words(older) | specific_words(newer))
    return is_named and ends(later, earlier) and not ends(earlier, later) and len(later.words & earlier.words) >= 2


def tells_no_new_value(text: str) -> bool:
    """Return whether a statement only says what is over."""
    return only_ends(_statement(text))


def _statement(text: str) -> Statement:
    return Statement(
        text=text,
        words=topic_words(text),
        attributes=stated_attributes(text),
        said=Moment(day=None, path="", line=0),
        total=0.0,
    )


def _holds(text: str) -> bool:
    reading = read_sentence(text)
    return reading.states and not reading.happened


def _text(one: CuratedEntry | CuratedMemory) -> str:
    return one.text if isinstance(one, CuratedEntry) else one.memory.content


def _quoted(one: CuratedEntry | CuratedMemory) -> Evidence:
    return quoted_entry(one) if isinstance(one, CuratedEntry) else quoted_memory(one.memory)


def _ordered(
    first: CuratedEntry | CuratedMemory, second: CuratedEntry | CuratedMemory
) -> tuple[CuratedEntry | CuratedMemory, CuratedEntry | CuratedMemory]:
    """The two with the newer first. Of an entry nobody knows when it was written: a memory counts as newer."""
    match first, second:
        case CuratedMemory(memory=one), CuratedMemory(memory=other):
            return (first, second) if (dated(one), one.id) >= (dated(other), other.id) else (second, first)
        case CuratedEntry(), CuratedMemory():
            return second, first
    if isinstance(first, CuratedEntry) and isinstance(second, CuratedEntry) and is_over_by(second.text, first.text):
        return second, first
    return first, second


def _share_audience(first: CuratedEntry | CuratedMemory, second: CuratedEntry | CuratedMemory) -> bool:
    match first, second:
        case CuratedMemory(memory=one), CuratedMemory(memory=other):
            return (one.project, one.agent) == (other.project, other.agent)
        case (CuratedMemory(memory=one), CuratedEntry()) | (CuratedEntry(), CuratedMemory(memory=one)):
            return one.project is None and one.agent is None  # what holds in a project may be an exception
    return True

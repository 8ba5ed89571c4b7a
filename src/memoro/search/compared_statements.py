"""Statements as they are compared: which is newer, which ends, repeats or may displace another."""

import re
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.memories import UNTRUSTED, may_supersede
from memoro.model.remembered import remembered
from memoro.model.sentences import past_words, read_sentence, topic_words
from memoro.search.slots import Slot, differing_slots

if TYPE_CHECKING:
    from memoro.model.vocabulary import Trust

MOSTLY = 0.6  # the share of a value's words that a statement without names and numbers must hold to have that value
_SPECIFIC = re.compile(
    r"[^\W_]*\d[\w./:,-]*\w|\d|[^\W_]+(?:[-_./:@+][^\W_]+)+|(?<![.!?:] )(?<!^)\b[A-Z]\w+|(?<=\b[DMS]r\. )[A-Z]\w+"
)


class Moment(NamedTuple):
    """When something was said: the day, and the place in its file, where lower is later.

    A line of a note without a date may be as old as the note or as young as its last change.
    """

    day: str | None
    path: str
    line: int
    version: tuple[int, ...] = ()  # that the heading above names: change logs begin with the newest
    written: str | None = None  # without a day: when the file was last changed
    stored: int = 0  # the number of a memory: of one day, the higher was stored later
    section: tuple[str, ...] = ()  # the headings above it


class Statement(NamedTuple):
    """A candidate, or that line of it which answers the query, as it is compared with others."""

    text: str
    words: frozenset[str]  # content words, without those of the subject
    attributes: frozenset[str]
    said: Moment
    total: float
    trust: "Trust | None" = None  # of a memory
    outdated: bool = False  # its note says that it does not hold, or the ledger
    ended: bool = False  # the ledger says so


def is_later(one: Moment, other: Moment) -> bool:
    """Return whether something was surely said later. Within a section, lower is later where no dates tell.

    The sections of a note are parts of one text; only a date or a version above one tells which came later.
    """
    if one.path == other.path and (one.day == other.day or one.day is None or other.day is None):
        if one.version and other.version and one.version != other.version:
            return one.version > other.version
        return one.line > other.line and (one.section == other.section or one.day != other.day)
    before = other.day or other.written
    return one.day is not None and before is not None and one.day > before


def may_displace(newer: "Trust | None", older: "Trust | None") -> bool:
    """Return whether the trust suffices: among memories equal or higher; nothing untrusted displaces a note."""
    if newer is not None and older is not None:
        return may_supersede(newer, older)
    return newer not in UNTRUSTED


def is_newer(one: Statement, other: Statement) -> bool:
    """Return whether a statement is newer: by its date, or else by its words.

    Of two memories of one day the later is newer if it speaks of a change: what is stored together often belongs
    together. So is the lower of two sections of a note. A memory in the words of another but for one name or number
    is newer too. Without dates, the one that calls the other's value past is newer; and one that has a date and
    speaks of a change is newer than an undated line that does not.
    """
    if is_later(one.said, other.said):
        return True
    if is_later(other.said, one.said) or ends(other, one):
        return False
    if one.said.day == other.said.day and _is_listed_after(one.said, other.said):
        return read_sentence(one.text).changes or ends(one, other) or has_other_value(one, other)
    return ends(one, other) or (
        one.said.day is not None
        and other.said.day is None
        and read_sentence(one.text).changes
        and not read_sentence(other.text).changes
    )


def _is_listed_after(one: Moment, other: Moment) -> bool:
    return one.stored > other.stored > 0 or (one.path == other.path and one.line > other.line)


@remembered(1024)
def specific_words(text: str) -> frozenset[str]:
    """The words of names and numbers in a text."""
    return frozenset(word for part in _SPECIFIC.findall(text) for word in topic_words(part))


def ends(newer: Statement, older: Statement) -> bool:
    """Return whether a statement says that the value of another has ceased to hold."""
    past = past_words(newer.text)
    if not past:
        return False
    ended = past_words(older.text)
    if named := specific_words(older.text) & older.words:
        return not past.isdisjoint(named - ended)
    return len(past & (older.words - ended)) >= MOSTLY * len(past)  # a verb alone is no value


def only_ends(one: Statement) -> bool:
    """Return whether a statement says what has ceased to hold and tells no new value: "we no longer use Jenkins"."""
    past = past_words(one.text)
    return bool(past) and (specific_words(one.text) & one.words or one.words) <= past


def slots_between(old: Statement, new: Statement) -> tuple[Slot, ...]:
    """Where two sentences of one pattern differ. The name of the subject alone is no pattern."""
    return differing_slots(old.text, new.text) if old.words & new.words else ()


def has_other_value(newer: Statement, older: Statement) -> bool:
    """Return whether the newer memory tells the same attribute in the same words, but for one name or number."""
    are_memories = older.said.stored > 0
    slots = slots_between(older, newer) if are_memories and newer.attributes & older.attributes else ()
    return len(slots) == 1 and not slots[0].new.isdisjoint(specific_words(newer.text))


def repeats(newer: Statement, older: Statement) -> bool:
    """Return whether the newer one only says the same again, with a detail more or less."""
    if newer.words <= older.words:
        return True
    return older.words <= newer.words and past_words(newer.text).isdisjoint(older.words)


def shares_value(old: Statement, new: Statement, past: frozenset[str] = frozenset()) -> bool:
    """Return whether the two may say the same: a repetition or a detail more replaces nothing."""
    if old.words <= new.words or new.words <= old.words:
        return True
    named, renamed = specific_words(old.text) & old.words, specific_words(new.text) & new.words
    return not (named & renamed).isdisjoint(named - past)

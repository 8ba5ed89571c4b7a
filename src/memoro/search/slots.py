"""Two sentences of one pattern: which words of one stand in the place of others in the other."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from memoro.model.remembered import remembered
from memoro.model.sentences import read_sentence, topic_words

_LONGEST = 2  # words of a slot; more are another sentence rather than another value
_CHANGE = frozenset(("now", "new", "currently", "jetzt", "nun", "neu", "neue", "neuer"))  # tell when, and no value
_CALENDAR = topic_words(
    "January February March April May June July August September October November December Januar Februar März Mai "
    "Juni Juli Oktober Dezember Monday Tuesday Wednesday Thursday Friday Saturday Sunday Montag Dienstag Mittwoch "
    "Donnerstag Freitag Samstag Sonntag today yesterday heute gestern"
)


class Slot(NamedTuple):
    """A place in which two sentences differ: the words of the older and those of the newer."""

    old: frozenset[str]
    new: frozenset[str]


@remembered(1024)
def differing_slots(old: str, new: str) -> tuple[Slot, ...]:
    """Return where two sentences of one pattern differ; nothing if the rest of their words is not the same.

    "Eva owns the billing service" and "Marek now owns the search service" differ in two places.
    """
    one, other = _in_order(old), _in_order(new)
    if len(one) != len(other):
        return ()
    found = []
    for same, pairs in groupby(zip(one, other, strict=True), key=lambda pair: pair[0].stem == pair[1].stem):
        if same:
            continue
        before, after = zip(*pairs, strict=True)
        if len(before) > _LONGEST:
            return ()
        slot = Slot(_stems(before), _stems(after))
        is_change = read_sentence(" ".join(word.text for word in after)).changes
        if not slot.old <= _CALENDAR and not is_change:
            found.append(slot)
    return tuple(found)


class _SlotWord(NamedTuple):
    text: str
    stem: str


def _stems(words: Sequence[_SlotWord]) -> frozenset[str]:
    return frozenset(word.stem for word in words)


def _in_order(text: str) -> list[_SlotWord]:
    """The content words of a text as they stand, without those that tell a change."""
    found = (_SlotWord(part, stem) for part in text.split() for stem in sorted(topic_words(part)))
    return [word for word in found if word.stem not in _CHANGE]

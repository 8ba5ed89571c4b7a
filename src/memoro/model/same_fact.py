"""Whether a statement only repeats another one, so that one of the two can go. Pure; the strictest of three rules.

Planners use it: a mistake here proposes to retire a fact that nothing else says. `curate.judging.restatements`, for
a fact that is told again, allows for a few other words. `model.rewording`, for what a person was asked before, allows
for most: a mistake there costs a proposal or a second question.

Vectors and words tell that two texts are alike, never that they say the same: "tea at four" is near "tea at five".
So all that may differ in meaning must agree: numbers, dates, names, negations, words that limit a statement, and the
order of the words: "Ana reports to Ben" has the words of "Ben reports to Ana".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.model.calendar_words import MONTH_NUMBERS, WEEKDAY_NUMBERS
from memoro.model.personal_names import words_in
from memoro.model.remembered import remembered
from memoro.model.sentences import topic_words
from memoro.model.words import UNSPACED, clean, pairs

REPEATS = 0.75  # the cosine from which texts with the same content words say the same: the little words agree, too
CONTAINS = 0.65  # and from which a text that has all of them, in their order, says what the shorter one says
_DETAIL = 0.5  # the share of the longer text's words that the shorter one must have
_NUMBER = re.compile(r"\d+(?:[.:,/-]\d+)*")
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-ZÄÖÜ][\w'-]*|\b\w+[-_./@+]\w[\w./@+-]*|\b\w*\d\w*\b")
_RUN = re.compile(f"[{UNSPACED}]+")
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]|\[([^\[\]\n]*)\]\([^()\s]*\)|[*_`~]{1,3}|\s\^[\w-]+$")
_DENIAL = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|without|cannot|neither|nor|avoid|stop|nicht|nie|niemals|kein\w*|ohne"
    r"|nichts)\b|n['’]t\b|[不没別别未勿無无非]",
    re.IGNORECASE,
)
# Words that count, limit, reverse or date a statement: where only one of two texts has one, they differ.
_LIMITS = (
    words_in(
        "only except unless if when until before after since instead former formerly previously old new now always "
        "sometimes usually must may might should could would more less most least above below over under up down on "
        "off in out left right morning evening noon night weekly daily monthly yearly both all some any every each "
        "also too was were had used one two three four five six seven eight nine ten twelve once twice double half "
        "first second third last none from to than"
    )
    | words_in(
        "nur außer wenn falls bis vor nach seit statt früher alt neu jetzt immer manchmal meist muss darf soll kann "
        "mehr weniger über unter auf links rechts morgens abends mittags nachts wöchentlich täglich monatlich beide "
        "alle einige jede auch war waren hatte eins zwei drei vier fünf sechs sieben acht neun zehn zwölf einmal "
        "zweimal doppelt halb erste zweite dritte von als"
    )
    | frozenset(MONTH_NUMBERS)
    | frozenset(WEEKDAY_NUMBERS)
)
# Words that weaken a statement, or say how often it holds. They are content words, too.
_QUALIFIERS = words_in(
    "till unlike against often rarely seldom mostly mainly about almost nearly maximum minimum temporarily maybe "
    "perhaps probably still already again anymore longer but fewer "
    "noch bevor meistens oft selten fast etwa ungefähr mindestens höchstens erst zuletzt vorübergehend vielleicht "
    "wohl wieder sondern aber"
)
_UNSPACED_QUALIFIERS = re.compile("只|仅|僅|除|若|如果|总|總|常|偶尔|有时|从来|曾|可能|也许|大约|最|前|后|再|更")


class FactWords(NamedTuple):
    """What must agree where two statements are to say the same, and the words that may differ."""

    topics: tuple[str, ...]  # content words in their order
    numbers: frozenset[str]
    names: frozenset[str]
    limits: frozenset[str]
    qualifiers: tuple[str, ...]
    denials: int
    all: frozenset[str]  # every word


@remembered(8192)
def fact_words(text: str) -> FactWords:
    """Read a statement as it is compared."""
    said = bare(text)
    words = [word.lower() for word in _WORD.findall(said)]
    names = frozenset(name.lower() for name in _NAME.findall(said))
    return FactWords(
        topics=_topics(said),
        numbers=frozenset(_NUMBER.findall(said)),
        names=names,
        limits=_LIMITS.intersection(words),
        qualifiers=tuple(sorted([*_QUALIFIERS.intersection(words), *_UNSPACED_QUALIFIERS.findall(said)])),
        denials=len(_DENIAL.findall(said)),
        all=frozenset((*words, *names)),
    )


def _topics(said: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for part in said.split():
        if runs := _RUN.findall(part):
            found.update(dict.fromkeys(pair for run in runs for pair in pairs(run, ends=False)))
        found.update(dict.fromkeys(sorted(topic_words(_RUN.sub(" ", part)) - _LIMITS)))
    return tuple(found)


@remembered(8192)
def bare(text: str) -> str:
    """Return a statement without marks for the eye: links as the words that they show, no emphasis, no final dot."""
    shown = _MARKS.sub(lambda found: found[1] or found[2] or "", clean(text))
    return " ".join(shown.split()).strip(" .!;。！；")


def is_same_text(one: str, other: str) -> bool:
    """Return whether two statements have the same words, whatever their case, spacing and marks."""
    return bare(one).casefold() == bare(other).casefold()


def repeats(one: str, other: str, cosine: float) -> bool:
    """Return whether each of two statements says what the other says, as far as words and vectors tell."""
    if is_same_text(one, other):
        return True
    first, second = fact_words(one), fact_words(other)
    return (
        bool(first.topics) and first.topics == second.topics and have_same_values(first, second) and cosine >= REPEATS
    )


def have_same_values(first: FactWords, second: FactWords) -> bool:
    """Return whether numbers, names, limits, qualifiers and denials of two statements agree."""
    return (
        first.numbers == second.numbers
        and _are_limited_alike(first, second)
        and first.names <= second.all
        and second.names <= first.all
    )


def _are_limited_alike(first: FactWords, second: FactWords) -> bool:
    return first.limits == second.limits and first.qualifiers == second.qualifiers and first.denials == second.denials


def is_contained(shorter: str, longer: str, cosine: float) -> bool:
    """Return whether one statement is said whole within another, which adds a detail and limits nothing."""
    few, many = fact_words(shorter), fact_words(longer)
    if not few.topics or len(few.topics) >= len(many.topics) or len(few.topics) < _DETAIL * len(many.topics):
        return False
    return (
        _are_in_order(few.topics, many.topics)
        and _are_limited_alike(few, many)
        and few.numbers <= many.numbers
        and few.names <= many.all
        and cosine >= CONTAINS
    )


def has_moved_phrase(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether a phrase at one end of a statement stands at the other end of another: "On Mondays I swim"."""
    return any([*words[place:], *words[:place]] == [*others] for place in range(len(words)))


def _are_in_order(few: tuple[str, ...], many: tuple[str, ...]) -> bool:
    left = iter(many)
    return all(word in left for word in few)

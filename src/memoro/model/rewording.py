"""Whether two short statements are wordings of one. Pure rules, for English, German and Chinese.

The gate uses it, so that a person is not asked again what waits or was rejected. It is the least strict of three
rules: a mistake costs a proposal or a second question, and no fact. `model.same_fact` and
`curate.judging.restatements` decide whether a fact may go or need not be kept.

A value that differs makes another statement, however alike the words are: "tea at four" and "tea at five". So what
each text has beyond the other decides, and not how much they share.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memoro.model.remembered import remembered
from memoro.model.same_fact import has_moved_phrase
from memoro.model.words import STOP_WORDS, UNSPACED

Cosine = Callable[[str, str], float]  # of the vectors of two texts

_SHARED = 0.5  # of the words of both: the least that two wordings of one statement share
_REARRANGED = 0.8  # the cosine from which texts of another build may differ by a word on each side
_UNLIKE = 0.5  # the cosine below which texts are about different things, whatever words they share
_STEM = 5  # letters that two forms of one word share: allergic, allergy
_WORD = re.compile(rf"[{UNSPACED}]|[^\W\d_{UNSPACED}]+(?:[-_./@+][^\W_]+)*|\d+(?:[.:,/-]\d+)*")
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|ed|es|s|en|em|er|e|n|t)$")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_CONTRACTED = re.compile(r"\b(?:I['’]m|(\w+)['’](?:re|ve|ll|d))\b")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|without|cannot|avoid|stop|nicht|nie|niemals|keine?[nmrs]?|ohne|kein)\b"
    r"|n['’]t\b|[不没别未勿]",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:instead of|rather than|over|anstatt|statt|anstelle von)\s+(?:the |a |an |der |die |das )?"
)
_SPECIFIC = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z]\w+")
# Where one text has the one and the other text the other, they differ: "before lunch", "after lunch".
_OPPOSITES = (
    ("before", "after"), ("above", "below"), ("up", "down"), ("on", "off"), ("more", "less"), ("most", "least"),
    ("vor", "nach"), ("über", "unter"), ("mehr", "weniger"), ("上", "下"), ("前", "后"),
)  # fmt: skip
_NUMBER_WORDS = {
    word: str(value)
    for value, words in enumerate(
        (
            "zero null 零",
            "one eins 一",
            "two zwei 二 两",
            "three drei 三",
            "four vier 四",
            "five fünf 五",
            "six sechs 六",
            "seven sieben 七",
            "eight acht 八",
            "nine neun 九",
            "ten zehn 十",
            "eleven elf",
            "twelve zwölf",
        )
    )
    for word in words.split()
} | {"twenty": "20", "zwanzig": "20", "thirty": "30", "dreißig": "30", "forty": "40", "fifty": "50"}
# Words that change nothing about what is said: general verbs, adverbs of habit, politeness.
_LIGHT = frozenset(
    """always usually generally normally every each any only just please rather instead than better best
    must should shall will would may might need needs needed want wants like likes prefer prefers preferred
    love loves use uses used using keep keeps kept stay stays take takes taken place happen happens
    run runs running listen listens live lives go goes sent send sends serve served set make makes made
    do does done write writes written directly was were been there where when which currently now really
    o clock uhr mode mood
    immer stets bitte nur jetzt gerade unser unsere meine mein meinen dein der die das den dem ein eine einen
    ist sind findet statt wird werden soll sollen muss müssen verwende verwenden benutze benutzen nutze nutzen
    mag möchte ich wir du sie er es von zu in im um am auf mit für und oder
    都 就 也 的 了 是 在 要 会 请 现 总 很 把 被 和 与""".split()  # noqa: SIM905
)


class StatementWords(NamedTuple):
    """What a statement is made of, as it is compared."""

    words: tuple[str, ...]  # those that carry content, in their order
    numbers: frozenset[str]
    names: frozenset[str]  # capitalised within the sentence
    all: frozenset[str]  # every word, those without content too
    negated: bool
    rejected: str  # the first word of what something else is preferred to; empty: no preference is stated


@remembered(4096)
def statement_words(text: str) -> StatementWords:
    """Read a statement as it is compared."""
    plain = _CONTRACTED.sub(lambda found: found[1] or "I", _POSSESSIVE.sub("", text))
    spelled = [_NUMBER_WORDS.get(word.lower(), word) for word in _WORD.findall(plain)]
    found = [word.lower() for word in spelled]
    preference = _PREFERENCE.search(plain)
    behind = _WORD.search(plain, preference.end()) if preference else None
    return StatementWords(
        words=tuple(dict.fromkeys(word for word in found if _carries(word))),
        numbers=frozenset(word for word in found if word[0].isdigit()),
        names=frozenset(word.lower() for word in _SPECIFIC.findall(plain)),
        all=frozenset(found),
        negated=len(_NEGATION.findall(plain)) % 2 == 1,
        rejected=behind[0].lower() if behind else "",
    )


def is_rewording(one: str, other: str, cosine: Cosine) -> bool:
    """Return whether two statements are wordings of one.

    Numbers, negations and preferences must agree. Otherwise they are the same where one has hardly a word that the
    other has not, or where a word differs on each side, both are no names, and the sentences are built differently.
    """
    if " ".join(one.split()).casefold() == " ".join(other.split()).casefold():
        return True
    first, second = statement_words(one), statement_words(other)
    if first.numbers != second.numbers or first.negated != second.negated:
        return False
    if _are_opposite(first, second):
        return False
    if not first.words or not second.words:
        return first.words == second.words
    missing, added = _beyond(first, second), _beyond(second, first)
    shared = len(first.words) - len(missing)
    if shared < _SHARED * max(len(first.words), len(second.words)):
        return False
    if missing and added:
        return _is_rearranged(first, second, missing + added) and cosine(one, other) >= _REARRANGED
    if _have_names_exchanged(one, other):
        return False
    return len(missing) + len(added) <= shared and cosine(one, other) >= _UNLIKE


def _carries(word: str) -> bool:
    return word not in _LIGHT and word not in STOP_WORDS and not _NEGATION.fullmatch(word)


def _are_opposite(one: StatementWords, other: StatementWords) -> bool:
    if one.rejected and other.rejected and not _same_word(one.rejected, other.rejected):
        return True
    here, there = one.all - other.all, other.all - one.all
    return any((a in here and b in there) or (b in here and a in there) for a, b in _OPPOSITES)


def _beyond(one: StatementWords, other: StatementWords) -> tuple[str, ...]:
    """The words of one statement that the other has in no form."""
    return tuple(word for word in one.words if not any(_same_word(word, known) for known in other.words))


def _have_names_exchanged(one: str, other: str) -> bool:
    """Return whether the same names come in another order, and no phrase only moved: who reports to whom differs."""
    first, second = statement_words(one), statement_words(other)
    names = first.names | second.names
    here = [word for word in first.words if word in names]
    there = [word for word in second.words if word in names]
    if here == there or sorted(here) != sorted(there):
        return False
    return not has_moved_phrase(_WORD.findall(one.lower()), _WORD.findall(other.lower()))


def _is_rearranged(first: StatementWords, second: StatementWords, differing: tuple[str, ...]) -> bool:
    """Return whether a different build explains one word on each side: no name differs, and the order does."""
    if len(differing) > 2 or any(word in first.names | second.names or word[0].isdigit() for word in differing):
        return False
    places = [
        next(place for place, known in enumerate(second.words) if _same_word(word, known))
        for word in first.words
        if word not in differing
    ]
    return places != sorted(places)


@remembered(16_384)
def _same_word(one: str, other: str) -> bool:
    """Return whether two words are forms of one: the same, or alike but for their endings."""
    if one == other:
        return True
    if one[0].isdigit() or other[0].isdigit() or not (one.isalpha() and other.isalpha()):
        return False
    if _stem(one) == _stem(other):
        return True
    short, long = sorted((one, other), key=len)
    common = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return common >= _STEM and len(short) - common <= 3 and len(long) - common <= 4


def _stem(word: str) -> str:
    stem = _ENDING.sub("", word)
    doubled = len(stem) < len(word) and len(stem) > 3 and stem[-1] == stem[-2]
    return stem[:-1] if doubled else stem  # logged, log

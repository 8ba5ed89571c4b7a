"""Whether two statements say the same: by their words, their numbers and names, and what limits or denies them."""

from __future__ import annotations

import re
import unicodedata

from memoro.model.corrections import is_correction
from memoro.model.sentences import past_words, topic_words
from memoro.model.words import UNSPACED
from memoro.search.compared_statements import specific_words

SAME_COSINE = 0.97  # from here on, two texts of which nothing else tells a difference say the same
_SAME_WORDS = 0.8  # the share of all content words that both have
_NUMBER = re.compile(r"\d+(?:[.:,/-]\d+)*")
_SIGNS = re.compile(r"[^\w\s+#%€$£@/:.,-]|(?<!\d)[.,:/-]|[.,:/-](?!\d)")
_UNSPACED = re.compile(f"[{UNSPACED}]")

# Words that deny a statement, limit it or say how often it holds: with one of them it is another statement.
_ENGLISH = """
    not no never none nothing nobody without neither nor cannot can't don't doesn't didn't isn't aren't wasn't won't
    only except unless until till before after if when unlike against always usually often sometimes rarely seldom
    mostly mainly about almost nearly least most maximum minimum first last former formerly temporarily maybe perhaps
    probably still already again anymore longer instead but more less fewer
"""
_GERMAN = """
    nicht kein keine keinen keinem keiner nie niemals ohne weder noch nur außer bis bevor vor nach wenn falls immer
    meistens oft manchmal selten fast etwa ungefähr mindestens höchstens erst zuletzt früher vorübergehend vielleicht
    wohl wieder mehr weniger sondern aber statt
"""
_CHINESE = "不 没 沒 无 無 别 非 未 只 仅 僅 除 若 如果 总 總 常 偶尔 有时 从来 曾 可能 也许 大约 最 前 后 再 更"
_QUALIFIERS = frozenset((*_ENGLISH.split(), *_GERMAN.split()))
_UNSPACED_QUALIFIERS = tuple(_CHINESE.split())


def normalised(text: str) -> str:
    """Return a text without capitals, signs between words and doubled spaces: what is left is said, not spelled."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(_SIGNS.sub(" ", plain).split())


def say_the_same(one: str, other: str, cosine: float | None = None) -> bool:
    """Return whether one of two statements is enough.

    Never where numbers, dates, names, a qualifier or a denial differ. Else where they share nearly all their content
    words, or where `cosine`, that of their vectors, leaves no room for a difference.
    """
    first, second = normalised(one), normalised(other)
    if first == second:
        return True
    if not first or not second or _differ(one, other, first, second):
        return False
    if _UNSPACED.search(first) or _UNSPACED.search(second):
        return cosine is not None and cosine >= SAME_COSINE and _share(set(first), set(second)) >= _SAME_WORDS
    words, others = topic_words(first), topic_words(second)
    return _share(words, others) >= _SAME_WORDS or (cosine is not None and cosine >= SAME_COSINE)


def _differ(one: str, other: str, first: str, second: str) -> bool:
    return (
        sorted(_NUMBER.findall(first)) != sorted(_NUMBER.findall(second))
        or _qualifiers(first) != _qualifiers(second)
        or _names(one, other)
        or is_correction(one) != is_correction(other)
        or past_words(one) != past_words(other)
    )


def _qualifiers(text: str) -> list[str]:
    found = [word for word in text.split() if word in _QUALIFIERS]
    return sorted([*found, *(sign for sign in _UNSPACED_QUALIFIERS for _ in range(text.count(sign)))])


def _names(one: str, other: str) -> bool:
    """Whether one has a name or another specific word that the other does not have at all."""
    words, others = topic_words(one), topic_words(other)
    return bool(specific_words(one) - others or specific_words(other) - words)


def _share(one: set[str] | frozenset[str], other: set[str] | frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0

"""Whether a new statement restates a current one, so that it need not be kept beside it.

A mistake here loses what the owner has just said, so all must agree that must agree for `model.same_fact`. Unlike
there, a few words may differ, as nobody says a thing twice in the same words, and no kept fact goes because of it.
"""

from __future__ import annotations

import re
import unicodedata

from memoro.model.corrections import is_correction
from memoro.model.same_fact import fact_words, has_moved_phrase, have_same_values
from memoro.model.sentences import past_words, topic_words
from memoro.model.words import UNSPACED
from memoro.search.compared_statements import specific_words

SAME_COSINE = 0.97  # from here on, two texts of which nothing else tells a difference say the same
_SAME_WORDS = 0.8  # the share of all content words that both have
_SIGNS = re.compile(r"[^\w\s+#%€$£@/:.,-]|(?<!\d)[.,:/-]|[.,:/-](?!\d)")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def normalised(text: str) -> str:
    """Return a text without capitals, signs between words and doubled spaces: what is left is said, not spelled."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(_SIGNS.sub(" ", plain).split())


def restates(one: str, other: str, cosine: float | None = None) -> bool:
    """Return whether one of two statements is enough.

    Never where numbers, dates, names, a qualifier, a denial or the order of words differ. Else where they share
    nearly all their content words, or where `cosine`, that of their vectors, leaves no room for a difference.
    """
    first, second = normalised(one), normalised(other)
    if first == second:
        return True
    if not first or not second or _differ(one, other) or not _are_in_same_order(first, second):
        return False
    is_nearly_one = cosine is not None and cosine >= SAME_COSINE
    share = _share(frozenset(fact_words(first).topics), frozenset(fact_words(second).topics))
    if _UNSPACED.search(first) or _UNSPACED.search(second):
        return is_nearly_one and share >= _SAME_WORDS
    return is_nearly_one or share >= _SAME_WORDS


def _differ(one: str, other: str) -> bool:
    return (
        not have_same_values(fact_words(one), fact_words(other))
        or _has_other_names(one, other)
        or is_correction(one) != is_correction(other)
        or past_words(one) != past_words(other)
    )


def _has_other_names(one: str, other: str) -> bool:
    """Return whether one has a name or another specific word that the other does not have at all."""
    words, others = topic_words(one), topic_words(other)
    return bool(specific_words(one) - others or specific_words(other) - words)


def _are_in_same_order(first: str, second: str) -> bool:
    """Return whether the content words of both come in one order, or only a phrase moved."""
    words, others = fact_words(first).topics, fact_words(second).topics
    if [word for word in words if word in others] == [word for word in others if word in words]:
        return True
    return has_moved_phrase(first.split(), second.split())


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0

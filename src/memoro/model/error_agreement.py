"""Compare two errors by their signatures, and find the message of one in a text that quotes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memoro.model import error_codes
from memoro.model.error_phrases import weight
from memoro.model.error_signatures import ErrorSignature, errors_in, quotes, words_of

SAME = 0.5  # two errors that agree as much are the same
_LINE = 1_600  # characters of a line that are looked at


def agreement(one: ErrorSignature, other: ErrorSignature) -> float:
    """Return how sure it is that two signatures are of the same error, 0–1.

    Of a code or class that many errors share, the message must agree.
    """
    alike = _alike(one.message, other.message)
    names = _names_overlap(one, other)
    shared = one.codes & other.codes
    if one.codes and other.codes and not shared and error_codes.are_of_one_family(one.codes, other.codes):
        return min(0.3, alike)
    if error_codes.specific_codes(shared):
        return _bounded(_by_code(one, other, alike) - (0.05 if names == 0 else 0))
    kinds = error_codes.specific_types(one.types), error_codes.specific_types(other.types)
    if kinds[0] & kinds[1]:
        return _bounded(_by_type(one, other, alike) - (0.1 if names == 0 else 0))
    score = _by_message(one, other, alike, names)
    if all(kinds):  # two different classes
        score *= 0.6
    elif _differ(one.types, other.types) or (one.place and other.place and one.place != other.place):
        score *= 0.55
    if one.tool and other.tool and one.tool != other.tool:
        score *= 0.8
    return _bounded(max(score, _by_condition(one, other, alike, names), _by_kind(one, other), _by_kind(other, one)))


def best_agreement(some: Iterable[ErrorSignature], others: Iterable[ErrorSignature]) -> float:
    """Return the highest agreement of one of these with one of those."""
    others = list(others)
    return max((agreement(one, other) for one in some for other in others), default=0.0)


def quoted_in(signature: ErrorSignature, text: str) -> float:
    """Return how sure it is that a text quotes the message of an error, as a how-to does, and shows none itself."""
    if any(one.pasted for one in errors_in(text)):
        return 0.0
    best = max((_quoted_in_line(signature, line[:_LINE]) for line in text.split("\n")), default=0.0)
    lower = text.lower()
    return 0.9 * best * (0.7 if signature.names and not any(name in lower for name in signature.names) else 1.0)


def _quoted_in_line(signature: ErrorSignature, line: str) -> float:
    message, wanted = " ".join(signature.message), frozenset(signature.message)
    whole, best = weight(wanted), 0.0
    for quote in quotes(line):
        inner = words_of(quote)
        if len(inner) >= 3 and weight(inner) >= 1 and " ".join(inner) in message:
            best = 0.9
    if whole >= 2:
        for sentence in re.split(r"(?<=[.!?]) ", line):
            share = weight(wanted.intersection(words_of(sentence))) / whole
            best = max(best, share if share >= 0.75 else 0.0)
    return best


def _alike(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how alike two messages are: the weight of the words that both have."""
    first, second = frozenset(one), frozenset(other)
    both, sizes = weight(first & second), (weight(first), weight(second))
    if not both or not min(sizes):
        return 0.0
    dice, contained = 2 * both / sum(sizes), both / min(sizes)
    if min(sizes) < 2:  # a word or two are contained in much
        return dice * min(1.0, 0.5 + min(sizes) / 4)
    return 0.5 * dice + 0.5 * contained


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other))


def _by_code(one: ErrorSignature, other: ErrorSignature, alike: float) -> float:
    both_have_messages = weight(one.message) >= 2 and weight(other.message) >= 2
    return 0.65 + 0.35 * alike if both_have_messages else 0.75 + 0.25 * alike


def _by_type(one: ErrorSignature, other: ErrorSignature, alike: float) -> float:
    both_have_messages = weight(one.message) >= 2 and weight(other.message) >= 2
    return 0.35 + 0.6 * alike if both_have_messages else 0.6 + 0.35 * alike


def _by_message(one: ErrorSignature, other: ErrorSignature, alike: float, names: float | None) -> float:
    """Score two errors that no specific code or class tells apart: by message, and by what it names."""
    same_kind = bool(one.types & other.types or one.codes & other.codes)
    shared = weight(frozenset(one.message) & frozenset(other.message))
    if same_kind and names and (not one.message or not other.message or shared >= 1):
        return 0.6 + 0.3 * alike
    if shared < 1:
        return 0.0
    score = 0.85 * alike * min(1.0, 0.6 + 0.15 * shared)
    if names is None:
        return score
    return score + 0.2 if names else 0.55 * score


def _by_condition(one: ErrorSignature, other: ErrorSignature, alike: float, names: float | None) -> float:
    shared = one.conditions & other.conditions
    if not shared:
        return 0.0
    base = 0.5 if shared & error_codes.DISTINCTIVE else 0.3
    return base + 0.25 * alike + (0.15 if names else -0.15 if names == 0 else 0.0)


def _by_kind(told: ErrorSignature, shown: ErrorSignature) -> float:
    """Score an error of which only a kind is told ("a hydration error") with one that is shown."""
    is_kind = len(told.message) == 1 and not told.pasted and shown.pasted
    return SAME if is_kind and told.message[0] in shown.message else 0.0


def _names_overlap(one: ErrorSignature, other: ErrorSignature) -> float | None:
    """Return how far two errors name the same; None if one names nothing. Files lie elsewhere each time, and may."""
    if one.names and other.names:
        return _overlap(one.names, other.names)
    if one.files & other.files:
        return 1.0
    needs_file = "no such file" in one.conditions and "no such file" in other.conditions
    return 0.0 if needs_file and one.files and other.files else None


_PLAIN = frozenset(["error", "exception", "failure"])


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether both name a class, and none in common."""
    return bool(one - _PLAIN) and bool(other - _PLAIN) and not one & other


def _bounded(score: float) -> float:
    return max(0.0, min(1.0, score))

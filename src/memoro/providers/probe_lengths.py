"""Find out how much of a long text a model reads: two texts with the same beginning and another end are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy

from memoro.errors import CapReached, KeyRefused, ProviderRejected, ProviderUnavailable, QuotaExhausted
from memoro.providers.probe_samples import TAIL_SHARE, long_text
from memoro.providers.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# "whole": the end of the text changes its vector. "cut": it does not. "refused": there is no vector.
Outcome = Literal["whole", "cut", "refused"]
_REFINEMENTS = 3  # further pairs between the longest text that was whole and the shortest that was not

# Returns the vectors of some texts, and how many tokens the server counted.
AskDocuments = Callable[[Sequence[str]], tuple["Vectors", int | None]]


class ReadLength(NamedTuple):
    """How long texts may be."""

    outcome: Outcome  # of texts that are longer
    tokens: int  # about


def read_length(ask: AskDocuments, lengths: Sequence[int], tolerance: float) -> ReadLength:
    """Double the length of a text until its end makes no difference or it is refused, then look in between.

    `lengths` are in words, the shortest first. `tolerance`: vectors of the same text differ by no more than that.
    """
    whole, tokens_per_word = 0, 1.3
    for words in lengths:
        outcome, tokens = _compare(ask, words, tolerance)
        if outcome == "whole":
            whole, tokens_per_word = words, tokens / words
            continue
        least = words
        for _ in range(_REFINEMENTS):
            middle = (whole + least) // 2
            refined, tokens = _compare(ask, middle, tolerance)
            if refined == "whole":
                whole, tokens_per_word = middle, tokens / middle
            else:
                least = middle
        return ReadLength(outcome, round(_limit(outcome, whole, least) * tokens_per_word))
    return ReadLength("whole", round(whole * tokens_per_word))


def _limit(outcome: Outcome, whole: int, least: int) -> float:
    """Return about where the limit is, in words. Texts that are cut before their ends differ have the same vector."""
    middle = (whole + least) / 2
    return (1 - TAIL_SHARE) * middle if outcome == "cut" else middle


def _compare(ask: AskDocuments, words: int, tolerance: float) -> tuple[Outcome, float]:
    """Return what becomes of two texts that differ only in their last quarter, and how many tokens each has."""
    twins = [long_text(words, end) for end in (0, 1)]
    try:
        rows, tokens = ask(twins)
    except (KeyRefused, QuotaExhausted, CapReached):
        raise
    except (ProviderRejected, ProviderUnavailable):  # llama.cpp, among others, breaks on a long text
        return "refused", 0.0
    is_cut = float(numpy.abs(rows[0] - rows[1]).max()) <= tolerance
    return "cut" if is_cut else "whole", (tokens or sum(map(estimated_tokens, twins))) / 2

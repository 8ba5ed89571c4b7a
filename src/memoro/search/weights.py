"""The weights of the ranking's signals, among short passages and among long ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.providers.calibration import ByLength

if TYPE_CHECKING:
    from memoro.providers.calibration import Calibration
    from memoro.search.rank import Ranked

# What each signal weighs that does not depend on the space: among short passages and among long ones. Those that
# benchmarks/weights.py does not know are set by hand, the others as it chose them.
_OTHERS = {
    "cue": ByLength(1.0, 1.0),  # holds the kind of thing that is asked for
    "attribute": ByLength(2.5, 2.5),  # states the attribute that is asked for, such as a home or a database
    "experience": ByLength(1.0, 1.0),  # tells how something was done, where a fact is asked for
    "answer": ByLength(1.0, 1.0),  # someone else asked just before
    "subject": ByLength(3.0, 2.5),  # is about the one that is asked about, and not about another
    "speaker": ByLength(0.5, 0.5),  # the person named said it
    "side": ByLength(1.2, 1.2),  # the right side of a chat said it
    "asks": ByLength(4.0, 4.0),  # only asks, and tells nothing
    "rule": ByLength(1.5, 1.5),  # states a rule or a preference, where the query is a task
    "nearby": ByLength(0.2, 0.1),  # another turn near it fits well
    "spread": ByLength(0.1, 0.1),  # better turns of the same conversation, where the query is about several occasions
    "time": ByLength(1.0, 1.0),  # is of the time that the query names, or held then
    "trust": ByLength(2.0, 2.0),  # a memory of a tool or the web
    "linked": ByLength(0.3, 0.3),  # another good candidate links to it, or it to that one
    "fresh": ByLength(0.2, 0.2),  # not long ago
    "use": ByLength(0.5, 0.5),  # a memory that has helped, and lately: the logarithm of what that is worth
}
SHORT, LONG = 150, 600  # characters of the middle candidate; between them the weights go over
COVERED = 0.25  # the share of a query that its best passage must hold for words to count in full


def weights_for(found: Sequence[Ranked], calibration: Calibration) -> dict[str, float]:
    """Return the weights for candidates like these.

    Where no passage holds much of the query, the words that do occur do so by chance, and count less.
    """
    weights = by_length(_middle([len(one.match.passage.text) for one in found]), calibration)
    weights["words"] *= min(1.0, max(one.score for one in found) / COVERED) ** 2
    return weights


def _middle(lengths: Sequence[int]) -> float:
    """The median. That of numpy loads masked arrays, for as long as a whole scan of the vectors takes."""
    ordered, half = sorted(lengths), len(lengths) // 2
    return (ordered[half] + ordered[-1 - half]) / 2


def weights_in(calibration: Calibration) -> dict[str, ByLength]:
    """Return what each signal weighs in a space."""
    own = calibration.weights
    return {
        "words": own.words,
        "meaning": own.meaning,
        "around": own.around,
        "word by word": own.word_by_word,
        **_OTHERS,
    }


def by_length(characters: float, calibration: Calibration) -> dict[str, float]:
    long = min(1.0, max(0.0, (characters - SHORT) / (LONG - SHORT)))
    return {name: (1 - long) * short + long * other for name, (short, other) in weights_in(calibration).items()}

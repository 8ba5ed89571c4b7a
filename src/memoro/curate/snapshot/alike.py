"""Pairs of texts that are near by their vectors: the few nearest of each, so that thousands of texts stay cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoro.curate.snapshot.state import AlikePair

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

    Embed = Callable[[Sequence[str]], Vectors]

NEAREST = 10  # of each text
LEAST = 0.55  # cosine: half of the statements that replace another one are at least as near
_ROWS = 512  # compared at once: a few megabytes
_LONGEST = 1000  # characters of a text that are compared


def alike_pairs(texts: Mapping[str, str], embed: Embed) -> tuple[AlikePair, ...]:
    """Return the pairs of near texts, the nearest first, each once; a text counts with its nearest few alone."""
    import numpy

    names = list(texts)
    if len(names) < 2:
        return ()
    vectors = embed([texts[name][:_LONGEST] for name in names])
    found: dict[tuple[int, int], float] = {}
    for first in range(0, len(names), _ROWS):
        cosines = vectors[first : first + _ROWS] @ vectors.T
        few = min(NEAREST + 1, len(names))  # each is nearest to itself
        nearest = numpy.argpartition(-cosines, few - 1, axis=1)[:, :few]
        for row, places in enumerate(nearest.tolist()):
            one = first + row
            for other in places:
                if other != one and (cosine := float(cosines[row, other])) >= LEAST:
                    found[min(one, other), max(one, other)] = cosine
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return tuple(AlikePair(names[one], names[other], min(1.0, cosine)) for (one, other), cosine in ordered)

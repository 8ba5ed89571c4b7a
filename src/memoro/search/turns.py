"""Signals of what is said: whether it only asks, and what the turns around it hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.model.answers import Passage
from memoro.model.statements import only_asks
from memoro.search.phrasing import questions_count
from memoro.search.signals import content_words

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

NEARBY = 4  # passages before or after a turn that still belong to its topic
_MOST_BEFORE = 3  # better turns of one conversation that count against the next


def asks(query: str, passages: Sequence[Passage]) -> list[float]:
    """Return -1 for each passage that only asks. A turn that repeats the query and nothing more asks as well."""
    if questions_count(query):
        return [0.0] * len(passages)
    words = content_words(query)
    return [-1.0 if only_asks(said := _said(p)) or _repeats(said, words, p) else 0.0 for p in passages]


def _said(passage: Passage) -> str:
    """The text of a turn without the name of who said it."""
    return passage.text.removeprefix(f"{passage.speaker}: ") if passage.speaker else passage.text


def _repeats(said: str, words: set[str], passage: Passage) -> bool:
    if passage.speaker is None or len(said) > 200:
        return False
    own = content_words(said)
    return bool(own) and own <= words


def nearby(chunks: Sequence[int], passages: Sequence[Passage], sums: Vectors) -> list[float]:
    """Return for each turn by how many deviations the best other turn near it exceeds the mean of all candidates.

    Chunk numbers tell how near two turns of a conversation are: its turns are numbered one after the other.
    """
    deviation = float(sums.std())
    above = (sums - sums.mean()) / deviation if deviation > 1e-9 else numpy.zeros(len(sums))
    best = [0.0] * len(passages)
    for places in _by_conversation(passages).values():
        places.sort(key=chunks.__getitem__)
        for n, i in enumerate(places):
            for j in places[n + 1 : n + 1 + NEARBY]:
                if chunks[j] - chunks[i] > NEARBY:
                    break
                if passages[i].start_line != passages[j].start_line:
                    best[i], best[j] = max(best[i], float(above[j])), max(best[j], float(above[i]))
    return best


def before(passages: Sequence[Passage], sums: Vectors) -> list[float]:
    """Return for each turn, below 0, how many better turns of its conversation there are, up to a few."""
    better: Counter[str] = Counter()
    seen: dict[tuple[str, int], float] = {}
    values = [0.0] * len(passages)
    for i in numpy.argsort(-sums, kind="stable"):
        passage = passages[i]
        if passage.speaker is None:
            continue
        turn = passage.path, passage.start_line
        if turn not in seen:
            seen[turn] = -float(min(better[passage.path], _MOST_BEFORE))
            better[passage.path] += 1
        values[i] = seen[turn]
    return values


def _by_conversation(passages: Sequence[Passage]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, passage in enumerate(passages):
        if passage.speaker is not None:
            places[passage.path].append(place)
    return places

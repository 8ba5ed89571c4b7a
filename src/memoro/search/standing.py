"""What the ledger says now about memories that a search has found: whether they hold, and what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memoro.model.answers import Match
from memoro.model.notes import MEMORY, kind_of

# Of these memories, those that hold now, each with its worth (usefulness × recency; 1 is the usual one).
Standing = Callable[[Sequence[int]], Mapping[int, float]]


def worths(matches: Iterable[Match], standing: Standing | None) -> dict[str, float]:
    """The worth of each memory among the matches that holds now, by its path."""
    paths = [match.passage.path for match in matches if kind_of(match.passage.path) == "memory"]
    if not paths or standing is None:
        return {}
    known = standing([number_of(path) for path in paths])
    return {path: known[number_of(path)] for path in paths if number_of(path) in known}


def holding(matches: Sequence[Match], worth: Mapping[str, float]) -> list[Match]:
    """The matches without memories that do not hold: removed a moment ago, or out of date."""
    return [m for m in matches if kind_of(m.passage.path) != "memory" or m.passage.path in worth]


def number_of(path: str) -> int:
    return int(path.removeprefix(MEMORY))

"""Ask the ledger which found memories and experiences hold now, or held then, and what each is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memoro.model.answers import Held, Match
from memoro.model.notes import kind_of
from memoro.model.vocabulary import LEDGER_KINDS

# Of these memories and experiences, by their paths, those that hold now, each with its worth; 1 is the usual one.
# With days, also memories that held then, or these alone.
Standing = Callable[[Sequence[str], Held | None], Mapping[str, float]]


def worths(matches: Iterable[Match], standing: Standing | None, held: Held | None = None) -> dict[str, float]:
    """The worth of each memory and experience among the matches that holds now, or held then, by its path."""
    paths = [match.passage.path for match in matches if kind_of(match.passage.path) in LEDGER_KINDS]
    return dict(standing(paths, held)) if paths and standing is not None else {}


def holding(matches: Sequence[Match], worth: Mapping[str, float]) -> list[Match]:
    """The matches without what does not hold: removed a moment ago, out of date, or faded."""
    return [m for m in matches if kind_of(m.passage.path) not in LEDGER_KINDS or m.passage.path in worth]

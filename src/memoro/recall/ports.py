"""What recall draws from, handed to it by whoever opened the home."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.model.answers import Where
from memoro.model.vocabulary import Mode, Trust
from memoro.store.ports import Index

if TYPE_CHECKING:
    from memoro.search.rank import Ranked

T = TypeVar("T")


class Standing(NamedTuple):
    """How far a memory or an experience is believed, and who said it."""

    trust: Trust | None
    source: str | None
    text: str | None = None  # the whole of it, where what is searched is a part


class Ranking(NamedTuple):
    """What a search found, and how."""

    ranked: tuple[Ranked, ...]
    mode: Mode
    degraded: tuple[str, ...]
    cosines: bool = False  # whether they are of the built-in model: those of another may all be high


class Sources(NamedTuple):
    search: Callable[[str, Where, int], Ranking]
    read: Callable[[Callable[[Index], object]], object]  # with the index, whatever happens to it meanwhile
    standings: Callable[[Sequence[str]], Mapping[str, Standing]]  # by path, of those that have one
    today: Callable[[], date]
    secrets: Sequence[str]  # values that must not be shown
    draw: Callable[[], str]  # of a boundary
    told: Sequence[str] = ()  # what was not as it should be before anything was searched

"""What recall draws from, handed to it by whoever opened the home."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.model.answers import Where
from memoro.model.vocabulary import Mode, Trust
from memoro.store.ports import Index

if TYPE_CHECKING:
    from memoro.providers.calibration import Calibration
    from memoro.search.rank import Ranked

T = TypeVar("T")


class Standing(NamedTuple):
    """How far a memory or an experience is believed, and who said it."""

    trust: Trust | None
    source: str | None
    text: str | None = None  # the whole of it, where what is searched is a part


class Ranking(NamedTuple):
    """The passages that a search found, the mode it searched in, and what its answer should say."""

    ranked: tuple[Ranked, ...]
    mode: Mode
    degraded: tuple[str, ...]
    calibration: Calibration | None = None  # of the space that was searched; None: words alone


class Sources(NamedTuple):
    search: Callable[[str, Where, int], Ranking]
    read: Callable[[Callable[[Index], object]], object]  # with the index, whatever happens to it meanwhile
    standings: Callable[[Sequence[str]], Mapping[str, Standing]]  # by path, of those that have one
    today: Callable[[], date]
    secrets: Sequence[str]  # values that must not be shown
    draw: Callable[[], str]  # of a boundary
    told: Sequence[str] = ()  # what was not as it should be before anything was searched

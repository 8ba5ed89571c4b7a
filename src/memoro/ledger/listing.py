"""Pages of lists: read from the store what a caller may see, and say where the next page begins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeAlias, TypeVar

from memoro.model.experiences import Experience
from memoro.model.listing import ListOrder, PageStart, page_start
from memoro.model.memories import Memory, stamp

Row = TypeVar("Row", Memory, Experience)
Fetch: TypeAlias = Callable[[ListOrder, int], list[tuple[Row, float | str]]]
MOST_WORDS = 16  # of a filter; more narrow a list no further
_MOST = 1_000_000  # rows of a page


class MemoryPage(NamedTuple):
    """Some memories of a list, and the key of the page behind them."""

    memories: tuple[Memory, ...]
    next: str | None = None  # None: these are the last


def list_order(sort: str, after: str | None, now: datetime) -> ListOrder:
    """The order of a list. Behind a key, it is as of the moment at which the first page was read."""
    start = page_start(after, sort) if after else None
    return ListOrder(sort, start.at if start else stamp(now), start)


def filter_words(text: str | None) -> tuple[str, ...]:
    """The words that a list is narrowed by."""
    return tuple(dict.fromkeys((text or "").replace("\x00", " ").split()))[:MOST_WORDS]


def read_page(
    fetch: Fetch[Row], order: ListOrder, limit: int, admits: Callable[[Row], bool]
) -> tuple[tuple[Row, ...], str | None]:
    """The first rows of a list that are admitted, and the key of the page behind them."""
    taken: list[tuple[Row, float | str]] = []
    limit = min(limit, _MOST)
    while len(taken) <= limit:
        batch = fetch(order, limit + 1)
        taken += [one for one in batch if admits(one[0])]
        if len(batch) <= limit:
            break
        order = order._replace(after=_behind(order, *batch[-1]))
    shown = taken[: max(0, limit)]
    more = _behind(order, *shown[-1]).key() if shown and len(taken) > limit else None
    return tuple(row for row, _ in shown), more


def _behind(order: ListOrder, row: Memory | Experience, value: float | str) -> PageStart:
    return PageStart(sort=order.sort, value=value, number=row.id, at=order.at)

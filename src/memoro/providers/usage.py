"""The usage and the cost of models, added up for the owner."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Literal, NamedTuple, get_args

from memoro.providers.records import Purpose, UsageRow

UsageGroup = Literal["day", "provider", "purpose"]
USAGE_GROUPS: tuple[UsageGroup, ...] = get_args(UsageGroup)


class UsageSum(NamedTuple):
    """The sum of several requests. Fields in which they differ are None."""

    day: str | None = None
    provider: str | None = None
    model: str | None = None
    purpose: Purpose | None = None
    is_batch: bool | None = None
    requests: int = 0
    texts: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float = 0.0
    unpriced: int = 0  # tokens whose price nobody knows
    cached: int = 0


_SHARED: dict[UsageGroup | None, tuple[str, ...]] = {
    None: ("provider", "model", "purpose", "is_batch"),
    "day": ("day",),
    "provider": ("provider", "model"),
    "purpose": ("purpose",),
}


class Usage(NamedTuple):
    """The sums of a time, and what is left of the day's cap."""

    since: str | None  # the first day that counts; None: from the beginning
    group: UsageGroup | None  # None: by provider, model, purpose, and whether by batch jobs
    sums: tuple[UsageSum, ...]
    total: UsageSum
    today: float  # dollars
    daily_cap: float | None = None  # dollars
    lost_at: str | None = None  # when earlier records were lost

    @property
    def left(self) -> float | None:
        """Return how many dollars of the cap are left today; None: there is no cap."""
        return None if self.daily_cap is None else max(0.0, self.daily_cap - self.today)


def summed(rows: Iterable[UsageRow], group: UsageGroup | None = None) -> tuple[UsageSum, ...]:
    """Add up rows that have the same day, provider or purpose; in their order."""
    found: dict[UsageSum, list[UsageRow]] = {}
    for row in rows:
        found.setdefault(UsageSum(**{name: getattr(row, name) for name in _SHARED[group]}), []).append(row)
    return tuple(_sum(common, found[common]) for common in sorted(found, key=_order))


def total(rows: Iterable[UsageRow]) -> UsageSum:
    return _sum(UsageSum(), list(rows))


def _sum(common: UsageSum, rows: list[UsageRow]) -> UsageSum:
    return common._replace(
        requests=sum(row.requests for row in rows),
        texts=sum(row.texts for row in rows),
        tokens_in=sum(row.tokens_in for row in rows),
        tokens_out=sum(row.tokens_out for row in rows),
        dollars=fsum(row.dollars for row in rows),
        unpriced=sum(row.unpriced for row in rows),
        cached=sum(row.cached for row in rows),
    )


def _order(common: UsageSum) -> tuple[str, ...]:
    return tuple(str(value) for value in common[:5])

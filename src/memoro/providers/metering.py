"""Count what a model is used for, and stop before it costs more than its owner allows in a day."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import CapReached, StoreError
from memoro.model.vocabulary import Role
from memoro.providers.prices import in_dollars, price_of_tokens
from memoro.providers.records import Purpose, UsageRow

if TYPE_CHECKING:
    from datetime import datetime

    from memoro.providers.ports import Prices, Space
    from memoro.providers.records import ProviderRecords
    from memoro.providers.registry import ProviderContext

# What the owner agreed to, when they saw the price of filling a space.
_AGREED: tuple[Purpose, ...] = ("index", "calibration")


class MeteredModel(NamedTuple):
    """A model, what it costs, and the limits of that."""

    provider: str
    model: str
    prices: Prices | None  # None: unknown
    daily_cap: float | None = None  # dollars
    space: str | None = None  # the space that documents are embedded for, once its width is known


class Meter:
    """Asked before every request to one model, and told after it."""

    def __init__(self, context: ProviderContext, model: MeteredModel) -> None:
        self._context = context
        self._model = model

    def admit(self, tokens: int, *, is_batch: bool = False) -> None:
        """Raise `CapReached` where a request of about so many tokens would pass what a day may cost.

        Processes that ask at the same moment may each pass it by one request.
        """
        dollars = price_of_tokens(self._model.prices, tokens, is_batch=is_batch)
        admit_dollars(
            self._context, self._model.daily_cap, dollars, f"what {self._model.model} costs", _PRICE_SETTING
        )

    def count(self, role: Role, texts: int, tokens: int, *, is_batch: bool = False) -> None:
        """Count a request that the provider answered. `tokens` are those that it says, else an estimate.

        Where the home cannot be written it is not counted: its answer is paid for, and must not be lost as well.
        """
        dollars = price_of_tokens(self._model.prices, tokens, is_batch=is_batch)
        row = self._row(role)._replace(
            is_batch=is_batch,
            requests=1,
            texts=texts,
            tokens_in=tokens,
            dollars=dollars or 0.0,
            unpriced=tokens if dollars is None else 0,
        )
        with suppress(StoreError):
            self._context.records().count(row, self._model.space if row.purpose in _AGREED else None)

    def _row(self, role: Role) -> UsageRow:
        purpose = self._context.purpose or ("search" if role == "query" else "index")
        return UsageRow(
            day=day_of(self._context.now()), provider=self._model.provider, model=self._model.model, purpose=purpose
        )


_PRICE_SETTING = "`embedding.price` to its price"


def admit_dollars(
    context: ProviderContext, cap: float | None, dollars: float | None, what: str, settings: str
) -> None:
    """Raise `CapReached` where a request that costs so much would pass what a day may cost.

    `dollars` is None where nobody knows `what`; `settings` says which to set then.
    """
    if cap is None:
        return
    if dollars is None:
        raise CapReached(
            f"`usage.daily_cap` is set, and nobody knows {what}, so nothing was sent. "
            f"Set {settings} for a million tokens in US dollars (0: nothing)."
        )
    if not dollars:
        return
    spent = _spent(context)
    if spent + dollars > cap:
        raise CapReached(
            f"Models have cost {in_dollars(spent)} today, and the next request would cost "
            f"{in_dollars(dollars)}: more than `usage.daily_cap` allows ({in_dollars(cap)}). "
            "Memoro continues tomorrow, or when the cap is raised."
        )


def _spent(context: ProviderContext) -> float:
    try:
        return context.records().spent(day_of(context.now()))
    except StoreError as error:
        raise CapReached(
            f"`usage.daily_cap` is set, and what today has cost cannot be read, so nothing was sent. {error}"
        ) from error


def count_cached(records: ProviderRecords, space: Space, now: datetime, texts: int) -> None:
    """Count texts of an index whose vectors the cache had, and that cost nothing."""
    row = UsageRow(
        day=day_of(now),
        provider=space.provider,
        model=space.model,
        purpose="index",
        cached=texts,
    )
    with suppress(StoreError):
        records.count(row)


def day_of(now: datetime) -> str:
    """The owner's own day: their cap begins anew at their midnight."""
    return now.astimezone().date().isoformat()

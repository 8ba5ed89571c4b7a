"""Count what a language model is asked, and stop before it costs more than its owner allows in a day."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import StoreError
from memoro.providers.metering import admit_dollars, day_of
from memoro.providers.records import Purpose, UsageRow

if TYPE_CHECKING:
    from memoro.providers.language.prices import LanguagePrices
    from memoro.providers.registry import ProviderContext


class PricedModel(NamedTuple):
    """A language model, what it costs, and the limit of that."""

    provider: str
    model: str
    prices: LanguagePrices | None  # None: unknown
    daily_cap: float | None = None  # dollars


class LanguageMeter:
    """Asked before every request to a language model, and told after it."""

    def __init__(self, context: ProviderContext, model: PricedModel) -> None:
        self._context, self._model = context, model

    def admit(self, tokens_in: int, most_out: int) -> None:
        """Raise `CapReached` where a request and the longest answer to it would pass what a day may cost."""
        model = self._model
        dollars = None if model.prices is None else model.prices.of(tokens_in, most_out)
        admit_dollars(self._context, model.daily_cap, dollars, f"what {model.model} costs", _PRICE_SETTINGS)

    def count(self, purpose: Purpose, tokens_in: int, tokens_out: int) -> None:
        """Count a request that was answered. A home that cannot be written loses the count, and not the answer."""
        prices = self._model.prices
        self._count(
            self._row(purpose)._replace(
                requests=1,
                texts=1,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                dollars=0.0 if prices is None else prices.of(tokens_in, tokens_out),
                unpriced=tokens_in + tokens_out if prices is None else 0,
            )
        )

    def count_cached(self, purpose: Purpose) -> None:
        """Count a question whose answer this process had already."""
        self._count(self._row(purpose)._replace(cached=1))

    def dollars(self, tokens_in: int, tokens_out: int) -> float | None:
        return None if self._model.prices is None else self._model.prices.of(tokens_in, tokens_out)

    def _row(self, purpose: Purpose) -> UsageRow:
        day = day_of(self._context.now())
        return UsageRow(day=day, provider=self._model.provider, model=self._model.model, purpose=purpose)

    def _count(self, row: UsageRow) -> None:
        with suppress(StoreError):
            self._context.records().count(row)


_PRICE_SETTINGS = "`llm.price_in` and `llm.price_out` to its prices"

"""The prices of language models, as far as Memoro knows them; `providers.prices.NOTED_ON` says of which day."""

from __future__ import annotations

import re
from typing import NamedTuple

_MILLION = 1_000_000


class LanguagePrices(NamedTuple):
    """The price of a million tokens that are sent, and of a million that are answered, in US dollars."""

    sent: float
    answered: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.sent + tokens_out * self.answered) / _MILLION


NO_PRICE = LanguagePrices(0.0, 0.0)
# Tokens from a provider's own cache cost less; Memoro counts them like the others, so that a cap is kept in any case.
_KNOWN: dict[str, dict[str, LanguagePrices]] = {
    "openai": {
        "gpt-4o": LanguagePrices(2.50, 10.00),
        "gpt-4o-mini": LanguagePrices(0.15, 0.60),
        "gpt-4.1": LanguagePrices(2.00, 8.00),
        "gpt-4.1-mini": LanguagePrices(0.40, 1.60),
        "gpt-4.1-nano": LanguagePrices(0.10, 0.40),
        "gpt-5": LanguagePrices(1.25, 10.00),
        "gpt-5-mini": LanguagePrices(0.25, 2.00),
        "gpt-5-nano": LanguagePrices(0.05, 0.40),
    },
    "anthropic": {
        "claude-haiku-4-5": LanguagePrices(1.00, 5.00),
        "claude-sonnet-4-5": LanguagePrices(3.00, 15.00),
        "claude-opus-4-1": LanguagePrices(15.00, 75.00),
    },
    "gemini": {
        "gemini-2.5-flash": LanguagePrices(0.30, 2.50),
        "gemini-2.5-flash-lite": LanguagePrices(0.10, 0.40),
        "gemini-2.5-pro": LanguagePrices(1.25, 10.00),
    },
}
_DATED = re.compile(r"-20[0-9]{6}\Z")  # claude-haiku-4-5-20251001


def language_prices(
    provider: str, model: str, *, is_home: bool = False, own: tuple[float | None, float | None] = (None, None)
) -> LanguagePrices | None:
    """Return the prices of a model; None where nobody told us one of them. On this machine it costs nothing.

    `own` are the prices that the owner set, which count before everything else.
    """
    plain = _DATED.sub("", model.removeprefix("models/"))
    known = NO_PRICE if is_home else _KNOWN.get(provider, {}).get(plain)
    sent = own[0] if own[0] is not None else known.sent if known else None
    answered = own[1] if own[1] is not None else known.answered if known else None
    return None if sent is None or answered is None else LanguagePrices(sent, answered)

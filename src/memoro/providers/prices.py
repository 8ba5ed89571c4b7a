"""The prices of models, as far as Memoro knows them."""

from __future__ import annotations

from memoro.providers.ports import FREE, Prices

NOTED_ON = "2026-11-16"  # the day on which these prices were last compared with those of the providers

# US dollars for a million tokens.
_PLAIN: dict[str, dict[str, float]] = {
    "openai": {
        "text-embedding-3-small": 0.02,
        "text-embedding-3-large": 0.13,
        "text-embedding-ada-002": 0.10,
    },
    "gemini": {
        "gemini-embedding-2": 0.20,
        "gemini-embedding-001": 0.15,
    },
    "voyage": {
        "voyage-3.5": 0.06,
        "voyage-3.5-lite": 0.02,
        "voyage-3-large": 0.18,
        "voyage-code-3": 0.18,
    },
}
_BATCH_SHARE = {"openai": 0.5, "gemini": 0.5}  # of the plain price; Memoro has no batch jobs of the others
_IN_THIS_PROCESS = ("builtin", "fastembed", "model2vec")
_MILLION = 1_000_000
_LEAST_SHOWN, _EXACT_TO_CENTS = 0.0001, 0.1  # dollars


def prices_of(provider: str, model: str, *, is_home: bool = False, own: float | None = None) -> Prices | None:
    """Return the prices of a model; None where nobody told us. A server on this machine (`is_home`) costs nothing.

    `own` is the price that the owner set, which counts before everything else.
    """
    share = _BATCH_SHARE.get(provider, 1.0)
    if own is not None:
        return Prices(plain=own, batch=own * share)
    if is_home or provider in _IN_THIS_PROCESS:
        return FREE
    plain = _PLAIN.get(provider, {}).get(model.removeprefix("models/"))
    return None if plain is None else Prices(plain=plain, batch=plain * share)


def price_of_tokens(prices: Prices | None, tokens: int, *, is_batch: bool = False) -> float | None:
    """Return what so many tokens cost, in US dollars; None where the price is not known."""
    if prices is None:
        return None
    return tokens * (prices.batch if is_batch else prices.plain) / _MILLION


def in_dollars(amount: float) -> str:
    """Return an amount for people: with more digits where it is small."""
    if amount and amount < _LEAST_SHOWN:
        return f"<${_LEAST_SHOWN}"
    return f"${amount:,.2f}" if not amount or amount >= _EXACT_TO_CENTS else f"${amount:.4f}"

"""The plan of filling a space: texts, tokens and price, and whether its owner has agreed to that. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from memoro.index.outgoing import Outgoing
from memoro.providers.ports import Prices
from memoro.providers.prices import in_dollars, price_of_tokens
from memoro.providers.records import Agreement
from memoro.store.ports import ChunkText

if TYPE_CHECKING:
    from memoro.providers.records import UsageRow

RESERVE = 1.2  # of the estimate that the owner agreed to, so much may be spent: an estimate is not exact
_MILLION = 1_000_000


class MissingTexts(NamedTuple):
    """The passages that have no vector in a space yet, and what they would cost."""

    passages: int = 0
    private: int = 0  # of the passages: they stay at home
    rejected: int = 0  # of the passages: the provider cannot embed them
    cached: int = 0  # of the passages: their vectors are known, and cost nothing
    texts: int = 0  # that would be sent: equal passages are sent once
    tokens: int = 0  # of these texts, as estimated

    def plus(self, other: MissingTexts) -> MissingTexts:
        return MissingTexts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class EmbeddingPlan(NamedTuple):
    """The texts that filling a space would send, to which host, and their price."""

    space: str
    host: str | None
    missing: MissingTexts
    calibration_tokens: int = 0  # of the texts by which the space is calibrated once it is complete
    prices: Prices | None = None  # None: nobody knows them
    by_batch: bool = False  # batch jobs may make it cheaper
    is_whole: bool = True  # False: there are more passages than were counted

    @property
    def tokens(self) -> int:
        return self.missing.tokens + self.calibration_tokens

    @property
    def dollars(self) -> float | None:
        """The price of plain requests, which is the most that it may cost."""
        return price_of_tokens(self.prices, self.tokens)

    @property
    def batch_dollars(self) -> float | None:
        """The price where the texts go by batch jobs; None where that is not cheaper, or not known."""
        if self.prices is None or not self.by_batch or self.prices.batch >= self.prices.plain:
            return None
        by_batch, plain = self.missing.tokens * self.prices.batch, self.calibration_tokens * self.prices.plain
        return (by_batch + plain) / _MILLION


class SentTexts(NamedTuple):
    """The texts, tokens and dollars that filling a space has taken so far."""

    texts: int = 0
    tokens: int = 0
    dollars: float | None = 0.0  # None: nobody knows the price


class FillProgress(NamedTuple):
    """The progress of filling a space."""

    space: str
    done: int  # passages of this run
    total: int
    sent: SentTexts = SentTexts()


class EmbeddingReport(NamedTuple):
    """The result of a sync for the space of the wanted embedder, where that is not the built-in one."""

    space: str
    host: str | None
    sent: SentTexts = SentTexts()
    left: int = 0  # passages that have no vector yet
    waits: EmbeddingPlan | None = None  # what the owner has not agreed to yet


def count_missing(
    items: Iterable[ChunkText],
    outgoing: Outgoing,
    settled: Collection[str],
    rejected: Collection[str],
    cost: Callable[[str], int],
) -> MissingTexts:
    """Count passages without a vector. `settled` are digests of texts that need not be sent: their vectors are known.

    Texts are equal where their digests are. To count a list by parts, add the digests of the earlier parts to
    `settled`: they will be known by then.
    """
    found, seen = MissingTexts(), set[str]()
    for item in items:
        one = MissingTexts(passages=1)
        if outgoing.stays(item):
            one = one._replace(private=1)
        elif item.digest in rejected:
            one = one._replace(rejected=1)
        elif item.digest in settled or item.digest in seen:
            one = one._replace(cached=1)
        else:
            seen.add(item.digest)
            one = one._replace(texts=1, tokens=cost(item.text))
        found = found.plus(one)
    return found


def is_agreed(plan: EmbeddingPlan, agreement: Agreement | None, ask_above: float) -> bool:
    """Return whether a space may be filled as planned.

    The first filling needs a yes, whatever it costs: from then on texts are sent. Later growth needs another one
    where it costs more than is left of the agreement, and more than `ask_above`.
    """
    if not plan.missing.texts:
        return True
    if agreement is None:
        return False
    if agreement.dollars is None:
        return True
    return plan.dollars is not None and plan.is_whole and plan.dollars <= max(agreement.dollars, ask_above)


def agreement_to(plan: EmbeddingPlan, at: str) -> Agreement:
    """Return the owner's yes to a plan."""
    return Agreement(at=at, dollars=None if plan.dollars is None else RESERVE * plan.dollars)


def sent_between(before: Iterable[UsageRow], after: Iterable[UsageRow], provider: str, model: str) -> SentTexts:
    """Return what a model got for the index and its calibration between two looks at the usage."""
    first, last = _total(before, provider, model), _total(after, provider, model)
    unpriced = last[3] - first[3]
    return SentTexts(
        texts=int(last[0] - first[0]),
        tokens=int(last[1] - first[1]),
        dollars=None if unpriced else max(0.0, last[2] - first[2]),
    )


def _total(rows: Iterable[UsageRow], provider: str, model: str) -> tuple[float, ...]:
    mine = [
        row
        for row in rows
        if (row.provider, row.model) == (provider, model) and row.purpose in ("index", "calibration")
    ]
    return (
        sum(row.texts for row in mine),
        sum(row.tokens_in for row in mine),
        sum(row.dollars for row in mine),
        sum(row.unpriced for row in mine),
    )


def price_in_words(prices: Prices | None) -> str:
    """Say what a model costs: `$0.02 for a million tokens`."""
    return "nobody knows the price" if prices is None else f"{in_dollars(prices.plain)} for a million tokens"


def estimate_in_words(plan: EmbeddingPlan) -> str:
    """Say what a plan costs: `about 1.3 M tokens, $0.03 ($0.01 by batch jobs)`."""
    if plan.dollars is None:
        return f"about {tokens_in_words(plan.tokens)}; nobody knows the price"
    if not plan.dollars:
        return f"about {tokens_in_words(plan.tokens)}, at no cost"
    cheaper = f" ({in_dollars(plan.batch_dollars)} by batch jobs)" if plan.batch_dollars is not None else ""
    return f"about {tokens_in_words(plan.tokens)}, {in_dollars(plan.dollars)}{cheaper}"


def waiting_sentence(plan: EmbeddingPlan) -> str:
    """Say in an answer that a space is not filled, or a complete one not searched, before its owner agrees."""
    passages = plan.missing.passages
    if not passages:
        return (
            f"vectors: queries and new passages wait for your yes: {price_in_words(plan.prices)}; `memoro sync` asks"
        )
    many = f"{count_of(passages, 'passage')} {'waits' if passages == 1 else 'wait'}"
    if not plan.is_whole:
        return f"vectors: more than {many} for your yes; `memoro sync` asks"
    return f"vectors: {many} for your yes: {estimate_in_words(plan)}; `memoro sync` asks"


def count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def tokens_in_words(count: int) -> str:
    if count < 10_000:
        return count_of(count, "token")
    return f"{count / 1000:,.0f} K tokens" if count < _MILLION else f"{count / _MILLION:,.1f} M tokens"

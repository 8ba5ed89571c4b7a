"""Asking before a space is filled that costs money: the plan, the owner's agreement, and what is left of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import AgreementSpent
from memoro.index.embedding_plan import (
    EmbeddingPlan,
    MissingTexts,
    SentTexts,
    agreement_to,
    count_missing,
    is_agreed,
    sent_between,
    waiting_sentence,
)
from memoro.index.outgoing import Outgoing
from memoro.model.memories import stamp
from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder, info_of, is_builtin
from memoro.providers.records import lacks_agreement
from memoro.providers.token_estimate import estimated_tokens
from memoro.providers.wrapping import Wrapping
from memoro.store import space_progress
from memoro.store.ports import ChunkText, Index, IndexHome

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.providers.ports import Vectors
    from memoro.providers.records import ProviderRecords, UsageRow

_AT_ONCE = 2000  # passages
# Passages that a search counts; where there are more, it leaves them to a sync, which counts them all.
FEW = 1000


def _now() -> datetime:
    return datetime.now(UTC)


class Consent(NamedTuple):
    """The owner's will about costs."""

    records: Callable[[], ProviderRecords]
    ask_above: float = 0.0  # `usage.ask_above`
    agrees: bool = False  # the owner has said yes to whatever is estimated now
    uses_batch: bool = False  # batch jobs are wanted, and the provider has them
    now: Callable[[], datetime] = _now


def consent_of(home: HomeContext, records: Callable[[], ProviderRecords]) -> Consent:
    """Return the will of a home's owner, by the settings."""
    chosen = home.settings
    return Consent(
        records=records,
        ask_above=chosen.usage.ask_above,
        uses_batch=chosen.embedding.batch.enabled and chosen.embedding.provider in ("openai", "gemini"),
        now=home.runtime.now,
    )


class SpaceToFill(NamedTuple):
    """An index, the embedder in whose space it is to get vectors, and the rules for what is sent."""

    home: IndexHome
    into: Index
    embedder: Embedder
    outgoing: Outgoing

    @property
    def space(self) -> str:
        return str(self.embedder.space)

    @property
    def costs_money(self) -> bool:
        return info_of(self.embedder).costs_money


class ConsentCheck(NamedTuple):
    """Whether one space may be filled: the plan, and what to say where it may not. No plan: it costs nothing."""

    plan: EmbeddingPlan | None = None
    waits: str | None = None


def check_consent(consent: Consent, filled: SpaceToFill, *, whole: bool = True) -> ConsentCheck:
    """Say whether a space may be filled now. Where the owner agrees, the agreement is kept.

    Not `whole`, as before a search: a few passages are counted, and where there are more, an agreement that is
    not spent yet is enough.
    """
    if not filled.costs_money or space_progress.is_complete(filled.into, filled.space):
        return ConsentCheck()
    plan = make_plan(consent, filled, most=None if whole else FEW)
    kept = consent.records().agreement(plan.space)
    if is_agreed(plan, kept, consent.ask_above):
        return ConsentCheck(plan)
    if not plan.is_whole and kept is not None and kept.dollars:
        return ConsentCheck(plan)
    if consent.agrees and plan.is_whole:
        consent.records().agree(plan.space, agreement_to(plan, stamp(consent.now())))
        return ConsentCheck(plan)
    return ConsentCheck(plan, waiting_sentence(plan))


def check_queries(consent: Consent, filled: SpaceToFill) -> ConsentCheck:
    """Say whether queries and later passages may be sent, once a space is complete. A yes is kept.

    The yes to filling a space covers them. There was none where the space was filled before it cost anything.
    """
    if not lacks_agreement(consent.records(), info_of(filled.embedder), filled.space):
        return ConsentCheck()
    plan = make_plan(consent, filled)
    if consent.agrees:
        consent.records().agree(plan.space, agreement_to(plan, stamp(consent.now())))
        return ConsentCheck(plan)
    return ConsentCheck(plan, waiting_sentence(plan))


def make_plan(consent: Consent, filled: SpaceToFill, *, most: int | None = None) -> EmbeddingPlan:
    """Return what filling a space would send and cost; with `most`, counted over about so many passages alone."""
    from memoro.index.batch_queue import jobs_out  # what only a model that costs money needs is loaded here
    from memoro.index.calibrating import calibration_cost

    space, info, records = filled.space, info_of(filled.embedder), consent.records()
    missing, is_whole = MissingTexts(), True
    known = set(jobs_out(records, space).digests)  # they are paid for
    unsettled = _after(filled.into, space_progress.settled(filled.into, space), _AT_ONCE if most is None else most)
    for items in unsettled:
        if most is not None and missing.passages:
            is_whole = False
            break
        digests = [item.digest for item in items]
        known |= filled.home.cache().known(space, digests)
        missing = missing.plus(
            count_missing(items, filled.outgoing, known, records.rejected(space, digests), estimated_tokens)
        )
        known.update(digests)
    # A search does not calibrate, and to choose the sample would take a part of its time.
    is_calibrated = most is None and missing.texts and records.calibration(space) is None
    return EmbeddingPlan(
        space=space,
        host=info.host,
        missing=missing,
        calibration_tokens=calibration_cost(filled.into)[1] if is_calibrated else 0,
        prices=info.prices,
        by_batch=consent.uses_batch,
        is_whole=is_whole,
    )


def count_all(index: Index, outgoing: Outgoing) -> MissingTexts:
    """Return what filling a space of this index from nothing would send."""
    missing, seen = MissingTexts(), set[str]()
    for items in _after(index, 0, _AT_ONCE):
        missing = missing.plus(count_missing(items, outgoing, seen, (), estimated_tokens))
        seen.update(item.digest for item in items)
    return missing


def _after(index: Index, after: int, at_once: int) -> Iterator[list[ChunkText]]:
    """Yield the passages behind one, so many at once."""
    while items := index.texts_after(after, at_once):
        yield items
        after = items[-1].chunk


class WithinAgreement(Wrapping):
    """An embedder that stops where what the owner agreed to is spent. Belongs below `Cached`: known texts are free.

    The estimate is not exact, so that a provider may count more than was agreed to.
    """

    def __init__(self, inner: Embedder, records: Callable[[], ProviderRecords]) -> None:
        super().__init__(inner)
        self._records = records
        kept = records().agreement(str(self.space))
        self._is_limited = kept is not None and bool(kept.dollars)

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if self._is_limited:
            kept = self._records().agreement(str(self.space))
            if kept is None or kept.dollars == 0:
                raise AgreementSpent(
                    f"Filling {self.space} has cost all that you agreed to. `memoro sync` asks for the rest."
                )
        return self._inner.embed(texts, role)


class SpendingMeter:
    """Tells what has been sent to fill a space since this was made, as the records count it."""

    def __init__(self, consent: Consent | None, embedder: Embedder) -> None:
        self._consent = None if is_builtin(embedder) else consent
        self._space = embedder.space
        self._since = self._consent.now().astimezone().date().isoformat() if self._consent else ""
        self._before = self._usage()

    def sent(self) -> SentTexts:
        return sent_between(self._before, self._usage(), self._space.provider, self._space.model)

    def _usage(self) -> list[UsageRow]:
        return self._consent.records().usage(self._since) if self._consent else []

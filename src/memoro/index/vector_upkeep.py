"""Keeping the vectors of a home complete: a sync erases what is gone, and once it has ended, what is new is embedded.

The chunks behind the last one that is settled in a space are its queue. The index keeps it, so that it survives
any crash. Embedding holds no lock but that of the queue, for which no search and no sync of another process waits
where the embedder may be slow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from memoro.errors import LeftAlone, ProviderError, TextsNotToldApart, VectorsDamaged
from memoro.index.consent import (
    ConsentCheck,
    SpaceToFill,
    SpendingMeter,
    WithinAgreement,
    check_consent,
    check_queries,
)
from memoro.index.embedding_plan import EmbeddingPlan, EmbeddingReport, FillProgress
from memoro.index.outgoing import Outgoing
from memoro.index.single_flight import patiently
from memoro.index.space_filling import Effort, SpaceFilling, take_known
from memoro.index.space_vectors import SpaceVectors
from memoro.providers.ports import BUILTIN, Embedder, Space, info_of, is_builtin
from memoro.providers.records import lacks_agreement
from memoro.store import space_progress
from memoro.store.ports import Index, IndexHome

if TYPE_CHECKING:
    from memoro.index.batch_jobs import BatchFlow
    from memoro.providers.registry import Embedders

# How much text is embedded while a search waits, if there was more to do before its sync began. With what each
# passage costs by itself, about a tenth of a second for the built-in model.
SLICE_CHARACTERS = 400_000
PATIENCE_SECONDS = 0.25  # how long a search waits for another process that fills the built-in space


class VectorEraser(Protocol):
    """The part that a sync needs: it removes chunks, and their vectors go with them."""

    def erase(self, chunks: Sequence[int]) -> None: ...


class VectorMaintenance(VectorEraser, Protocol):
    """Keeps the vectors of a home complete around one sync."""

    @property
    def damage(self) -> VectorsDamaged | None:
        """The damage that was found, if there was any: the space was dropped, and is written anew."""

    @property
    def embedding(self) -> EmbeddingReport | None:
        """What `fill` did for a model that is not the built-in one."""

    def begin(self, index: Index) -> None: ...

    def take_from_cache(self) -> None: ...

    def mend(self, damage: VectorsDamaged) -> None: ...

    def fill(self) -> tuple[str, ...]: ...


class VectorUpkeep:
    """The vectors of a home around one sync: `begin` and `erase` belong into it, `fill` comes after it."""

    def __init__(self, home: IndexHome, embedders: Embedders, effort: Effort) -> None:
        self._home, self._embedders, self._effort = home, embedders, effort
        self._index: Index | None = None
        self._behind: set[str] = set()  # spaces that missed something before the sync began
        self._mended: set[str] = set()  # spaces that were dropped for damage: damaged again, they are given up
        self._damage: VectorsDamaged | None = None
        self._embedding: EmbeddingReport | None = None
        self._spending: SpendingMeter | None = None

    @property
    def damage(self) -> VectorsDamaged | None:
        return self._damage

    @property
    def embedding(self) -> EmbeddingReport | None:
        return self._embedding

    def begin(self, index: Index) -> None:
        """Say which index is about to change. What is missing already is made up for by slices."""
        self._index = index
        if not self._effort.whole:
            names = [str(one.space) for one in self._filled_in(index)]
            self._behind = {name for name in names if not space_progress.is_complete(index, name)}

    def erase(self, chunks: Sequence[int]) -> None:
        """Erase the vectors of chunks that have just gone, in every space. For the holder of the sync lock."""
        if self._index is None or not chunks:
            return
        for name in self._home.spaces(self._index):
            vectors = SpaceVectors(self._home, self._index, Space.parse(name))
            try:
                vectors.erase(chunks)
            except VectorsDamaged as error:
                self._drop_damaged(vectors, error)

    def take_from_cache(self) -> None:
        """Fill an index that is not in use yet with vectors that are known. Computes none.

        For the holder of the sync lock, before the index takes the place of another.
        """
        if self._index is not None:
            for embedder in self._filled_in(self._index):
                take_known(self._home, self._index, embedder, self._outgoing(embedder))

    def fill(self) -> tuple[str, ...]:
        """Embed what has no vector yet; return what an answer should say about it. Never under the sync lock.

        Raises no `ProviderError`: another space, or words, answer meanwhile, and the next sync goes on from here.
        """
        index = self._home.current()
        if index is None:
            return ()
        if self._effort.whole:
            self._home.cache()  # opened, it takes in what a killed process left in its log
        notices = tuple(notice for embedder in self._filled_in(index) for notice in self._fill(embedder))
        if self._embedders.problem and self._effort.whole:  # a search says so itself
            notices = (f"vectors: {self._embedders.problem}", *notices)
        self._drop_unwanted()
        is_kept = space_progress.is_complete(index, str(self._embedders.wanted.space))
        if self._effort.cache_limit is not None and is_kept:  # else it holds results of jobs that nobody else has
            self._home.cache().prune(self._effort.cache_limit, str(self._embedders.wanted.space))
        calibrated = self._calibrate()
        if self._embedding is not None and self._spending is not None:
            self._embedding = self._embedding._replace(sent=self._spending.sent())
        return (*notices, *calibrated)

    def _calibrate(self) -> tuple[str, ...]:
        """Measure how the cosines of another model's space are to be read, once it is complete."""
        wanted = self._embedders.wanted
        if not self._effort.whole or self._effort.remote_seconds is not None or is_builtin(wanted):
            return ()  # the first search of a home syncs all, and cannot wait for this
        if lacks_agreement(self._home.records(), info_of(wanted), str(wanted.space)):
            return ()
        from memoro.index.calibrating import calibrate

        embedders = self._effort.calibrating() if self._effort.calibrating else self._embedders
        agreed = embedders._replace(wanted=self._within_agreement(embedders.wanted))
        return calibrate(self._home, agreed, self._outgoing(wanted).sent)

    def mend(self, damage: VectorsDamaged) -> None:
        """Drop a damaged space, for `fill` to write it anew by slices."""
        index = self._home.current()
        if index is not None and damage.space is not None:
            self._drop_damaged(SpaceVectors(self._home, index, Space.parse(damage.space)), damage)

    def _filled_in(self, index: Index) -> list[Embedder]:
        """Return the embedders whose spaces are filled: those that are kept, and the built-in one that is searched.

        While a new width of the built-in model is being filled, the width before it is searched, and stays complete.
        """
        searched = space_progress.fullest(index, self._embedders.builtins)
        embedders = [searched, *self._embedders.kept]
        return [one for n, one in enumerate(embedders) if one.space not in [other.space for other in embedders[:n]]]

    def _fill(self, embedder: Embedder) -> Iterator[str]:
        if not is_builtin(embedder) and not self._has_time_for(embedder):
            return
        with self._queue(embedder) as free:
            if not free:
                if self._effort.whole:
                    yield f"vectors: another process is filling the space {embedder.space}"
                return
            sent, jobs = SpendingMeter(self._effort.consent, embedder), self._jobs(embedder)
            waits: EmbeddingPlan | None = None
            try:
                checked = self._check_consent(embedder)
                if checked.waits is not None:
                    waits = checked.plan
                    if self._effort.whole:  # a search says itself that the space is not complete
                        yield checked.waits
                if jobs is not None:
                    yield from self._advance(jobs, sent, may_submit=waits is None)
                paid = self._within_agreement(embedder)
                while waits is None and not self._fill_index(paid, sent):
                    pass
                asked = self._check_queries(embedder) if waits is None else ConsentCheck()
                if asked.waits is not None:
                    waits = asked.plan
                    yield asked.waits
            except ProviderError as error:
                if isinstance(error, TextsNotToldApart):  # for search, status and doctor to say
                    self._home.records().suspect(str(embedder.space), str(error).rstrip("."))
                if self._effort.whole or is_builtin(embedder) or not _is_told_by_searches(error):
                    yield f"vectors: {error}"
            else:
                yield from self._standing_failure(embedder, sent)
            if jobs is not None:
                yield from jobs.notices()
            self._report(embedder, sent, waits)

    def _standing_failure(self, embedder: Embedder, sent: SpendingMeter) -> Iterator[str]:
        """Say why a model is not searched with, though this sync met no failure: it did not have to ask the model,
        or the model is suspected, which no vectors that it makes now can mend.
        """
        index, records = self._home.current(), self._home.records
        if index is None or is_builtin(embedder) or not self._effort.whole:
            return
        if why := records().suspicion(str(embedder.space)):
            yield f"vectors: {embedder.space} is not searched: {why.rstrip('.')}"
            return
        if sent.sent().texts or not space_progress.is_complete(index, str(embedder.space)):
            return
        from memoro.providers.circuit_breaker import last_failure

        if why := last_failure(records(), info_of(embedder).host, "query"):
            yield f"vectors: {info_of(embedder).host} did not answer the last search: {why}"

    def _jobs(self, embedder: Embedder) -> BatchFlow | None:
        """The batch jobs of a space, where its provider has them and there is time to ask about them."""
        batches = self._embedders.batches
        has_time = self._effort.whole and self._effort.remote_seconds is None
        if batches is None or not has_time or embedder.space != batches.provider.space:
            return None
        from memoro.index.batch_jobs import BatchFlow  # loaded only for a provider that has such jobs
        from memoro.index.batch_queue import BatchTools

        tools = BatchTools(
            provider=batches.provider,
            meter=batches.meter,
            rules=self._effort.batch,
            text_for=self._outgoing(embedder).text_for,
            check=self._effort.check,
        )
        return BatchFlow(self._home, tools)

    def _advance(self, jobs: BatchFlow, sent: SpendingMeter, *, may_submit: bool) -> tuple[str, ...]:
        if not self._effort.batch.wait:
            return jobs.advance(may_submit=may_submit)
        return jobs.wait(
            lambda done, total: self._effort.filling(
                FillProgress(space=jobs.space, done=done, total=total, sent=sent.sent())
            ),
            may_submit=may_submit,
        )

    def _has_time_for(self, embedder: Embedder) -> bool:
        seconds = self._effort.remote_seconds
        return seconds is None or (seconds > 0 and (self._effort.loads or info_of(embedder).load_seconds <= seconds))

    def _check_consent(self, embedder: Embedder) -> ConsentCheck:
        index, consent = self._home.current(), self._effort.consent
        if index is None or is_builtin(embedder):
            return ConsentCheck()
        outgoing = self._outgoing(embedder)
        SpaceVectors(self._home, index, embedder.space).follow(outgoing.rules, may_drop=self._effort.whole)
        if consent is None:
            return ConsentCheck()
        to_fill = SpaceToFill(home=self._home, into=index, embedder=embedder, outgoing=outgoing)
        return check_consent(consent, to_fill, whole=self._effort.whole)

    def _check_queries(self, embedder: Embedder) -> ConsentCheck:
        """Ask for the yes that no filling asked for; a search says itself that it sends nothing."""
        index, consent = self._home.current(), self._effort.consent
        if index is None or consent is None or is_builtin(embedder) or not self._effort.whole:
            return ConsentCheck()
        space = SpaceToFill(home=self._home, into=index, embedder=embedder, outgoing=self._outgoing(embedder))
        return check_queries(consent, space)

    def _within_agreement(self, embedder: Embedder) -> Embedder:
        consent = self._effort.consent
        if consent is None or not info_of(embedder).costs_money:
            return embedder
        return WithinAgreement(embedder, consent.records)

    def _outgoing(self, embedder: Embedder) -> Outgoing:
        return self._effort.outgoing(info_of(embedder))

    def _report(self, embedder: Embedder, sent: SpendingMeter, waits: EmbeddingPlan | None) -> None:
        index = self._home.current()
        if index is None or is_builtin(embedder):
            return
        space, self._spending = str(embedder.space), sent
        self._embedding = EmbeddingReport(
            space=space,
            host=info_of(embedder).host,
            sent=sent.sent(),
            left=index.count_after(space_progress.settled(index, space)),
            waits=waits,
        )

    @contextmanager
    def _queue(self, embedder: Embedder) -> Iterator[bool]:
        """Hold the queue of a space. Only the built-in model is waited for: it computes, and cannot hang."""
        lock = self._home.filling(str(embedder.space))
        if is_builtin(embedder) and self._effort.whole:
            with patiently(lock, self._effort.check):
                yield True
        else:
            with lock.tried(PATIENCE_SECONDS if is_builtin(embedder) else 0) as free:
                yield free

    def _fill_index(self, embedder: Embedder, sent: SpendingMeter) -> bool:
        """Fill the current index. False where it must be looked at again: it, or the space in it, is another now."""
        index = self._home.current()
        if index is None:
            return True
        vectors = SpaceVectors(self._home, index, embedder.space)
        try:
            vectors.erase(())
            vectors.reclaim()
            if self._effort.whole:
                vectors.check()
            filling = SpaceFilling(self._home, index, embedder, self._effort)
            return filling.run(vectors, self._characters(embedder), sent)
        except VectorsDamaged as error:
            if str(embedder.space) in self._mended:
                raise
            self._drop_damaged(vectors, error)
            return False

    def _characters(self, embedder: Embedder) -> float:
        return SLICE_CHARACTERS if str(embedder.space) in self._behind else float("inf")

    def _drop_damaged(self, vectors: SpaceVectors, damage: VectorsDamaged) -> None:
        self._damage = damage
        vectors.drop()
        self._mended.add(vectors.space)
        if not self._effort.whole:
            self._behind.add(vectors.space)

    def _drop_unwanted(self) -> None:
        """Drop the spaces that are not kept, once those that are kept are complete.

        Where only the built-in model is wanted, those of other providers stay: another program may use them.
        """
        index, kept = self._home.current(), [str(one.space) for one in self._embedders.kept]
        if index is None or not all(space_progress.is_complete(index, name) for name in kept):
            return
        others = [Space.parse(name) for name in self._home.spaces(index) if name not in kept]
        if is_builtin(self._embedders.wanted):
            others = [space for space in others if space.provider == BUILTIN]
        if others:
            # A search that meets a drop tries again as the holder of this lock, and then meets none.
            with self._home.syncing.tried(PATIENCE_SECONDS) as free:
                for space in others if free else ():
                    SpaceVectors(self._home, index, space).drop()


def _is_told_by_searches(error: ProviderError) -> bool:
    """Return whether a search says itself that the provider failed, and its space is therefore not complete."""
    from memoro.providers.circuit_breaker import is_failure

    return isinstance(error, LeftAlone) or is_failure(error, "document")

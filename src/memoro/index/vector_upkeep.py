"""Keeping the vectors of a home complete: a sync erases what is gone, and once it has ended, what is new is embedded.

The chunks behind the last one that is settled in a space are its queue. The index keeps it, so that it survives
any crash. Embedding holds no lock but that of the queue, for which no search and no sync of another process waits
where the embedder may be slow.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memoro.errors import ProviderError, VectorsDamaged
from memoro.index.batch_jobs import BatchFlow
from memoro.index.batch_plan import BatchRules
from memoro.index.batch_queue import BatchTools, before_jobs
from memoro.index.consent import Consent, ConsentCheck, SpaceToFill, SpendingMeter, WithinAgreement, check_consent
from memoro.index.embedding_plan import EmbeddingPlan, EmbeddingReport, FillProgress, costs_money
from memoro.index.outgoing import Outgoing
from memoro.index.single_flight import go_on, patiently
from memoro.index.space_vectors import Batch, BatchCache, SpaceVectors
from memoro.providers.batched import Batched
from memoro.providers.cached import Cached
from memoro.providers.deadline import WithDeadline
from memoro.providers.metering import count_cached
from memoro.providers.ports import BUILTIN, Embedder, EmbedderInfo, Space, info_of, is_builtin
from memoro.store import space_progress
from memoro.store.ports import Index, IndexHome

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.providers.registry import Embedders

_BATCH = 512  # chunks for the built-in model
_REMOTE_BATCH = 64  # chunks in a request to any other: a kill loses no more than one request
# How much text is embedded while a search waits, if there was more to do before its sync began. With what each
# passage costs by itself, about a tenth of a second for the built-in model.
SLICE_CHARACTERS = 400_000
_PASSAGE_COSTS = 300  # characters
PATIENCE_SECONDS = 0.25  # how long a search waits for another process that fills the built-in space


class Effort(NamedTuple):
    """How much may be embedded now."""

    whole: bool = True  # all that is missing, and all that is there verified; else nobody waits for more than a slice
    remote_seconds: float | None = None  # for embedders other than the built-in model; None: as long as they answer
    loads: bool = True  # a model of this machine may be loaded first, which takes longer
    check: Callable[[], None] = go_on  # called between two batches: what it raises ends the work
    cache_limit: int | None = None  # how many vectors the cache may keep for another time
    consent: Consent | None = None  # asked before a space is filled that costs money; None: nobody need be asked
    outgoing: Callable[[EmbedderInfo], Outgoing] = lambda _info: Outgoing()  # what an embedder may be sent
    filling: Callable[[FillProgress], None] = lambda _progress: None
    batch: BatchRules = BatchRules()  # of batch jobs, which only a whole sync makes and asks about
    calibrating: Callable[[], Embedders] | None = None  # the same embedders, counted as used for calibration


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
                _take_known(self._home, self._index, embedder, self._outgoing(embedder))

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
            except ProviderError as error:
                if self._effort.whole or is_builtin(embedder):  # a search says itself why the space is not complete
                    yield f"vectors: {error}"
            if jobs is not None:
                yield from jobs.notices()
            self._report(embedder, sent, waits)

    def _jobs(self, embedder: Embedder) -> BatchFlow | None:
        """The batch jobs of a space, where its provider has them and there is time to ask about them."""
        batches = self._embedders.batches
        has_time = self._effort.whole and self._effort.remote_seconds is None
        if batches is None or not has_time or embedder.space != batches.provider.space:
            return None
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

    def _within_agreement(self, embedder: Embedder) -> Embedder:
        consent = self._effort.consent
        if consent is None or not costs_money(info_of(embedder)):
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
            filling = _Filling(self._home, index, embedder, self._effort)
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


class _Filling:
    """One index being filled in one space, by the holder of the queue."""

    def __init__(self, home: IndexHome, index: Index, embedder: Embedder, effort: Effort) -> None:
        self._home, self._index, self._embedder, self._effort = home, index, embedder, effort
        allowed = None if is_builtin(embedder) else effort.remote_seconds
        self._until = None if allowed is None else time.monotonic() + allowed + info_of(embedder).load_seconds

    def run(self, vectors: SpaceVectors, characters: float, sent: SpendingMeter) -> bool:
        """Settle about so many characters of chunks. False where the index or the space is another one now."""
        done, total = 0, self._index.count_after(space_progress.settled(self._index, vectors.space))
        limit = _BATCH if is_builtin(self._embedder) else _REMOTE_BATCH
        while characters > 0 and not self._is_late() and (batch := self._next(vectors, limit)):
            costs = list(accumulate(_PASSAGE_COSTS + len(item.text) for item in batch.items))
            batch = batch._replace(items=batch.items[: bisect_left(costs, characters) + 1])
            characters -= costs[len(batch.items) - 1]
            self._effort.check()
            if not vectors.settle(batch, self._embed(vectors, batch)):
                return False
            done += len(batch.items)
            self._effort.filling(FillProgress(space=vectors.space, done=done, total=total, sent=sent.sent()))
            if self._home.current() is not self._index:
                return False
        return True

    def _next(self, vectors: SpaceVectors, limit: int) -> Batch | None:
        """Return the next chunks; None where there are none, or the first one is in a batch job."""
        batch = vectors.next_batch(limit)
        if batch is None or is_builtin(self._embedder):
            return batch
        batch = batch._replace(items=before_jobs(self._home, vectors.space, batch.items))
        return batch if batch.items else None

    def _is_late(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def _embed(self, vectors: SpaceVectors, batch: Batch) -> Vectors:
        cache = BatchCache(self._home, self._index, vectors, batch)
        embedder: Embedder = Cached(self._embedder, cache)
        if not is_builtin(self._embedder):
            embedder = self._with_patience(self._in_requests(cache))
        return self._effort.outgoing(info_of(self._embedder)).embed(batch.items, embedder)

    def _in_requests(self, cache: BatchCache) -> Embedder:
        """Return the embedder with its requests within the server's limits, and each kept before the next is sent."""
        cached = Cached(self._embedder, cache, rejected=self._home.records, count_hits=self._count_hits)
        server = info_of(self._embedder).server or str(self._embedder.space)
        return Batched(cached, self._home.records, server, check=self._effort.check, reject=cache.reject)

    def _count_hits(self, texts: int) -> None:
        consent = self._effort.consent
        if consent is not None and info_of(self._embedder).server is not None:  # those of a server alone are counted
            count_cached(consent.records(), self._embedder.space, consent.now(), texts)

    def _with_patience(self, embedder: Embedder) -> Embedder:
        """Return the embedder with a deadline, where somebody waits for it, or where nothing else bounds its time."""
        if self._until is not None:
            return WithDeadline(embedder, max(0.0, self._until - time.monotonic()))
        if info_of(self._embedder).server is not None:  # its requests have deadlines of their own, and are retried
            return embedder
        return WithDeadline(embedder, info_of(self._embedder).request_seconds, patient=True)


def _take_known(home: IndexHome, index: Index, embedder: Embedder, outgoing: Outgoing) -> None:
    """Settle chunks in their order as long as the cache has their vectors, or they are to have none."""
    import numpy

    vectors, name = SpaceVectors(home, index, embedder.space), str(embedder.space)
    vectors.follow(outgoing.rules, may_drop=True)
    nothing = numpy.zeros(embedder.space.dimensions, numpy.float32)
    while batch := vectors.next_batch(_BATCH):
        known = home.cache().get(name, [item.digest for item in batch.items])
        known |= {item.digest: nothing for item in batch.items if outgoing.stays(item)}
        first_missing = next((n for n, item in enumerate(batch.items) if item.digest not in known), len(batch.items))
        if first_missing:
            batch = batch._replace(items=batch.items[:first_missing])
            vectors.settle(batch, numpy.stack([known[item.digest] for item in batch.items]))
        if first_missing < _BATCH:
            return

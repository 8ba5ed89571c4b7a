"""Filling one space of an index: chunks without a vector are embedded, in requests that their server takes."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import TextsNotToldApart
from memoro.index.batch_plan import BatchRules
from memoro.index.consent import Consent, SpendingMeter
from memoro.index.embedding_plan import FillProgress
from memoro.index.outgoing import Outgoing
from memoro.index.single_flight import go_on
from memoro.index.space_vectors import Batch, BatchCache, SpaceVectors
from memoro.providers.cached import Cached
from memoro.providers.deadline import WithDeadline
from memoro.providers.ports import Embedder, EmbedderInfo, info_of, is_builtin
from memoro.store import space_progress
from memoro.store.ports import Index, IndexHome

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.providers.registry import Embedders

_BATCH = 512  # chunks for the built-in model
_REMOTE_BATCH = 64  # chunks in a request to any other: a kill loses no more than one request
_PASSAGE_COSTS = 300  # characters


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


class SpaceFilling:
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
            rows = self._embed(vectors, batch)
            self._refuse_useless(batch, rows)
            if not vectors.settle(batch, rows):
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
        from memoro.index.batch_queue import before_jobs  # loaded only for other models than the built-in one

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

    def _refuse_useless(self, batch: Batch, rows: Vectors) -> None:
        """Raise where the model has one vector for all texts. Passages may be alike: texts of our own decide."""
        if is_builtin(self._embedder) or len({item.digest for item in batch.items}) < 2:
            return
        from memoro.providers.telling_apart import are_all_the_same, tells_texts_apart, why_useless

        if are_all_the_same(rows) and not tells_texts_apart(self._embedder):
            raise TextsNotToldApart(why_useless(str(self._embedder.space)))

    def _in_requests(self, cache: BatchCache) -> Embedder:
        """Return the embedder with its requests within the server's limits, and each kept before the next is sent."""
        from memoro.providers.batched import Batched

        cached = Cached(self._embedder, cache, rejected=self._home.records, count_hits=self._count_hits)
        server = info_of(self._embedder).server or str(self._embedder.space)
        return Batched(cached, self._home.records, server, check=self._effort.check, reject=cache.reject)

    def _count_hits(self, texts: int) -> None:
        consent = self._effort.consent
        if consent is not None and info_of(self._embedder).server is not None:  # those of a server alone are counted
            from memoro.providers.metering import count_cached

            count_cached(consent.records(), self._embedder.space, consent.now(), texts)

    def _with_patience(self, embedder: Embedder) -> Embedder:
        """Return the embedder with a deadline, where somebody waits for it, or where nothing else bounds its time."""
        if self._until is not None:
            return WithDeadline(embedder, max(0.0, self._until - time.monotonic()))
        if info_of(self._embedder).server is not None:  # its requests have deadlines of their own, and are retried
            return embedder
        return WithDeadline(embedder, info_of(self._embedder).request_seconds, patient=True)


def take_known(home: IndexHome, index: Index, embedder: Embedder, outgoing: Outgoing) -> None:
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

"""The vectors of one index in one space: read and changed by several processes at once, each change a short one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.errors import StoreUnavailable, VectorsDamaged
from memoro.model.answers import Where
from memoro.model.vocabulary import KINDS
from memoro.providers.ports import Space
from memoro.store import space_progress
from memoro.store.ports import ChunkText, Index, IndexHome

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


_FEW_UNUSED, _SHARE_UNUSED = 32, 0.25  # fewer unused vectors than this, or a smaller share, may stay


class Batch(NamedTuple):
    """The next chunks without a vector, and what the index said just before they were read."""

    items: Sequence[ChunkText]
    gone: str | None  # how many chunks had gone
    drops: int  # how often a space had been dropped
    forgotten: str  # how often texts had been forgotten


class SpaceVectors:
    """Changes vectors as the holder of `IndexHome.changing_vectors`, and first looks which chunks are still there.

    The lock is not held while a text is being embedded: chunks may go meanwhile, and the space may be dropped.
    """

    def __init__(self, home: IndexHome, index: Index, space: Space) -> None:
        self._home, self._index = home, index
        self.space = str(space)
        self._vectors = home.vectors(index, self.space, space.dimensions)

    def is_complete(self) -> bool:
        return space_progress.is_complete(self._index, self.space)

    def next_batch(self, limit: int) -> Batch | None:
        """Return the next chunks that have no vector; None where there are none. For the one who fills the space."""
        gone, drops = self._index.get_meta(space_progress.GONE), space_progress.drops(self._index)
        forgotten = self._home.changing_vectors.left()
        after = max(self._vectors.last, space_progress.settled(self._index, self.space))
        items = self._index.texts_after(after, limit)
        return Batch(items=items, gone=gone, drops=drops, forgotten=forgotten) if items else None

    def settle(self, batch: Batch, rows: Vectors) -> bool:
        """Append the vectors of those chunks that are still there. False where the space was dropped meanwhile.

        A row of zeros stands for a chunk that has no vector.
        """
        with self._home.changing_vectors.held():
            if space_progress.drops(self._index) != batch.drops:
                return False
            there = {item.chunk for item in self.still_there(batch)}
            has_vector = numpy.count_nonzero(rows, axis=1)
            kept = [n for n, item in enumerate(batch.items) if has_vector[n] and item.chunk in there]
            if kept:
                self._vectors.append([batch.items[n].chunk for n in kept], numpy.ascontiguousarray(rows[kept]))
            last = batch.items[-1].chunk
            self._index.put_meta({space_progress.settled_key(self.space): str(last)})
            return True

    def follow(self, rules: str, *, may_drop: bool) -> None:
        """Note the rules about what may be sent. Vectors that were filled by other rules are all dropped.

        The cache keeps them, so that the space is filled anew without paying again. For the holder of the queue.
        A search may drop nothing: it may be that of an agent with settings of its own.
        """
        if space_progress.sendable(self._index, self.space) == rules:
            return
        if space_progress.settled(self._index, self.space):
            if not may_drop:
                return
            self.drop()
        kept = None if rules == space_progress.EVERYTHING else rules
        self._index.put_meta({space_progress.sendable_key(self.space): kept})

    def still_there(self, batch: Batch) -> Sequence[ChunkText]:
        """Return the chunks of a batch that have not gone since it was read. No number is ever given twice."""
        if self._index.get_meta(space_progress.GONE) == batch.gone:
            return batch.items
        first, last = batch.items[0].chunk, batch.items[-1].chunk
        return [one for one in self._index.texts_after(first - 1, len(batch.items)) if one.chunk <= last]

    def erase(self, chunks: Sequence[int]) -> None:
        """Erase the vectors of chunks that have just gone, and of those that went unseen before."""
        gone, erased = self._gone_and_erased()
        if gone == erased:
            return
        with self._home.changing_vectors.held():
            gone, erased = self._gone_and_erased()
            if gone == erased + len(chunks):
                self._vectors.erase(chunks)
            elif gone != erased:  # in a sync for words alone, or in one that was killed
                self._vectors.keep(self._index.admitted(Where(kinds=KINDS)) or [])
            self._index.put_meta({space_progress.erased_key(self.space): str(gone)})

    def _gone_and_erased(self) -> tuple[int, int]:
        erased = self._index.get_meta(space_progress.erased_key(self.space))
        return int(self._index.get_meta(space_progress.GONE) or 0), int(erased or 0)

    def reclaim(self) -> None:
        """Give back the space of vectors that no passage uses, where that is worth writing the others anew."""
        unused = self._vectors.length - self._vectors.count
        if unused >= max(_FEW_UNUSED, _SHARE_UNUSED * self._vectors.length):
            with self._home.changing_vectors.held():
                self._vectors.reclaim()

    def check(self) -> None:
        """Raise `VectorsDamaged` where a vector is not what was written."""
        self._vectors.check()

    def scrub(self) -> None:
        """Leave no trace of chunks that are gone. Needs no model. For the holder of the sync lock."""
        with self._home.changing_vectors.held():
            self._vectors.keep(self._index.admitted(Where(kinds=KINDS)) or [])
            self._vectors.scrub()

    def drop(self) -> None:
        """Drop every vector of the space. Killed in between, the space is incomplete and not taken for complete."""
        with self._home.changing_vectors.held():
            space_progress.forget_progress(self._index, self.space)
            self._vectors.drop()


class BatchCache:
    """What is kept of one batch, vectors in the cache and rejections: not of texts that were forgotten meanwhile."""

    def __init__(self, home: IndexHome, index: Index, vectors: SpaceVectors, batch: Batch) -> None:
        self._home, self._index, self._vectors, self._batch = home, index, vectors, batch

    def get(self, space: str, digests: Sequence[str]) -> dict[str, Vectors]:
        return self._home.cache().get(space, digests)

    def put(self, space: str, vectors: Mapping[str, Vectors]) -> None:
        with self._home.changing_vectors.held():
            there = self._there()
            self._home.cache().put(space, {key: row for key, row in vectors.items() if key in there})

    def reject(self, key: str, why: str) -> None:
        """Record that a text cannot be embedded. What the provider says about it may quote it."""
        with self._home.changing_vectors.held():
            if key in self._there():
                self._home.records().reject(self._vectors.space, {key: why})

    def _there(self) -> set[str]:
        """The digests of the batch whose texts were not forgotten. For the holder of `changing_vectors`."""
        items: Sequence[ChunkText] = self._batch.items
        if self._home.changing_vectors.left() != self._batch.forgotten:
            # Only the current index tells what was forgotten.
            items = self._vectors.still_there(self._batch) if self._home.current() is self._index else ()
        return {item.digest for item in items}


def scrub(home: IndexHome, index: Index) -> None:
    """Leave no trace in any space of chunks that are gone, whatever broke off before.

    For the holder of the sync lock. Damaged vectors are all dropped, and the next sync fills them in again.
    """
    for name in home.spaces(index):
        vectors = SpaceVectors(home, index, Space.parse(name))
        try:
            vectors.scrub()
        except VectorsDamaged:
            vectors.drop()
    home.sweep(index)


def forget_texts(home: IndexHome, digests: Sequence[str]) -> None:
    """Drop these texts from the cache of vectors and from batch jobs, once the index has dropped them.

    For the holder of the sync lock. An embedder that still works on one of them finds it gone, and keeps nothing.
    """
    with home.changing_vectors.held():
        before = home.changing_vectors.left()
        times = str(int(before) + 1 if before.isdecimal() else 1)
        home.changing_vectors.leave(times)
        if home.changing_vectors.left() != times:
            raise StoreUnavailable("The home cannot be written. Free some space, and forget it again.")
        home.cache().drop(digests)
        home.records().forget(digests)

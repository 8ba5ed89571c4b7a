"""Keeping the vectors of an index complete: what has none is embedded once, whatever moves around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate

import numpy

from memoro.errors import VectorsDamaged
from memoro.model.answers import Where
from memoro.model.vocabulary import KINDS
from memoro.providers.ports import Embedder
from memoro.store.ports import ChunkText, Index, VectorCache, VectorIndex

_BATCH = 512
# How much text a sync embeds that a search is waiting for, if there was more to do before it began. With what
# each passage costs by itself, about a tenth of a second for the built-in model.
SLICE_CHARACTERS = 400_000
_PASSAGE_COSTS = 300  # characters


class Embedding:
    """One index in one space, with the cache that pays for nothing twice."""

    def __init__(self, index: Index, vectors: VectorIndex, cache: VectorCache, embedder: Embedder) -> None:
        self._index, self._vectors, self._cache, self._embedder = index, vectors, cache, embedder
        self.space = str(embedder.space)
        self._erased = 0

    def erase(self, chunks: Sequence[int]) -> None:
        self._erased += len(chunks)
        if chunks and self._vectors.length:
            self._vectors.erase(chunks)

    def complete(self, characters: int | None = None, check: Callable[[], None] = lambda: None) -> int:
        """Embed every chunk that has no vector yet, or about so many characters of them; how many chunks it were.

        What `check` raises ends it between two batches.
        """
        self._erase_missed()
        after = max(self._vectors.last, looked_at(self._index, self.space))
        done, left = 0, float("inf") if characters is None else characters
        while left > 0 and (batch := self._index.texts_after(after, _BATCH)):
            costs = list(accumulate(_PASSAGE_COSTS + len(item.text) for item in batch))
            batch = batch[: bisect_left(costs, left) + 1]  # as one: each batch waits for the disk
            check()
            self._embed(batch)
            after = batch[-1].chunk
            done += len(batch)
            left -= costs[len(batch) - 1]
        if after != looked_at(self._index, self.space):
            self._index.put_meta({_key(self.space): str(after)})
        return done

    def check(self) -> None:
        """Raises where a vector is not what was written."""
        self._vectors.check()

    def is_complete(self) -> bool:
        return is_complete(self._index, self.space)

    def forget(self) -> None:
        """Drop every vector of the space from the index; what the cache keeps stays."""
        forget(self._index, self._vectors, self.space)
        self._erased = 0

    def _erase_missed(self) -> None:
        """Chunks may have gone with nobody here to erase them: in a sync for words alone, or in one killed."""
        key = _erased_key(self.space)
        gone, erased = (int(self._index.get_meta(name) or 0) for name in ("gone", key))
        if gone == erased:
            return
        if gone != erased + self._erased:
            self._vectors.keep(self._index.admitted(Where(kinds=KINDS)) or [])
        self._index.put_meta({key: str(gone)})
        self._erased = 0

    def _embed(self, batch: Sequence[ChunkText]) -> None:
        space = self.space
        known = self._cache.get(space, [item.digest for item in batch])
        missing = {item.digest: item.text for item in batch if item.digest not in known}
        if missing:
            fresh = dict(zip(missing, self._embedder.embed(list(missing.values())), strict=True))
            # A text without a word that the model knows has no direction, and so no vector. Rounded as the
            # cache rounds, a vector is the same whether it comes from there or from the model.
            fresh = {d: v.astype(numpy.float16).astype(numpy.float32) for d, v in fresh.items() if v.any()}
            self._cache.put(space, fresh)
            known |= fresh
        rows = [(item.chunk, known[item.digest]) for item in batch if item.digest in known]
        if rows:
            chunks, vectors = zip(*rows, strict=True)
            self._vectors.append(list(chunks), numpy.stack(vectors))


def looked_at(index: Index, space: str) -> int:
    """The highest chunk number for which it is settled whether it has a vector in the space."""
    return int(index.get_meta(_key(space)) or 0)


def is_complete(index: Index, space: str) -> bool:
    return not index.texts_after(looked_at(index, space), 1)


def forget(index: Index, vectors: VectorIndex, space: str) -> None:
    """Drop what an index has in a space. Broken off in the middle, it is incomplete and is not taken for complete."""
    index.put_meta({_key(space): None, _erased_key(space): None, "dropped": str(drops(index) + 1)})
    vectors.drop()


def drops(index: Index) -> int:
    """How often a space has been dropped: whoever sees it change has searched what may be gone."""
    return int(index.get_meta("dropped") or 0)


def filled(index: Index, space: str) -> float:
    """The share of the chunks, 0–1, for which it is settled whether they have a vector in the space."""
    chunks = index.counts().chunks
    return 1 - index.count_after(looked_at(index, space)) / chunks if chunks else 1.0


class Upkeep:
    """The vectors of one index: complete in the space that is searched in, on the way to it in the one wanted.

    Both are kept up to date until the wanted one is complete; then `drop_others` is called. A space whose
    files are damaged is filled anew from the cache.
    """

    def __init__(
        self, serving: Embedding, wanted: Embedding, drop_others: Callable[[], None], *, whole: bool
    ) -> None:
        """`whole`: all that is missing is embedded, and all that is there verified; nobody waits for an answer."""
        self._wanted, self._drop_others, self._whole = wanted, drop_others, whole
        self._spaces = {one.space: one for one in (serving, wanted)}
        # What was missing before is made up for a slice at a time; what this sync adds is embedded at once.
        self._behind = {name for name, one in self._spaces.items() if not whole and not one.is_complete()}
        self.damage: VectorsDamaged | None = None
        self.check: Callable[[], None] = lambda: None  # what it raises ends `complete` between two batches

    def erase(self, chunks: Sequence[int]) -> None:
        for one in self._spaces.values():
            self._mended(partial(one.erase, chunks))

    def complete(self) -> None:
        for one in self._spaces.values():
            self._mended(partial(self._complete, one))
        if self._wanted.is_complete():
            self._drop_others()

    def _complete(self, one: Embedding) -> None:
        if self._whole:
            one.check()
        one.complete(SLICE_CHARACTERS if one.space in self._behind else None, self.check)

    def _mended(self, work: Callable[[], None]) -> None:
        try:
            work()
        except VectorsDamaged as error:
            self.forget(error)
            work()

    def forget(self, damage: VectorsDamaged) -> None:
        """Drop what is damaged, for `complete` to fill it anew."""
        self.damage = damage
        if damage.space in self._spaces:
            self._spaces[damage.space].forget()
            if not self._whole:
                self._behind.add(damage.space)


def _erased_key(space: str) -> str:
    return f"erased/{space}"


def _key(space: str) -> str:
    return f"embedded/{space}"

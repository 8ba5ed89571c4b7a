"""Keeping the vectors of an index complete: what has none is embedded once, whatever moves around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy

from memoro.model.answers import Where
from memoro.model.notes import KINDS
from memoro.providers.ports import Embedder
from memoro.store.ports import ChunkText, Index, VectorCache, VectorIndex

_BATCH = 512


class Embedding:
    """One index in one space, with the cache that pays for nothing twice."""

    def __init__(self, index: Index, vectors: VectorIndex, cache: VectorCache, embedder: Embedder) -> None:
        self._index, self._vectors, self._cache, self._embedder = index, vectors, cache, embedder
        self._space = str(embedder.space)
        self._erased = 0

    def erase(self, chunks: Sequence[int]) -> None:
        self._erased += len(chunks)
        if chunks and self._vectors.length:
            self._vectors.erase(chunks)

    def complete(self, progress: Callable[[int], None] = lambda _done: None) -> int:
        """Embed every chunk that has no vector yet; how many there were."""
        self._erase_missed()
        after, done = max(self._vectors.last, looked_at(self._index, self._space)), 0
        while batch := self._index.texts_after(after, _BATCH):
            self._embed(batch)
            after = batch[-1].chunk
            done += len(batch)
            progress(done)
        if done:
            self._index.put_meta({_key(self._space): str(after)})
        return done

    def _erase_missed(self) -> None:
        """Chunks may have gone with nobody here to erase them: in a sync for words alone, or in one killed."""
        key = f"erased/{self._space}"
        gone, erased = (int(self._index.get_meta(name) or 0) for name in ("gone", key))
        if gone == erased:
            return
        if gone != erased + self._erased:
            self._vectors.keep(self._index.admitted(Where(kinds=KINDS)) or [])
        self._index.put_meta({key: str(gone)})
        self._erased = 0

    def _embed(self, batch: Sequence[ChunkText]) -> None:
        space = self._space
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


def _key(space: str) -> str:
    return f"embedded/{space}"

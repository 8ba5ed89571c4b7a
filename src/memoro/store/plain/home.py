"""A home in memory, for programs that want no files."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from memoro.store.plain.index import PlainIndex
from memoro.store.plain.provider_records import PlainProviderRecords
from memoro.store.ports import Index, VectorCache, VectorIndex


class PlainIndexHome:
    """A home without files, which ends with the process."""

    def __init__(self) -> None:
        self.syncing = _ThreadLock()
        self.changing_vectors = _ThreadLock()
        self._filling: dict[str, _ThreadLock] = {}
        self.generation: int | None = None
        self._index: PlainIndex | None = None
        self._vectors: WeakKeyDictionary[Index, dict[str, VectorIndex]] = WeakKeyDictionary()
        self._cache: VectorCache | None = None
        self._records = PlainProviderRecords()

    def records(self) -> PlainProviderRecords:
        return self._records

    def filling(self, space: str) -> _ThreadLock:
        return self._filling.setdefault(space, _ThreadLock())

    def current(self) -> PlainIndex | None:
        return self._index

    def first(self) -> PlainIndex:
        if self._index is None:
            self._index, self.generation = PlainIndex(), 1
        return self._index

    @contextmanager
    def next(self) -> Iterator[PlainIndex]:
        fresh = PlainIndex()
        yield fresh
        self._index, self.generation = fresh, (self.generation or 0) + 1

    def vectors(self, index: Index, space: str, dimensions: int) -> VectorIndex:
        from memoro.store.plain.vectors import PlainVectors

        spaces = self._vectors.setdefault(index, {})
        if space not in spaces:
            spaces[space] = PlainVectors(dimensions)
        return spaces[space]

    def spaces(self, index: Index) -> list[str]:
        return [name for name, vectors in self._vectors.get(index, {}).items() if vectors.length]

    def sweep(self, index: Index) -> None:
        """Do nothing: there are no leftover files."""

    def cache(self) -> VectorCache:
        from memoro.store.plain.vectors import PlainCache

        self._cache = self._cache or PlainCache()
        return self._cache

    def is_damaged(self) -> str | None:
        return None

    def set_aside(self) -> None:
        self._index = None

    def close(self) -> None:
        pass


class _ThreadLock:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._word = ""

    def leave(self, text: str) -> None:
        self._word = text

    def left(self) -> str:
        return self._word

    def is_held(self) -> bool:
        return self._lock.locked()

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._lock:
            yield

    @contextmanager
    def tried(self, wait: float = 0.0) -> Iterator[bool]:
        free = self._lock.acquire(timeout=wait) if wait else self._lock.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._lock.release()

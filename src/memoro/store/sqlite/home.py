"""The index files of one home: find the current one, open it once, and build the next."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memoro.errors import IndexDamaged, IndexTooNew, StorageFull, StoreError, StoreUnavailable
from memoro.store.files import has_room, why_read_only
from memoro.store.lock import KernelLock
from memoro.store.sqlite.engine import Engine, has_log
from memoro.store.sqlite.generations import Generations, short_name
from memoro.store.sqlite.index import SqliteIndex, create

if TYPE_CHECKING:
    from memoro.providers.records import ProviderRecords
    from memoro.store.matrix import Matrix
    from memoro.store.ports import Index, VectorCache, VectorIndex
    from memoro.store.sqlite.embeddings import Embeddings


class SqliteIndexHome:
    """Hands out the current index; all openers of a home within a process share it."""

    def __init__(self, folder: str, engine: Engine) -> None:
        self.folder = folder
        self.engine = engine
        self.syncing = KernelLock(os.path.join(folder, "sync.lock"))
        self.changing_vectors = KernelLock(os.path.join(folder, "vectors.lock"))
        self._writers = KernelLock(os.path.join(folder, "write.lock"))
        self._generations = Generations(folder)
        self._alone = threading.RLock()
        self._open: tuple[int, SqliteIndex] | None = None
        self._cache: Embeddings | None = None
        self._records: ProviderRecords | None = None
        self._vectors: dict[str, Matrix] = {}  # space -> vectors of the open index: mapped once, not for every search

    def records(self) -> ProviderRecords:
        with self._alone:
            if self._records is None:
                from memoro.store.sqlite.provider_records import SqliteProviderRecords

                self._records = SqliteProviderRecords(self.folder, self.engine)
            return self._records

    @property
    def generation(self) -> int | None:
        return self._generations.current()

    def filling(self, space: str) -> KernelLock:
        return KernelLock(os.path.join(self.folder, f"vectors-{short_name(space)}.lock"))

    def current(self) -> SqliteIndex | None:
        """Return the current index; reopen it after another process has switched, or the file was deleted."""
        with self._alone:
            number = self._generations.current()
            if self._open and self._open[0] == number and self._is_usable(self._open[1]):
                return self._open[1]
            self._leave()
            while number is not None:
                share = _Share(self._generations.in_use(number).share())
                if os.path.exists(self._generations.file(number)):
                    return self._opened(number, share)
                number = self._generations.current()  # deleted before we had the lock: try again
            return None

    def _opened(self, number: int, share: _Share) -> SqliteIndex:
        file, refusal = self._generations.file(number), why_read_only(self.folder)
        try:
            index = SqliteIndex(file, self.engine, self._writers, refusal=refusal, keep=share)
        except StorageFull:  # no room for shared memory: reading needs none
            if has_log(file):
                raise
            # A new error: one that was raised keeps its frames alive, and with them the share of the lock.
            index = SqliteIndex(file, self.engine, self._writers, refusal=StorageFull(file), keep=share)
        self._open = (number, index)
        return index

    def _is_usable(self, index: SqliteIndex) -> bool:
        return _same_file(index) and not self._may_write_again(index.refusal)

    def _may_write_again(self, refusal: StoreError | None) -> bool:
        """Return whether a file that is only read for lack of room can be opened for writing now."""
        return isinstance(refusal, StorageFull) and has_room(self.folder)

    def _leave(self) -> None:
        """Stop using this index. It is closed when the last thread that reads from it releases it."""
        with self._alone:
            self._open = None
            self._vectors = {}

    def first(self) -> SqliteIndex:
        """Return the current index, created empty if there is none. Only for the holder of `syncing`."""
        self._generations.sweep()
        if self._generations.current() is None:
            number = self._generations.unused()
            create(self._generations.building(number), self.engine)
            self._generations.switch_to(number)
        index = self.current()
        if index is None:
            raise StoreUnavailable(f"The index in {self.folder} was removed as it was made. Run the command again.")
        return index

    @contextmanager
    def next(self) -> Iterator[SqliteIndex]:
        """Yield an empty index to fill; when the block succeeds it is verified and becomes the current one.

        Searches use the old one meanwhile. Only for the holder of `syncing`.
        """
        self._generations.sweep()
        number = self._generations.unused()
        building = self._generations.building(number)
        create(building, self.engine)
        index = SqliteIndex(building, self.engine, self._writers)
        try:
            yield index
            index.settle()
            if complaints := index.check():
                raise IndexDamaged(complaints[0])
        finally:
            index.close()
        self._generations.switch_to(number)
        self._leave()
        self._generations.sweep()

    def vectors(self, index: Index, space: str, dimensions: int) -> VectorIndex:
        """Return the memory-mapped vectors of this index, as far as it records them."""
        from memoro.store.matrix import Matrix

        assert isinstance(index, SqliteIndex)
        made = Matrix(self._generations.vectors(_number(index), space), dimensions, index, space)
        with self._alone:
            if self._open is None or self._open[1] is not index:
                return made
            return self._vectors.setdefault(space, made)

    def spaces(self, index: Index) -> list[str]:
        assert isinstance(index, SqliteIndex)
        return [key.removeprefix("vectors/") for key in index.meta_keys("vectors/")]

    def sweep(self, index: Index) -> None:
        assert isinstance(index, SqliteIndex)
        self._generations.remove_vectors(_number(index), except_in=self.spaces(index))

    def cache(self) -> VectorCache:
        from memoro.store.sqlite.embeddings import Embeddings

        with self._alone:
            if self._cache is None or self._may_write_again(self._cache.refusal):
                self._cache = Embeddings(self.folder, self.engine)
            return self._cache

    def is_damaged(self) -> str | None:
        """Return why the current index cannot be used, confirmed by a second check while nobody writes; else None."""
        with self._writers.held():
            self._leave()
            try:
                index = self.current()
                complaints = index.check() if index else []
            except IndexTooNew:
                raise
            except IndexDamaged as error:
                return error.why
            return complaints[0] if complaints else None

    def set_aside(self) -> None:
        """Move the damaged current index out of the way, and keep its bytes for an investigation."""
        with self._alone:
            number = self._generations.current()
            self._leave()
            if number is not None:
                self._generations.set_aside(number)

    def close(self) -> None:
        with self._alone:
            if self._open:
                _, index = self._open
                self._leave()
                index.close()
            if self._cache:
                self._cache.close()
                self._cache = None
            if self._records:
                self._records.close()
                self._records = None


def _number(index: SqliteIndex) -> int:
    return int(os.path.basename(index.file).split(".")[1])


def _same_file(index: SqliteIndex) -> bool:
    try:
        status = os.stat(index.file)
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == index.inode


class _Share:
    """A share of the lock of a generation, released when the last user of the index is gone."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._close = os.close  # when a program ends, `os` may be gone before this

    def __del__(self) -> None:
        if self._descriptor is not None:
            self._close(self._descriptor)

"""A cache of vectors by the digest of their text. It outlives every index."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, cast

import apsw
import numpy

from memoro.errors import EmbeddingsTooNew, IndexDamaged, StorageFull, StoreError
from memoro.model.guard import write_transaction
from memoro.store.files import EMBEDDINGS_FILE, why_read_only
from memoro.store.lock import KernelLock
from memoro.store.sqlite.engine import Engine, connect, has_log, translated

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

FORMAT = 1
# The page cache. A page holds seven vectors, so that the tree above 100,000 of them has 2,300 pages: with SQLite's
# usual 2 MB a search read and verified most of these again.
_CACHE_KIB = 10_000
_AT_ONCE = 500  # digests in one statement; SQLite allows a few thousand
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS spaces (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS vectors (
    space INTEGER NOT NULL REFERENCES spaces,
    digest BLOB NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (space, digest)
) WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
"""


class Embeddings:
    """A cache in `embeddings.db`: (space, digest of the text) -> a vector of 16-bit numbers."""

    def __init__(self, home: str, engine: Engine) -> None:
        self.file = os.path.join(home, EMBEDDINGS_FILE)
        self._engine = engine
        self._writers = KernelLock(os.path.join(home, "write.lock"))
        self._alone = threading.RLock()
        self.refusal: StoreError | None = why_read_only(home)  # what a write raises, where it is only read
        if self.refusal is None:
            try:
                self._open_to_write()
                return
            except StorageFull:
                if has_log(self.file):
                    raise
                self.refusal = StorageFull(self.file)  # a raised one would keep its frames alive
        self._db = connect(self.file, engine, read_only=True)
        self._db.pragma("cache_size", -_CACHE_KIB)

    def _open_to_write(self) -> None:
        with self._writers.held():
            try:
                self._db = self._opened()
            except IndexDamaged:
                self._set_aside()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self.refusal is not None:
            raise self.refusal
        with self._alone, self._writers.held(), translated(self.file):
            yield

    def _opened(self) -> apsw.Connection:
        db = connect(self.file, self._engine, create=True)
        with translated(self.file):
            try:
                found = int(db.pragma("user_version") or 0)
                if found > FORMAT:
                    raise EmbeddingsTooNew(file=self.file, found=found, known=FORMAT)
                if not found:  # it is new, or a process died while it made the file
                    with write_transaction(), db:
                        db.execute(SCHEMA)
                db.pragma("cache_size", -_CACHE_KIB)
            except BaseException:
                db.close()
                raise
        return db

    def _set_aside(self) -> None:
        """Start with an empty cache: it can be computed again, and a damaged one must not stop a search."""
        os.replace(self.file, os.path.join(os.path.dirname(self.file), "embeddings.damaged"))
        for tail in ("-wal", "-shm", "-journal"):
            with suppress(FileNotFoundError):
                os.unlink(self.file + tail)
        self._db = self._opened()

    def get(self, space: str, digests: Sequence[str]) -> dict[str, Vectors]:
        try:
            return self._get(space, digests)
        except IndexDamaged:
            if self.refusal is None:
                with self._alone, self._writers.held():
                    self._db.close()
                    self._set_aside()
            return {}

    def _get(self, space: str, digests: Sequence[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        with self._alone, translated(self.file):
            for start in range(0, len(digests), _AT_ONCE):
                some = [bytes.fromhex(digest) for digest in digests[start : start + _AT_ONCE]]
                rows = self._db.execute(
                    f"""SELECT digest, vector FROM vectors
                         WHERE space = (SELECT id FROM spaces WHERE name = ?)
                           AND digest IN ({", ".join("?" * len(some))})""",
                    (space, *some),
                )
                kept = cast("list[tuple[bytes, bytes]]", rows.fetchall())
                if kept:  # of one space, so all of one length
                    joined = numpy.frombuffer(b"".join([vector for _, vector in kept]), numpy.float16)
                    vectors = joined.astype(numpy.float32).reshape(len(kept), -1)
                    found.update(zip([digest.hex() for digest, _ in kept], vectors, strict=True))
        return found

    def known(self, space: str, digests: Sequence[str]) -> set[str]:
        try:
            return self._known(space, digests)
        except IndexDamaged:  # the next `get` sets it aside
            return set()

    def _known(self, space: str, digests: Sequence[str]) -> set[str]:
        found: set[str] = set()
        with self._alone, translated(self.file):
            for start in range(0, len(digests), _AT_ONCE):
                some = [bytes.fromhex(digest) for digest in digests[start : start + _AT_ONCE]]
                rows = self._db.execute(
                    f"""SELECT digest FROM vectors WHERE space = (SELECT id FROM spaces WHERE name = ?)
                           AND digest IN ({", ".join("?" * len(some))})""",
                    (space, *some),
                )
                found.update(digest.hex() for (digest,) in cast("list[tuple[bytes]]", rows.fetchall()))
        return found

    def put(self, space: str, vectors: Mapping[str, Vectors]) -> None:
        rows = [(bytes.fromhex(digest), vector.astype(numpy.float16).tobytes()) for digest, vector in vectors.items()]
        with self._writing(), write_transaction(), self._db:
            self._db.execute("INSERT OR IGNORE INTO spaces (name) VALUES (?)", (space,))
            number = self._db.execute("SELECT id FROM spaces WHERE name = ?", (space,)).get
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", [(number, d, v) for d, v in rows])

    def drop(self, digests: Sequence[str]) -> None:
        """Delete these without a trace in the file or its log."""
        try:
            self._drop([(bytes.fromhex(digest),) for digest in digests])
        except IndexDamaged:  # the new cache holds none of them
            with self._alone, self._writers.held():
                self._db.close()
                self._set_aside()

    def _drop(self, rows: Sequence[tuple[bytes]]) -> None:
        with self._writing():
            self._db.pragma("secure_delete", True)
            with write_transaction(), self._db:
                self._db.executemany("DELETE FROM vectors WHERE digest = ?", rows)
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def drop_space(self, space: str) -> int:
        found = self.count().get(space, 0)
        with self._writing():
            with write_transaction(), self._db:
                self._db.execute("DELETE FROM vectors WHERE space = (SELECT id FROM spaces WHERE name = ?)", (space,))
                self._db.execute("DELETE FROM spaces WHERE name = ?", (space,))
            with suppress(StorageFull):  # to give room back takes some for a moment
                self._give_room_back()
        return found

    def _give_room_back(self) -> None:
        with translated(self.file):
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def count(self) -> dict[str, int]:
        query = "SELECT name, count(digest) FROM spaces LEFT JOIN vectors ON space = id GROUP BY id"
        with self._alone, translated(self.file):
            return {str(name): int(str(count)) for name, count in self._db.execute(query)}

    def prune(self, keep: int, wanted: str = "") -> int:
        """Delete vectors until `keep` are left, those of the wanted space last; return how many were deleted."""
        surplus = sum(self.count().values()) - keep
        if surplus <= 0:
            return 0
        with self._writing(), write_transaction(), self._db:
            self._db.execute(
                """DELETE FROM vectors WHERE (space, digest) IN (
                    SELECT v.space, v.digest FROM spaces s JOIN vectors v ON v.space = s.id
                     ORDER BY s.name = ? LIMIT ?)""",
                (wanted, surplus),
            )
        return surplus

    def close(self) -> None:
        with self._alone, translated(self.file):
            self._db.close()


def examine(home: str, engine: Engine, *, whole: bool) -> set[str]:
    """Return the spaces that the cache has vectors in; with `whole`, read every page before.

    Raises IndexDamaged. Unlike `Embeddings`, it leaves a damaged file where it is.
    """
    try:
        return _examined(home, engine, whole)
    except IndexDamaged:  # it may have been read while it was written: only what is wrong twice is damage
        return _examined(home, engine, whole)


def _examined(home: str, engine: Engine, whole: bool) -> set[str]:
    from memoro.store.sqlite.durable import complaints  # searches have no use for it

    file = os.path.join(home, EMBEDDINGS_FILE)
    if not os.path.getsize(file):
        return set()
    db = connect(file, engine, read_only=True)
    with closing(db), translated(file):
        if whole and (found := complaints(db, 1)):
            raise IndexDamaged(found[0])
        query = "SELECT name FROM spaces WHERE EXISTS (SELECT 1 FROM vectors WHERE space = spaces.id)"
        return {str(name) for (name,) in db.execute(query)}

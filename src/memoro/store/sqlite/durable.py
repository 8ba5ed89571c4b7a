"""A database of what exists nowhere else: nothing acknowledged is lost, and nothing is written on doubtful ground."""

from __future__ import annotations

import errno
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import NamedTuple

import apsw

from memoro.errors import IndexDamaged, LedgerDamaged, LedgerTooNew, StorageFull, StoreUnavailable
from memoro.model.guard import write_transaction
from memoro.model.home import IN_MEMORY
from memoro.store.files import sync_folder
from memoro.store.lock import KernelLock
from memoro.store.sqlite.engine import Engine, connect, translated

TAILS = ("", "-wal", "-shm", "-journal")
_NOT_OURS = "it holds none of our tables"


class Shape(NamedTuple):
    """What a database of one kind consists of."""

    format: int
    schema: str
    migrations: Mapping[int, str]  # from this format to the next


class DurableDatabase:
    """One file, opened when it is first used, by threads that share it and processes that each have their own.

    Writers queue on a kernel lock. Every commit is on the disk before it is acknowledged. After an error of
    the disk the file is opened anew and checked before anything else is done with it.
    """

    def __init__(
        self,
        file: str,
        engine: Engine,
        shape: Shape,
        before_migration: Callable[[apsw.Connection], object] = lambda _db: None,
    ) -> None:
        self.file = file
        self.engine = engine
        self._shape = shape
        self._before_migration = before_migration
        self._alone = threading.RLock()
        kept = file != IN_MEMORY
        self._queue = KernelLock(f"{file.removesuffix('.db')}.lock") if kept else None
        self._making = KernelLock(f"{file.removesuffix('.db')}.making.lock") if kept else None
        self._db: apsw.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._log: tuple[int, int] | None = None  # the log of the file that is open
        self.commits = 0  # by this object
        self._doubtful = False
        self._fleeting = False  # opened in a way that keeps others out: closed again as soon as may be

    @property
    def format(self) -> int:
        """The format that this version writes."""
        return self._shape.format

    @property
    def damaged_copy(self) -> str:
        """Where the bytes of a damaged file are kept. While it is there, nothing is written."""
        return f"{self.file.removesuffix('.db')}.damaged.db"

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """One moment of the database for all the reading in the block."""
        with self._alone, self.watched():
            db = self._connection()
            inner = bool(db.in_transaction)  # within another block of this thread
            if not inner:
                db.execute("BEGIN")
                db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # the moment is that of the first look
            try:
                yield db
            finally:
                if not inner and self._db is db and db.in_transaction:  # else it was closed for an error
                    db.execute("COMMIT")
                if not inner and self._fleeting:
                    self._leave()

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """All that the block does is durable when it ends well, and undone when it does not."""
        with self._alone, self._held(), self.watched():
            if os.path.exists(self.damaged_copy):
                raise LedgerDamaged(self.file, "as was found before")
            db = self._connection()
            with write_transaction():
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                    db.execute("COMMIT")
                    self.commits += 1
                except BaseException:
                    if self._db is db and db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
                finally:
                    if self._fleeting:
                        self._leave()
            if not self._is_in_place():
                self._leave()
                raise StoreUnavailable(
                    f"{self.file} was replaced or removed while it was written to, so this change may be lost. "
                    "Run the command again."
                )

    def _held(self) -> AbstractContextManager[None]:
        return self._queue.held() if self._queue else nullcontext()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other process writes during the block."""
        with self._alone, self._held():
            yield

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Errors of this database in our words. Those of another one, met within the block, pass as they are."""
        try:
            yield
        except apsw.Error:
            with self._judged(), translated(self.file):
                raise

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """A disk that failed, or bytes that are wrong, are looked at once more."""
        try:
            yield
        except IndexDamaged as error:
            raise self._second_look(error.why) from error
        except StoreUnavailable as error:
            if isinstance(error.__cause__, apsw.IOError):
                self._leave(doubtful=True)
                self._doubtful = True
            raise

    def _connection(self) -> apsw.Connection:
        if self._db is not None and not self._db.in_transaction and not self._is_in_place():
            self._leave()
            self._refuse_foreign_log()
        if self._db is None:
            with self._judged(), translated(self.file):
                self._db = self._opened()
        return self._db

    def _opened(self) -> apsw.Connection:
        if self.file != IN_MEMORY and not os.access(os.path.dirname(self.file), os.W_OK):
            return self._checked(connect(self.file, self.engine, read_only=True))
        # Eight processes that open a new home at once: one makes the tables, the others wait for it.
        with self._making.held() if self._making else nullcontext():
            if self.file != IN_MEMORY:
                self._make_if_missing()
            db = self._connected()
            try:
                db.pragma("secure_delete", True)  # what is deleted is overwritten
                self._bring_to_format(db)
            except BaseException:
                _close_untouched(db)
                raise
        return self._checked(db)

    def _connected(self) -> apsw.Connection:
        try:
            return connect(self.file, self.engine, synchronous="FULL", create=self.file == IN_MEMORY)
        except StorageFull:  # no room for shared memory, which means that nobody else has the file open
            self._fleeting = True
            return connect(self.file, self.engine, synchronous="FULL", exclusive=True)

    def _make_if_missing(self) -> None:
        """A new file gets its name when it is whole, so that one that is empty was emptied by somebody."""
        if os.path.exists(self.file):
            if not os.path.getsize(self.file):  # opened, it would take its log with it
                raise IndexDamaged("it is empty")
            return
        with _in_our_words(self.file):
            self._sweep(self._unfinished)
            os.close(os.open(self._unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            db = connect(self._unfinished, self.engine._replace(wal=False), synchronous="FULL", create=True)
            try:
                self._in_one(db, self._shape.schema, self._shape.format)
            finally:
                db.close()
            self._put_in_place()

    @property
    def _unfinished(self) -> str:
        return f"{self.file}.making"

    def _put_in_place(self) -> None:
        """Give the file that was made its name. A log of the one before would be read into it, and goes."""
        for tail in TAILS[1:]:
            self._sweep(self.file + tail)
        os.replace(self._unfinished, self.file)
        sync_folder(os.path.dirname(self.file))

    def _sweep(self, file: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(file)

    def _bring_to_format(self, db: apsw.Connection) -> None:
        found, known = int(db.pragma("user_version") or 0), self._shape.format
        if found > known:
            raise LedgerTooNew(file=self.file, found=found, known=known)
        if found == 0:
            if self.file != IN_MEMORY:
                raise IndexDamaged(_NOT_OURS)
            self._in_one(db, self._shape.schema, known)
            return
        if found < known:
            self._before_migration(db)
        for step in range(found, known):
            self._in_one(db, self._shape.migrations[step], step + 1)

    def _in_one(self, db: apsw.Connection, statements: str, version: int) -> None:
        db.execute("BEGIN IMMEDIATE")
        try:
            db.execute(statements)
            db.pragma("user_version", version)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _checked(self, db: apsw.Connection) -> apsw.Connection:
        try:
            if self._doubtful:
                if (found := db.pragma("quick_check")) != "ok":
                    raise IndexDamaged(str(found))
                self._doubtful = False
            if self.file != IN_MEMORY:
                status = os.stat(self.file)
                self._inode = (status.st_dev, status.st_ino)
                db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # opens the log, if there is to be one
                self._log = _identity(f"{self.file}-wal")
        except OSError as error:
            db.close()
            raise StoreUnavailable(f"{self.file} was removed while it was opened. Run the command again.") from error
        except BaseException:
            _close_untouched(db)
            raise
        return db

    def _is_in_place(self) -> bool:
        """Whether the name still leads to the file that is open: what is written to another is lost."""
        if self.file == IN_MEMORY:
            return True
        try:
            status = os.stat(self.file)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._inode

    def _refuse_foreign_log(self) -> None:
        """The log of the file that was replaced, left beside the new one, would be read into it and destroy it."""
        log = f"{self.file}-wal"
        if self._log is None or self._log != _identity(log) or not os.path.exists(self.file):
            return
        with suppress(FileNotFoundError):
            if not os.path.getsize(log):  # merged, and nothing in it to be read
                return
            raise StoreUnavailable(
                f"{self.file} was replaced while it was in use, and the log of the old file is still beside it. "
                f"Close all that uses Memoro, move {log} and -shm away, and run the command again."
            )

    def _leave(self, *, doubtful: bool = False) -> None:
        db, self._db = self._db, None
        self._fleeting = False
        if db is not None:
            with suppress(apsw.Error):
                _close_untouched(db) if doubtful else db.close()

    def _second_look(self, why: str) -> StoreUnavailable | LedgerDamaged:
        """Wrong bytes may have been read while they were written: only what is wrong twice is damage."""
        self._leave(doubtful=True)
        try:
            complaints = self.check()
        except (IndexDamaged, LedgerDamaged) as error:
            complaints = [error.why]
        except StoreUnavailable as error:
            return error
        if not complaints:
            return StoreUnavailable(f"{self.file} could not be read just now ({why}). Run the command again.")
        self._keep_damaged()
        return LedgerDamaged(self.file, complaints[0].partition("\n")[0])

    def _keep_damaged(self) -> None:
        """The bytes as they were found, for whoever can make more of them."""
        if os.path.exists(self.damaged_copy):
            return
        self._leave()
        for tail in ("-wal", ""):  # the file itself last: its name is what stops further writes
            with suppress(OSError):
                shutil.copyfile(self.file + tail, self.damaged_copy + tail)

    def check(self) -> list[str]:
        """What is wrong with the file, if anything, by the engine's own account."""
        with self._alone, translated(self.file):
            if self._db is None and os.path.exists(self.file) and not os.path.getsize(self.file):
                return ["it is empty"]
            db = self._db or connect(self.file, self.engine, synchronous="FULL")
            try:
                found = [str(row[0]) for row in db.execute("PRAGMA integrity_check(20)")]
                found += self._not_there(db)
            finally:
                if self._db is None:
                    _close_untouched(db)
        return [line for line in found if line != "ok"]

    def _not_there(self, db: apsw.Connection) -> list[str]:
        """What a sound database lacks that one of ours has."""
        version = int(db.pragma("user_version") or 0)
        if version != self._shape.format:
            return [] if version else [_NOT_OURS]
        there = {str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema")}
        wanted = re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", self._shape.schema)
        return [f"the table {name} is missing" for name in wanted if name not in there]

    def merge_log(self) -> None:
        """Empty the log into the file, so that nothing of what was deleted is left in it."""
        with self.alone(), self.watched():
            if self.engine.wal and self.file != IN_MEMORY:
                ((busy, *_),) = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                if busy:
                    raise StoreUnavailable(f"{self.file} is being read by another program. Run the command again.")

    def shrink(self) -> None:
        """Give back the space that deleted rows have left."""
        with self.alone(), self.watched():
            self._connection().execute("VACUUM")
        self.merge_log()

    def become(self, file: str) -> None:
        """Take over what is in another file of the same kind; readers see the old or the new."""
        with self.alone(), self.watched():
            if self._is_damaged():
                self._replace_by(file)
            else:
                self._copy_from(file)
            for tail in TAILS:
                self._sweep(self.damaged_copy + tail)
        if self.file != IN_MEMORY:
            self._leave()

    def _copy_from(self, file: str) -> None:
        source = connect(file, self.engine, read_only=True)
        try:
            db = self._connection()
            with db.backup("main", source, "main") as backup:
                backup.step()
            db.pragma("journal_mode", "WAL" if self.engine.wal else "DELETE")
        finally:
            source.close()

    def _is_damaged(self) -> bool:
        if not os.path.exists(self.file):
            return False
        try:
            return bool(self.check())
        except IndexDamaged:
            return True

    def _replace_by(self, file: str) -> None:
        """A damaged file cannot be copied over: it is kept under another name, and whoever has it open notices."""
        self._leave()
        number = 1
        while os.path.exists(f"{self.file}.damaged-{number}"):
            number += 1
        aside = f"{self.file}.damaged-{number}"
        with _in_our_words(self.file), self._making.held() if self._making else nullcontext():
            shutil.copyfile(file, self._unfinished)
            os.chmod(self._unfinished, 0o600)
            with open(self._unfinished, "rb") as copied:
                os.fsync(copied.fileno())
            os.link(self.file, aside)
            for tail in TAILS[1:]:
                with suppress(FileNotFoundError):
                    os.rename(self.file + tail, aside + tail)
            self._put_in_place()

    def close(self) -> None:
        with self._alone:
            self._leave()


def _close_untouched(db: apsw.Connection) -> None:
    """Close without merging the log: what is doubtful is to stay as it was found."""
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    db.close()


@contextmanager
def _in_our_words(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(file) from error
        raise StoreUnavailable(
            f"{file} cannot be made: {(error.strerror or str(error)).lower()}. Make the folder writable, or set "
            "MEMORO_HOME to one that is."
        ) from error


def copy(db: apsw.Connection, file: str, engine: Engine) -> None:
    """What a connection sees, as one file that is whole without a log."""
    target = connect(file, engine, synchronous="FULL", create=True)
    try:
        with target.backup("main", db, "main") as backup:
            backup.step()
        target.pragma("journal_mode", "DELETE")
    finally:
        target.close()


def _identity(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino

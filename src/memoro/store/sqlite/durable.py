"""A database of what exists nowhere else: nothing acknowledged is lost, and nothing is written on doubtful ground."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Literal, NamedTuple

import apsw

from memoro.errors import (
    IndexDamaged,
    LedgerDamaged,
    LedgerNotRecognised,
    LedgerTooNew,
    StorageFull,
    StoreUnavailable,
)
from memoro.model.guard import write_transaction
from memoro.model.home import IN_MEMORY
from memoro.model.vocabulary import StorePart
from memoro.store.file_record import FileMark, FileRecord
from memoro.store.lock import KernelLock
from memoro.store.sqlite.database_file import Aside, DatabaseFile
from memoro.store.sqlite.engine import Engine, connect, translated
from memoro.store.sqlite.recognition import Recognition

_NOT_OURS = "it holds none of our tables"


class Shape(NamedTuple):
    """The tables of a database of one kind."""

    format: int
    schema: str
    migrations: Mapping[int, str]  # from this format to the next
    mark: str = ""  # the query for identity and position; empty: files of this kind have none
    synchronous: Literal["NORMAL", "FULL"] = "FULL"  # NORMAL: what a power cut takes is to be had elsewhere
    part: StorePart = "ledger"  # which part of a backup replaces a damaged file


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
        record: FileRecord | None = None,
    ) -> None:
        """Without a `record` the file is taken as it is: a copy, or one in memory."""
        self.file = file
        self.engine = engine
        self.commits = 0  # by this object
        self._shape = shape
        self._before_migration = before_migration
        self._recognition = Recognition(record, shape.mark)
        self._place = DatabaseFile(file)
        self._threads = threading.RLock()
        kept = file != IN_MEMORY
        self._queue = KernelLock(f"{file.removesuffix('.db')}.lock") if kept else None
        self._making = KernelLock(f"{file.removesuffix('.db')}.making.lock") if kept else None
        self._db: apsw.Connection | None = None
        self._doubtful = False
        self._keeps_others_out = False  # how it is opened on a full disk: closed again as soon as may be

    @property
    def format(self) -> int:
        """The format that this version writes."""
        return self._shape.format

    @property
    def damaged_copy(self) -> str:
        return self._place.damaged_copy

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """One moment of the database for all the reading in the block."""
        with self._threads, self.errors_translated():
            db = self._connection()
            inner = bool(db.in_transaction)  # within another block of this thread
            if not inner:
                _begin_reading(db)
            try:
                if not inner:
                    self._recognition.check(db, partial(_begin_reading, db))
                yield db
            finally:
                if not inner and self._db is db and db.in_transaction:  # else it was closed for an error
                    db.execute("COMMIT")
                if not inner and self._keeps_others_out:
                    self._disconnect()

    def is_in_transaction(self) -> bool:
        """Return whether this thread is within a block of `read` or `write`."""
        if not self._threads.acquire(blocking=False):
            return False  # another thread is
        try:
            return self._db is not None and bool(self._db.in_transaction)
        finally:
            self._threads.release()

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """Everything that the block writes is durable when it ends well, and undone when it raises."""
        with self._threads, self._queued(), self.errors_translated():
            if refusal := self._refusal():
                raise refusal
            db = self._connection()
            with write_transaction():
                db.execute("BEGIN IMMEDIATE")
                try:
                    before = self._recognition.check(db)
                    yield db
                    after = self._recognition.before_commit(db, before)
                    db.execute("COMMIT")
                    self.commits += 1
                except BaseException:
                    if self._db is db and db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
                finally:
                    if self._keeps_others_out:
                        self._disconnect()
            if not self._is_in_place():
                self._disconnect()
                raise StoreUnavailable(
                    f"{self.file} was replaced or removed while it was written to, so this change may be lost. "
                    "Run the command again."
                )
            self._recognition.committed(after)

    def known_damage(self) -> LedgerDamaged | None:
        """Return what every write raises since damage was found; None where none is, or none is any more."""
        if not self._place.was_changed_since_damage():
            return self._refusal()
        with self._threads, self._tried() as free:
            return self._refusal() if free else self._damaged_before()

    def _refusal(self) -> LedgerDamaged | None:
        """Return why nothing is written. A file that changed is read again: somebody may have put a whole one back.

        For the holder of the queue, if it did change.
        """
        if not os.path.exists(self.damaged_copy):
            return None
        return self._look_again() if self._place.was_changed_since_damage() else self._damaged_before()

    def _look_again(self) -> LedgerDamaged | None:
        """Read a file that was found damaged once more; allow writes if it is whole now. For the queue's holder."""
        if not self._is_in_place():
            self._place.refuse_foreign_log()
        self._disconnect(doubtful=True)  # an open connection would answer from its memory
        if found := self.check():
            self._place.note_damage()
            return LedgerDamaged(self.file, found[0], self._shape.part)
        self._place.end_damaged_copy(is_kept=False)
        return None

    def _damaged_before(self) -> LedgerDamaged:
        return LedgerDamaged(self.file, "as was found before", self._shape.part)

    @contextmanager
    def _tried(self) -> Iterator[bool]:
        """Hold the queue for the block if it is free, and nothing of this file is being read or written here."""
        if self._queue is None or self.is_in_transaction() or not os.access(os.path.dirname(self.file), os.W_OK):
            yield False
            return
        with self._queue.tried() as free:
            yield free

    def _queued(self) -> AbstractContextManager[None]:
        return self._queue.held() if self._queue else nullcontext()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other process writes during the block."""
        with self._threads, self._queued():
            yield

    @contextmanager
    def errors_translated(self) -> Iterator[None]:
        """Raise errors of this database as ours. Those of another one, met within the block, pass as they are."""
        try:
            yield
        except apsw.Error:
            with self._damage_confirmed(), translated(self.file):
                raise

    @contextmanager
    def _damage_confirmed(self) -> Iterator[None]:
        """A disk that failed, or bytes that are wrong, are looked at once more."""
        try:
            yield
        except IndexDamaged as error:
            raise self._second_look(error.why) from error
        except StoreUnavailable as error:
            if isinstance(error.__cause__, apsw.IOError):
                self._disconnect(doubtful=True)
                self._doubtful = True
            raise

    def _connection(self) -> apsw.Connection:
        if self._db is not None and not self._db.in_transaction and not self._is_in_place():
            self._disconnect()
            self._place.refuse_foreign_log()
        if self._db is None:
            with self._damage_confirmed(), translated(self.file):
                self._db = self._opened()
        elif not self._db.in_transaction and self.engine.wal and self._place.was_written():
            with suppress(StorageFull), self._damage_confirmed(), translated(self.file):
                self._look_afresh()
        return self._db

    def _look_afresh(self) -> None:
        """Recognise the file through a new connection.

        With a log, only a checkpoint writes the file itself. Whoever copies another file over it does too, and the
        open connection would go on with the pages that it has in memory.
        """
        if not os.access(os.path.dirname(self.file), os.W_OK):
            return  # nothing is written here either
        fresh = connect(self.file, self.engine, synchronous=self._shape.synchronous)
        try:
            _begin_reading(fresh)
            self._recognition.check(fresh, partial(_begin_reading, fresh))
        except LedgerNotRecognised:
            self._disconnect(doubtful=True)
            raise
        finally:
            _close_untouched(fresh)

    def _opened(self) -> apsw.Connection:
        if not os.path.exists(self.file):
            self._recognition.check_missing()
        if self.file != IN_MEMORY and not os.access(os.path.dirname(self.file), os.W_OK):
            return self._checked(connect(self.file, self.engine, read_only=True))
        # Eight processes that open a new home at once: one makes the tables, the others wait for it.
        with self._making.held() if self._making else nullcontext():
            if self.file != IN_MEMORY:
                self._place.make_if_missing(self._fill)
            db = self._connected()
            try:
                db.pragma("secure_delete", True)  # what is deleted is overwritten
                if 0 < int(db.pragma("user_version") or 0) <= self._shape.format:  # else refused for its format
                    self._recognition.check(db)  # before anything in it changes
                self._bring_to_format(db)
            except BaseException:
                _close_untouched(db)
                raise
            db = self._checked(db)
            self._recognition.adopt(db)
        return db

    def adopt(self) -> None:
        """Accept the file as it is; make an empty one where there is none."""
        if self._recognition.record is not None:
            with self.alone(), self.errors_translated():
                is_marked = os.path.exists(self.damaged_copy) and os.path.exists(self.file)
                if is_marked and (refusal := self._look_again()):
                    raise refusal
                self._disconnect()
                self._recognition.record.accept_any()
                self._connection()

    def _connected(self) -> apsw.Connection:
        try:
            return connect(self.file, self.engine, synchronous=self._shape.synchronous, create=self.file == IN_MEMORY)
        except StorageFull:  # no room for shared memory, which means that nobody else has the file open
            self._keeps_others_out = True
            return connect(self.file, self.engine, synchronous=self._shape.synchronous, exclusive=True)

    def _fill(self, file: str) -> None:
        """Make the tables in a new file."""
        db = connect(file, self.engine._replace(wal=False), synchronous=self._shape.synchronous, create=True)
        try:
            self._in_one(db, self._shape.schema, self._shape.format)
        finally:
            db.close()

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
        """Run statements and write the number of the format in one transaction."""
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
                self._place.note_opened()
                db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # opens the log, if there is to be one
                self._place.note_log()
        except OSError as error:
            db.close()
            raise StoreUnavailable(f"{self.file} was removed while it was opened. Run the command again.") from error
        except BaseException:
            _close_untouched(db)
            raise
        return db

    def _is_in_place(self) -> bool:
        return self.file == IN_MEMORY or self._place.is_in_place()

    def _disconnect(self, *, doubtful: bool = False) -> None:
        db, self._db = self._db, None
        self._keeps_others_out = False
        if db is not None:
            with suppress(apsw.Error):
                _close_untouched(db) if doubtful else db.close()

    def _second_look(self, why: str) -> StoreUnavailable | LedgerDamaged:
        """Wrong bytes may have been read while they were written: only what is wrong twice is damage."""
        self._disconnect(doubtful=True)
        try:
            found = self.check()
        except StoreUnavailable as error:
            return error
        if not found:
            return StoreUnavailable(f"{self.file} could not be read just now ({why}). Run the command again.")
        self._disconnect()
        self._place.keep_damaged()
        return LedgerDamaged(self.file, found[0], self._shape.part)

    def check(self) -> list[str]:
        """Return what is wrong with the file, by the engine's own account."""
        try:
            with self._threads, translated(self.file):
                return self._complaints()
        except IndexDamaged as error:
            return [error.why]

    def _complaints(self) -> list[str]:
        if self._db is None and self._place.is_empty():
            return ["it is empty"]
        db = self._db or connect(self.file, self.engine, synchronous=self._shape.synchronous)
        try:
            return [*complaints(db, 20), *self._missing_tables(db)]
        finally:
            if self._db is None:
                _close_untouched(db)

    def refuse_damaged(self) -> None:
        """Raise LedgerDamaged where the file is damaged. From then on nothing is written to it, until it is whole."""
        if self.is_damaged():
            raise self._second_look("it is damaged")
        if os.path.exists(self.damaged_copy) and os.path.exists(self.file):
            with self._threads, self._tried() as free:
                if free and (refusal := self._look_again()):
                    raise refusal

    def _missing_tables(self, db: apsw.Connection) -> list[str]:
        version = int(db.pragma("user_version") or 0)
        if version != self._shape.format:
            return [] if version else [_NOT_OURS]
        there = {str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema")}
        wanted = re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", self._shape.schema)
        return [f"the table {name} is missing" for name in wanted if name not in there]

    def merge_log(self) -> None:
        """Empty the log into the file, so that nothing of what was deleted is left in it."""
        with self.alone(), self.errors_translated():
            if self.engine.wal and self.file != IN_MEMORY:
                ((busy, *_),) = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                if busy:
                    raise StoreUnavailable(f"{self.file} is being read by another program. Run the command again.")

    def shrink(self) -> None:
        """Give back the space that deleted rows have left."""
        with self.alone(), self.errors_translated():
            self._connection().execute("VACUUM")
        self.merge_log()

    def become(self, file: str) -> None:
        """Take over what is in another file of the same kind; readers see the old or the new."""
        with self.alone(), self.errors_translated():
            mark = self._mark_of(file)
            why_aside = self._why_aside()
            self._recognition.announce(mark)
            if why_aside is not None:
                self._disconnect()
                with self._making.held() if self._making else nullcontext():
                    self._place.replace(file, why_aside)
            else:
                self._copy_from(file)
            self._place.end_damaged_copy(is_kept=why_aside == "damaged")
            self._recognition.committed(mark)
        if self.file != IN_MEMORY:
            self._disconnect()

    def _mark_of(self, file: str) -> FileMark | None:
        source = connect(file, self.engine, read_only=True)
        try:
            return self._recognition.mark(source)
        finally:
            source.close()

    def _why_aside(self) -> Aside | None:
        """Why the present file cannot be copied over, and is kept under another name; None: it can."""
        if self.file == IN_MEMORY:
            return None
        if self.is_damaged():
            return "damaged"
        try:
            self._connection()
        except LedgerNotRecognised:
            return "refused"
        return None

    def _copy_from(self, file: str) -> None:
        source = connect(file, self.engine, read_only=True)
        try:
            db = self._connection()
            with db.backup("main", source, "main") as backup:
                backup.step()
            db.pragma("journal_mode", "WAL" if self.engine.wal else "DELETE")
        finally:
            source.close()

    def is_damaged(self) -> bool:
        return os.path.exists(self.file) and bool(self.check())

    def close(self) -> None:
        with self._threads:
            self._disconnect()


def _begin_reading(db: apsw.Connection) -> None:
    """Begin a transaction that sees the present moment."""
    if db.in_transaction:
        db.execute("COMMIT")
    db.execute("BEGIN")
    db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # the moment is that of the first look


def _close_untouched(db: apsw.Connection) -> None:
    """Close without merging the log: what is doubtful is to stay as it was found."""
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    db.close()


def complaints(db: apsw.Connection, most: int) -> list[str]:
    """Return what the engine's check says, a line each; nothing where all is well."""
    lines = [line for row in db.execute(f"PRAGMA integrity_check({most})") for line in str(row[0]).splitlines()]
    return [line for line in lines if line not in ("ok", "*** in database main ***")]


def copy(db: apsw.Connection, file: str, engine: Engine) -> None:
    """Write what a connection sees into one file that is whole without a log."""
    target = connect(file, engine, synchronous="FULL", create=True)
    try:
        with target.backup("main", db, "main") as backup:
            backup.step()
        target.pragma("journal_mode", "DELETE")
    finally:
        target.close()

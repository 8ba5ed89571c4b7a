"""The files of a ledger and an archive: transactions, upkeep and copies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import apsw

from memoro.errors import LedgerDamaged, StoreError
from memoro.model.home import IN_MEMORY
from memoro.store.file_record import FileRecord
from memoro.store.moved import refuse_moved
from memoro.store.sqlite.database_file import ASIDE
from memoro.store.sqlite.durable import DurableDatabase, Shape, complaints, copy
from memoro.store.sqlite.engine import Engine, connect, translated
from memoro.store.sqlite.ledger import schema
from memoro.store.sqlite.ledger.transaction import SqliteArchiveTransaction, SqliteTransaction, row_counts
from memoro.store.sqlite.ledger.words import merge_deleted, missing_words
from memoro.store.sqlite.ledger_files import LEDGER_FILE, change_token

if TYPE_CHECKING:
    from memoro.ledger.ports import BeforeMigration

ARCHIVE_FILE = "archive.db"
SPARE_FILE = "ballast"
# Forgetting has ledger, archive, index and cache open at once, each with a log and 32 KiB of shared memory.
SPARE_BYTES = 512 * 1024
_LEDGER_SHAPE = Shape(
    format=schema.FORMAT, schema=schema.LEDGER, migrations=schema.MIGRATIONS, mark=schema.LEDGER_MARK
)
_ARCHIVE_SHAPE = Shape(
    format=schema.ARCHIVE_FORMAT,
    schema=schema.ARCHIVE,
    migrations=schema.ARCHIVE_MIGRATIONS,
    mark=schema.ARCHIVE_MARK,
    part="archive",
)


class _OldLedger(NamedTuple):
    """A ledger before its format changes: it can be copied, and nothing else."""

    db: apsw.Connection
    engine: Engine

    def copy_to(self, folder: str) -> Mapping[str, int]:
        copy(self.db, os.path.join(folder, LEDGER_FILE), self.engine)
        return row_counts(self.db)


class StoreFile:
    """One durable file with its upkeep and its copies, as ledger and archive both are."""

    def __init__(self, home: str, name: str, database: DurableDatabase) -> None:
        self.home = home
        self.database = database
        self._name = name

    @property
    def _is_kept(self) -> bool:
        return self.home != IN_MEMORY

    def _refuse_moved(self) -> None:
        if self._is_kept:
            refuse_moved(self.home)

    def exclusively(self) -> AbstractContextManager[None]:
        return self.database.alone()

    def size(self) -> int:
        file = self.database.file
        return sum(os.path.getsize(file + tail) for tail in ("", "-wal") if os.path.exists(file + tail))

    def written_at(self) -> float:
        """A log that holds nothing only shows that the file was read."""
        file = self.database.file
        times = [os.stat(name) for name in (file, f"{file}-wal") if os.path.exists(name)]
        return max((status.st_mtime for status in times if status.st_size), default=0.0)

    def check(self) -> list[str]:
        if found := self.database.check():
            return found
        with self.database.read() as db:
            return missing_words(row_counts(db))

    def refuse_damaged(self) -> None:
        self.database.refuse_damaged()

    def known_damage(self) -> LedgerDamaged | None:
        return self.database.known_damage()

    def scrub(self) -> None:
        with self.database.write() as db:
            merge_deleted(db)
        self.database.merge_log()

    def compact(self) -> None:
        with self.database.write() as db:
            merge_deleted(db)
        self.database.shrink()

    def trim(self) -> None:
        """A file has no other machines."""

    def out_of_reach(self) -> list[str]:
        return []

    def copy_to(self, folder: str) -> Mapping[str, int]:
        with self.database.read() as db, self.database.errors_translated():
            copy(db, os.path.join(folder, self._name), self.database.engine)
            return row_counts(db)

    def check_copy(self, folder: str, rows: Mapping[str, int]) -> list[str]:
        try:
            with self._connected_to_copy(folder) as db:
                wrong = complaints(db, 5)
                counted, version = row_counts(db), int(db.pragma("user_version") or 0)
        except StoreError as error:
            return [f"{self._name}: {getattr(error, 'why', error)}"]
        problems = [f"{self._name}: {line}" for line in wrong]
        if version > self.database.format:
            problems.append(f"{self._name}: a later version of Memoro made it (format {version})")
        if counted != rows:
            problems.append(f"{self._name}: it does not hold as many rows as were counted when it was made")
        return problems

    def adopt(self) -> None:
        self.database.adopt()

    def become_copy(self, folder: str) -> None:
        self.database.become(os.path.join(folder, self._name))

    def damaged_remains(self) -> list[str]:
        prefixes = tuple(f"{self._name}.{why}-" for why in ASIDE)
        with suppress(FileNotFoundError):
            return sorted(name for name in os.listdir(self.home) if name.startswith(prefixes))
        return []

    def staleness(self) -> str | None:
        return None

    @contextmanager
    def _connected_to_copy(self, folder: str) -> Iterator[apsw.Connection]:
        file = os.path.join(folder, self._name)
        with translated(file):
            db = connect(file, self.database.engine, read_only=True)
            try:
                yield db
            finally:
                db.close()

    def close(self) -> None:
        self.database.close()


class SqliteLedger(StoreFile):
    person: str | None = None  # nobody shares it

    def __init__(
        self,
        home: str,
        engine: Engine,
        before_migration: BeforeMigration = lambda _ledger: None,
        record: FileRecord | None = None,
    ) -> None:
        def migrating(db: apsw.Connection) -> None:
            before_migration(_OldLedger(db, engine))

        file = IN_MEMORY if home == IN_MEMORY else os.path.join(home, LEDGER_FILE)
        super().__init__(home, LEDGER_FILE, DurableDatabase(file, engine, _LEDGER_SHAPE, migrating, record))

    @contextmanager
    def reading(self) -> Iterator[SqliteTransaction]:
        with self.database.read() as db:
            yield SqliteTransaction(db)

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        with self.database.write() as db:
            self._refuse_moved()
            yield SqliteTransaction(db)

    def lineage(self) -> None:
        return None

    def present_lineage(self) -> None:
        return None

    def change_token(self) -> str | None:
        return change_token(self.home) if self._is_kept else str(self.database.commits)

    @contextmanager
    def reading_copy(self, folder: str) -> Iterator[SqliteTransaction]:
        with self._connected_to_copy(folder) as db:
            yield SqliteTransaction(db)

    def open_copy(self, folder: str) -> SqliteLedger:
        return SqliteLedger(folder, self.database.engine)

    def forgotten_elsewhere(self) -> list[tuple[str, str]]:
        return []

    def note_erased(self) -> None:
        """There are no other machines."""

    def keep_spare_room(self) -> None:
        spare = os.path.join(self.home, SPARE_FILE)
        if not self._is_kept or os.path.exists(spare):
            return
        descriptor = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            whole = os.write(descriptor, b"\0" * SPARE_BYTES) == SPARE_BYTES
        except OSError:
            whole = False
        finally:
            os.close(descriptor)
        if not whole:  # less than is needed is of no use to anyone, here least of all
            os.unlink(spare)

    def free_spare_room(self) -> bool:
        try:
            os.unlink(os.path.join(self.home, SPARE_FILE))
        except OSError:
            return False
        return True


class SqliteArchive(StoreFile):
    def __init__(self, home: str, engine: Engine, record: FileRecord | None = None) -> None:
        file = IN_MEMORY if home == IN_MEMORY else os.path.join(home, ARCHIVE_FILE)
        database = DurableDatabase(file, engine, _ARCHIVE_SHAPE, record=record)
        super().__init__(home, ARCHIVE_FILE, database)

    @contextmanager
    def reading(self) -> Iterator[SqliteArchiveTransaction]:
        with self.database.read() as db:
            yield SqliteArchiveTransaction(db)

    @contextmanager
    def writing(self) -> Iterator[SqliteArchiveTransaction]:
        with self.database.write() as db:
            self._refuse_moved()
            changes = db.total_changes()
            yield SqliteArchiveTransaction(db)
            if db.total_changes() != changes:
                db.execute(schema.ADVANCE_ARCHIVE)  # it has no journal, so it counts its writes

    @contextmanager
    def reading_copy(self, folder: str) -> Iterator[SqliteArchiveTransaction]:
        with self._connected_to_copy(folder) as db:
            yield SqliteArchiveTransaction(db)

    def open_copy(self, folder: str) -> SqliteArchive:
        return SqliteArchive(folder, self.database.engine)

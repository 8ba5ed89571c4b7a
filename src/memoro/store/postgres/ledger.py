"""A ledger and an archive whose rows are on a Postgres server.

Reads come from the local copy. A write locks the tenant's head on the server, brings the copy up to date, runs in the
copy, and sends the rows that it changed: the queries are those of a local ledger, and so are the answers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import apsw

from memoro.errors import LedgerUnreachable, StoreError, StoreUnavailable
from memoro.model.visibility import is_private
from memoro.store.file_record import FileMark, FileRecord
from memoro.store.moved import refuse_moved
from memoro.store.postgres import replica
from memoro.store.postgres.copying import make_whole, replace_rows
from memoro.store.postgres.ledger_rows import Commit, lock_head, record_commit, record_identity
from memoro.store.postgres.pull import CopyTooOld
from memoro.store.postgres.push import Change, CopyDiffers, Push, Recording
from memoro.store.postgres.replica_file import Replica, ReplicaPlace
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import PostgresServer, Seat
from memoro.store.postgres.tables import Part, tables_of
from memoro.store.postgres.trimming import TrimTimes, trim
from memoro.store.postgres.vacuuming import Cleaned, clean_tables, out_of_reach
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger.files import ARCHIVE_FILE, SqliteArchive, SqliteLedger, StoreFile
from memoro.store.sqlite.ledger.transaction import SqliteArchiveTransaction, SqliteTransaction, row_counts
from memoro.store.sqlite.ledger.words import merge_deleted
from memoro.store.sqlite.ledger_files import LEDGER_FILE, change_token

if TYPE_CHECKING:
    from memoro.ledger.ports import NewestBackup


class Place(NamedTuple):
    """Where a shared ledger is, as whom it is used, and where its local copy is."""

    server: PostgresServer
    seat: Seat
    records: str  # the folder of what this home knows about the ledger, which outlives the copy
    folder: str  # of the copy


class _SharedStore(StoreFile):
    """One part of a shared ledger, as ledger and archive both are."""

    def __init__(self, place: Place, part: Part, engine: Engine, newest_backup: NewestBackup = lambda: None) -> None:
        os.makedirs(place.folder, mode=0o700, exist_ok=True)
        record = FileRecord(place.records, part, newest_backup, f"{place.server.name} (tenant {place.seat.tenant})")
        self.replica = Replica(ReplicaPlace(place.folder, part, place.server, place.seat), engine, record)
        super().__init__(place.folder, LEDGER_FILE if part == "ledger" else ARCHIVE_FILE, self.replica.database)
        self._server, self._seat, self._part = place.server, place.seat, part
        self._records = place.records
        self._touched: set[str] = set()  # tables on the server that hold bytes of deleted rows, by this process
        self._cleaned = Cleaned()
        self._trimmed = TrimTimes(os.path.join(place.records, f"{part}.trimmed"))

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        """The copy, up to date, and locked here and on the server. What the block changes is durable when it ends."""
        self.replica.make()
        is_durable = False
        try:
            with self.replica.database.write() as db:
                refuse_moved(self._records)
                with self._server_transaction(db):
                    yield db
                is_durable = True
                mark = FileMark(replica.identity(db), replica.revision(db))
            self.replica.note_current()
            self.replica.record.keep(mark)
        except (CopyDiffers, CopyTooOld) as error:
            self.replica.discard()
            raise StoreUnavailable(
                "The local copy of the shared ledger was not what the server holds. It is made anew, and nothing was "
                "written. Run the command again."
            ) from error
        except StoreError:
            if not is_durable:
                raise
            self.replica.discard()  # the server has the write; a copy without it is made anew

    @contextmanager
    def _server_transaction(self, db: apsw.Connection) -> Iterator[None]:
        """Send to the server what the block changes in the copy, and commit it there."""
        commit = None
        try:
            with self._server.transaction(self._seat) as cursor:
                lock_head(cursor, self._seat, self._part)
                revision = self.replica.bring_up_to_date(cursor, db)
                if not revision:
                    raise _no_tenant(self._seat)
                recording = Recording(db, self._part)
                try:
                    yield
                    changes, numbers = recording.changes(), recording.new_numbers()
                finally:
                    recording.close()
                if changes or numbers:
                    commit = Commit(revision + 1, os.urandom(16).hex())
                    self._send(
                        Push(cursor, db, self._seat, self._part, commit.revision, is_private()), changes, numbers
                    )
                    record_commit(cursor, self._seat, self._part, commit)
                    replica.put_revision(db, *commit)
        except LedgerUnreachable as error:
            if commit is None or not self._was_made(commit, error):
                raise
        if commit is not None:
            self._announce(commit.revision)

    def _send(self, push: Push, changes: Sequence[Change], numbers: dict[str, int]) -> None:
        push.send(changes, numbers)
        self._touched |= {change.table.on_server for change in changes if change.operation != "INSERT"}
        for change in changes:
            if change.table.name == "meta" and change.key == ("identity",) and change.new is not None:
                record_identity(push.cursor, self._seat, self._part, str(change.new[1]), push.revision)

    def _was_made(self, commit: Commit, lost: LedgerUnreachable) -> bool:
        """Ask whether a commit was made though its answer was lost. The lock waits for one that still runs."""
        try:
            with self._server.transaction(self._seat) as cursor:
                lock_head(cursor, self._seat, self._part)
                cursor.execute(
                    f"SELECT 1 FROM {SCHEMA}.commits WHERE tenant = %s AND part = %s AND revision = %s AND id = %s",
                    [self._seat.tenant, self._part, *commit],
                )
                return cursor.fetchone() is not None
        except LedgerUnreachable:
            raise LedgerUnreachable(lost.server, lost.why, is_done_known=False) from lost

    def _announce(self, revision: int) -> None:
        """Tell the other nodes. One that does not hear it asks within a second."""

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """No node writes during the block, and the copy is up to date when it begins."""
        while True:
            self.replica.pull()
            with self._server.transaction(self._seat) as cursor:
                if lock_head(cursor, self._seat, self._part) == self.replica.known_revision():
                    yield
                    return

    def check(self) -> list[str]:
        self.replica.pull()
        return super().check()

    def copy_to(self, folder: str) -> Mapping[str, int]:
        super().copy_to(folder)
        file = os.path.join(folder, self._name)
        make_whole(file, self.database.engine)
        with self._connected_to_copy(folder) as db:
            return row_counts(db)

    def become_copy(self, folder: str) -> None:
        with self._connected_to_copy(folder) as source, self._write() as db:
            replace_rows(db, source, self._part)

    def adopt(self) -> None:
        self.replica.record.accept_any()
        self.replica.discard()
        self.replica.pull()

    def scrub(self) -> None:
        with self.replica.database.write() as db:
            merge_deleted(db)
        self.replica.database.merge_log()
        touched = self._touched or {
            table.on_server for table in tables_of(self._part)
        }  # none: by a process that died
        done = clean_tables(self._server, touched)
        left = {*self._cleaned.left, *done.left} - {*done.rewritten}
        self._cleaned = Cleaned(done.rewritten, tuple(sorted(left)))
        self._touched = set()

    def out_of_reach(self) -> list[str]:
        return out_of_reach(self._server, self._seat, self._cleaned)

    def trim(self) -> None:
        if self._trimmed.is_due():
            with self._server.transaction(self._seat) as cursor:
                trim(cursor, self._seat, self._part)
            self._trimmed.note()

    def close(self) -> None:
        self.replica.close()


class PostgresLedger(_SharedStore):
    def __init__(self, place: Place, engine: Engine, newest_backup: NewestBackup = lambda: None) -> None:
        super().__init__(place, "ledger", engine, newest_backup)

    @contextmanager
    def reading(self) -> Iterator[SqliteTransaction]:
        with self.replica.reading() as db:
            yield SqliteTransaction(db)

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        with self._write() as db:
            yield SqliteTransaction(db)

    def change_token(self) -> str | None:
        self.replica.freshen()
        return change_token(self.home)

    @contextmanager
    def reading_copy(self, folder: str) -> Iterator[SqliteTransaction]:
        with self._connected_to_copy(folder) as db:
            yield SqliteTransaction(db)

    def open_copy(self, folder: str) -> SqliteLedger:
        return SqliteLedger(folder, self.database.engine)

    def forgotten_elsewhere(self) -> list[tuple[str, str]]:
        if not self.replica.is_made():
            return []
        with self.replica.database.read() as db:
            return replica.erasures(db)

    def note_erased(self) -> None:
        with self.replica.database.write() as db:
            replica.delete_erasures(db)

    def keep_spare_room(self) -> None:
        """The server's disk is not ours to set space aside on."""

    def free_spare_room(self) -> bool:
        return False


class PostgresArchive(_SharedStore):
    def __init__(self, place: Place, engine: Engine, newest_backup: NewestBackup = lambda: None) -> None:
        super().__init__(place, "archive", engine, newest_backup)

    @contextmanager
    def reading(self) -> Iterator[SqliteArchiveTransaction]:
        with self.replica.reading() as db:
            yield SqliteArchiveTransaction(db)

    @contextmanager
    def writing(self) -> Iterator[SqliteArchiveTransaction]:
        with self._write() as db:
            yield SqliteArchiveTransaction(db)

    @contextmanager
    def reading_copy(self, folder: str) -> Iterator[SqliteArchiveTransaction]:
        with self._connected_to_copy(folder) as db:
            yield SqliteArchiveTransaction(db)

    def open_copy(self, folder: str) -> SqliteArchive:
        return SqliteArchive(folder, self.database.engine)


def _no_tenant(seat: Seat) -> StoreUnavailable:
    return StoreUnavailable(
        f"There is no tenant {seat.tenant!r} on this server. Its owner makes one with `memoro admin tenant add`."
    )

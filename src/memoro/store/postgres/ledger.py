"""A ledger and an archive whose rows are on a Postgres server.

Reads come from the local copy. A write locks the tenant's head on the server, brings the copy up to date, runs in the
copy, and sends the rows that it changed: the queries are those of a local ledger, and so are the answers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import apsw

from memoro.errors import LedgerUnreachable, StoreError, StoreUnavailable
from memoro.model.visibility import is_private
from memoro.store.file_record import FileRecord
from memoro.store.postgres import replica
from memoro.store.postgres.age import as_of
from memoro.store.postgres.copying import make_whole, replace_rows
from memoro.store.postgres.pull import CopyTooOld
from memoro.store.postgres.push import Change, CopyDiffers, Push, Recording
from memoro.store.postgres.replica_file import Replica, ReplicaPlace
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import CONNECT_SECONDS, Cursor, PostgresServer, Seat, ServerTransaction
from memoro.store.postgres.tables import Part
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger.files import ARCHIVE_FILE, SqliteArchive, SqliteLedger, StoreFile
from memoro.store.sqlite.ledger.transaction import SqliteArchiveTransaction, SqliteTransaction, row_counts
from memoro.store.sqlite.ledger_files import LEDGER_FILE, change_token

if TYPE_CHECKING:
    from memoro.ledger.ports import NewestBackup

_KEPT_COMMITS = 1000  # of a part: one whose answer was lost is looked for within seconds


class Place(NamedTuple):
    """Where a shared ledger is, as whom it is used, and where its local copy is."""

    server: PostgresServer
    seat: Seat
    records: str  # the folder of what this home knows about the ledger, which outlives the copy
    folder: str  # of the copy
    patience: float = CONNECT_SECONDS  # how long a reader with a copy waits for a server that does not answer
    notify: Callable[[str], None] | None = None  # receives a sentence while the first copy is made


class _Commit(NamedTuple):
    """A commit on its way: its revision, and an id by which it is found again."""

    revision: int
    id: str


class _SharedStore(StoreFile):
    """One part of a shared ledger, as ledger and archive both are."""

    def __init__(self, place: Place, part: Part, engine: Engine, newest_backup: NewestBackup = lambda: None) -> None:
        os.makedirs(place.folder, mode=0o700, exist_ok=True)
        record = FileRecord(place.records, part, newest_backup)
        copied = ReplicaPlace(
            folder=place.folder,
            part=part,
            server=place.server,
            seat=place.seat,
            patience=place.patience,
            notify=place.notify,
        )
        self.replica = Replica(copied, engine, record)
        super().__init__(place.folder, LEDGER_FILE if part == "ledger" else ARCHIVE_FILE, self.replica.database)
        self._server, self._seat, self._part = place.server, place.seat, part

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        """The copy, up to date, and locked here and on the server. What the block changes is durable when it ends."""
        self.replica.make()
        is_durable = False
        try:
            # The server first: one that does not answer keeps nobody else from the copy.
            with self._server.begun(self._seat) as begun, self.replica.database.write() as db:
                _lock_head(begun.cursor, self._seat, self._part)
                revision = self.replica.bring_up_to_date(begun.cursor, db)
                recording = Recording(db, self._part)
                try:
                    yield db
                    changes, numbers = recording.changes(), recording.new_numbers()
                finally:
                    recording.close()
                if changes or numbers:
                    revision += 1
                    push = Push(
                        cursor=begun.cursor,
                        db=db,
                        seat=self._seat,
                        part=self._part,
                        revision=revision,
                        is_private=is_private(),
                    )
                    self._send(push, changes, numbers)
                    self._commit(begun, revision)
                    is_durable = True
                    replica.put_revision(db, revision)
            self.replica.note_current(revision)
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
        if is_durable:
            self._server.announce(self._seat.tenant, self._part, revision)

    def _commit(self, begun: ServerTransaction, revision: int) -> None:
        """Make the rows that were sent durable. Raises where that did not happen, or where it is not known."""
        commit = _Commit(revision, os.urandom(16).hex())
        _record_commit(begun.cursor, self._seat, self._part, commit)
        try:
            begun.commit()
        except LedgerUnreachable as error:
            if not self._was_made(commit, error):
                raise

    def _send(self, push: Push, changes: Sequence[Change], numbers: dict[str, int]) -> None:
        push.send(changes, numbers)
        for change in changes:
            if change.table.name == "meta" and change.key == ("identity",) and change.new is not None:
                record_identity(push.cursor, self._seat, self._part, str(change.new[1]), push.revision)

    def _was_made(self, commit: _Commit, lost: LedgerUnreachable) -> bool:
        """Ask whether a commit was made though its answer was lost. The lock waits for one that still runs."""
        try:
            with self._server.transaction(self._seat) as cursor:
                _lock_head(cursor, self._seat, self._part)
                cursor.execute(
                    f"SELECT 1 FROM {SCHEMA}.commits WHERE tenant = %s AND part = %s AND revision = %s AND id = %s",
                    [self._seat.tenant, self._part, *commit],
                )
                return cursor.fetchone() is not None
        except LedgerUnreachable:
            raise LedgerUnreachable(lost.server, lost.why, is_done_known=False) from lost

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """No node writes during the block, and the copy is up to date when it begins."""
        while True:
            self.replica.pull()
            with self._server.transaction(self._seat) as cursor:
                if _lock_head(cursor, self._seat, self._part) == self.replica.known_revision():
                    yield
                    return

    def staleness(self) -> str | None:
        failure = self.replica.failure
        if failure is None:
            return None
        why = failure.sentence if isinstance(failure, LedgerUnreachable) else str(failure)
        return f"{why} {as_of(self.replica.current_at(), time.time())}"

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


def _lock_head(cursor: Cursor, seat: Seat, part: Part) -> int:
    """Let no other node write to this part of the tenant's ledger until the transaction ends; return the revision."""
    cursor.execute(
        f"SELECT revision FROM {SCHEMA}.heads WHERE tenant = %s AND part = %s FOR UPDATE", [seat.tenant, part]
    )
    found = cursor.fetchone()
    if found is None:
        raise StoreUnavailable(
            f"There is no tenant {seat.tenant!r} on this server. Its owner makes one with `memoro admin tenant add`."
        )
    return int(found[0])


def _record_commit(cursor: Cursor, seat: Seat, part: Part, commit: _Commit) -> None:
    cursor.execute(
        f"UPDATE {SCHEMA}.heads SET revision = %s WHERE tenant = %s AND part = %s",
        [commit.revision, seat.tenant, part],
    )
    cursor.execute(
        f"INSERT INTO {SCHEMA}.commits (tenant, part, revision, id, person, node) VALUES (%s, %s, %s, %s, %s, %s)",
        [seat.tenant, part, commit.revision, commit.id, seat.person, seat.node],
    )
    if commit.revision % _KEPT_COMMITS == 0:
        cursor.execute(
            f"DELETE FROM {SCHEMA}.commits WHERE tenant = %s AND part = %s AND revision <= %s",
            [seat.tenant, part, commit.revision - _KEPT_COMMITS],
        )


def record_identity(cursor: Cursor, seat: Seat, part: Part, identity: str, revision: int) -> None:
    """Keep an identity that the ledger takes on, so that nodes that know an earlier one recognise it."""
    cursor.execute(
        f"INSERT INTO {SCHEMA}.identities (tenant, part, identity, revision) VALUES (%s, %s, %s, %s)",
        [seat.tenant, part, identity, revision],
    )

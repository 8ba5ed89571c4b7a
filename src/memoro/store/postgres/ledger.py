"""A ledger and an archive whose rows are on a Postgres server.

Reads come from the local copy. A write locks the tenant's head on the server, brings the copy up to date, runs in the
copy, and sends the rows that it changed: the queries are those of a local ledger, and so are the answers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import apsw

from memoro.errors import LedgerServerRefused, LedgerUnreachable, StoreError, StoreUnavailable
from memoro.model.ledger import SharedLineage
from memoro.model.visibility import chosen_visibility
from memoro.model.vocabulary import Visibility
from memoro.store.file_record import FileMark, FileRecord
from memoro.store.moved import refuse_moved
from memoro.store.postgres import replica
from memoro.store.postgres.age import as_of
from memoro.store.postgres.changes import Change, Recording
from memoro.store.postgres.copying import make_whole, replace_rows
from memoro.store.postgres.hidden_rows import hidden_rows, leave_out, leave_out_archived
from memoro.store.postgres.ledger_rows import (
    Commit,
    identities,
    is_recorded,
    lock_head,
    record_commit,
    record_identity,
)
from memoro.store.postgres.ownership import Ownership, Wish, entries_of, is_private_memory
from memoro.store.postgres.pull import CopyTooOld
from memoro.store.postgres.push import CopyDiffers, Move, Push
from memoro.store.postgres.replica_file import Replica, ReplicaPlace
from memoro.store.postgres.retrying import retried
from memoro.store.postgres.server import CONNECT_SECONDS, Cursor, PostgresServer, Seat, ServerTransaction
from memoro.store.postgres.server_errors import RolledBack
from memoro.store.postgres.shared_transaction import SharedTransaction
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
    patience: float = CONNECT_SECONDS  # how long a reader with a copy waits for a server that does not answer
    notify: Callable[[str], None] | None = None  # receives a sentence while the first copy is made
    visibility: Visibility = "shared"  # of what is added, unless whoever writes chooses


class _Write(NamedTuple):
    """The rows that a block has changed, and the commit that sends them."""

    commit: Commit
    changes: Sequence[Change]
    numbers: dict[str, int]
    moves: Sequence[Move]


class _SharedStore(StoreFile):
    """One part of a shared ledger, as ledger and archive both are."""

    def __init__(
        self, place: Place, part: Part, engine: Engine, newest_backup: NewestBackup = lambda _lineage: None
    ) -> None:
        os.makedirs(place.folder, mode=0o700, exist_ok=True)
        record = FileRecord(place.records, part, newest_backup, f"{place.server.name} (tenant {place.seat.tenant})")
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
        self._records = place.records
        self._visibility = place.visibility
        self._touched: set[str] = set()  # tables on the server that hold bytes of deleted rows, by this process
        self._cleaned = Cleaned()
        self._trimmed = TrimTimes(os.path.join(place.records, f"{part}.trimmed"))

    def known_damage(self) -> None:
        """A damaged copy is deleted, and pulled anew."""

    @contextmanager
    def _write(
        self, moves: Sequence[Move] = (), first: Callable[[Cursor, apsw.Connection], None] = lambda _cursor, _db: None
    ) -> Iterator[apsw.Connection]:
        """The copy, up to date, and locked here and on the server. What the block changes is durable when it ends.

        The block may add to `moves`. `first` writes before the block, and may ask the server.
        """
        self.replica.make()
        is_durable = False
        try:
            with ExitStack() as locked:
                begun, db, revision = retried(partial(self._begin, locked))
                recording = Recording(db, self._part)
                try:
                    first(begun.cursor, db)
                    yield db
                    changes, numbers = recording.changes(), recording.new_numbers()
                finally:
                    recording.close()
                if changes or numbers or moves:
                    commit = Commit(revision + 1, os.urandom(16).hex())
                    write = _Write(commit=commit, changes=changes, numbers=numbers, moves=moves)
                    self._commit(begun, db, write)
                    is_durable = True
                    replica.put_revision(db, *commit)
                mark = FileMark(replica.identity(db), replica.revision(db))
            self.replica.note_current(mark.position)
            self.replica.record.keep(mark)
        except (CopyDiffers, CopyTooOld) as error:
            self.replica.discard()
            raise StoreUnavailable(
                "The local copy of the shared ledger differed from the server. It is made again, and nothing was "
                "written. Run the command again."
            ) from error
        except StoreError:
            if not is_durable:
                raise
            self.replica.discard()  # the server has the write; a copy without it is made anew
        if is_durable:
            self._server.announce(self._seat.tenant, self._part, commit.revision)

    def _begin(self, locked: ExitStack) -> tuple[ServerTransaction, apsw.Connection, int]:
        """Enter transactions on the server and in the copy that keep other writers out; return the revision, too."""
        with ExitStack() as entered:
            # The server first: one that does not answer keeps nobody else from the copy.
            begun = entered.enter_context(self._server.begun(self._seat))
            db = entered.enter_context(self.replica.database.write())
            refuse_moved(self._records)
            lock_head(begun.cursor, self._seat, self._part)
            revision = self.replica.bring_up_to_date(begun.cursor, db)
            locked.push(entered.pop_all())
            return begun, db, revision

    def _commit(self, begun: ServerTransaction, db: apsw.Connection, write: _Write) -> None:
        """Make the rows durable on the server. Raises where that did not happen, or where it is not known."""
        try:
            self._send(begun.cursor, db, write)
            begun.commit()
        except RolledBack as error:
            if not self._made_in_the_end(partial(self._send_again, db, write), error):
                raise
        except LedgerUnreachable as error:
            if not self._made_in_the_end(partial(self._was_made, write.commit), error):
                raise

    def _made_in_the_end(self, find_out: Callable[[], bool], failure: LedgerUnreachable) -> bool:
        try:
            return retried(find_out)
        except LedgerUnreachable:
            raise LedgerUnreachable(failure.server, failure.why, is_done_known=False) from failure

    def _send(self, cursor: Cursor, db: apsw.Connection, write: _Write) -> None:
        commit, changes, numbers, moves = write
        push = Push(
            cursor=cursor,
            db=db,
            seat=self._seat,
            part=self._part,
            revision=commit.revision,
            ownership=self._ownership(db),
        )
        push.send(changes, numbers)
        for one in moves:
            push.move(one)
        self._touched |= {change.table.on_server for change in changes if change.operation != "INSERT"}
        for change in changes:
            if change.table.name == "meta" and change.key == ("identity",) and change.new is not None:
                record_identity(cursor, self._seat, self._part, str(change.new[1]), commit.revision)
        record_commit(cursor, self._seat, self._part, commit)

    def _ownership(self, db: apsw.Connection) -> Ownership:
        chosen = chosen_visibility()
        return Ownership(db, self._seat, Wish(chosen or self._visibility, is_explicit=chosen is not None))

    def _was_made(self, commit: Commit) -> bool:
        """Ask whether a commit was made though its answer was lost. The lock waits for one that still runs."""
        with self._server.transaction(self._seat) as cursor:
            lock_head(cursor, self._seat, self._part)
            return is_recorded(cursor, self._seat, self._part, commit)

    def _send_again(self, db: apsw.Connection, write: _Write) -> bool:
        """Make a commit that was rolled back, unless another node has written since: the block saw an older state."""
        with self._server.transaction(self._seat) as cursor:
            if lock_head(cursor, self._seat, self._part) != write.commit.revision - 1:
                return is_recorded(cursor, self._seat, self._part, write.commit)
            self._send(cursor, db, write)
            return True

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """No node writes during the block, and the copy is up to date when it begins."""
        while True:
            self.replica.pull()
            with self._server.transaction(self._seat) as cursor:
                if lock_head(cursor, self._seat, self._part) == self.replica.known_revision():
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

    def refuse_damaged(self) -> None:
        """The server has the rows; a damaged copy of them is made anew when it is next used."""

    def copy_to(self, folder: str) -> Mapping[str, int]:
        super().copy_to(folder)
        file = os.path.join(folder, self._name)
        make_whole(file, self.database.engine)
        with self._connected_to_copy(folder) as db:
            return row_counts(db)

    def become_copy(self, folder: str) -> None:
        with self._connected_to_copy(folder) as source:

            def replace(cursor: Cursor, db: apsw.Connection) -> None:
                hidden = hidden_rows(cursor, self._seat, self._part, db, source)
                replace_rows(db, source, self._part)
                leave_out(db, hidden)
                self._leave_out_hidden(db)

            with self._write(first=replace):
                pass

    def _leave_out_hidden(self, _db: apsw.Connection) -> None:
        """Delete from a restored copy what only another part of the ledger knows to be hidden."""

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
    def __init__(self, place: Place, engine: Engine, newest_backup: NewestBackup = lambda _lineage: None) -> None:
        super().__init__(place, "ledger", engine, newest_backup)

    @contextmanager
    def reading(self) -> Iterator[SqliteTransaction]:
        with self.replica.reading() as db:
            yield SharedTransaction(db, self._seat.person)

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        moves: list[Move] = []
        with self._write(moves) as db:
            yield SharedTransaction(db, self._seat.person, moves)

    @property
    def person(self) -> str:
        return self._seat.person

    def is_private_memory(self, number: int) -> bool:
        with self.replica.database.read() as db:
            return is_private_memory(db, number)

    def has_history_of(self, number: int) -> bool:
        with self.replica.database.read() as db:
            return bool(entries_of(db, "memory", number))

    def lineage(self) -> SharedLineage:
        try:
            with self._server.reading(self._seat) as cursor:
                found = {one.identity for one in identities(cursor, self._seat)}
        except (LedgerUnreachable, LedgerServerRefused):
            return self.present_lineage()
        return SharedLineage(self._seat.tenant, frozenset(found))

    def present_lineage(self) -> SharedLineage:
        with self.replica.database.read() as db:
            return SharedLineage(self._seat.tenant, frozenset([replica.identity(db)]))

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
    def __init__(
        self,
        place: Place,
        engine: Engine,
        newest_backup: NewestBackup = lambda _lineage: None,
        is_private: Callable[[int], bool] = lambda _memory: False,
        has_history: Callable[[int], bool] = lambda _memory: True,
    ) -> None:
        super().__init__(place, "archive", engine, newest_backup)
        self._is_private = is_private  # whether a memory of the ledger is
        self._has_history = has_history  # whether the journal that this person sees tells of a memory

    def _ownership(self, db: apsw.Connection) -> Ownership:
        return Ownership(db, self._seat, Wish(self._visibility), self._is_private)

    def _leave_out_hidden(self, db: apsw.Connection) -> None:
        """Others hide the history of a memory with it, also of one that they have taken out of the archive."""
        for (number,) in db.execute("SELECT id FROM memories").fetchall():
            if not self._has_history(int(str(number))):
                leave_out_archived(db, int(str(number)))

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

"""The file of a local copy: brought up to date before a read, and made anew where it is damaged or differs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import apsw

from memoro.errors import IndexDamaged, LedgerDamaged, LedgerNotRecognised, LedgerUnreachable, StoreUnavailable
from memoro.store.file_record import FileMark, FileRecord
from memoro.store.postgres import replica
from memoro.store.postgres.pull import CopyTooOld, changes_since, head
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, PostgresServer, Seat
from memoro.store.postgres.tables import Part
from memoro.store.sqlite.database_file import TAILS, remove
from memoro.store.sqlite.durable import DurableDatabase
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger.files import ARCHIVE_FILE
from memoro.store.sqlite.ledger_files import LEDGER_FILE

# A read asks the server again after this long, so that what another node wrote is seen within a second.
_LOOK_SECONDS = 0.4
# How long a read waits for the server where there is a copy to go on with.
_WAIT_SECONDS = 0.5
# After a failure the server is left alone for this long: reads do not wait for it again and again.
_REST_SECONDS = 2.0


class ReplicaPlace(NamedTuple):
    """Of what a copy is made, and where it is."""

    folder: str
    part: Part
    server: PostgresServer
    seat: Seat


class Replica:
    """The copy of one part of a ledger. Threads share it; each process of a node has an object of its own."""

    def __init__(self, place: ReplicaPlace, engine: Engine, record: FileRecord) -> None:
        folder, part, self.server, self.seat = place
        self.part = part
        self.record = record
        self._file = os.path.join(folder, LEDGER_FILE if part == "ledger" else ARCHIVE_FILE)
        self.database = DurableDatabase(self._file, engine, replica.shape_of(part))
        # Its own connection: a reader may hold the other one for long.
        self._pulling = DurableDatabase(self._file, engine, replica.shape_of(part))
        self._pull_alone = threading.Lock()
        self._must_merge_log = False
        self._looked_at = -_LOOK_SECONDS  # monotonic
        self._failed_at = -_REST_SECONDS  # monotonic
        self._current_at: float | None = None  # seconds since 1970, when the copy was last known to be up to date
        self._failure: LedgerUnreachable | None = None
        self._refusal: LedgerNotRecognised | None = None

    def freshen(self) -> None:
        """Bring the copy up to date, unless that was done a moment ago.

        Where the server does not answer in time, the copy stays as it is and `failure` tells why. Raises only
        where there is no copy to go on with.
        """
        now = time.monotonic()
        if now - self._looked_at < _LOOK_SECONDS:
            return
        if self._failure and now - self._failed_at < _REST_SECONDS and self.is_made():
            return
        worker = threading.Thread(target=self._pull_noting_failure, daemon=True)
        worker.start()
        worker.join(_WAIT_SECONDS if self.is_made() else None)
        if worker.is_alive():
            self._note_failure(LedgerUnreachable(self.server.name, "it does not answer in time"))
        if self._refusal:  # an answer from the copy would hide that the server holds something else
            raise self._refusal
        if self._failure and not self.is_made():
            raise self._failure

    @property
    def failure(self) -> LedgerUnreachable | None:
        """Why the copy may be old; None where it is up to date."""
        return self._failure

    @property
    def current_at(self) -> float | None:
        """When the copy was last known to be up to date, in seconds since 1970; None: not by this process."""
        return self._current_at

    def is_made(self) -> bool:
        return os.path.exists(self._file)

    def _pull_noting_failure(self) -> None:
        self._refusal = None
        try:
            self.pull()
        except LedgerNotRecognised as error:
            self._refusal = error
        except LedgerUnreachable as error:
            self._note_failure(error)
        except BaseException as error:  # told to whoever reads next, on the thread that asked
            self._note_failure(LedgerUnreachable(self.server.name, str(error)))

    def _note_failure(self, error: LedgerUnreachable) -> None:
        self._failure, self._failed_at = error, time.monotonic()

    def pull(self) -> None:
        """Bring the copy up to date now. Raises LedgerUnreachable, or LedgerNotRecognised."""
        with self._pull_alone:
            try:
                self._pull()
            except (CopyTooOld, IndexDamaged, LedgerDamaged):
                self.discard()
                self._pull()

    def make(self) -> None:
        """Make the copy where there is none, before any lock is taken on the server."""
        if not self.is_made():
            self.pull()

    def known_revision(self) -> int:
        with self.database.read() as db:
            return replica.revision(db)

    def _pull(self) -> None:
        with self._pulling.write() as db, self.server.reading(self.seat) as cursor:
            self.bring_up_to_date(cursor, db)
        self.note_current()
        self._leave_no_trace()

    def _leave_no_trace(self) -> None:
        """Empty the log where something was forgotten. A reader holds it for a moment; the next pull tries again."""
        if not self._must_merge_log:
            return
        with suppress(StoreUnavailable):
            self._pulling.merge_log()
            self._must_merge_log = False

    def bring_up_to_date(self, cursor: Cursor, db: apsw.Connection) -> int:
        """Apply what has changed since the copy's revision, within the caller's transactions; return the new one."""
        known = replica.revision(db)
        found = head(cursor, self.seat, self.part, known)
        if found.trimmed <= known <= found.revision and known and found.known_commit != replica.commit_id(db):
            self._refuse_other_history()
        if found.revision == known:
            return known
        mark = self._recognised(cursor, found.revision)
        if found.revision < known:  # an older state of the server that its owner accepts
            raise CopyTooOld
        changes = changes_since(cursor, self.seat, self.part, known)
        if changes is not None:
            replica.apply(db, self.part, changes)
            self._must_merge_log |= bool(known and (changes.deleted or changes.forgets))
            self.record.keep(mark)
        return found.revision

    def _refuse_other_history(self) -> None:
        """Raise where the server has the copy's revision from another commit, unless its owner accepts that."""
        if not self.record.is_open():
            self.record.refuse("foreign")
        raise CopyTooOld

    def _recognised(self, cursor: Cursor, revision: int) -> FileMark:
        """The state of the server. Raises LedgerNotRecognised where it is not the one that this home knows."""
        cursor.execute(
            f"SELECT identity FROM {SCHEMA}.identities WHERE tenant = %s AND part = %s ORDER BY revision DESC",
            [self.seat.tenant, self.part],
        )
        identities = [str(row[0]) for row in cursor.fetchall()]
        recorded = self.record.read()
        if recorded is not None and recorded.mark is not None:
            known = recorded.mark.identity
            found = known if known in identities else next(iter(identities), None)
            self.record.check(FileMark(found, revision) if found else None, recorded)
        return FileMark(identities[0] if identities else "", revision)

    def note_current(self) -> None:
        """Record that the copy is what the server is, as of now."""
        self._looked_at, self._current_at, self._failure = time.monotonic(), time.time(), None

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """The copy at one moment. One that is damaged is made anew first."""
        if not self.database.is_in_transaction():
            self.freshen()
            self._check()
        with self.database.read() as db:
            yield db

    def _check(self) -> None:
        try:
            with self.database.read():
                return
        except (IndexDamaged, LedgerDamaged):
            self.discard()
            self.pull()

    def discard(self) -> None:
        """Delete the copy. The next use makes it anew."""
        with self.database.alone():
            self._looked_at = -_LOOK_SECONDS
            self.database.close()
            self._pulling.close()
            for file in (self._file, self.database.damaged_copy):
                for tail in reversed(TAILS):
                    remove(file + tail)

    def close(self) -> None:
        self.database.close()
        self._pulling.close()

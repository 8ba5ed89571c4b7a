"""The file of a local copy: brought up to date before a read, and made anew where it is damaged or differs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple

import apsw

from memoro.errors import (
    IndexDamaged,
    LedgerDamaged,
    LedgerServerRefused,
    LedgerUnreachable,
    PersonUnknown,
    StoreError,
    StoreUnavailable,
)
from memoro.model.ledger import SharedLineage
from memoro.store.file_record import FileMark, FileRecord, Recorded
from memoro.store.postgres import replica
from memoro.store.postgres.ledger_rows import UNTOUCHED, identities
from memoro.store.postgres.listening import Heard
from memoro.store.postgres.pull import CopyTooOld, changes_since, head
from memoro.store.postgres.retrying import retried
from memoro.store.postgres.server import CONNECT_SECONDS, Cursor, PostgresServer, Seat
from memoro.store.postgres.tables import Part
from memoro.store.sqlite.database_file import TAILS, remove
from memoro.store.sqlite.durable import DurableDatabase
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger.files import ARCHIVE_FILE
from memoro.store.sqlite.ledger_files import LEDGER_FILE

# A read asks the server again after this long, so that what another node wrote is seen within a second.
_LOOK_SECONDS = 0.4
# The same where announcements are heard. A node that is killed between its commit and its announcement makes none.
_LOOK_SECONDS_LISTENING = 5.0
# A process that reads for longer than this is no single command, and listens.
_LONG_LIVED_SECONDS = 2.0
# How long each answer may take while a reader with a copy waits. The first one has less.
_ANSWER_SECONDS = 2.0
_BUILD_ANSWER_SECONDS = 120.0  # a table of some 100,000 rows, over a slow line
_TOLD_AFTER_SECONDS = 2.0
_BUILDING = "The shared ledger is copied to this machine first. With many memories this can take a minute or more."


class ReplicaPlace(NamedTuple):
    """Of what a copy is made, and where it is."""

    folder: str
    part: Part
    server: PostgresServer
    seat: Seat
    patience: float = CONNECT_SECONDS  # how long a reader with a copy waits for a server that does not answer
    notify: Callable[[str], None] | None = None  # receives a sentence while the first copy is made


class Replica:
    """The copy of one part of a ledger. Threads share it; each process of a node has an object of its own.

    Locks are taken in this order: this object's own, the server's, the file's. Nobody waits for the server while
    holding the file, except for a writer whose transaction the server has begun.
    """

    def __init__(self, place: ReplicaPlace, engine: Engine, record: FileRecord) -> None:
        folder, self.part, self.server, self.seat, self._patience, self._notify = place
        self.record = record
        self._file = os.path.join(folder, LEDGER_FILE if self.part == "ledger" else ARCHIVE_FILE)
        self._current_file = f"{self._file}.current"  # its time tells all processes when the copy was up to date
        self.database = DurableDatabase(self._file, engine, replica.shape_of(self.part))
        # Its own connection: a reader may hold the other one for long.
        self._pulling = DurableDatabase(self._file, engine, replica.shape_of(self.part))
        self._pull_alone = threading.RLock()
        self._opened_at = time.monotonic()
        self._is_following = False
        self._looked_at = -_LOOK_SECONDS_LISTENING  # monotonic
        self._revision = 0  # of the copy, then
        self._heard: Heard | None = None  # before that look
        self._failure: LedgerUnreachable | LedgerServerRefused | None = None
        self._must_merge_log = False

    def freshen(self) -> None:
        """Bring the copy up to date, unless it is known to be so.

        Where the server cannot be used, the copy stays as it is and `failure` tells why. Raises where there is no
        copy to go on with, where the server has another ledger than this home knows, and where it does not know the
        person.
        """
        if self._is_current():
            return
        with self._pull_alone:
            if self._is_current():  # another thread has done it
                return
            self._follow_if_long_lived()
            try:
                self.pull(self._patience)
            except PersonUnknown:
                raise  # the copy is no longer theirs to read
            except (LedgerUnreachable, LedgerServerRefused) as error:
                if not self.is_made():
                    raise
                self._failure = error

    def _is_current(self) -> bool:
        since = time.monotonic() - self._looked_at
        heard = self.server.listening.heard(self.seat.tenant, self.part)
        if heard is None:
            return since < _LOOK_SECONDS
        before = self._heard
        is_known = before is not None and heard.since == before.since and heard.revision <= self._revision
        return (is_known or heard == before) and since < _LOOK_SECONDS_LISTENING

    def _follow_if_long_lived(self) -> None:
        if not self._is_following and time.monotonic() - self._opened_at > _LONG_LIVED_SECONDS:
            self._is_following = True
            self.server.listening.follow(self.seat.tenant)

    @property
    def failure(self) -> LedgerUnreachable | LedgerServerRefused | None:
        """Why the copy may be old; None where it is up to date."""
        return self._failure

    def current_at(self) -> float | None:
        """When a process of this node last knew the copy to be up to date, in seconds since 1970."""
        try:
            return os.stat(self._current_file).st_mtime
        except FileNotFoundError:
            return None

    def is_made(self) -> bool:
        """Return whether there is a copy, with all that the server had at some moment."""
        return os.path.exists(self._file) and self.known_revision() > 0

    def pull(self, patience: float = CONNECT_SECONDS) -> None:
        """Bring the copy up to date now. Raises LedgerUnreachable, LedgerServerRefused or LedgerNotRecognised."""
        with self._pull_alone:
            try:
                retried(partial(self._pull, patience))
            except CopyTooOld:
                self.discard()
                retried(partial(self._pull, patience))
            except (IndexDamaged, LedgerDamaged):
                self._delete()
                retried(partial(self._pull, patience))

    def make(self) -> None:
        """Make the copy where there is none, before any lock is taken on the server."""
        if not self.is_made():
            self.pull()

    def known_revision(self) -> int:
        return self._known().revision

    def _known(self) -> replica.CopyState:
        with self._pulling.read() as db:
            return replica.state(db)

    def _pull(self, patience: float) -> None:
        while not self._pull_once(patience):
            pass  # another process has made or deleted the copy meanwhile

    def _pull_once(self, patience: float) -> bool:
        """Read what has changed, then apply it: whoever waits for the server holds nothing that others wait for."""
        heard = self.server.listening.heard(self.seat.tenant, self.part)
        known = self._known() if os.path.exists(self._file) else replica.NEW_COPY
        recorded = self.record.read()  # before the server: another writer may record more than we then see there
        seconds = _ANSWER_SECONDS if known.revision else _BUILD_ANSWER_SECONDS
        with self._told_if_long(known.revision), self.server.reading(self.seat, patience, seconds) as cursor:
            now, mark = self._position(cursor, known, recorded)
            changes = changes_since(cursor, self.seat, self.part, known.revision) if mark is not None else None
        if changes is not None and mark is not None:
            if not self._apply(changes, known.revision):
                return False
            self.record.keep(mark)
        self.note_current(now, heard)
        self._leave_no_trace()
        return True

    def _leave_no_trace(self) -> None:
        """Empty the log where something was forgotten. A reader holds it for a moment; the next pull tries again."""
        if not self._must_merge_log:
            return
        with suppress(StoreUnavailable):
            self._pulling.merge_log()
            self._must_merge_log = False

    def _apply(self, changes: replica.Changes, known: int) -> bool:
        """Apply changes to the copy; False where it is not the one any more whose revision was `known`.

        Where another process has brought it further, the same changes do no harm. All rows (`known` is 0) go into an
        empty copy alone: they do not say which rows were deleted.
        """
        with self._pulling.write() as db:
            there = replica.revision(db)
            if there < known or (there and not known):
                return False
            if there < changes.revision:
                replica.apply(db, self.part, changes)
                self._must_merge_log |= bool(known) and changes.leaves_traces
        return True

    @contextmanager
    def _told_if_long(self, known: int) -> Iterator[None]:
        """Say, once, why the first use takes so long."""
        if known or self._notify is None:
            yield
            return
        timer = threading.Timer(_TOLD_AFTER_SECONDS, self._notify, [_BUILDING])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def bring_up_to_date(self, cursor: Cursor, db: apsw.Connection) -> int:
        """Apply what has changed since the copy's revision, within the caller's transactions; return the new one.

        The caller's transaction on the server holds the tenant's head, so nobody records more than it sees.
        """
        known = replica.state(db)
        now, mark = self._position(cursor, known, self.record.read())
        changes = changes_since(cursor, self.seat, self.part, known.revision) if mark is not None else None
        if changes is not None and mark is not None:
            replica.apply(db, self.part, changes)
            self._must_merge_log |= bool(known.revision) and changes.leaves_traces
            self.record.keep(mark)
        return now

    def _position(
        self, cursor: Cursor, known: replica.CopyState, recorded: Recorded | None
    ) -> tuple[int, FileMark | None]:
        """The revision of the server, and its state where that differs from the copy's.

        Raises LedgerNotRecognised for another history, and `CopyTooOld` for one that the home's owner accepts.
        """
        found = head(cursor, self.seat, self.part, known.revision)
        if not found.revision and recorded is None:
            raise LedgerServerRefused(
                f"There is no tenant {self.seat.tenant!r} at {self.server.name}. "
                "Its owner makes one with `memoro admin tenant add`."
            )
        is_remembered = known.revision and found.trimmed <= known.revision <= found.revision
        if is_remembered and found.known_commit != known.commit:
            self._refuse_other_history(cursor, recorded)
        if found.revision == known.revision:
            return found.revision, None
        mark = self._recognised(cursor, found.revision, recorded)
        if found.revision < known.revision:
            raise CopyTooOld
        return found.revision, mark

    def _refuse_other_history(self, cursor: Cursor, recorded: Recorded | None) -> None:
        """Raise where the server has the copy's revision from another commit, unless its owner accepts that."""
        if recorded is not None and recorded.mark is not None:
            found = frozenset(one.identity for one in identities(cursor, self.seat))
            self.record.refuse("foreign", SharedLineage(self.seat.tenant, found))
        raise CopyTooOld

    def _recognised(self, cursor: Cursor, revision: int, recorded: Recorded | None) -> FileMark:
        """The state of the server. Raises LedgerNotRecognised where it is not the one that this home knows."""
        of_all = identities(cursor, self.seat)
        of_part = [one.identity for one in of_all if one.part == self.part]
        if recorded is not None and recorded.mark is not None:
            known = recorded.mark.identity
            found = known if known in of_part else next(iter(of_part), None)
            # Into a tenant that holds nothing, a backup of the ledger that this home knows may be restored.
            known_too = {known} if revision <= UNTOUCHED else set()
            lineage = SharedLineage(self.seat.tenant, frozenset(one.identity for one in of_all) | known_too)
            self.record.check(FileMark(found, revision) if found else None, recorded, lineage)
        return FileMark(of_part[0] if of_part else "", revision)

    def note_current(self, revision: int, heard: Heard | None = None) -> None:
        """Record that the copy is what the server is, as of now."""
        self._revision, self._heard = revision, heard or self._heard
        self._looked_at, self._failure = time.monotonic(), None
        _touch(self._current_file)

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """The copy at one moment. One that is damaged is made anew first."""
        if self.database.is_in_transaction():
            with self.database.read() as db:
                yield db
            return
        self.freshen()
        self._check()
        with self.database.read() as db:
            if not replica.revision(db):
                raise StoreUnavailable(
                    "The local copy of the shared ledger is being made again. Run the command again."
                )
            yield db

    def _check(self) -> None:
        """Make the copy anew where it is damaged, or another process has deleted it."""
        try:
            with self.database.read() as db:
                if replica.revision(db):
                    return
        except (IndexDamaged, LedgerDamaged):
            self._delete()
        self.pull()

    def discard(self) -> None:
        """Empty the copy. The next use fills it anew; whoever reads it now reads on to the end of their block."""
        self._forget_look()
        try:
            with self._pulling.write() as db:
                replica.empty(db, self.part)
        except StoreError:  # damaged, or no room to write
            self._delete()

    def _delete(self) -> None:
        """Delete the file. A process that reads it at this moment may meet an error of its disk."""
        self._forget_look()
        with self.database.alone():
            self.database.close()
            self._pulling.close()
            for file in (self._file, self.database.damaged_copy):
                for tail in reversed(TAILS):
                    remove(file + tail)

    def _forget_look(self) -> None:
        self._looked_at, self._revision, self._heard = -_LOOK_SECONDS_LISTENING, 0, None

    def close(self) -> None:
        if self._is_following:
            self._is_following = False
            self.server.listening.leave(self.seat.tenant)
        self.database.close()
        self._pulling.close()


def _touch(file: str) -> None:
    """Give a file the present time. In a folder that cannot be written, the age that is told is higher."""
    with suppress(OSError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        os.utime(file)

"""Moving the ledger of a home to a server that several machines share, and back.

The old ledger is in use until the new one is verified and the settings name it, in one write. It is kept until its
owner confirms the move. A move that was broken off goes on where it was: its record is a file of the home.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from memoro.config.changing import set_values
from memoro.errors import NeedsConsent, NotFound, StoreUnavailable
from memoro.ledger.access import LedgerAccess
from memoro.ledger.backup_origin import BEFORE_MOVE
from memoro.ledger.backups import Backups
from memoro.ledger.exchange.importing import merge_ledger
from memoro.ledger.exchange.report import Imported
from memoro.model.memories import stamp
from memoro.model.system_errors import reason
from memoro.store.files import replace_file, sync_folder
from memoro.store.lock import KernelLock
from memoro.store.opening import SharedLedger, make_home
from memoro.store.postgres.move_steps import (
    FILE_NAME,
    MergeIntoServer,
    MoveToFile,
    MoveToServer,
    Verified,
    delete_copy,
    delete_files,
    formerly_private,
    is_switched,
    local_stores,
    place_name,
)

Direction = Literal["server", "file"]
_RECORD = "move.json"


class MoveRecord(NamedTuple):
    """The record of a home's last move, until its owner confirms it."""

    id: str
    direction: Direction
    url: str
    tenant: str
    person: str
    begun_at: str
    backup: str | None = None  # of the files as they were
    rows: dict[str, int] | None = None  # what was verified, by table; None: nothing yet
    digest: str = ""
    position: int = 0
    is_done: bool = False

    @property
    def shared(self) -> SharedLedger:
        return SharedLedger(self.url, self.tenant, self.person)


class Moved(NamedTuple):
    """A move that is done."""

    to: str
    rows: dict[str, int]  # by table; those of the archive begin with `archive `
    digest: str  # over the digests of all tables
    position: int  # of the journal
    backup: str | None
    stays_behind: tuple[str, ...] = ()  # people whose private rows stay on the server


class Merged(NamedTuple):
    """A ledger that was added to one on a server."""

    to: str
    added: Imported
    backup: str | None


class FinishedMove(NamedTuple):
    """The outcome for the old ledger."""

    sentence: str


class MovePlace(NamedTuple):
    """The home that moves, and the file of its settings."""

    home: str
    settings_file: str
    clock: Callable[[], datetime]


def read_record(home: str) -> MoveRecord | None:
    place = os.path.join(home, _RECORD)
    try:
        with open(place, encoding="utf-8") as file:
            return MoveRecord(**json.load(file))
    except FileNotFoundError:
        return None
    except OSError as error:
        make_home(home)  # says more where the home itself is at fault
        raise StoreUnavailable(f"{place} cannot be read: {reason(error)}. Nothing was changed.") from error
    except (ValueError, TypeError) as error:
        raise StoreUnavailable(f"{place} cannot be read. Delete it, and begin the move again.") from error


class LedgerMove:
    """One move of one home. Its steps are public so that each can be tested by a death before and after it."""

    def __init__(self, place: MovePlace, shared: SharedLedger, password: str | None = None) -> None:
        """`password` refers to the password, as the setting does."""
        make_home(place.home)
        self._place, self._shared, self._password = place, shared, password
        self._alone = KernelLock(os.path.join(place.home, "move.lock"))
        self._local = local_stores(place.home)

    def to_server(
        self, *, is_private: bool, progress: Callable[[int, int], object], share_private: bool = False
    ) -> Moved:
        with self._alone.held():
            if not (is_private or share_private):
                self.check_private()
            record = self.begin("server")
            steps = MoveToServer(
                self._place.home, self._local, self._shared, f"{record.id}{' private' if is_private else ''}"
            )
            steps.check()
            record = self.back_up(record)
            with steps.held():
                steps.copy(progress)
                record = self.note_verified(record, steps.verify())
                steps.mark()
                self.switch({"url": self._shared.url, **self._seat_settings()})
            return self.conclude(record)

    def check_private(self) -> None:
        """Raise where the tenant would see what was private on the server from which the files came."""
        count = formerly_private(self._local)
        if not count:
            return
        found = (
            "1 memory, experience or narrative" if count == 1 else f"{count:,} memories, experiences or narratives"
        )
        raise NeedsConsent(
            f"{found} of this home {'was' if count == 1 else 'were'} private on the server before, and everybody in "
            f"the tenant {self._shared.tenant!r} could see {'it' if count == 1 else 'them'}. Nothing was changed. To "
            "keep to yourself all that this home adds, run `memoro config set ledger.visibility private` first; to "
            "show it to everybody, add --share-private."
        )

    def merge(self, secrets: Sequence[str], *, share_private: bool = False) -> Merged:
        """Add the files of the home to what the tenant holds.

        Whatever an attempt that died has added is known to the next one.
        """
        with self._alone.held():
            if self._shared.visibility != "private" and not share_private:
                self.check_private()
            record = self.back_up(self.begin("server"))
            steps = MergeIntoServer(self._place.home, self._local, self._shared)
            try:
                with steps.held():
                    added = self.add(LedgerAccess(*steps.remote, self._place.clock, secrets))
                    steps.mark()
                    self.switch({"url": self._shared.url, **self._seat_settings()})
            finally:
                steps.close()
            moved = self.conclude(record)
            return Merged(moved.to, added, moved.backup)

    def add(self, target: LedgerAccess) -> Imported:
        return merge_ledger(self._local_access(), target)

    def to_file(self, *, progress: Callable[[int, int], object]) -> Moved:
        with self._alone.held():
            was_begun = self.record()
            is_resumed = was_begun is not None and was_begun.direction == "file"
            record = self.begin("file")
            steps = MoveToFile(self._place.home, self._local, self._shared)
            try:
                steps.check(is_resumed=is_resumed)
                with steps.held():
                    steps.copy(progress)
                    record = self.note_verified(record, steps.verify())
                    steps.put_in_place()
                    steps.mark()
                    self.switch({"url": None})
                behind = tuple(steps.stays_behind())
            finally:
                steps.close()
            return self.conclude(record)._replace(stays_behind=behind)

    def complete_switched(self) -> Moved | None:
        """Conclude a move that was broken off after the settings named the new ledger; None: there is none."""
        record = self.record()
        if record is None or record.is_done or record.rows is None:
            return None
        return self.conclude(record) if is_switched(self._place.home, record.shared, record.direction) else None

    def begin(self, direction: Direction) -> MoveRecord:
        """Note durably what is to be done; a move that was broken off keeps its id."""
        found = self.record()
        if found is not None and not found.is_done and found.direction == direction:
            if found.shared[:3] != self._shared[:3]:
                raise StoreUnavailable(
                    f"A move to the tenant {found.tenant!r} was begun and not completed. Complete that one first: "
                    f"`memoro move-ledger --to {found.url} --tenant {found.tenant} --person {found.person}`."
                )
            return found
        record = MoveRecord(
            id=f"move-{os.urandom(12).hex()}",
            direction=direction,
            url=self._shared.url,
            tenant=self._shared.tenant,
            person=self._shared.person,
            begun_at=stamp(self._place.clock()),
        )
        self._write(record)
        return record

    def back_up(self, record: MoveRecord) -> MoveRecord:
        """Keep the files as they are now, verified."""
        backup = self._backups().create(BEFORE_MOVE)
        record = record._replace(backup=backup.name)
        self._write(record)
        return record

    def note_verified(self, record: MoveRecord, verified: Verified) -> MoveRecord:
        record = record._replace(
            rows={name: table.rows for name, table in verified.tables.items() if table.rows},
            digest=verified.digest,
            position=verified.contents["ledger"].position,
        )
        self._write(record)
        return record

    def switch(self, values: dict[str, str | None]) -> None:
        """Let the settings name the new ledger, in one write."""
        set_values(self._place.settings_file, {f"ledger.{name}": value for name, value in values.items()})
        sync_folder(os.path.dirname(self._place.settings_file))

    def conclude(self, record: MoveRecord) -> Moved:
        self._write(record._replace(is_done=True))
        to = place_name(self._place.home, record.shared) if record.direction == "server" else FILE_NAME
        return Moved(
            to=to, rows=record.rows or {}, digest=record.digest, position=record.position, backup=record.backup
        )

    def finish(self) -> FinishedMove:
        """Delete the old ledger. Its backup stays, and so does a tenant, which others may use."""
        record = self.record()
        if record is None or not record.is_done:
            raise NotFound("There is no move to confirm. `memoro move-ledger --to URL` makes one.")
        if record.direction == "server":
            sentence = self._finish_server(record)
        else:
            delete_copy(self._place.home, record.shared)
            sentence = (
                f"The local copy of the tenant {record.tenant!r} is deleted. Its rows stay on the server, where "
                "others may use them; the owner of the server removes them with `memoro admin tenant remove`."
            )
        os.unlink(os.path.join(self._place.home, _RECORD))
        return FinishedMove(sentence)

    def _finish_server(self, record: MoveRecord) -> str:
        if record.backup is None or self._backups().verify(record.backup).problems:
            raise StoreUnavailable(
                "The backup that was made before the move does not verify, so the old files are kept. "
                "`memoro backup verify` says what is wrong with it."
            )
        self.close()
        delete_files(self._place.home)
        return (
            f"The old files are deleted. The backup {record.backup} holds what they held: "
            f"`memoro backup verify {record.backup}`."
        )

    def record(self) -> MoveRecord | None:
        return read_record(self._place.home)

    def _write(self, record: MoveRecord) -> None:
        replace_file(os.path.join(self._place.home, _RECORD), json.dumps(record._asdict(), indent=1))

    def _seat_settings(self) -> dict[str, str | None]:
        password = {"password": self._password} if self._password else {}
        return {"tenant": self._shared.tenant, "person": self._shared.person, **password}

    def _backups(self) -> Backups:
        return Backups(self._place.home, self._local_access())

    def _local_access(self) -> LedgerAccess:
        return LedgerAccess(self._local.ledger, self._local.archive, self._place.clock, ())

    def close(self) -> None:
        for store in self._local:
            store.close()

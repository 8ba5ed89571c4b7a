"""The home's record of its ledger or archive: which file it is, and the last position of its journal.

The record stands in two places, in the home and in its folder of backups. It is written after a commit, so the
recorded position may lag behind the file, and never leads it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from memoro.errors import LedgerNotRecognised, SharedLedgerNotRecognised, StorageFull, StoreUnavailable
from memoro.model.system_errors import is_out_of_space
from memoro.model.vocabulary import StorePart, UnrecognisedState
from memoro.store.sqlite.ledger_files import BACKUPS_FOLDER, has_backup, record_name

if TYPE_CHECKING:
    from memoro.model.ledger import SharedLineage


class FileMark(NamedTuple):
    """The identity of a ledger or archive, and how far its journal goes."""

    identity: str
    position: int

    def continues(self, earlier: FileMark) -> bool:
        """Return whether this may be a later state of the same file."""
        return self.identity == earlier.identity and self.position >= earlier.position


class Recorded(NamedTuple):
    """One copy of the record. `serial` tells the newer of two copies."""

    serial: int
    mark: FileMark | None  # None: whatever is there is accepted
    announced: FileMark | None = None  # that a restore or an import is about to put in place

    def judge(self, found: FileMark | None) -> UnrecognisedState | None:
        """Return what is wrong with a file that has this mark; None where nothing is. No mark: it is not ours."""
        if self.mark is None:
            return None
        expected = [mark for mark in (self.mark, self.announced) if mark]
        if found is None or found.identity not in {mark.identity for mark in expected}:
            return "foreign"
        return None if any(found.continues(mark) for mark in expected) else "older"


class FileRecord:
    """Reads and writes the record of one file of a home."""

    def __init__(
        self,
        home: str,
        part: StorePart,
        newest_backup: Callable[[SharedLineage | None], str | None] = lambda _lineage: None,
        server: str | None = None,
    ) -> None:
        """`newest_backup` names the newest backup that verifies and could be restored, for the message to a person.

        `server` names the server that keeps it, where it is no file of the home.
        """
        self._part = part
        self._server = server
        self._file = os.path.join(home, f"{part}.db")
        self._home = home
        folders = (home, os.path.join(home, BACKUPS_FOLDER))
        self._places = [os.path.join(folder, record_name(part)) for folder in folders]
        self._newest_backup = newest_backup

    def read(self) -> Recorded | None:
        """Return the newer of the two copies that can be read."""
        copies = [copy for place in self._places if (copy := _read(place))]
        return max(copies, key=lambda copy: copy.serial, default=None)

    def check_missing(self) -> None:
        """Raise where a file that does not exist was there before. A backup of it tells that, too."""
        recorded = self.read()
        if recorded is None and not has_backup(self._home, self._part):
            return
        if (recorded is None or recorded.mark is not None) and not os.path.exists(self._file):  # nor made just now
            raise self._refusal("missing")

    def check(self, found: FileMark | None, recorded: Recorded, lineage: SharedLineage | None = None) -> None:
        """Raise where the file that is there is not the recorded one, or is older.

        `lineage` tells, for a server, which backups could be restored there.
        """
        if state := recorded.judge(found):
            raise self._refusal(state, lineage)

    def is_open(self) -> bool:
        """Return whether the home has no record yet, or accepts what is there."""
        recorded = self.read()
        return recorded is None or recorded.mark is None

    def keep(self, mark: FileMark) -> None:
        """Record the state of a file after a commit. Where that is impossible, the record lags."""
        recorded = self.read()
        if recorded is None or recorded[1:] != (mark, None) or not all(map(os.path.exists, self._places)):
            self._write(Recorded(recorded.serial + 1 if recorded else 1, mark))

    def announce(self, mark: FileMark) -> None:
        """Record durably, before a commit, the state that it puts in place of another one.

        A crash then leaves the old file or the new one, and both are recognised.
        """
        recorded = self.read()
        if recorded is not None:
            self._write_durably(recorded._replace(serial=recorded.serial + 1, announced=mark))

    def accept_any(self) -> None:
        """Accept what is there now, or a new file where there is none."""
        recorded = self.read()
        self._write_durably(Recorded(recorded.serial + 1 if recorded else 1, None))

    def _write_durably(self, recorded: Recorded) -> None:
        try:
            for place in self._places:
                _replace(place, recorded, durable=True)
        except OSError as error:
            if is_out_of_space(error):
                raise StorageFull(self._places[0]) from error
            raise StoreUnavailable(
                f"{self._places[0]} cannot be written: {(error.strerror or str(error)).lower()}. "
                "Make the home writable and run the command again."
            ) from error

    def _write(self, recorded: Recorded) -> None:
        for place in self._places:
            with suppress(OSError):
                _replace(place, recorded, durable=False)

    def refuse(self, state: UnrecognisedState, lineage: SharedLineage | None = None) -> NoReturn:
        raise self._refusal(state, lineage)

    def _refusal(self, state: UnrecognisedState, lineage: SharedLineage | None = None) -> LedgerNotRecognised:
        backup = self._newest_backup(lineage)
        if self._server is not None:
            return SharedLedgerNotRecognised(self._server, part=self._part, state=state, backup=backup)
        return LedgerNotRecognised(self._file, part=self._part, state=state, backup=backup)


def _read(place: str) -> Recorded | None:
    """Parse one copy; None for one that is missing, or that a power cut has left empty or in part."""
    try:
        with open(place, encoding="utf-8") as file:
            found = json.load(file)
        return Recorded(
            serial=int(found["serial"]), mark=_mark(found.get("mark")), announced=_mark(found.get("announced"))
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _mark(found: object) -> FileMark | None:
    if found is None:
        return None
    if not isinstance(found, dict):
        raise ValueError("a mark is an object")
    return FileMark(str(found["identity"]), int(found["position"]))


def _replace(place: str, recorded: Recorded, *, durable: bool) -> None:
    """Write a file of its own, then give it the name: a reader sees the old record or the new one."""
    os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
    marks = {"mark": recorded.mark, "announced": recorded.announced}
    document = {"serial": recorded.serial, **{name: mark._asdict() if mark else None for name, mark in marks.items()}}
    unfinished = f"{place}.{os.urandom(4).hex()}"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            os.write(descriptor, f"{json.dumps(document)}\n".encode())
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(unfinished, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    if durable:
        from memoro.store.files import sync_folder

        sync_folder(os.path.dirname(place))

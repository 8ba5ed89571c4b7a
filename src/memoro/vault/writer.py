"""The only writer in the vault: whole or not at all, and never over what someone else has written."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import NamedTuple

from memoro.errors import NoteExists, NoteNotFound, NoteUnwritable
from memoro.model.guard import outside_transactions
from memoro.vault import swap
from memoro.vault.contents import MAX_BYTES
from memoro.vault.files import VaultFiles
from memoro.vault.slot import (
    PROCESS,
    READ,
    TEMPORARY,
    UNFINISHED,
    Changed,
    Place,
    all_bytes,
    beside,
    here,
    holds,
    refusal,
)
from memoro.vault.walk import MAX_DEPTH

_TRIES = 20
_STALE_SECONDS = 3600  # a temporary file this old belongs to nobody who still lives
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Written(NamedTuple):
    """What one write made of a file; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    conflict: str | None = None  # where bytes of someone else were put that could not be kept in place


Change = Callable[[bytes | None], bytes | None]
Intend = Callable[[bytes | None, bytes | None], None]
Done = Callable[[Written], None]
Lock = Callable[..., AbstractContextManager[object]]  # of one path or several


class Hearing(NamedTuple):
    """Who hears of a write, alone with the note: what is about to be done, each time before it is, and what was."""

    intend: Intend = lambda _before, _after: None
    done: Done = lambda _written: None


_NOBODY = Hearing()


class _NoFolder(NoteNotFound):
    """Nor is there one to hold it."""


class VaultWriter:
    """Writes notes of the vault itself; extra folders and transcripts are not ours to write.

    `locked` holds a lock for a path during a block, against our own processes. Against everybody else a
    change is worked out from the bytes as they are, and only takes the place of those very bytes.
    """

    def __init__(self, files: VaultFiles, locked: Lock) -> None:
        self._files = files
        self._locked = locked

    def read(self, path: str) -> bytes | None:
        """The bytes of a note when none of our own processes writes it; None where there is none."""
        outside_transactions("Reading a note")
        try:
            with self._place(path, make=False) as place, self._locked(path):
                return place.read_settled()
        except NoteNotFound:
            return None

    def change(self, path: str, change: Change, hearing: Hearing = _NOBODY) -> Written:
        """Make of a file what `change` makes of its bytes (None: there is no file, or is to be none).

        It is called again whenever someone else wrote in between, so it must depend on the bytes alone.
        """
        outside_transactions("Writing a note")
        if not self._has_folder(path) and change(None) is None:  # then none is made for it either
            return Written(path, None, None)
        with self._place(path, make=True) as place, self._locked(path):
            written = self._change(place, path, change, hearing.intend)
            hearing.done(written)
            return written

    def _change(self, place: Place, path: str, change: Change, intend: Intend) -> Written:
        conflict: str | None = None
        for attempt in range(_TRIES):
            before = place.read_settled()
            after = change(before)
            if after is not None and len(after) > MAX_BYTES:
                raise NoteUnwritable(f"{path} would have {len(after):,} bytes; a note has at most {MAX_BYTES:,}.")
            if after == before:
                return Written(path, before, after, conflict)
            intend(before, after)
            try:
                _put(place, before, after)
                return Written(path, before, after, conflict)
            except Changed as changed:
                conflict = changed.conflict or conflict
            time.sleep(0.005 * attempt)
        raise NoteUnwritable(f"{path} is being written by someone else all the time. Try again later.")

    def append(self, path: str, text: Callable[[bytes | None], bytes], hearing: Hearing = _NOBODY) -> Written:
        """Add to the end of a file, made if it is missing, as one write that no other append can split."""
        outside_transactions("Appending to a note")
        with self._place(path, make=True) as place, self._locked(path):
            written = self._append(place, path, text, hearing.intend)
            hearing.done(written)
            return written

    def _append(self, place: Place, path: str, text: Callable[[bytes | None], bytes], intend: Intend) -> Written:
        for attempt in range(_TRIES):
            before = place.read_settled()
            added = text(before)
            if len(before or b"") + len(added) > MAX_BYTES:
                raise NoteUnwritable(f"{path} is full: a note has at most {MAX_BYTES:,} bytes.")
            intend(before, added)
            try:
                if before is None:
                    place.create(added)
                    return Written(path, None, added)
                return Written(path, *place.append(added, _fits(before, text, added)))
            except Changed:
                time.sleep(0.005 * attempt)
        raise NoteUnwritable(f"{path} is being replaced by someone else all the time. Try again later.")

    def move(self, old: str, new: str, hearing: Hearing = _NOBODY) -> Written:
        """Give a note another path, where there is nothing yet."""
        outside_transactions("Moving a note")
        with ExitStack() as stack:
            source = stack.enter_context(self._place(old, make=False))
            if source.read() is None:  # then no folder is made either
                raise NoteNotFound(f"There is no note {old!r} in the vault.")
            target = stack.enter_context(self._place(new, make=True))
            stack.enter_context(self._locked(old, new))
            data = source.read()
            if data is None:
                raise NoteNotFound(f"There is no note {old!r} in the vault.")
            if target.read() is not None:
                raise NoteExists(f"There is a note {new!r} already; choose another name.")
            hearing.intend(data, data)
            try:
                source.move_to(target)
            except FileNotFoundError:
                raise NoteNotFound(f"There is no note {old!r} in the vault.") from None
            except FileExistsError:
                raise NoteExists(f"There is a note {new!r} already; choose another name.") from None
            written = Written(new, data, target.read())
            hearing.done(written)
            return written

    def _has_folder(self, path: str) -> bool:
        try:
            with self._place(path, make=False):
                return True
        except _NoFolder:
            return False

    @contextmanager
    def _place(self, path: str, *, make: bool) -> Iterator[Place]:
        """The folder of a note, reached one step at a time and never through a link."""
        parts = self._files.writable(path)
        with self._files.top() as top, ExitStack() as stack:
            opened = top
            for part in parts[:-1]:
                opened = _step(opened, part, make, path)
                stack.callback(os.close, opened)
            yield Place(opened, parts[-1], path)

    def sweep(self, is_kept: Callable[[bytes], bool] = lambda _data: False) -> int:
        """Remove what a crash has left: temporary files whose writers are gone. How many there were.

        A file that was swapped out may hold what someone saved at that very moment: unless its bytes are kept
        elsewhere (`is_kept`), or every line of it stands in a note beside it, it becomes a note itself.
        """
        outside_transactions("Looking for what a crash has left")
        with self._files.top() as top:
            return _sweep(top, is_kept)


def _fits(before: bytes, text: Callable[[bytes | None], bytes], added: bytes) -> Callable[[bytes], bool]:
    """What was saved meanwhile is as good to append to, unless it was emptied, to be written anew."""
    return lambda now: bool(now) == bool(before) and text(now) == added


def _put(place: Place, before: bytes | None, after: bytes | None) -> None:
    if before is None:
        assert after is not None
        place.create(after)
    elif after is None:
        place.take_away(before)
    else:
        place.replace(before, after)


def _step(folder: int, part: str, make: bool, path: str) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise _NoFolder(f"There is no note {path!r} in the vault.") from None
    except OSError as error:
        raise refusal(path, error) from error
    try:
        with suppress(FileExistsError):
            os.mkdir(part, 0o700, dir_fd=folder)
            os.fsync(folder)
        return os.open(part, _FOLDER, dir_fd=folder)
    except OSError as error:
        raise refusal(path, error) from error


def _sweep(folder: int, is_kept: Callable[[bytes], bool], depth: int = 0) -> int:
    swept = 0
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        with suppress(OSError):
            if name.startswith(TEMPORARY) and not is_folder:
                if _is_left(folder, name):
                    _clear(folder, name, is_kept)
                    swept += 1
            elif is_folder and not name.startswith(".") and depth < MAX_DEPTH:
                inner = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    swept += _sweep(inner, is_kept, depth + 1)
                finally:
                    os.close(inner)
    return swept


def _is_left(folder: int, name: str) -> bool:
    """Whether the process that made a temporary file is gone. Of processes elsewhere only age can tell."""
    pid, where, process = (*name.removeprefix(TEMPORARY).split("-"), "", "")[:3]
    if where == here() and pid.isdigit():
        if int(pid) == os.getpid():
            return process != PROCESS
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            pass
    # Not when it was written but when it got this name: it may be a note that was swapped out.
    return time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_ctime > _STALE_SECONDS


def _clear(folder: int, name: str, is_kept: Callable[[bytes], bool]) -> None:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    precious = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and not name.endswith(UNFINISHED)
    if precious and status.st_size:
        data = _bytes_of(folder, name)
        if not is_kept(data) and not _is_beside(folder, data):
            swap.move(folder, name, folder, beside("Saved.md", "found after a crash"))
            return
    os.unlink(name, dir_fd=folder)


def _is_beside(folder: int, data: bytes) -> bool:
    for name in os.listdir(folder):
        with suppress(OSError):
            if not name.startswith(".") and name.lower().endswith(".md") and holds(_bytes_of(folder, name), data):
                return True
    return False


def _bytes_of(folder: int, name: str) -> bytes:
    descriptor = os.open(name, READ, dir_fd=folder)
    try:
        return all_bytes(descriptor) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)

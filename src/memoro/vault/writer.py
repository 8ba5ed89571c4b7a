"""The only writer in the vault. Every write is atomic, and never overwrites another program's bytes."""

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
    Slot,
    all_bytes,
    contains_lines,
    copy_name,
    process_scope,
    refusal,
)
from memoro.vault.walk import MAX_DEPTH

TRIES = 20
STALE_SECONDS = 3600  # seconds; no living process owns a temporary file this old
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Written(NamedTuple):
    """One write of a file; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    conflict: str | None = None  # path of a copy of another program's bytes that could not stay in place


Change = Callable[[bytes | None], bytes | None]
Intend = Callable[[bytes | None, bytes | None], None]
Done = Callable[[Written], None]
Lock = Callable[..., AbstractContextManager[object]]  # takes one path or several


class WriteObserver(NamedTuple):
    """Callbacks that run while the note is locked: before each attempt to write, and after the write."""

    intend: Intend = lambda _before, _after: None
    done: Done = lambda _written: None


_NO_OBSERVER = WriteObserver()


class _NoFolder(NoteNotFound):
    """The note's folder does not exist either."""


class VaultWriter:
    """Writes notes of the vault itself; extra folders and transcripts are never written.

    `locked` holds a lock for a path during a block, against Memoro's own processes. Against every other program,
    a change is computed from the current bytes and replaces only exactly those bytes.
    """

    def __init__(self, files: VaultFiles, locked: Lock) -> None:
        self._files = files
        self._locked = locked

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a note while no process of Memoro writes it; None if there is none."""
        outside_transactions("Reading a note")
        try:
            with self._slot(path, make=False) as slot, self._locked(path):
                return slot.read_settled()
        except NoteNotFound:
            return None

    def change(self, path: str, change: Change, observer: WriteObserver = _NO_OBSERVER) -> Written:
        """Replace the bytes of a file by `change` of them (None: there is no file, or it is deleted).

        `change` is called again whenever another program wrote in between, so it must depend on the bytes alone.
        """
        outside_transactions("Writing a note")
        if not self._has_folder(path) and change(None) is None:  # then no folder is made either
            return Written(path, None, None)
        with self._slot(path, make=True) as slot, self._locked(path):
            written = self._change(slot, path, change, observer.intend)
            observer.done(written)
            return written

    def _change(self, slot: Slot, path: str, change: Change, intend: Intend) -> Written:
        conflict: str | None = None
        for attempt in range(TRIES):
            before = slot.read_settled()
            after = change(before)
            if after is not None and len(after) > MAX_BYTES:
                raise NoteUnwritable(f"{path} would have {len(after):,} bytes; a note has at most {MAX_BYTES:,}.")
            if after == before:
                return Written(path=path, before=before, after=after, conflict=conflict)
            intend(before, after)
            try:
                put(slot, before, after)
                return Written(path=path, before=before, after=after, conflict=conflict)
            except Changed as changed:
                conflict = changed.conflict or conflict
            time.sleep(0.005 * attempt)
        raise NoteUnwritable(f"{path} is being written by another program all the time. Try again later.")

    def append(
        self, path: str, text: Callable[[bytes | None], bytes], observer: WriteObserver = _NO_OBSERVER
    ) -> Written:
        """Append to a file, created if missing, in one write that no other append can split."""
        outside_transactions("Appending to a note")
        with self._slot(path, make=True) as slot, self._locked(path):
            written = self._append(slot, path, text, observer.intend)
            observer.done(written)
            return written

    def _append(self, slot: Slot, path: str, text: Callable[[bytes | None], bytes], intend: Intend) -> Written:
        for attempt in range(TRIES):
            before = slot.read_settled()
            added = text(before)
            if len(before or b"") + len(added) > MAX_BYTES:
                raise NoteUnwritable(f"{path} is full: a note has at most {MAX_BYTES:,} bytes.")
            intend(before, added)
            try:
                if before is None:
                    slot.create(added)
                    return Written(path, None, added)
                return Written(path, *slot.append(added, _fits(before, text, added)))
            except Changed:
                time.sleep(0.005 * attempt)
        raise NoteUnwritable(f"{path} is being replaced by another program all the time. Try again later.")

    def move(self, old: str, new: str, observer: WriteObserver = _NO_OBSERVER) -> Written:
        """Move a note to a path that does not exist yet."""
        outside_transactions("Moving a note")
        with ExitStack() as stack:
            source = stack.enter_context(self._slot(old, make=False))
            if source.read() is None:  # then no folder is made either
                raise NoteNotFound(f"There is no note {old!r} in the vault.")
            target = stack.enter_context(self._slot(new, make=True))
            stack.enter_context(self._locked(old, new))
            data = source.read()
            if data is None:
                raise NoteNotFound(f"There is no note {old!r} in the vault.")
            if target.read() is not None:
                raise NoteExists(f"There is a note {new!r} already; choose another name.")
            observer.intend(data, data)
            try:
                source.move_to(target)
            except FileNotFoundError:
                raise NoteNotFound(f"There is no note {old!r} in the vault.") from None
            except FileExistsError:
                raise NoteExists(f"There is a note {new!r} already; choose another name.") from None
            written = Written(new, data, target.read())
            observer.done(written)
            return written

    def _has_folder(self, path: str) -> bool:
        try:
            with self._slot(path, make=False):
                return True
        except _NoFolder:
            return False

    @contextmanager
    def _slot(self, path: str, *, make: bool) -> Iterator[Slot]:
        """Open the folder of a note one step at a time and never through a link."""
        parts = self._files.writable(path)
        with self._files.top() as top, ExitStack() as stack:
            opened = top
            for part in parts[:-1]:
                opened = _step(opened, part, make, path)
                stack.callback(os.close, opened)
            yield Slot(opened, parts[-1], path)

    def sweep(self, is_kept: Callable[[bytes], bool] = lambda _data: False) -> int:
        """Remove temporary files that a crash left behind; return their number.

        A swapped-out file may hold bytes that another program saved at that very moment. It becomes a note, unless
        its bytes are kept elsewhere (`is_kept`) or a note beside it holds every line of it.
        """
        outside_transactions("Looking for what a crash has left")
        with self._files.top() as top:
            return _sweep(top, is_kept)


def _fits(before: bytes, text: Callable[[bytes | None], bytes], added: bytes) -> Callable[[bytes], bool]:
    """Return a test whether the file as it is now may be appended to: not if it was emptied to be rewritten."""
    return lambda now: bool(now) == bool(before) and text(now) == added


def put(slot: Slot, before: bytes | None, after: bytes | None) -> None:
    if before is None:
        assert after is not None
        slot.create(after)
    elif after is None:
        slot.delete(before)
    else:
        slot.replace(before, after)


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
                if _is_abandoned(folder, name):
                    _clear(folder, name, is_kept)
                    swept += 1
            elif is_folder and not name.startswith(".") and depth < MAX_DEPTH:
                inner = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    swept += _sweep(inner, is_kept, depth + 1)
                finally:
                    os.close(inner)
    return swept


def _is_abandoned(folder: int, name: str) -> bool:
    """Return whether the process that made a temporary file is gone. For processes elsewhere only age can tell."""
    pid, where, process = (*name.removeprefix(TEMPORARY).split("-"), "", "")[:3]
    if where == process_scope() and pid.isdigit():
        if int(pid) == os.getpid():
            return process != PROCESS
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            pass
    # The time it got this name, not the time it was written: it may be a note that was swapped out.
    return time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_ctime > STALE_SECONDS


def _clear(folder: int, name: str, is_kept: Callable[[bytes], bool]) -> None:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    precious = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and not name.endswith(UNFINISHED)
    if precious and status.st_size:
        data = _bytes_of(folder, name)
        if not is_kept(data) and not _is_in_a_note(folder, data):
            swap.move(folder, name, folder, copy_name("Saved.md", "found after a crash"))
            return
    os.unlink(name, dir_fd=folder)


def _is_in_a_note(folder: int, data: bytes) -> bool:
    for name in os.listdir(folder):
        with suppress(OSError):
            if (
                not name.startswith(".")
                and name.lower().endswith(".md")
                and contains_lines(_bytes_of(folder, name), data)
            ):
                return True
    return False


def _bytes_of(folder: int, name: str) -> bytes:
    descriptor = os.open(name, READ, dir_fd=folder)
    try:
        return all_bytes(descriptor) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)

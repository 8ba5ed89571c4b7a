"""The only writer in the vault: whole or not at all, and never over what someone else has written."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import NamedTuple

from memoro.errors import NoteExists, NoteNotFound, NoteUnreadable, NoteUnwritable
from memoro.model.guard import outside_transactions
from memoro.vault import swap
from memoro.vault.files import MAX_BYTES, MAX_DEPTH, VaultFiles

_TEMPORARY = ".memoro-"  # begins the name of every file that is not yet, or no longer, a note
_TRIES = 20
_SETTLE_SECONDS = 0.02  # an editor that has emptied a file to write it is done by then, mostly
_EMPTY_SECONDS = 0.2
_STALE_SECONDS = 3600  # a temporary file this old belongs to nobody who still lives
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class Written(NamedTuple):
    """What one write made of a file; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    conflict: str | None = None  # where bytes of someone else were put that could not be kept in place


Change = Callable[[bytes | None], bytes | None]
Intend = Callable[[bytes | None, bytes | None], None]
Lock = Callable[..., AbstractContextManager[object]]  # of one path or several


class Pen:
    """Writes notes of the vault itself; extra folders and transcripts are not ours to write.

    `locked` holds a lock for a path during a block, against our own processes. Against everybody else a
    change is worked out from the bytes as they are, and only takes the place of those very bytes.
    """

    def __init__(self, files: VaultFiles, locked: Lock) -> None:
        self._files = files
        self._locked = locked

    def change(self, path: str, change: Change, intend: Intend = lambda _before, _after: None) -> Written:
        """Make of a file what `change` makes of its bytes (None: there is no file, or is to be none).

        It is called again whenever someone else wrote in between, so it must depend on the bytes alone.
        `intend` hears what is about to be done, each time before it is.
        """
        outside_transactions("Writing a note")
        with self._place(path, make=True) as place, self._locked(path):
            for attempt in range(_TRIES):
                before = place.read_settled()
                after = change(before)
                if after is not None and len(after) > MAX_BYTES:
                    raise NoteUnwritable(f"{path} would have {len(after):,} bytes; a note has at most {MAX_BYTES:,}.")
                if after == before:
                    return Written(path, before, after)
                intend(before, after)
                done = self._put(place, before, after, change)
                if done is not None:
                    return Written(path, *done)
                time.sleep(0.005 * attempt)
        raise NoteUnwritable(f"{path} is being written by someone else all the time. Try again later.")

    def _put(
        self, place: _Place, before: bytes | None, after: bytes | None, change: Change
    ) -> tuple[bytes | None, bytes | None, str | None] | None:
        """Put the bytes in place of those that were read; None if others stand there by now."""
        if before is None:
            return (None, after, None) if after is not None and place.create(after) else None
        if after is None:
            return (before, None, None) if place.take_away(before) else None
        try:
            theirs = place.replace(before, after)
        except _Changed:
            return None
        return (before, after, None) if theirs is None else self._both(place, theirs, after, change)

    def _both(
        self, place: _Place, theirs: bytes, ours: bytes, change: Change
    ) -> tuple[bytes | None, bytes | None, str | None] | None:
        """Someone saved at the very moment of our swap: their bytes are in our hands, and ours in the file.

        The change is worked out anew on theirs. Where even that meets another save, which was made without
        seeing theirs, theirs go to a copy.
        """
        while True:
            wanted = change(theirs) or theirs
            try:
                more = place.replace(ours, wanted)
            except _Changed:
                now = place.read() or b""
                copy = None if _holds(now, theirs) else place.keep_beside(theirs)
                return (theirs, now, copy) if copy or change(now) == now else None
            if more is None:
                return theirs, wanted, None
            if not _holds(more, theirs):
                place.keep_beside(theirs)
            theirs, ours = more, wanted

    def append(
        self, path: str, text: Callable[[bytes | None], bytes], intend: Intend = lambda _before, _added: None
    ) -> Written:
        """Add to the end of a file, made if it is missing, as one write that no other append can split."""
        outside_transactions("Appending to a note")
        with self._place(path, make=True) as place, self._locked(path):
            for _ in range(_TRIES):
                before = place.read()
                added = text(before)
                intend(before, added)
                if before is None:
                    if place.create(added):
                        return Written(path, None, added)
                elif place.append(added):
                    return Written(path, before, before + added)
        raise NoteUnwritable(f"{path} is being replaced by someone else all the time. Try again later.")

    def move(self, old: str, new: str) -> bytes:
        """Give a note another path, where there is nothing yet; its bytes."""
        with ExitStack() as stack:
            source = stack.enter_context(self._place(old, make=False))
            target = stack.enter_context(self._place(new, make=True))
            stack.enter_context(self._locked(old, new))
            data = source.read()
            if data is None:
                raise NoteNotFound(f"There is no note {old!r} in the vault.")
            if target.read() is not None or not source.link_to(target):
                raise NoteExists(f"There is a note {new!r} already; choose another name.")
            source.unlink()
            return data

    @contextmanager
    def _place(self, path: str, *, make: bool) -> Iterator[_Place]:
        """The folder of a note, reached one step at a time and never through a link."""
        parts = self._files.writable(path)
        with self._files.top() as top, ExitStack() as stack:
            opened = top
            for part in parts[:-1]:
                opened = _step(opened, part, make, path)
                stack.callback(os.close, opened)
            yield _Place(opened, parts[-1], path)

    def sweep(self) -> int:
        """Remove what a crash has left: temporary files so old that their writers are gone. How many there were."""
        with self._files.top() as top:
            return _sweep(top)


class _Changed(Exception):
    """Other bytes, or none, stand there by now; nothing was done."""


class _Place:
    """One name in one open folder."""

    def __init__(self, folder: int, name: str, path: str) -> None:
        self._folder = folder
        self._name = name
        self._path = path

    def read(self) -> bytes | None:
        """The bytes that stand here now; None where there is no file."""
        try:
            descriptor = os.open(self._name, _READ, dir_fd=self._folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _refused(self._path, error) from error
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise NoteUnreadable(f"{self._path} is not a regular file.")
            if status.st_nlink > 1:
                raise NoteUnwritable(f"{self._path} has a second name (a hard link), which a write would cut off.")
            if status.st_size > MAX_BYTES:
                raise NoteUnwritable(f"{self._path} has {status.st_size:,} bytes; up to {MAX_BYTES:,} can be edited.")
            return _all(descriptor)
        finally:
            os.close(descriptor)

    def read_settled(self) -> bytes | None:
        """The same, but an empty file gets a moment: an editor may just have emptied it to write it anew."""
        found = self.read()
        if found == b"":
            time.sleep(_EMPTY_SECONDS)
            found = self.read()
        return found

    def create(self, data: bytes) -> bool:
        """Put a new file here, unless there is one by now."""
        with self._temporary(data, None) as temporary:
            try:
                os.link(
                    temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder, follow_symlinks=False
                )
            except FileExistsError:
                return False
        self._sync()
        return True

    def replace(self, expected: bytes, data: bytes) -> bytes | None:
        """Put these bytes in place of those. If others stood here, they are returned, and nothing of them is lost."""
        with self._temporary(data, self._mode()) as temporary:
            if self.read() != expected:  # the temporary file took its time: look again right before the swap
                raise _Changed
            try:
                swap.exchange(self._folder, temporary, self._name)
            except FileNotFoundError:
                raise _Changed from None
            theirs = self._settled(temporary, expected)
        self._sync()
        return None if theirs == expected else theirs

    def _settled(self, temporary: str, expected: bytes) -> bytes:
        """What stood here before the swap: an editor may have been about to write it."""
        descriptor = os.open(temporary, _READ, dir_fd=self._folder)
        try:
            found = _all(descriptor)
            for _ in range(10):
                time.sleep(_SETTLE_SECONDS if found != expected else _SETTLE_SECONDS / 4)
                again = _all(descriptor)
                if again == found:
                    break
                found = again
            return again
        finally:
            os.close(descriptor)

    def take_away(self, expected: bytes) -> bool:
        """Remove the file, if it still holds these bytes."""
        aside = _temporary_name()
        try:
            os.rename(self._name, aside, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except FileNotFoundError:
            return False
        theirs = self._settled(aside, expected)
        if theirs != expected:
            with suppress(FileExistsError):  # someone has put another there: then that one counts
                os.link(aside, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        os.unlink(aside, dir_fd=self._folder)
        self._sync()
        return theirs == expected

    def append(self, data: bytes) -> bool:
        """Add to the file that stands here; False where it was replaced at that moment, so that it is lost."""
        try:
            descriptor = os.open(self._name, _APPEND, dir_fd=self._folder)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _refused(self._path, error) from error
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
            mine = os.fstat(descriptor)
        except OSError as error:
            raise _refused(self._path, error) from error
        finally:
            os.close(descriptor)
        try:
            there = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def keep_beside(self, data: bytes) -> str:
        """Keep bytes that cannot be kept in place: a copy whose name says what it is."""
        stem, dot, suffix = self._name.rpartition(".")
        for number in range(1, 1000):
            when = time.strftime("%Y-%m-%d %H%M%S") + (f" {number}" if number > 1 else "")
            name = f"{stem} (conflict {when}){dot}{suffix}"
            if _Place(self._folder, name, self._path).create(data):
                return self._path.removesuffix(self._name) + name
        raise NoteUnwritable(f"{self._path}: a copy of what was there could not be made.")

    def link_to(self, other: _Place) -> bool:
        try:
            os.link(self._name, other._name, src_dir_fd=self._folder, dst_dir_fd=other._folder, follow_symlinks=False)
        except FileExistsError:
            return False
        other._sync()
        return True

    def unlink(self) -> None:
        os.unlink(self._name, dir_fd=self._folder)
        self._sync()

    def _mode(self) -> int | None:
        try:
            return stat.S_IMODE(os.stat(self._name, dir_fd=self._folder, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return None

    @contextmanager
    def _temporary(self, data: bytes, mode: int | None) -> Iterator[str]:
        """A file with these bytes, whole on the disk, under a name that is nobody's note; gone after the block."""
        name = _temporary_name()
        try:
            descriptor = os.open(name, _NEW, 0o600 if mode is None else mode, dir_fd=self._folder)
            try:
                if mode is not None:
                    os.fchmod(descriptor, mode)  # as it was, whatever the umask says
                _write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            yield name
        except OSError as error:
            raise _refused(self._path, error) from error
        finally:
            with suppress(OSError):
                os.unlink(name, dir_fd=self._folder)

    def _sync(self) -> None:
        os.fsync(self._folder)


def _holds(text: bytes, other: bytes) -> bool:
    """Whether every line of the other text stands in this one too."""
    lines = set(text.split(b"\n"))
    return all(line in lines for line in other.split(b"\n"))


def _step(folder: int, part: str, make: bool, path: str) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise NoteNotFound(f"There is no note {path!r} in the vault.") from None
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with suppress(FileExistsError):
            os.mkdir(part, 0o700, dir_fd=folder)
            os.fsync(folder)
        return os.open(part, _FOLDER, dir_fd=folder)
    except OSError as error:
        raise _refused(path, error) from error


def _sweep(folder: int, depth: int = 0) -> int:
    swept = 0
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        with suppress(OSError):
            if name.startswith(_TEMPORARY):
                if time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime > _STALE_SECONDS:
                    os.unlink(name, dir_fd=folder)
                    swept += 1
            elif is_folder and not name.startswith(".") and depth < MAX_DEPTH:
                inner = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    swept += _sweep(inner, depth + 1)
                finally:
                    os.close(inner)
    return swept


def _refused(path: str, error: OSError) -> Exception:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return NoteNotFound(f"{path!r} leads through a link or a file, and links are not followed.")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoteUnwritable(f"{path} was not written: no space is left on the disk. Nothing was changed.")
    why = (error.strerror or str(error)).lower()
    return NoteUnwritable(f"{path} was not written: {why}. Nothing was changed.")


def _temporary_name() -> str:
    return f"{_TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}"


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _all(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()

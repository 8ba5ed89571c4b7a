"""One name in one open folder: what the pen does there, each act whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import signal
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from memoro.errors import NoteNotFound, NoteUnreadable, NoteUnwritable
from memoro.vault import swap
from memoro.vault.contents import MAX_BYTES

TEMPORARY = ".memoro-"  # begins the name of every file that is not yet, or no longer, a note
UNFINISHED = ".new"  # ends the name of one that holds nothing of others, and is perhaps half written
_SETTLE_SECONDS = 0.02  # an editor that has emptied a file to write it is done by then, mostly
_EMPTY_SECONDS = 0.2
_PATIENCE_SECONDS = 2.0  # with a program that has the file open to write it
_MAX_NAME = 255
PROCESS = os.urandom(3).hex()  # tells this process from an earlier one that had its number
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Changed(Exception):
    """Other bytes, or none, stand there by now. Nothing of them is lost; `conflict` names a copy of some."""

    def __init__(self, conflict: str | None = None) -> None:
        super().__init__(conflict)
        self.conflict = conflict


class _Temporary:
    def __init__(self, name: str) -> None:
        self.name = name
        self.disposable = True  # else it is for a sweep to say what is to become of it


class Place:
    def __init__(self, folder: int, name: str, path: str) -> None:
        self._folder = folder
        self._name = name
        self._path = path

    def read(self) -> bytes | None:
        """The bytes that stand here now; None where there is no file."""
        try:
            descriptor = os.open(self._name, READ, dir_fd=self._folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._refuse(error)
        try:
            self._check(descriptor)
            return all_bytes(descriptor)
        except OSError as error:
            self._refuse(error)
        finally:
            os.close(descriptor)

    def read_settled(self) -> bytes | None:
        """The same, but an empty file gets a moment: an editor may just have emptied it to write it anew."""
        found = self.read()
        if found == b"":
            time.sleep(_EMPTY_SECONDS)
            found = self.read()
        return found

    def create(self, data: bytes) -> None:
        """Put a new file here; Changed if there is one by now."""
        with self._temporary(data, None) as temporary:
            try:
                swap.move(self._folder, temporary.name, self._folder, self._name)
            except FileExistsError:
                raise Changed from None
        self._sync()

    def replace(self, expected: bytes, data: bytes) -> None:
        """Put these bytes in place of those, and of no others: else Changed."""
        with self._temporary(data, self._mode()) as temporary:
            self._look_again(expected)  # the temporary file took its time
            self._name_as_whole(temporary)
            try:
                swap.exchange(self._folder, temporary.name, self._name)
            except FileNotFoundError:
                raise Changed from None
            temporary.disposable = False  # under its name there is now what stood here
            try:
                found, quiet = self._settled(temporary.name, expected)
            except BaseException:  # no file at all was there at that moment: what it was goes back
                swap.exchange(self._folder, temporary.name, self._name)
                temporary.disposable = True
                raise
            same = found == expected and quiet
            conflict = None if same else self._give_back(temporary.name, data)
            temporary.disposable = True
            if not same:
                raise Changed(conflict)
        self._sync()

    def _name_as_whole(self, temporary: _Temporary) -> None:
        """From here on there may be something of others under the name, which a sweep must not take away."""
        whole = temporary.name.removesuffix(UNFINISHED)
        os.rename(temporary.name, whole, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        temporary.name = whole

    def _look_again(self, expected: bytes) -> None:
        """Right before the swap: other bytes, or a program that is about to write, make it Changed."""
        try:
            descriptor = os.open(self._name, READ, dir_fd=self._folder)
        except FileNotFoundError:
            raise Changed from None
        try:
            self._check(descriptor)
            if _is_open_for_writing(descriptor) or all_bytes(descriptor) != expected:
                raise Changed
        finally:
            os.close(descriptor)

    def _give_back(self, temporary: str, ours: bytes) -> str | None:
        """Someone saved at the very moment of our swap: their file goes back to its place, and ours into our hands.

        Where they have saved once more, over ours, that is the newer one and stays; the other goes to a copy
        unless the newer has all its lines. The name of that copy. All this is done with names: whatever they
        have saved has one at every moment, so that a crash loses nothing either.
        """
        try:
            swap.exchange(self._folder, temporary, self._name)
        except FileNotFoundError:  # they have taken ours away
            return self._return(temporary)
        newer, quiet = self._settled(temporary, ours)
        if newer == ours and quiet:
            return None
        try:
            swap.exchange(self._folder, temporary, self._name)
        except FileNotFoundError:
            return self._return(temporary)
        older, _ = self._settled(temporary, newer)
        return None if holds(newer, older) else self._keep_beside(temporary)

    def _return(self, aside: str) -> str | None:
        """Put a file back where there is none by now. If there is one, that one counts, and this goes to a copy."""
        try:
            swap.move(self._folder, aside, self._folder, self._name)
        except FileExistsError:
            with suppress(OSError):
                if holds(self.read() or b"", self._settled(aside, b"")[0]):
                    return None
            return self._keep_beside(aside)
        return None

    def _settled(self, temporary: str, expected: bytes) -> tuple[bytes, bool]:
        """What is in a file that stood here until now, and whether nobody is about to write it any more."""
        descriptor = os.open(temporary, READ, dir_fd=self._folder)
        try:
            found, until = all_bytes(descriptor), time.monotonic() + _PATIENCE_SECONDS
            opened = _is_open_for_writing(descriptor)
            if opened is None:
                return _steady(descriptor, found, expected), True
            while opened and time.monotonic() < until:
                time.sleep(_SETTLE_SECONDS / 4)
                opened = _is_open_for_writing(descriptor)
            return all_bytes(descriptor), not opened
        finally:
            os.close(descriptor)

    def take_away(self, expected: bytes) -> None:
        """Remove the file, if it still holds these bytes: else Changed."""
        try:
            self._look_again(expected)
            aside = temporary_name()
            os.rename(self._name, aside, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except FileNotFoundError:
            raise Changed from None
        except OSError as error:
            self._refuse(error)
        copy = None
        try:
            found, quiet = self._settled(aside, expected)
            same = found == expected and quiet
        except OSError:  # no file at all: what it was goes back
            same = False
        try:
            if not same:
                copy = self._return(aside)
            with suppress(FileNotFoundError):
                os.unlink(aside, dir_fd=self._folder)
        except OSError as error:
            self._refuse(error)
        self._sync()
        if not same:
            raise Changed(copy)

    def append(self, data: bytes, fits: Callable[[bytes], bool]) -> tuple[bytes, bytes]:
        """Add to the file that stands here, if that still fits; what it was and what it is then, else Changed."""
        try:
            descriptor = os.open(self._name, _APPEND, dir_fd=self._folder)
        except FileNotFoundError:
            raise Changed from None
        except OSError as error:
            self._refuse(error)
        try:
            self._check(descriptor)
            before = all_bytes(descriptor)
            if not fits(before):
                raise Changed
            _write_or_take_back(descriptor, data, len(before))
            after = all_bytes(descriptor)
            mine = os.fstat(descriptor)
        except OSError as error:
            self._refuse(error)
        finally:
            os.close(descriptor)
        try:
            there = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            raise Changed from None
        if (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino):
            return before, after
        now = self.read() or b""
        if now.count(data) > before.count(data):  # whoever has replaced the file had seen it
            return before, now
        raise Changed

    def move_to(self, other: Place) -> None:
        """Give what stands here another place, where there must be nothing: else FileExistsError."""
        try:
            swap.move(self._folder, self._name, other._folder, other._name)
        except (FileExistsError, FileNotFoundError):
            raise
        except OSError as error:
            self._refuse(error)
        other._sync()
        self._sync()

    def _keep_beside(self, temporary: str) -> str:
        """Keep a file that cannot be kept in place under a name that says what it is."""
        for number in range(1, 1000):
            name = beside(self._name, "conflict", number)
            with suppress(FileExistsError):
                os.link(temporary, name, src_dir_fd=self._folder, dst_dir_fd=self._folder, follow_symlinks=False)
                return self._path.removesuffix(self._name) + name
        raise NoteUnwritable(f"{self._path}: a copy of what was there could not be made.")

    def _check(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoteUnreadable(f"{self._path} is not a regular file.")
        if status.st_nlink > 1:
            raise NoteUnwritable(f"{self._path} has a second name (a hard link), which a write would cut off.")
        if status.st_size > MAX_BYTES:
            raise NoteUnwritable(f"{self._path} has {status.st_size:,} bytes; up to {MAX_BYTES:,} can be edited.")

    def _mode(self) -> int | None:
        try:
            return stat.S_IMODE(os.stat(self._name, dir_fd=self._folder, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return None

    @contextmanager
    def _temporary(self, data: bytes, mode: int | None) -> Iterator[_Temporary]:
        """A file with these bytes, whole on the disk, under a name that is nobody's note; gone after the block."""
        temporary = _Temporary(f"{temporary_name()}{UNFINISHED}")
        try:
            descriptor = os.open(temporary.name, _NEW, 0o600 if mode is None else mode, dir_fd=self._folder)
            try:
                if mode is not None:
                    os.fchmod(descriptor, mode)  # as it was, whatever the umask says
                _write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            yield temporary
        except OSError as error:
            self._refuse(error)
        finally:
            if temporary.disposable:
                with suppress(OSError):
                    os.unlink(temporary.name, dir_fd=self._folder)

    def _sync(self) -> None:
        try:
            os.fsync(self._folder)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise NoteUnwritable(
                f"{self._path} was written, but the disk does not confirm that it will last: {why}."
            ) from error

    def _refuse(self, error: OSError) -> NoReturn:
        raise refusal(self._path, error) from error


def refusal(path: str, error: OSError) -> Exception:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return NoteNotFound(f"{path!r} leads through a link or a file, and links are not followed.")
    if error.errno == errno.EISDIR:
        return NoteUnreadable(f"{path} is not a regular file.")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoteUnwritable(f"{path} was not written: no space is left on the disk. Nothing was changed.")
    why = (error.strerror or str(error)).lower()
    return NoteUnwritable(f"{path} was not written: {why}. Nothing was changed.")


def holds(text: bytes, other: bytes) -> bool:
    """Whether every line of the other text stands in this one too."""
    lines = set(text.split(b"\n"))
    return all(line in lines for line in other.split(b"\n"))


def beside(name: str, why: str, number: int = 1) -> str:
    """A name for a copy, short enough for any disk."""
    stem, dot, suffix = name.rpartition(".")
    tail = f" ({why} {time.strftime('%Y-%m-%d %H%M%S')}{f' {number}' if number > 1 else ''}){dot}{suffix}"
    return stem.encode()[: _MAX_NAME - len(tail.encode())].decode(errors="ignore") + tail


def temporary_name() -> str:
    return f"{TEMPORARY}{os.getpid()}-{here()}-{PROCESS}-{os.urandom(6).hex()}"


def here() -> str:
    """Tells where a process number means something: on this machine, among the processes seen from here."""
    try:
        seen_from = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        seen_from = 0
    return hashlib.sha256(f"{os.uname().nodename}/{seen_from}".encode()).hexdigest()[:6]


def all_bytes(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def _is_open_for_writing(descriptor: int) -> bool | None:
    """Whether some program has the file open to write it; None where the system does not tell.

    Linux grants a lease on a file only while nobody does. It is given up at once, and whoever opens the file
    in between waits for no longer than that; the signal of it is one that is ignored.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:  # not our file, or not a disk that knows leases
        return None
    return False


def _steady(descriptor: int, found: bytes, expected: bytes) -> bytes:
    """Where nobody tells who writes: the bytes, once they have not changed for a moment."""
    for _ in range(10):
        time.sleep(_SETTLE_SECONDS if found != expected else _SETTLE_SECONDS / 4)
        again = all_bytes(descriptor)
        if again == found and again:
            break
        found = again
    return found


def _write_or_take_back(descriptor: int, data: bytes, start: int) -> None:
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            written = all_bytes(descriptor)[start:]
            if data.startswith(written):  # nobody has written behind it
                os.ftruncate(descriptor, start)
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]

"""One file name in one open folder: read, create, replace, append, move and delete, each atomically."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from memoro.errors import NoteNotFound, NoteUnreadable, NoteUnwritable
from memoro.model.system_errors import is_out_of_space
from memoro.vault import swap
from memoro.vault.contents import MAX_BYTES
from memoro.vault.leases import is_open_for_writing

TEMPORARY = ".memoro-"  # prefix of every file that is not yet, or no longer, a note
UNFINISHED = ".new"  # suffix of a file that holds only our bytes and may be half written
_SETTLE_SECONDS = 0.02  # an editor that emptied a file to write it has usually finished by then
_LATE_SECONDS = 0.01  # between looking a file up and opening it, which a busy machine may stretch
EMPTY_SECONDS = 0.2
PATIENCE_SECONDS = 2.0  # for a program that has the file open for writing
_MAX_NAME = 255
PROCESS = os.urandom(3).hex()  # distinguishes this process from an earlier one with the same pid
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Changed(Exception):
    """The file changed or vanished. Nothing is lost; `conflict` names a copy of bytes that could not stay."""

    def __init__(self, conflict: str | None = None) -> None:
        super().__init__(conflict)
        self.conflict = conflict


class _Temporary:
    def __init__(self, name: str) -> None:
        self.name = name
        self.disposable = True  # else a sweep decides what becomes of it


class Slot:
    def __init__(self, folder: int, name: str, path: str) -> None:
        self._folder = folder
        self._name = name
        self._path = path

    def read(self) -> bytes | None:
        """Return the current bytes; None if there is no file."""
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
        """Return the same, but give an empty file a moment: an editor may just have emptied it to rewrite it."""
        found = self.read()
        if found == b"":
            time.sleep(EMPTY_SECONDS)
            found = self.read()
        return found

    def create(self, data: bytes) -> None:
        """Create the file; raise Changed if it exists by now."""
        with self._temporary(data, None) as temporary:
            try:
                swap.move(self._folder, temporary.name, self._folder, self._name)
            except FileExistsError:
                raise Changed from None
        self._sync()

    def replace(self, expected: bytes, data: bytes) -> None:
        """Replace exactly the expected bytes; raise Changed if there are others."""
        with self._temporary(data, self._mode()) as temporary:
            self._mark_complete(temporary)
            self._check_unchanged(expected)  # writing the temporary file took time
            try:
                swap.exchange(self._folder, temporary.name, self._name)
            except FileNotFoundError:
                raise Changed from None
            temporary.disposable = False  # its name now holds what was in the slot
            try:
                same = self.stays_untouched(temporary.name, expected)
            except BaseException:  # there was no regular file at that moment: put it back
                swap.exchange(self._folder, temporary.name, self._name)
                temporary.disposable = True
                raise
            conflict = None if same else self._undo_swap(temporary.name, data)
            temporary.disposable = True
            if not same:
                raise Changed(conflict)
        self._sync()

    def stays_untouched(self, aside: str, expected: bytes) -> bool:
        """Return whether a swapped-out file holds the expected bytes, and no program will still write to it.

        The answer no comes at once: until the swap is undone, whoever loads the note misses what is being saved.
        The answer yes takes a moment: a program may have looked the file up before the swap and open it after that.
        """
        descriptor = os.open(aside, READ, dir_fd=self._folder)
        try:
            if is_open_for_writing(descriptor) is None:  # only waiting can tell
                return _steady(descriptor, all_bytes(descriptor), expected) == expected
            for pause in (0.0, _LATE_SECONDS):
                time.sleep(pause)
                if is_open_for_writing(descriptor) or all_bytes(descriptor) != expected:
                    return False
            return True
        finally:
            os.close(descriptor)

    def _mark_complete(self, temporary: _Temporary) -> None:
        """Rename the temporary file: from now on it may hold another program's bytes, which a sweep must keep."""
        whole = temporary.name.removesuffix(UNFINISHED)
        os.rename(temporary.name, whole, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        temporary.name = whole

    def _check_unchanged(self, expected: bytes) -> None:
        """Raise Changed right before the swap if the bytes differ, or a program has the file open for writing."""
        try:
            descriptor = os.open(self._name, READ, dir_fd=self._folder)
        except FileNotFoundError:
            raise Changed from None
        try:
            self._check(descriptor)
            if is_open_for_writing(descriptor) or all_bytes(descriptor) != expected:
                raise Changed
        finally:
            os.close(descriptor)

    def _undo_swap(self, temporary: str, ours: bytes) -> str | None:
        """Undo a swap during which another program saved: put its file back and take ours.

        If it saved once more, over ours, that newer file stays. The older one becomes a copy, unless the newer has
        all its lines. Returns the name of that copy. Only names are exchanged: every saved file has a name at every
        moment, so a crash loses nothing either.
        """
        try:
            swap.exchange(self._folder, temporary, self._name)
        except FileNotFoundError:  # the other program removed ours
            return self._put_back(temporary)
        newer, quiet = self.settled(temporary, ours)
        if newer == ours and quiet:
            return None
        try:
            swap.exchange(self._folder, temporary, self._name)
        except FileNotFoundError:
            return self._put_back(temporary)
        older, _ = self.settled(temporary, newer)
        return None if contains_lines(newer, older) else self._keep_copy(temporary)

    def _put_back(self, aside: str) -> str | None:
        """Put a file back into an empty slot. If the slot is taken, that file stays and this one becomes a copy."""
        try:
            swap.move(self._folder, aside, self._folder, self._name)
        except FileExistsError:
            with suppress(OSError):
                if contains_lines(self.read() or b"", self.settled(aside, b"")[0]):
                    return None
            return self._keep_copy(aside)
        return None

    def settled(self, temporary: str, expected: bytes) -> tuple[bytes, bool]:
        """Return the bytes of a swapped-out file, and whether no program will still write to it."""
        descriptor = os.open(temporary, READ, dir_fd=self._folder)
        try:
            found, until = all_bytes(descriptor), time.monotonic() + PATIENCE_SECONDS
            opened = is_open_for_writing(descriptor)
            if opened is None:
                return _steady(descriptor, found, expected), True
            while opened and time.monotonic() < until:
                time.sleep(_SETTLE_SECONDS / 4)
                opened = is_open_for_writing(descriptor)
            return all_bytes(descriptor), not opened
        finally:
            os.close(descriptor)

    def delete(self, expected: bytes) -> None:
        """Delete the file if it still holds the expected bytes; else raise Changed."""
        try:
            self._check_unchanged(expected)
            aside = temporary_name()
            os.rename(self._name, aside, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except FileNotFoundError:
            raise Changed from None
        except OSError as error:
            self._refuse(error)
        copy = None
        try:
            found, quiet = self.settled(aside, expected)
            same = found == expected and quiet
        except OSError:  # not a regular file: put it back
            same = False
        try:
            if not same:
                copy = self._put_back(aside)
            with suppress(FileNotFoundError):
                os.unlink(aside, dir_fd=self._folder)
        except OSError as error:
            self._refuse(error)
        self._sync()
        if not same:
            raise Changed(copy)

    def append(self, data: bytes, fits: Callable[[bytes], bool]) -> tuple[bytes, bytes]:
        """Append if `fits` accepts the current bytes; return the bytes before and after, else raise Changed."""
        self._wait_for_writers()
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
            with _taken_back_on_failure(descriptor, data, len(before)):
                write_all(descriptor, data)
                # At once: a program that replaced the file by now had loaded it before our bytes were in it.
                if not self._is(descriptor) and (self.read() or b"").count(data) <= before.count(data):
                    raise Changed
                os.fsync(descriptor)
            # A program that replaces it from now on may have seen our bytes, and have left them out on purpose.
            return before, all_bytes(descriptor) if self._is(descriptor) else self.read() or b""
        except OSError as error:
            self._refuse(error)
        finally:
            os.close(descriptor)

    def _is(self, descriptor: int) -> bool:
        """Return whether this open file still has the name."""
        mine = os.fstat(descriptor)
        try:
            there = os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def _wait_for_writers(self) -> None:
        """Give a program that writes the file a moment to finish: its next bytes would overwrite ours."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                descriptor = os.open(self._name, READ, dir_fd=self._folder)
            except OSError:  # opening it to append reports it
                return
            try:
                if not is_open_for_writing(descriptor):
                    return
            finally:
                os.close(descriptor)
            time.sleep(_SETTLE_SECONDS / 4)

    def move_to(self, other: Slot) -> None:
        """Move the file to an empty slot; raise FileExistsError if it is taken."""
        try:
            swap.move(self._folder, self._name, other._folder, other._name)
        except (FileExistsError, FileNotFoundError):
            raise
        except OSError as error:
            self._refuse(error)
        other._sync()
        self._sync()

    def _keep_copy(self, temporary: str) -> str:
        """Link a file that cannot stay in place to a name that says why."""
        for number in range(1, 1000):
            name = copy_name(self._name, "conflict", number)
            with suppress(FileExistsError):
                os.link(temporary, name, src_dir_fd=self._folder, dst_dir_fd=self._folder, follow_symlinks=False)
                return self._path.removesuffix(self._name) + name
        raise NoteUnwritable(f"{self._path}: no copy of the other program's version could be made.")

    def _check(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoteUnreadable(f"{self._path} is not a regular file.")
        if status.st_nlink > 1:
            raise NoteUnwritable(f"{self._path} has a second name (a hard link), which a write would detach.")
        if status.st_size > MAX_BYTES:
            raise NoteUnwritable(f"{self._path} has {status.st_size:,} bytes; Memoro edits up to {MAX_BYTES:,}.")

    def _mode(self) -> int | None:
        try:
            return stat.S_IMODE(os.stat(self._name, dir_fd=self._folder, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return None

    @contextmanager
    def _temporary(self, data: bytes, mode: int | None) -> Iterator[_Temporary]:
        """Yield a temporary file with these bytes, synced to disk; delete it after the block."""
        temporary = _Temporary(f"{temporary_name()}{UNFINISHED}")
        try:
            descriptor = os.open(temporary.name, _NEW, 0o600 if mode is None else mode, dir_fd=self._folder)
            try:
                if mode is not None:
                    os.fchmod(descriptor, mode)  # as before, whatever the umask says
                write_all(descriptor, data)
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
                f"{self._path} was written, but the disk does not confirm that it is safe: {why}."
            ) from error

    def _refuse(self, error: OSError) -> NoReturn:
        raise refusal(self._path, error) from error


def refusal(path: str, error: OSError) -> Exception:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return NoteNotFound(f"{path!r} leads through a link or a file, and links are not followed.")
    if error.errno == errno.EISDIR:
        return NoteUnreadable(f"{path} is not a regular file.")
    if is_out_of_space(error):
        return NoteUnwritable(f"{path} was not written: no space is left on the disk. Nothing was changed.")
    why = (error.strerror or str(error)).lower()
    return NoteUnwritable(f"{path} was not written: {why}. Nothing was changed.")


def contains_lines(text: bytes, other: bytes) -> bool:
    """Return whether this text contains every line of the other."""
    lines = set(text.split(b"\n"))
    return all(line in lines for line in other.split(b"\n"))


def copy_name(name: str, why: str, number: int = 1) -> str:
    """Return a name for a copy, short enough for any disk."""
    stem, dot, suffix = name.rpartition(".")
    tail = f" ({why} {time.strftime('%Y-%m-%d %H%M%S')}{f' {number}' if number > 1 else ''}){dot}{suffix}"
    return stem.encode()[: _MAX_NAME - len(tail.encode())].decode(errors="ignore") + tail


def temporary_name() -> str:
    return f"{TEMPORARY}{os.getpid()}-{process_scope()}-{PROCESS}-{os.urandom(6).hex()}"


def process_scope() -> str:
    """Return an id of the scope of process numbers: this machine and this process namespace."""
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        namespace = 0
    return hashlib.sha256(f"{os.uname().nodename}/{namespace}".encode()).hexdigest()[:6]


def all_bytes(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def _steady(descriptor: int, found: bytes, expected: bytes) -> bytes:
    """Return the bytes once they stay the same for a moment, where the system cannot tell who writes."""
    for _ in range(10):
        time.sleep(_SETTLE_SECONDS if found != expected else _SETTLE_SECONDS / 4)
        again = all_bytes(descriptor)
        if again == found and again:
            break
        found = again
    return found


@contextmanager
def _taken_back_on_failure(descriptor: int, data: bytes, start: int) -> Iterator[None]:
    """Cut off what was appended at `start` if the block cannot finish the append, unless others wrote after it."""
    try:
        yield
    except OSError:
        with suppress(OSError):
            written = all_bytes(descriptor)[start:]
            if data.startswith(written):
                os.ftruncate(descriptor, start)
        raise


def write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]

"""The file of a durable database: made whole, replaced whole, and recognised when somebody swaps it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal, get_args

from memoro.errors import IndexDamaged, StorageFull, StoreUnavailable
from memoro.model.system_errors import is_out_of_space, reason, remedy
from memoro.store.files import copy_file, sync_folder

TAILS = ("", "-wal", "-shm", "-journal")
# Why a file was replaced, and kept under another name: its bytes are wrong, or the home does not recognise it.
Aside = Literal["damaged", "refused"]
ASIDE: tuple[Aside, ...] = get_args(Aside)


class DatabaseFile:
    """One file with its log. Remembers which file was opened under the name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._inode: tuple[int, int] | None = None
        self._written: tuple[int, int] | None = None  # when, and the size, of the file that is open
        self._log: tuple[int, int] | None = None  # the log of the file that is open

    @property
    def damaged_copy(self) -> str:
        """Where the bytes of a damaged file are kept. While it is there, nothing is written."""
        return f"{self.name.removesuffix('.db')}.damaged.db"

    @property
    def _unfinished(self) -> str:
        return f"{self.name}.making"

    def is_empty(self) -> bool:
        return os.path.exists(self.name) and not os.path.getsize(self.name)

    def make_if_missing(self, fill: Callable[[str], None]) -> None:
        """A new file gets its name when it is whole, so that an empty one was emptied by somebody.

        `fill` makes a database under the name that it is given.
        """
        if os.path.exists(self.name):
            if self.is_empty():  # opened, it would take its log with it
                raise IndexDamaged("it is empty")
            return
        with _translated(self.name):
            remove(self._unfinished)
            os.close(os.open(self._unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            fill(self._unfinished)
            self._put_in_place()

    def _put_in_place(self) -> None:
        """Give the unfinished file its name. A log of the file before it would be read into it, and is deleted."""
        for tail in TAILS[1:]:
            remove(self.name + tail)
        os.replace(self._unfinished, self.name)
        sync_folder(os.path.dirname(self.name))

    def replace(self, by: str, why: Aside) -> None:
        """A file that cannot be copied over is kept under another name, and its users notice."""
        aside = self._free_name(why)
        with _translated(self.name):
            copy_file(by, self._unfinished)
            os.chmod(self._unfinished, 0o600)
            with open(self._unfinished, "rb") as copied:
                os.fsync(copied.fileno())
            with suppress(FileNotFoundError):  # the very reason may be that it is missing
                os.link(self.name, aside)
            for tail in TAILS[1:]:
                with suppress(FileNotFoundError):
                    os.rename(self.name + tail, aside + tail)
            self._put_in_place()

    def _free_name(self, why: Aside) -> str:
        number = 1
        while os.path.exists(f"{self.name}.{why}-{number}"):
            number += 1
        return f"{self.name}.{why}-{number}"

    def was_changed_since_damage(self) -> bool:
        """Return whether the file, or its log, changed after damage was found in it: somebody may have put it back.

        The time of the last change of an inode tells it. A copy that keeps the times of its original cannot set it.
        """
        try:
            marked = os.stat(self.damaged_copy).st_ctime_ns
            if os.stat(self.name).st_ctime_ns > marked:
                return True
            log = os.stat(f"{self.name}-wal")
        except OSError:
            return False
        return bool(log.st_size) and log.st_ctime_ns > marked  # an empty one only shows that the file was read

    def note_damage(self) -> None:
        """Say that the file is damaged as it is now: it is not read again before it changes."""
        with suppress(OSError):
            os.utime(self.damaged_copy)

    def keep_damaged(self) -> None:
        """Keep the bytes as they were found, for whoever can make more of them."""
        if os.path.exists(self.damaged_copy):
            self.note_damage()
            return
        for tail in ("-wal", ""):  # the file itself last: its name is what stops further writes
            with suppress(OSError):
                copy_file(self.name + tail, self.damaged_copy + tail)
                os.chmod(self.damaged_copy + tail, 0o600)

    def end_damaged_copy(self, *, is_kept: bool) -> None:
        """Allow writes again. The bytes of the copy stay under another name, unless they are kept already."""
        aside = self._free_name("damaged")
        for tail in TAILS:
            if is_kept:
                remove(self.damaged_copy + tail)
            else:
                with suppress(FileNotFoundError):
                    os.rename(self.damaged_copy + tail, aside + tail)

    def note_opened(self) -> None:
        """Remember which file is open."""
        status = os.stat(self.name)
        self._inode = (status.st_dev, status.st_ino)
        self._written = (status.st_mtime_ns, status.st_size)

    def note_log(self) -> None:
        """Remember which log belongs to the file that is open."""
        self._log = _identity(f"{self.name}-wal")

    def is_in_place(self) -> bool:
        """True if the name still leads to the file that is open: what is written to another is lost."""
        return _identity(self.name) == self._inode is not None

    def was_written(self) -> bool:
        """True if somebody wrote the file itself, not its log, since this was last asked."""
        try:
            status = os.stat(self.name)
        except OSError:  # whoever uses it says why
            return False
        before, self._written = self._written, (status.st_mtime_ns, status.st_size)
        return before != self._written

    def refuse_foreign_log(self) -> None:
        """The log of a replaced file, left beside the new one, would be read into it and destroy it."""
        log = f"{self.name}-wal"
        if self._log is None or self._log != _identity(log) or not os.path.exists(self.name):
            return
        with suppress(FileNotFoundError):
            if not os.path.getsize(log):  # merged, and nothing in it to be read
                return
            raise StoreUnavailable(
                f"{self.name} was replaced while it was in use, and the log of the old file is still beside it. "
                f"Close all that uses Memoro, move {log} and -shm away, and run the command again."
            )


def remove(file: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(file)


def _identity(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def _translated(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_out_of_space(error):
            raise StorageFull(file) from error
        todo = remedy(error, "Make the folder writable, or set MEMORO_HOME to one that is.")
        raise StoreUnavailable(f"{file} cannot be made: {reason(error)}. {todo}") from error

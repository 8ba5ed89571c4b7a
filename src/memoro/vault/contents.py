"""Read open files: whole notes, logs that grow, and copies of databases, each with the stamp of its bytes."""

import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from memoro.errors import NoteTooLarge, NoteUnreadable
from memoro.model.notes import Stamp
from memoro.model.system_errors import reason as reason

MAX_BYTES = 2 * 1024 * 1024  # a longer file is no note: its name is indexed, its text is not
YOUNG_NS = 2_000_000_000  # the coarsest clock of a file system in common use
_BLOCK = 1024 * 1024


class Content(NamedTuple):
    data: bytes
    stamp: Stamp
    trusted: bool  # False if a second write could carry the same stamp


class Log:
    """An open log: its bytes from any offset."""

    def __init__(self, descriptor: int, wal: os.stat_result | None) -> None:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoteUnreadable("It is not a regular file.")
        self._descriptor = descriptor
        self.stamp = with_wal(stamp_of(status), wal)
        self.size = status.st_size
        young = time.time_ns() - max(self.stamp.mtime_ns, self.stamp.ctime_ns)
        self.trusted = abs(young) >= YOUNG_NS

    def read(self, offset: int, size: int) -> bytes:
        try:
            return os.pread(self._descriptor, size, offset)
        except OSError as error:
            raise NoteUnreadable(f"It cannot be read: {reason(error)}.") from error

    def blocks(self, offset: int = 0) -> Iterator[bytes]:
        """Yield the bytes that the log held when it was opened, from `offset` on; stop where it was cut meanwhile."""
        while offset < self.size:
            block = self.read(offset, min(_BLOCK, self.size - offset))
            if not block:
                return
            yield block
            offset += len(block)


def with_wal(stamp: Stamp, wal: os.stat_result | None) -> Stamp:
    """Return one stamp for a database and its write-ahead log: a change of either changes it."""
    if wal is None or not wal.st_size:
        return stamp
    mtime, ctime = max(stamp.mtime_ns, wal.st_mtime_ns), max(stamp.ctime_ns, wal.st_ctime_ns)
    return Stamp(size=stamp.size + wal.st_size, mtime_ns=mtime, ctime_ns=ctime, inode=stamp.inode)


def stamps(source: int, wal: int | None) -> tuple[Stamp, Stamp | None]:
    return stamp_of(os.fstat(source)), stamp_of(os.fstat(wal)) if wal is not None else None


def copy_file(source: int, file: str) -> None:
    target = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        offset = 0
        while block := os.pread(source, _BLOCK, offset):
            offset += len(block)
            while block:
                block = block[os.write(target, block) :]
    except OSError as error:
        raise NoteUnreadable(f"It cannot be copied: {reason(error)}.") from error
    finally:
        os.close(target)


def read_whole(descriptor: int, limit: int = MAX_BYTES) -> Content | None:
    """Return everything in the file, or None if it changed while it was read."""
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        raise NoteUnreadable("It is not a regular file.")
    if before.st_size > limit:
        raise NoteTooLarge(stamp_of(before), limit=limit)
    read_at = time.time_ns()
    young = abs(read_at - max(before.st_mtime_ns, before.st_ctime_ns)) < YOUNG_NS
    if young and _is_open_for_writing(descriptor):  # the times of a file change as a write begins, not as it ends
        return None
    try:
        data = _all_bytes(descriptor, limit)
        # Two writes may fall into one tick of the file system's clock: read a very new file twice.
        steady = not young or data == _all_bytes(descriptor, limit)
    except OSError as error:
        raise NoteUnreadable(f"It cannot be read: {reason(error)}.") from error
    after = stamp_of(os.fstat(descriptor))
    unchanged = steady and after == stamp_of(before) and len(data) == after.size
    return Content(data, after, trusted=not young) if unchanged else None


def _is_open_for_writing(descriptor: int) -> bool:
    from memoro.vault.leases import is_open_for_writing  # only for very new files

    return is_open_for_writing(descriptor) is True


def _all_bytes(descriptor: int, limit: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(limit + 1)


def stamp_of(status: os.stat_result) -> Stamp:
    # By position: a search makes one for every file of the vault, and keywords take nearly twice as long.
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

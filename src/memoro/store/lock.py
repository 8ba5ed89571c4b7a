"""Kernel locks: a process holds one, its death releases it, and the kernel queues those who wait."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memoro.errors import StoreUnavailable
from memoro.model.system_errors import reason, remedy

_LINE = 16 * 1024  # the longest text that a holder may leave


class KernelLock:
    """One lock, named by a file. The existence of the file means nothing; only holding the lock counts."""

    def __init__(self, file: str) -> None:
        self.file = file

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock in the kernel's queue, and hold it for the block."""
        descriptor = self._open()
        try:
            self._lock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def tried(self, wait: float = 0.0) -> Iterator[bool]:
        """Hold the lock for the block if it becomes free within `wait` seconds; yield whether it did."""
        descriptor = self._open()
        try:
            yield self._take(descriptor, time.monotonic() + wait)
        finally:
            os.close(descriptor)

    def leave(self, text: str) -> None:
        """Write a text into the lock's file for other processes. Only for the holder."""
        line = f"{text}\n".encode()  # its line end tells a reader that it is complete
        with suppress(OSError):  # a full disk, or too many open files: nobody depends on it
            descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.pwrite(descriptor, line, 0)
                os.ftruncate(descriptor, len(line))
            finally:
                os.close(descriptor)

    def left(self) -> str:
        """Return the text that a holder left; empty if there is none, or it is being written."""
        try:
            descriptor = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return ""
        try:
            line, end, _ = os.pread(descriptor, _LINE, 0).partition(b"\n")
        except OSError:
            return ""
        finally:
            os.close(descriptor)
        return line.decode("utf-8", "replace") if end else ""

    def is_held(self) -> bool:
        """Return whether another process holds the lock exclusively now. Creates no file."""
        try:
            descriptor = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:  # this file system has no locks, so nobody could take one
            return False
        finally:
            os.close(descriptor)
        return False

    def share(self) -> int | None:
        """Share the lock with others until the returned descriptor is closed.

        None if the file cannot be created: in a read-only home nobody deletes index files either.
        """
        try:
            descriptor = self._open()
        except StoreUnavailable:
            return None
        try:
            self._lock(descriptor, fcntl.LOCK_SH)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _open(self) -> int:
        try:
            return os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            todo = remedy(error, "Make the folder writable, or set MEMORO_HOME to one that is.")
            raise StoreUnavailable(f"{self.file} cannot be opened for locking: {reason(error)}. {todo}") from error

    def _take(self, descriptor: int, deadline: float) -> bool:
        while True:
            try:
                self._lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(0.01)
            else:
                return True

    def _lock(self, descriptor: int, how: int) -> None:
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            raise  # another process has it
        except OSError as error:  # some network file systems have no locks
            raise StoreUnavailable(
                f"{self.file} cannot be locked: {(error.strerror or str(error)).lower()}. "
                "Set MEMORO_HOME to a folder on a local disk."
            ) from error

"""Kernel locks: held by a process, released by its death, and queued for by the kernel."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memoro.errors import StoreUnavailable


class KernelLock:
    """One lock, named by a file whose existence means nothing; only holding it does."""

    def __init__(self, file: str) -> None:
        self.file = file

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the lock, in the kernel's queue, and hold it for the block."""
        descriptor = self._open()
        try:
            self._lock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def tried(self, wait: float = 0.0) -> Iterator[bool]:
        """Hold the lock for the block if it comes free within `wait` seconds; the block is told whether."""
        descriptor = self._open()
        try:
            yield self._take(descriptor, time.monotonic() + wait)
        finally:
            os.close(descriptor)

    def share(self) -> int | None:
        """Hold the lock together with others until the returned descriptor is closed.

        None where the file cannot be made: in a home that is read-only nobody takes it away either.
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
            raise StoreUnavailable(
                f"{self.file} cannot be opened for locking: {(error.strerror or str(error)).lower()}. "
                "Make the folder writable, or set MEMORO_HOME to one that is."
            ) from error

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
            raise  # someone else has it
        except OSError as error:  # some network file systems keep no locks
            raise StoreUnavailable(
                f"{self.file} cannot be locked: {(error.strerror or str(error)).lower()}. "
                "Set MEMORO_HOME to a folder on a local disk."
            ) from error

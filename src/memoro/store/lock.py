"""Kernel locks: held by a process, released by its death, and queued for by the kernel."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memoro.errors import StoreUnavailable

_LINE = 4096  # what a holder may leave to be read


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

    def leave(self, text: str) -> None:
        """Let others read this in the file, in place of what stood there. For the holder."""
        descriptor = self._open()
        try:
            line = f"{text}\n".encode()  # its end tells a reader that it is whole
            os.pwrite(descriptor, line, 0)
            os.ftruncate(descriptor, len(line))
        except OSError:
            pass  # a full disk: nobody depends on it
        finally:
            os.close(descriptor)

    def left(self) -> str:
        """What a holder has left to be read; empty where there is nothing, or it is being written."""
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
        """Whether somebody holds it alone at this moment. Makes no file."""
        try:
            descriptor = os.open(self.file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:  # it is, or this file system keeps no locks, and then nobody could take it
            return True
        finally:
            os.close(descriptor)
        return False

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

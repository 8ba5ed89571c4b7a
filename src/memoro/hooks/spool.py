"""The spool: what hooks have noted down and nobody has written yet, one line each, in a file of the home.

A hook appends a line and is gone; whoever has the time works the lines off. A line begins with one character that
says how far it is, which is overwritten in place; a file in which every line is done is emptied.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from memoro.hooks.events import Capture

NAME = "hooks.spool"
LOG = "hooks.log"  # what went wrong, for `doctor`: a host is never told
_NEW, _DONE = b"0", b"#"
_TRIES = 3  # after which a line is put into the log instead
_LOG_BYTES = 64 * 1024
_PATIENCE = 0.3  # seconds; the lock is held for the time that emptying the file takes


class Line(NamedTuple):
    offset: int  # of the character that says how far it is
    tries: int
    at: float  # when it was noted, in seconds since 1970
    capture: Capture


def append(home: str, capture: Capture, *, now: float | None = None) -> None:
    """Note it down; it is on the disk when this returns."""
    said = json.dumps({"at": time.time() if now is None else now, **capture._asdict()})
    # The line end before it ends what a killed writer may have left half written.
    line = b"\n" + _NEW + said.encode() + b"\n"
    os.makedirs(home, mode=0o700, exist_ok=True)
    descriptor = os.open(_file(home), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with _locked(descriptor):
            if os.write(descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_waiting(home: str) -> bool:
    """Whether there is anything to work off; costs one look at the file system."""
    try:
        return os.stat(_file(home)).st_size > 0
    except OSError:
        return False


def is_used(home: str) -> bool:
    return any(os.path.exists(os.path.join(home, name)) for name in (NAME, LOG))


def waiting(home: str) -> list[Line]:
    """The lines that are not done, in their order."""
    try:
        descriptor = os.open(_file(home), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    try:
        return list(_lines(_all(descriptor)))
    finally:
        os.close(descriptor)


def finish(home: str, lines: Sequence[Line]) -> None:
    """These are done. Where all are, the file is emptied."""
    descriptor = os.open(_file(home), os.O_RDWR | os.O_CLOEXEC)
    try:
        for line in lines:
            os.pwrite(descriptor, _DONE, line.offset)
        os.fsync(descriptor)
        with _locked(descriptor) as mine:
            if mine and not list(_lines(_all(descriptor))):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def fail(home: str, line: Line, why: str) -> None:
    """It was tried in vain, for no reason that waiting would mend; after some times it is given up, and told."""
    log(home, f"{line.capture.host} {line.capture.kind} of session {line.capture.session}: {why}")
    if line.tries + 1 >= _TRIES:
        log(home, f"given up: {json.dumps(line.capture._asdict())}")
        finish(home, [line])
        return
    descriptor = os.open(_file(home), os.O_RDWR | os.O_CLOEXEC)
    try:
        os.pwrite(descriptor, str(line.tries + 1).encode(), line.offset)
    finally:
        os.close(descriptor)


def log(home: str, sentence: str) -> None:
    """Note what went wrong, for its owner. Where even that fails there is nobody to tell."""
    file = os.path.join(home, LOG)
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {' '.join(sentence.split())[:500]}\n"
    with suppress(OSError):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(file, flags, 0o600)
        try:
            if os.fstat(descriptor).st_size > _LOG_BYTES:
                os.ftruncate(descriptor, 0)
            os.write(descriptor, line.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)


def logged(home: str) -> list[str]:
    try:
        with open(os.path.join(home, LOG), encoding="utf-8", errors="replace") as file:
            return file.read(2 * _LOG_BYTES).splitlines()
    except OSError:
        return []


def _file(home: str) -> str:
    return os.path.join(home, NAME)


def _all(descriptor: int) -> bytes:
    data = b""
    while block := os.pread(descriptor, 1 << 20, len(data)):
        data += block
    return data


def _lines(data: bytes) -> Iterator[Line]:
    """What is to be done. A line that has no end yet, or was never finished, is none."""
    offset = 0
    for line in data.split(b"\n")[:-1]:
        if line[:1].isdigit() and (found := _read(line[1:])):
            yield Line(offset, int(line[:1]), *found)
        offset += len(line) + 1


def _read(said: bytes) -> tuple[float, Capture] | None:
    try:
        found = json.loads(said)
        at = float(found.pop("at"))
        return at, Capture(**{key: str(value) for key, value in found.items() if key in Capture._fields})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


@contextmanager
def _locked(descriptor: int) -> Iterator[bool]:
    """Keep others from appending or emptying for the block, if that can be had soon; the block is told whether."""
    mine = _within(_PATIENCE, lambda: fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB))
    try:
        yield mine
    finally:
        if mine:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _within(seconds: float, work: Callable[[], object]) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            work()
            return True
        except OSError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.005)

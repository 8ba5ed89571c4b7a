"""The spool: a file of the home with one line for each event that a hook noted and no process has written yet.

A hook appends a line and exits; a later process writes the event down. The first character of a line is its state,
which is overwritten in place. Once every line is done, the file is truncated.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from memoro.errors import StoreUnavailable
from memoro.hooks.events import Capture
from memoro.hosts.host import SPOOLED_KINDS

NAME = "hooks.spool"
LOG = "hooks.log"  # failures, for `memoro doctor`; a host never sees them
_NEW, _DONE = b"0", b"#"  # other digits count failed tries
_TRIES = 3  # after which an event moves to the log
_LOG_BYTES = 64 * 1024
_LOCK_SECONDS = 0.3  # others hold the lock only while they append or truncate


class SpooledCapture(NamedTuple):
    """One line of the spool."""

    offset: int  # of its state character
    tries: int
    at: float  # when the event was noted, in seconds since 1970
    capture: Capture


def append(home: str, capture: Capture, *, now: float | None = None, key: str | None = None) -> None:
    """Append an event; it is on the disk when this returns. Of several lines with one key, the first counts."""
    named = {"key": key} if key else {}
    text = json.dumps({"at": time.time() if now is None else now, **capture._asdict(), **named})
    # The first line end closes a line that a killed writer left unfinished.
    line = b"\n" + _NEW + text.encode() + b"\n"
    os.makedirs(home, mode=0o700, exist_ok=True)
    descriptor = os.open(_file(home), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with _locked(descriptor):
            if os.write(descriptor, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def note(home: str, capture: Capture, *, key: str | None = None) -> None:
    """Append an event as `append` does. Raises StoreUnavailable where that fails."""
    try:
        append(home, capture, key=key)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StoreUnavailable(f"Cannot write the hook spool in {home}: {why}.") from error


def has_pending(home: str) -> bool:
    """Return whether any event may be pending; costs one call of the file system."""
    try:
        return os.stat(_file(home)).st_size > 0
    except OSError:
        return False


def is_used(home: str) -> bool:
    return any(os.path.exists(os.path.join(home, name)) for name in (NAME, LOG))


def pending(home: str) -> list[SpooledCapture]:
    """Return the events that are not written yet, oldest first."""
    try:
        descriptor = os.open(_file(home), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    try:
        return list(_lines(_read_all(descriptor)))
    finally:
        os.close(descriptor)


def finish(home: str, lines: Sequence[SpooledCapture]) -> None:
    """Mark these as done, and truncate the file once all are."""
    descriptor = os.open(_file(home), os.O_RDWR | os.O_CLOEXEC)
    try:
        for line in lines:
            os.pwrite(descriptor, _DONE, line.offset)
        os.fsync(descriptor)
        with _locked(descriptor) as is_locked:
            if is_locked and not list(_lines(_read_all(descriptor))):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def fail(home: str, line: SpooledCapture, why: str) -> None:
    """Count a failure that waiting would not repair; after some tries, move the event to the log."""
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
    """Append a failure to the log for the owner. If even that fails, the failure is lost."""
    from memoro.model.output_filter import OutputFilter  # only a failure needs it

    file, said = os.path.join(home, LOG), OutputFilter().text(" ".join(sentence.split()))
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {said[:500]}\n"
    with suppress(OSError):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(file, flags, 0o600)
        try:
            if os.fstat(descriptor).st_size > _LOG_BYTES:
                os.ftruncate(descriptor, 0)
            os.write(descriptor, line.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)


def read_log(home: str) -> list[str]:
    try:
        with open(os.path.join(home, LOG), encoding="utf-8", errors="replace") as file:
            return file.read(2 * _LOG_BYTES).splitlines()
    except OSError:
        return []


def _file(home: str) -> str:
    return os.path.join(home, NAME)


def _read_all(descriptor: int) -> bytes:
    data = b""
    while block := os.pread(descriptor, 1 << 20, len(data)):
        data += block
    return data


def _lines(data: bytes) -> Iterator[SpooledCapture]:
    """Parse the pending lines. A line without an end, or one that was never finished, does not count."""
    offset, keys = 0, set[str]()
    for line in data.split(b"\n")[:-1]:
        found = decoded(line[1:]) if line[:1].isdigit() or line[:1] == _DONE else None
        if found and line[:1] != _DONE and found.key not in keys:
            yield SpooledCapture(offset=offset, tries=int(line[:1]), at=found.at, capture=found.capture)
        if found and found.key:
            keys.add(found.key)
        offset += len(line) + 1


class SpoolLine(NamedTuple):
    at: float
    capture: Capture
    key: str


def decoded(line: bytes) -> SpoolLine | None:
    """Decode a line; None for one that is damaged, or that a later version wrote."""
    try:
        found = json.loads(line)
        texts = {name: str(found.get(name, "")) for name in ("log", "folder", "base", "agent", "project", "prompt")}
        kind = next(kind for kind in SPOOLED_KINDS if kind == found["kind"])
        size = int(found.get("size") or 0)
        capture = Capture(host=str(found["host"]), kind=kind, session=str(found["session"]), size=size, **texts)
        return SpoolLine(float(found["at"]), capture, str(found.get("key") or ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration):
        return None


@contextmanager
def _locked(descriptor: int) -> Iterator[bool]:
    """Hold the lock that keeps others from appending or truncating; yields False if it is not free soon."""
    is_locked = _lock(descriptor)
    try:
        yield is_locked
    finally:
        if is_locked:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock(descriptor: int) -> bool:
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.005)

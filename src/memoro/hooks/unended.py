"""Sessions that have spoken and not ended yet: a file of the home. A host that was killed sends no end.

Only a process that holds the lock of the spool changes the file. Losing it loses no session: its log stays, and its
next turn lists it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from memoro.hooks.spool import SpooledCapture, decoded

NAME = "hooks.unended"
IDLE_SECONDS = 30 * 60  # without a turn, a session counts as over; if it goes on, its note is written again
_KEPT_SECONDS = 30 * 24 * 3600  # a session that could not be written for so long is left alone
_MOST = 200  # sessions


def update(home: str, lines: Iterable[SpooledCapture]) -> None:
    """List the sessions of these events, and drop those that have ended."""
    known = _read(home)
    changed = dict(known)
    for line in lines:
        if line.capture.kind == "end":
            changed.pop(_key(line), None)
        elif _key(line) not in changed or changed[_key(line)].at < line.at:
            changed[_key(line)] = line._replace(offset=0, tries=0)
    if changed != known:
        _write(home, changed.values())


def idle(home: str, *, now: float) -> list[SpooledCapture]:
    """Return the sessions without a turn for a while, oldest first. One whose log still grows is not among them."""
    found = [line for line in _read(home).values() if _is_idle(line, now)]
    return sorted(found, key=lambda line: line.at)


def has_idle(home: str, *, now: float) -> bool:
    """Return whether a session waits to be noted; costs one call of the file system where none is open."""
    return os.path.exists(os.path.join(home, NAME)) and bool(idle(home, now=now))


def drop(home: str, lines: Sequence[SpooledCapture]) -> None:
    """Remove sessions from the list, unless they have spoken since."""
    known = _read(home)
    gone = {_key(line): line.at for line in lines}
    left = [line for key, line in known.items() if not (key in gone and line.at <= gone[key])]
    if len(left) != len(known):
        _write(home, left)


def _is_idle(line: SpooledCapture, now: float) -> bool:
    if not IDLE_SECONDS <= now - line.at <= _KEPT_SECONDS:
        return False
    with suppress(OSError, ValueError):
        # a time in the future is that of a clock that was set back since
        return not 0 <= now - os.stat(os.path.expanduser(line.capture.log)).st_mtime < IDLE_SECONDS
    return True


def _key(line: SpooledCapture) -> tuple[str, str]:
    return line.capture.host, line.capture.session


def _read(home: str) -> dict[tuple[str, str], SpooledCapture]:
    try:
        with open(os.path.join(home, NAME), "rb") as file:
            found = [decoded(line) for line in file.read().splitlines()]
    except OSError:
        return {}
    lines = [SpooledCapture(offset=0, tries=0, at=one.at, capture=one.capture) for one in found if one]
    return {_key(line): line for line in lines}


def _write(home: str, lines: Iterable[SpooledCapture]) -> None:
    """Replace the file in one step; without a session, there is none."""
    place = os.path.join(home, NAME)
    kept = sorted(lines, key=lambda line: line.at)[-_MOST:]
    if not kept:
        with suppress(FileNotFoundError):
            os.unlink(place)
        return
    text = "".join(f"{json.dumps({'at': line.at, **line.capture._asdict()})}\n" for line in kept)
    unfinished = f"{place}.new"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(unfinished, place)

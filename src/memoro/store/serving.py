"""Tell whether a process serves a home: a kernel lock, and a description that its holder leaves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memoro.store.lock import KernelLock

FILE = "serve.lock"
PAGE_FILE = "page.lock"  # of a `memoro ui` that serves the page beside a `memoro serve` without it
ANSWERED = "answered"  # what a server that answers hooks says about them
# A process that tests the lock holds it for an instant itself.
_PATIENCE_SECONDS = 1.0


class Serving(NamedTuple):
    """The description that `memoro serve` leaves for others."""

    pid: int | None = None
    since: str | None = None  # local time, as YYYY-MM-DDTHH:MM:SS
    watching: str | None = None  # "events", or "polling: …" with the reason
    did: str | None = None  # its last action
    did_at: str | None = None
    http: str | None = None  # where it answers HTTP requests, or why it does not
    hooks: str | None = None  # "answered" at the socket of the home, or "no" with the reason


def lock_of(home: str, file: str = FILE) -> KernelLock:
    return KernelLock(os.path.join(home, file))


def is_served(home: str) -> bool:
    """Return whether a process serves this home now. Takes two system calls."""
    return lock_of(home).is_held()


def serving(home: str, file: str = FILE) -> Serving | None:
    """Return the process that serves this home; None if there is none, whatever the file says."""
    lock = lock_of(home, file)
    return parse(lock.left()) if lock.is_held() else None


@contextmanager
def claimed(home: str, file: str = FILE) -> Iterator[KernelLock | None]:
    """Claim the service of this home for the block; yield None if another process has it."""
    lock = lock_of(home, file)
    with lock.tried(_PATIENCE_SECONDS) as free:
        yield lock if free else None


def written(state: Serving) -> str:
    import json

    cut = {key: value[:800] if isinstance(value, str) else value for key, value in state._asdict().items()}
    return json.dumps(cut)


def parse(text: str) -> Serving:
    """Parse the text in the file of a held lock. Another version may have written it, or half of it."""
    import json

    try:
        found = json.loads(text)
        pid = found.get("pid")
        words = {key: found[key] for key in Serving._fields[1:] if isinstance(found.get(key), str)}
        return Serving(pid=pid if isinstance(pid, int) else None, **words)
    except (ValueError, AttributeError):
        return Serving()

"""Whether a process serves a home: a kernel lock, and what its holder says about itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memoro.store.lock import KernelLock

FILE = "serve.lock"
# Whoever looks whether the lock is held holds it for an instant himself.
_PATIENCE_SECONDS = 1.0


class Serving(NamedTuple):
    """What `memoro serve` tells about itself to whoever asks."""

    pid: int | None = None
    since: str | None = None  # local time, as YYYY-MM-DDTHH:MM:SS
    watching: str | None = None  # "events", or "polling: …" with the reason
    did: str | None = None  # what it did last
    did_at: str | None = None


def lock_of(home: str) -> KernelLock:
    return KernelLock(os.path.join(home, FILE))


def is_served(home: str) -> bool:
    """Whether somebody serves this home now: two system calls."""
    return lock_of(home).is_held()


def serving(home: str) -> Serving | None:
    """Who serves this home; None while nobody does, whatever the file says."""
    lock = lock_of(home)
    return parse(lock.left()) if lock.is_held() else None


@contextmanager
def claimed(home: str) -> Iterator[KernelLock | None]:
    """Be the one who serves this home, for the block; None where somebody else is."""
    lock = lock_of(home)
    with lock.tried(_PATIENCE_SECONDS) as free:
        yield lock if free else None


def written(told: Serving) -> str:
    import json

    cut = {key: value[:800] if isinstance(value, str) else value for key, value in told._asdict().items()}
    return json.dumps(cut)


def parse(text: str) -> Serving:
    """What stands in the file of a lock that is held. It may be another version's, or half of it."""
    import json

    try:
        found = json.loads(text)
        pid = found.get("pid")
        words = {key: found[key] for key in Serving._fields[1:] if isinstance(found.get(key), str)}
        return Serving(pid=pid if isinstance(pid, int) else None, **words)
    except (ValueError, AttributeError):
        return Serving()

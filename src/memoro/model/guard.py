"""A guard that keeps write transactions short: reading files, parsing or calling out inside one raises."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_here = threading.local()


@contextmanager
def write_transaction() -> Iterator[None]:
    """Make `outside_transactions` raise within this block, on this thread."""
    outer = getattr(_here, "writing", False)
    _here.writing = True
    try:
        yield
    finally:
        _here.writing = outer


def outside_transactions(work: str) -> None:
    """Raise inside a write transaction. Slow work calls this: everyone waits for the lock meanwhile."""
    if getattr(_here, "writing", False):
        raise AssertionError(f"{work} inside a write transaction: do it before the transaction opens")

"""A write transaction is short: nothing in it may read a file, parse or call out. This makes sure."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_here = threading.local()


@contextmanager
def write_transaction() -> Iterator[None]:
    """Within this block, on this thread, `outside_transactions` raises."""
    outer = getattr(_here, "writing", False)
    _here.writing = True
    try:
        yield
    finally:
        _here.writing = outer


def outside_transactions(work: str) -> None:
    """Called by slow work: it is a defect to hold everyone's lock meanwhile."""
    if getattr(_here, "writing", False):
        raise AssertionError(f"{work} inside a write transaction: do it before the transaction opens")

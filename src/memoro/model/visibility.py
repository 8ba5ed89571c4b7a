"""Who sees what is written: everybody who shares a ledger, or only the person who writes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Every layer between an operation and the store would have to hand it on, so it is kept here.
_PRIVATE: ContextVar[bool] = ContextVar("private", default=False)


@contextmanager
def privately() -> Iterator[None]:
    """What this thread stores during the block is seen by its writer alone."""
    token = _PRIVATE.set(True)
    try:
        yield
    finally:
        _PRIVATE.reset(token)


def is_private() -> bool:
    return _PRIVATE.get()

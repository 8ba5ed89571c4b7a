"""The visibility of what is written: everybody who shares a ledger, or its author alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from memoro.model.vocabulary import Visibility

# Every layer between an operation and the store would have to hand it on, so it is kept here.
_CHOSEN: ContextVar[Visibility | None] = ContextVar("visibility", default=None)


@contextmanager
def seen_as(visibility: Visibility | None) -> Iterator[None]:
    """What this thread adds to a shared ledger during the block is shared or private; None: as was chosen before."""
    token = _CHOSEN.set(visibility or _CHOSEN.get())
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def chosen_visibility() -> Visibility | None:
    """What was chosen for the present block; None: nothing."""
    return _CHOSEN.get()

"""Waiting that a caller can end, by clocks that a test can set."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

_SLICE_SECONDS = 0.2  # how long a caller who stops the work may have to wait for it


def _chance() -> float:
    import random  # only a retry needs it

    return random.random()


class Timing(NamedTuple):
    """The clock, the sleep and the chance that waiting depends on."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = _chance  # from 0 to 1


def go_on() -> None:
    """Never stop."""


class Waiting(threading.local):
    """Who is told, with the reason, when the work of this thread begins to wait: he need not wait with it."""

    tell: Callable[[str], None] | None = None


waiting = Waiting()


def pause(seconds: float, timing: Timing, check: Callable[[], None], why: str = "") -> None:
    """Sleep, and call `check` before, meanwhile and after: what it raises ends the waiting."""
    if waiting.tell is not None:
        waiting.tell(why)
    until = timing.clock() + seconds
    check()
    while (left := until - timing.clock()) > 0:
        timing.sleep(min(left, _SLICE_SECONDS))
        check()

"""Waiting that a caller can end, by clocks that a test can set."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

_SLICE_SECONDS = 0.2  # how long a caller who stops the work may have to wait for it


class Timing(NamedTuple):
    """The clock, the sleep and the chance that waiting depends on."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random  # from 0 to 1


def go_on() -> None:
    """Never stop."""


def pause(seconds: float, timing: Timing, check: Callable[[], None]) -> None:
    """Sleep, and call `check` before, meanwhile and after: what it raises ends the waiting."""
    until = timing.clock() + seconds
    check()
    while (left := until - timing.clock()) > 0:
        timing.sleep(min(left, _SLICE_SECONDS))
        check()

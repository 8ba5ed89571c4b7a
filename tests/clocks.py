"""A clock that a test sets."""

from __future__ import annotations

from datetime import datetime


class Clock:
    """Tells `now` until the test sets another time."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

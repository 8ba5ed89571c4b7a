"""Which sync is due when, and what it is about. Pure: the time is an argument."""

from __future__ import annotations

from typing import Literal, NamedTuple

from memoro.model.vocabulary import BOTH, LOGS, VAULT, Half, SyncPart

# With someone writing all the time, sync after this many times of quiet rather than never.
PATIENCE = 4
Trigger = Literal["start", "session start", "search", "watch", "delta", "interval", "force"]
# What each trigger syncs. A search does when something is dirty, and `force` builds the index anew.
SYNCS: dict[Trigger, SyncPart] = {
    "start": BOTH,
    "session start": VAULT,
    "search": BOTH,
    "watch": VAULT,
    "delta": LOGS,
    "interval": BOTH,
    "force": BOTH,
}


class Timing(NamedTuple):
    """Seconds, as the settings say."""

    notes_quiet: float
    logs_quiet: float
    interval: float


class Agenda:
    """What was heard of, and when something is to be done about it."""

    def __init__(self, timing: Timing, now: float) -> None:
        self._quiet: dict[Half, float] = {VAULT: timing.notes_quiet, LOGS: timing.logs_quiet}
        self._interval = timing.interval
        self._first: dict[Half, float] = {}
        self._last: dict[Half, float] = {}
        self._next = now + timing.interval

    def hear(self, half: Half, now: float) -> None:
        """Something may have changed; it is waited for quiet."""
        self._first.setdefault(half, now)
        self._last[half] = now

    def poll(self, half: Half, now: float) -> None:
        """It is time to look, and nothing to wait for."""
        self._first[half] = self._last[half] = now - self._quiet[half]

    def due(self, now: float) -> list[Trigger]:
        """The triggers whose time has come; each is told once. The interval does what others would."""
        if now >= self._next:
            self._first.clear()
            self._last.clear()
            self._next = now + self._interval
            return ["interval"]
        halves: tuple[Half, ...] = (VAULT, LOGS)
        ready = [half for half in halves if half in self._first and now >= self._at(half)]
        for half in ready:
            del self._first[half], self._last[half]
        return ["watch" if half == VAULT else "delta" for half in ready]

    def wait(self, now: float) -> float:
        """Seconds until something is due, if nothing more is heard."""
        return max(0.0, min([self._next, *map(self._at, self._first)]) - now)

    def _at(self, half: Half) -> float:
        quiet = self._quiet[half]
        return min(self._last[half] + quiet, self._first[half] + PATIENCE * quiet)

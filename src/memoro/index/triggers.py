"""Decide which sync is due when. Pure: the time is an argument."""

from __future__ import annotations

from typing import Literal, NamedTuple

from memoro.model.vocabulary import BOTH, LOGS, VAULT, Half, SyncPart

# Under constant writing, sync after this many quiet times instead of never.
PATIENCE = 4
Trigger = Literal["start", "session start", "search", "watch", "delta", "interval", "force"]
# What each trigger syncs. A search syncs if something is dirty, and `force` rebuilds the index.
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
    """Seconds, from the settings."""

    notes_quiet: float
    logs_quiet: float
    interval: float


class SyncSchedule:
    """Pending changes, and the time when each becomes a sync."""

    def __init__(self, timing: Timing, now: float) -> None:
        self._quiet: dict[Half, float] = {VAULT: timing.notes_quiet, LOGS: timing.logs_quiet}
        self._interval = timing.interval
        self._first: dict[Half, float] = {}
        self._last: dict[Half, float] = {}
        self._next = now + timing.interval

    def note_change(self, half: Half, now: float) -> None:
        """Record a change; its sync is due after a quiet time."""
        self._first.setdefault(half, now)
        self._last[half] = now

    def poll(self, half: Half, now: float) -> None:
        """Make a sync of this half due at once."""
        self._first[half] = self._last[half] = now - self._quiet[half]

    def due(self, now: float) -> list[Trigger]:
        """Return the triggers that are due, each once. The interval replaces all others."""
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
        """Return the seconds until something is due, if nothing more changes."""
        return max(0.0, min([self._next, *map(self._at, self._first)]) - now)

    def _at(self, half: Half) -> float:
        quiet = self._quiet[half]
        return min(self._last[half] + quiet, self._first[half] + PATIENCE * quiet)

"""Which sync is due when, and what it is about. Pure: the time is an argument."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.notes import BOTH, LOGS, VAULT

# With someone writing all the time, sync after this many times of quiet rather than never.
PATIENCE = 4
# What each trigger syncs. A search does when something is dirty, and `force` builds the index anew.
SYNCS = {
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
        self._quiet = {VAULT: timing.notes_quiet, LOGS: timing.logs_quiet}
        self._interval = timing.interval
        self._first: dict[str, float] = {}
        self._last: dict[str, float] = {}
        self._next = now + timing.interval

    def hear(self, half: str, now: float) -> None:
        """Something may have changed; it is waited for quiet."""
        self._first.setdefault(half, now)
        self._last[half] = now

    def poll(self, half: str, now: float) -> None:
        """It is time to look, and nothing to wait for."""
        self._first[half] = self._last[half] = now - self._quiet[half]

    def due(self, now: float) -> list[str]:
        """The triggers whose time has come; each is told once. The interval does what others would."""
        if now >= self._next:
            self._first.clear()
            self._last.clear()
            self._next = now + self._interval
            return ["interval"]
        ready = [half for half in (VAULT, LOGS) if half in self._first and now >= self._at(half)]
        for half in ready:
            del self._first[half], self._last[half]
        return [{VAULT: "watch", LOGS: "delta"}[half] for half in ready]

    def wait(self, now: float) -> float:
        """Seconds until something is due, if nothing more is heard."""
        return max(0.0, min([self._next, *map(self._at, self._first)]) - now)

    def _at(self, half: str) -> float:
        quiet = self._quiet[half]
        return min(self._last[half] + quiet, self._first[half] + PATIENCE * quiet)

"""Watch folders for changes. Events only hint; a sync checks for itself."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.vocabulary import LOGS, VAULT, Half

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

POLL_SECONDS = 5.0
# A check may take one part in twenty of the time: a large vault on a slow disk is checked less often.
POLL_SHARE = 20
RETRY_SECONDS = 300.0  # seconds before file events are tried again after a failure
TICK_SECONDS = 2.0  # how soon a replaced, removed or restored folder is noticed
STEP_MS = 200  # how soon events are passed on, and `stop` is noticed
# So many changes at once may overflow the kernel's queue. A dropped event may be of a new folder, which nobody
# watches then; so everything is watched again.
BURST = 2000
_NOW_MS = 5  # within which the kernel's events of what was saved before arrive here, unless the machine is very busy
_ADDED, _DELETED = 1, 3


class DiskChange(NamedTuple):
    """The halves that may have changed since the last check."""

    halves: frozenset[Half] = frozenset()
    polled: bool = False  # set by the clock and not by an event
    polling: str | None = None  # why there are no file events, or not for all folders


class SeenChanges(NamedTuple):
    """How many changes of each half a watch has seen."""

    notes: int = 0
    logs: int = 0

    def plus(self, halves: Collection[Half]) -> SeenChanges:
        return SeenChanges(self.notes + (VAULT in halves), self.logs + (LOGS in halves))


class WatchedFolders(NamedTuple):
    """The folders to watch."""

    folders: Sequence[str]
    concerned: Callable[[str, bool], Collection[Half]]  # the halves that a change of a file or folder concerns
    without_events: Mapping[str, str] = {}  # folders without events -> the reason


class Watch:
    """Watches folders endlessly: by file events where possible, by the clock elsewhere."""

    def __init__(self, places: WatchedFolders, *, events: bool, stop: threading.Event) -> None:
        self._places, self._stop = places, stop
        self._off = None if events else "file events are off (sync.watch = false)"
        self._failed: str | None = None
        self._retry_at = 0.0
        self._renew = False
        self._polled_at = 0.0
        self._poll_seconds = POLL_SECONDS
        self._watcher: RustNotify | None = None  # while there are events
        self._before: list[tuple[int, int] | None] = []  # the identities of the folders when it was set up
        self._seen, self._taken = SeenChanges(), set[tuple[int, str]]()
        self._lock = threading.Lock()

    def look_now(self) -> SeenChanges | None:
        """Count the changes up to this moment; None where some may go unseen, because there are no file events.

        For any thread. Takes the events that `changes` would pass on later, and leaves them to it.
        """
        watcher = self._watcher
        if watcher is None or self._why() or _identities(self._places.folders) != self._before:
            return None
        raw = watcher.watch(_NOW_MS, _NOW_MS, _NOW_MS, None)
        if raw in ("stop", "signal"):
            return None
        with self._lock:
            if not isinstance(raw, str):
                self._taken |= raw
                self._count(self._halves_in(raw))
            return self._seen if watcher is self._watcher else None

    def _count(self, halves: Collection[Half]) -> None:
        self._seen = self._seen.plus(halves)

    def renew(self) -> None:
        """Watch everything again, because events were missed."""
        self._renew = True

    def changes(self, pause: Callable[[], float]) -> Iterator[DiskChange]:
        """Yield changes, at least every `pause()` seconds; some of them are empty.

        After a watch is set up everything may have changed: earlier changes raised no event.
        """
        for change in self._changes(pause):
            with self._lock:
                self._count(change.halves)
            yield change

    def _changes(self, pause: Callable[[], float]) -> Iterator[DiskChange]:
        while not self._stop.is_set():
            before = _identities(self._places.folders)  # taken first, so that a later replacement is noticed
            there = [folder for folder in self._places.folders if os.path.isdir(folder)]
            with_events = [folder for folder in there if folder not in self._places.without_events]
            if self._off or time.monotonic() < self._retry_at or not with_events:
                yield from self._look(pause)
                continue
            try:
                yield from self._events(with_events, before, pause)
            except (OSError, RuntimeError) as error:  # too many watches or open files
                self._failed = (getattr(error, "strerror", None) or str(error)).lower()
                self._retry_at = time.monotonic() + RETRY_SECONDS

    def _why(self) -> str | None:
        if self._off:
            return self._off
        if self._failed:
            return self._failed
        there = [folder for folder in self._places.folders if os.path.isdir(folder)]
        if not there:
            return "a folder is missing"
        return next((why for folder, why in self._places.without_events.items() if folder in there), None)

    def _look(self, pause: Callable[[], float]) -> Iterator[DiskChange]:
        """Check once without events, then wait for the next check."""
        yield self._polled()
        while not self._stop.is_set() and (left := self._polled_at + self._poll_seconds - time.monotonic()) > 0:
            self._stop.wait(min(left, max(0.0, pause())))
            yield DiskChange(polling=self._why())

    def _polled(self) -> DiskChange:
        """Report that everything must be checked. `took` later says how long that took."""
        self._polled_at = time.monotonic()
        return DiskChange(frozenset((VAULT, LOGS)), polled=True, polling=self._why())

    def _events(
        self, folders: list[str], before: list[tuple[int, int] | None], pause: Callable[[], float]
    ) -> Iterator[DiskChange]:
        from watchfiles._rust_notify import RustNotify

        self._renew = False
        with RustNotify(folders, False, False, 0, True, False) as watcher:
            self._failed = None
            yield DiskChange(frozenset((VAULT, LOGS)), polling=self._why())
            self._before, self._watcher = before, watcher
            try:
                yield from self._until_renewed(watcher, pause)
            finally:
                self._watcher = None

    def _until_renewed(self, watcher: RustNotify, pause: Callable[[], float]) -> Iterator[DiskChange]:
        while not self._renew:
            timeout = max(STEP_MS, int(1000 * min(pause(), TICK_SECONDS)))
            raw = watcher.watch(1000, STEP_MS, timeout, self._stop)
            if raw in ("stop", "signal"):
                return
            if _identities(self._places.folders) != self._before:
                return  # a watched folder was replaced
            with self._lock:
                found, self._taken = self._taken, set()
            found |= set() if isinstance(raw, str) else raw
            yield self._changes_in(found)
            if len(found) >= BURST:
                return

    def _changes_in(self, found: set[tuple[int, str]]) -> DiskChange:
        if self._places.without_events and time.monotonic() - self._polled_at >= self._poll_seconds:
            return self._polled()
        # When watches run out, no event says so; only setting up a watch raises.
        self._renew = self._renew or any(
            change == _ADDED and _may_be_folder(change, file) and os.path.isdir(file) for change, file in found
        )
        return DiskChange(self._halves_in(found), polling=self._why())

    def _halves_in(self, found: Collection[tuple[int, str]]) -> frozenset[Half]:
        halves: set[Half] = set()
        for change, file in found:
            halves.update(self._places.concerned(file, _may_be_folder(change, file)))
            if len(halves) == 2:
                break
        return frozenset(halves)

    def took(self, seconds: float) -> None:
        """Set the pause between checks from the duration of the last one, so that checking does not fill the time."""
        self._poll_seconds = max(POLL_SECONDS, POLL_SHARE * seconds)


def _may_be_folder(change: int, file: str) -> bool:
    """Return whether the file may be a folder. A deleted one may have been; a new one can be examined."""
    if "." not in os.path.basename(file) or change == _DELETED:
        return True
    return change == _ADDED and not file.endswith((".md", ".jsonl")) and os.path.isdir(file)


def _identities(folders: Sequence[str]) -> list[tuple[int, int] | None]:
    return [_identity(folder) for folder in folders]


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino

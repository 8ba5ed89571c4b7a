"""Telling when files may have changed. Events only hint; a sync looks for itself."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from memoro.model.vocabulary import LOGS, VAULT, Half

POLL_SECONDS = 5.0
POLL_SHARE = (
    20  # looking may take one part in so many of the time: a large vault on a slow disk is looked at less often
)
RETRY_SECONDS = 300.0  # after which file events are tried again where they failed
TICK_SECONDS = 2.0  # how soon a folder that was replaced, went away or came back is noticed
STEP_MS = 200  # how soon events are handed on, and `stop` is seen
# So many changes at once may be more than the kernel's queue held. What it dropped may have been new folders, which
# nobody watches then: so everything is watched anew.
BURST = 2000
_ADDED, _DELETED = 1, 3


class Heard(NamedTuple):
    """What may have changed since the last time."""

    halves: frozenset[Half] = frozenset()
    polled: bool = False  # because it is time to look, and not because anything told
    polling: str | None = None  # why there are no file events, or not of all folders


class Places(NamedTuple):
    """What to watch."""

    folders: Sequence[str]
    concerned: Callable[[str, bool], Collection[Half]]  # which halves a change at a place concerns; is it a folder?
    unheard: Mapping[str, str] = {}  # folders of which no events come, and why


class Watch:
    """An endless look at folders, by file events where there are any and by the clock where not."""

    def __init__(self, places: Places, *, events: bool, stop: threading.Event) -> None:
        self._places, self._stop = places, stop
        self._off = None if events else "file events are off (sync.watch = false)"
        self._failed: str | None = None
        self._retry_at = 0.0
        self._renew = False
        self._polled_at = 0.0
        self._poll_seconds = POLL_SECONDS

    def renew(self) -> None:
        """Events were missed: watch everything anew."""
        self._renew = True

    def changes(self, pause: Callable[[], float]) -> Iterator[Heard]:
        """Yield what was heard: at the latest when `pause()` seconds have passed, then perhaps nothing.

        Whenever a watch has been set up everything may have changed: what did before raised no event.
        """
        while not self._stop.is_set():
            before = _identities(self._places.folders)  # first: what comes after this look differs from it
            there = [folder for folder in self._places.folders if os.path.isdir(folder)]
            heard = [folder for folder in there if folder not in self._places.unheard]
            if self._off or time.monotonic() < self._retry_at or not heard:
                yield from self._look(pause)
                continue
            try:
                yield from self._events(heard, before, pause)
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
        return next((why for folder, why in self._places.unheard.items() if folder in there), None)

    def _look(self, pause: Callable[[], float]) -> Iterator[Heard]:
        """One look without events, and the time until the next."""
        yield self._polled()
        while not self._stop.is_set() and (left := self._polled_at + self._poll_seconds - time.monotonic()) > 0:
            self._stop.wait(min(left, max(0.0, pause())))
            yield Heard(polling=self._why())

    def _polled(self) -> Heard:
        """It is time to look. How long that takes is known when the caller comes back for more."""
        self._polled_at = time.monotonic()
        return Heard(frozenset((VAULT, LOGS)), polled=True, polling=self._why())

    def _events(
        self, folders: list[str], before: list[tuple[int, int] | None], pause: Callable[[], float]
    ) -> Iterator[Heard]:
        from watchfiles._rust_notify import RustNotify

        self._renew = False
        with RustNotify(folders, False, False, 0, True, False) as watcher:
            self._failed = None
            yield Heard(frozenset((VAULT, LOGS)), polling=self._why())
            while not self._renew:
                timeout = max(STEP_MS, int(1000 * min(pause(), TICK_SECONDS)))
                raw = watcher.watch(1000, STEP_MS, timeout, self._stop)
                if raw in ("stop", "signal"):
                    return
                if _identities(self._places.folders) != before:
                    return  # what is watched is no longer what is there
                found: set[tuple[int, str]] = set() if isinstance(raw, str) else raw
                yield self._told(found)
                if len(found) >= BURST:
                    return

    def _told(self, found: set[tuple[int, str]]) -> Heard:
        if self._places.unheard and time.monotonic() - self._polled_at >= self._poll_seconds:
            return self._polled()
        halves: set[Half] = set()
        for change, file in found:
            is_folder = _may_be_folder(change, file)
            halves.update(self._places.concerned(file, is_folder))
            # Where it can be watched no more for want of watches, nothing tells: setting up a watch does.
            self._renew = self._renew or (is_folder and change == _ADDED and os.path.isdir(file))
            if len(halves) == 2 and self._renew:
                break
        return Heard(frozenset(halves), polling=self._why())

    def took(self, seconds: float) -> None:
        """How long the last look took, so that looking does not become all there is."""
        self._poll_seconds = max(POLL_SECONDS, POLL_SHARE * seconds)


def _may_be_folder(change: int, file: str) -> bool:
    """What is gone may have been one, with all that stood in it; what is new can be asked."""
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

"""Knows, where a watch runs in this process, what may have changed since the index was compared with the disk."""

import os
import threading
from typing import TYPE_CHECKING, NamedTuple

from memoro.home_context import HomeContext
from memoro.index import homes
from memoro.index.report import Report
from memoro.model.notes import Problem
from memoro.model.vocabulary import BOTH, LOGS, VAULT, SyncPart

if TYPE_CHECKING:
    from memoro.vault.files import VaultFiles
    from memoro.vault.watch import SeenChanges, Watch
else:
    SeenChanges = (
        object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    )


class ChangedParts(NamedTuple):
    """The parts that a sync has to read."""

    what: SyncPart | None  # None: nothing has changed
    seen: SeenChanges  # up to which changes this is so


class Freshness:
    """Compares the changes that a watch has seen with those that a sync has dealt with. Threads may share it."""

    def __init__(self, watch: "Watch", key: str) -> None:
        self.key = key
        self._watch = watch
        self._lock = threading.Lock()
        self._done: dict[SyncPart, int] = {VAULT: -1, LOGS: -1}

    def look(self) -> ChangedParts | None:
        """Return what has changed since the last sync; None where the watch cannot tell."""
        seen = self._watch.look_now()
        return None if seen is None else self.compared(seen)

    def compared(self, seen: SeenChanges) -> ChangedParts:
        """Return what of these changes no sync has dealt with."""
        with self._lock:
            notes, logs = self._done[VAULT] < seen.notes, self._done[LOGS] < seen.logs
        return ChangedParts(BOTH if notes and logs else VAULT if notes else LOGS if logs else None, seen)

    def note_sync(self, changed: ChangedParts, what: SyncPart, report: Report) -> None:
        """Record that a sync of this part, begun after `changed` was found, has dealt with all that it tells of.

        One that left a file to the next sync has not.
        """
        if report.degraded or report.rebuilt or report.joined or any(map(_is_left, report.problems)):
            return
        with self._lock:
            if what in (BOTH, VAULT):
                self._done[VAULT] = max(self._done[VAULT], changed.seen.notes)
            if what in (BOTH, LOGS):
                self._done[LOGS] = max(self._done[LOGS], changed.seen.logs)


def _is_left(problem: Problem) -> bool:
    from memoro.index import logs, note_changes  # loaded by the sync that found the problem

    return problem.severity == "failed" or problem.sentence in (logs.EMPTIED, note_changes.EMPTIED)


def of(home: HomeContext, vault: "VaultFiles | None") -> Freshness | None:
    """Return what is known about a home that this process watches, as it is opened here; None where it does not."""
    found = homes.WATCHED.get(os.path.realpath(home.folder))
    return found if found is not None and found.key == key_of(home, vault) else None


def watched(home: HomeContext, freshness: Freshness) -> None:
    """Say that this process watches the folders of a home."""
    homes.WATCHED[os.path.realpath(home.folder)] = freshness


def forget(home: HomeContext, freshness: Freshness) -> None:
    """Say that this watch has ended; another may have begun meanwhile."""
    folder = os.path.realpath(home.folder)
    if homes.WATCHED.get(folder) is freshness:
        del homes.WATCHED[folder]


def key_of(home: HomeContext, vault: "VaultFiles | None") -> str:
    """Differs between openings of a home that read other folders, or read them otherwise."""
    settings = home.settings
    return repr((vault.folders if vault else (), settings.vault, settings.transcripts, settings.rules))

"""Regular upkeep of a ledger: a backup a day, and pruning on a schedule.

`memoro serve` does it while it runs; otherwise each process does it after its writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple, TypeVar

from memoro.errors import StorageFull
from memoro.ledger.access import LedgerAccess
from memoro.ledger.archive import Archiving, said
from memoro.ledger.backups import Backup, Backups
from memoro.model.memories import moment, stamp
from memoro.store.serving import is_served

LOOK_EVERY_SECONDS = 600
_PRUNED = "pruned_at"
_PRUNING = "pruning"
T = TypeVar("T")


class UpkeepDone(NamedTuple):
    """The work that was due: what was done, and what failed."""

    done: tuple[str, ...]
    failed: tuple[str, ...]


class UpkeepOptions(NamedTuple):
    finish_forgetting: Callable[[], None]  # completes a forgetting that was broken off
    schedule: str  # of pruning, as cron has it


class Housekeeping:
    def __init__(
        self,
        home: str,
        access: LedgerAccess,
        backups: Backups,
        archiving: Archiving,
        options: UpkeepOptions,
    ) -> None:
        self._home = home
        self._access = access
        self._backups = backups
        self._archiving = archiving
        self._schedule = options.schedule
        self._looked = float("-inf")
        self.notices: list[str] = []  # for whoever asked: what upkeep did to memories, and a new format
        # What to report, and the work, which returns something true if there was any to do: a text is reported.
        self.errands: list[tuple[str, Callable[[], object]]] = [
            ("", options.finish_forgetting),
            ("", access.ledger.keep_spare_room),
            ("backup", self.back_up_if_due),
            (_PRUNING, self.prune_if_due),
            ("", access.ledger.trim),
            ("", access.archive.trim),
        ]

    def after_write(self) -> None:
        """Called after a write was acknowledged: nothing here may make it fail."""
        if time.monotonic() - self._looked < LOOK_EVERY_SECONDS:
            return
        self._looked = time.monotonic()
        with suppress(Exception):
            if not is_served(self._home):
                self.notices += [line for line in self.run_due().done if line.startswith(_PRUNING)]

    def run_due(self) -> UpkeepDone:
        """Do whatever is due."""
        done, failed = [], []
        for name, errand in self.errands:
            try:
                what = errand()
            except Exception as error:  # one that fails is no reason to leave the others undone
                failed.append(str(error) or type(error).__name__)
            else:
                if what and name:
                    done.append(_reported(name, what))
        return UpkeepDone(tuple(done), tuple(dict.fromkeys(failed)))  # several may fail for one reason

    def back_up_if_due(self) -> Backup | None:
        """The backup of the day, unless nothing was written since the last: a quiet year pushes no older one out."""
        newest = self._backups.newest_of_present()
        made_at = moment(newest.created_at) if newest else None
        # A backup from the future was made by a clock that has been set back since: it tells nothing about today.
        if made_at and self._access.ledger.written_at() < made_at.timestamp() and made_at <= self._access.now():
            return None
        return self._backups.daily()

    def prune_if_due(self) -> str:
        """Prune, if a time of the schedule has passed since the ledger was found too large, or was pruned.

        Returns what was archived.
        """
        if self._archiving.surely_fits():
            self._stop_waiting(_PRUNED)
            return ""
        plan = self.if_due(_PRUNED, self._archiving.prune)
        return said(plan) if plan and plan.archive else ""

    def if_due(self, name: str, work: Callable[[], T]) -> T | None:
        """Do this, if a time of the schedule has passed since it was last done; `name` is where that is noted.

        Work that was never done waits for the next time of the schedule. So does work that was last done in the
        future: by a clock that has been set back since.
        """
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            last = tx.meta.get(name)
        is_known = last is not None and moment(last) <= now
        if is_known and not has_come(self._schedule, moment(last or ""), now):
            return None
        done = work() if is_known else None
        with self._access.ledger.writing() as tx:
            tx.meta.put(name, stamp(now))
        return done

    def _stop_waiting(self, name: str) -> None:
        """Let work that becomes necessary later wait for its own time of the schedule."""
        with self._access.ledger.reading() as tx:
            is_noted = tx.meta.get(name) is not None
        if is_noted:
            with self._access.ledger.writing() as tx:
                tx.meta.put(name, None)

    def free_spare_room(self, error: StorageFull) -> None:
        """Free the space that was set aside; raise the error where there is none."""
        if not self._access.ledger.free_spare_room():
            raise error


def _reported(name: str, done: object) -> str:
    if isinstance(done, str):
        return f"{name}: {done}"
    return f"{name} {done.name}" if isinstance(done, Backup) else name


def seconds_until(schedule: str, now: datetime) -> float:
    """Seconds until the next time of a schedule, in local time."""
    from cronsim import CronSim

    local = now.astimezone().replace(tzinfo=None)
    return float((next(CronSim(schedule, local)) - local).total_seconds())


def has_come(schedule: str, last: datetime, now: datetime) -> bool:
    """True if a time of the schedule, in local time, lies between the two."""
    from cronsim import CronSim

    local = last.astimezone().replace(tzinfo=None)
    return bool(next(CronSim(schedule, local)) <= now.astimezone().replace(tzinfo=None))

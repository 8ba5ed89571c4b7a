"""Regular upkeep of a ledger: a backup a day, and pruning on a schedule.

`memoro serve` does it while it runs; otherwise each process does it after its writes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from memoro.errors import StorageFull
from memoro.ledger.access import LedgerAccess
from memoro.ledger.archive import Archiving
from memoro.ledger.backups import Backup, Backups
from memoro.model.memories import moment, stamp
from memoro.store.serving import is_served

LOOK_EVERY_SECONDS = 600
_PRUNED = "pruned_at"


class Tidied(NamedTuple):
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
        # What to report, and the work, which returns something true if there was any to do.
        self.errands: list[tuple[str, Callable[[], object]]] = [
            ("", options.finish_forgetting),
            ("", access.ledger.keep_spare_room),
            ("backup", self.back_up_if_due),
            ("memories pruned", self.prune_if_due),
        ]

    def after_write(self) -> None:
        """Called after a write was acknowledged: nothing here may make it fail."""
        if time.monotonic() - self._looked < LOOK_EVERY_SECONDS:
            return
        self._looked = time.monotonic()
        with suppress(Exception):
            if not is_served(self._home):
                self.tidy()

    def tidy(self) -> Tidied:
        """Do whatever is due."""
        done, failed = [], []
        for name, errand in self.errands:
            try:
                what = errand()
            except Exception as error:  # one that fails is no reason to leave the others undone
                failed.append(str(error) or type(error).__name__)
            else:
                if what and name:
                    done.append(f"{name} {what.name}" if isinstance(what, Backup) else name)
        return Tidied(tuple(done), tuple(failed))

    def back_up_if_due(self) -> Backup | None:
        """The backup of the day, unless nothing was written since the last: a quiet year pushes no older one out."""
        newest = next((backup for backup in self._backups.all() if not backup.problems), None)
        if newest and self._access.ledger.written_at() < datetime.fromisoformat(newest.created_at).timestamp():
            return None
        return self._backups.daily()

    def prune_if_due(self) -> bool:
        """Prune, if the ledger may be too large and a time of the schedule has passed since the last look."""
        return not self._archiving.surely_fits() and self.if_due(_PRUNED, self._archiving.prune)

    def if_due(self, name: str, work: Callable[[], object]) -> bool:
        """Do this, if a time of the schedule has passed since it was last done; `name` is where that is noted."""
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            last = tx.meta.get(name)
        # A last look that lies ahead was made by a clock that has been set back since.
        if last and moment(last) <= now and not _has_come(self._schedule, moment(last), now):
            return False
        work()
        with self._access.ledger.writing() as tx:
            tx.meta.put(name, stamp(now))
        return True

    def free_spare_room(self, error: StorageFull) -> None:
        """Free the space that was set aside; raise the error where there is none."""
        if not self._access.ledger.free_spare_room():
            raise error


def seconds_until(schedule: str, now: datetime) -> float:
    """Seconds until the next time of a schedule, in local time."""
    from cronsim import CronSim

    local = now.astimezone().replace(tzinfo=None)
    return float((next(CronSim(schedule, local)) - local).total_seconds())


def _has_come(schedule: str, last: datetime, now: datetime) -> bool:
    """True if a time of the schedule, in local time, lies between the two."""
    from cronsim import CronSim

    local = last.astimezone().replace(tzinfo=None)
    return bool(next(CronSim(schedule, local)) <= now.astimezone().replace(tzinfo=None))

"""What a ledger needs now and then, done by whoever writes to it: a backup a day, and pruning when it is time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from memoro.errors import StorageFull
from memoro.memories.archive import Archiving
from memoro.memories.backups import Backups
from memoro.memories.book import Book
from memoro.model.memories import moment, stamp

_LOOK_EVERY_SECONDS = 600
_PRUNED = "pruned_at"
# Forgetting has ledger, archive, index and cache open at once, each with a log and 32 KiB of shared memory.
BALLAST_BYTES = 512 * 1024


class Housekeeping:
    def __init__(
        self,
        home: str,
        book: Book,
        backups: Backups,
        archiving: Archiving,
        finish: Callable[[], None],  # what forgetting has left undone, where it was broken off
        *,
        schedule: str,
    ) -> None:
        self._ballast = os.path.join(home, "ballast")
        self._book = book
        self._archiving = archiving
        self._schedule = schedule
        self._looked = float("-inf")
        self.errands: list[Callable[[], object]] = [finish, self.keep_ballast, backups.daily, self.prune_if_due]

    def after_write(self) -> None:
        """Called after a write was acknowledged: nothing here may make it fail."""
        if time.monotonic() - self._looked < _LOOK_EVERY_SECONDS:
            return
        self._looked = time.monotonic()
        for errand in self.errands:
            with suppress(Exception):  # one that fails is no reason to leave the others undone
                errand()

    def prune_if_due(self) -> bool:
        """Prune, if the ledger may be too large and a time of the schedule has passed since the last look."""
        return not self._archiving.surely_fits() and self.if_due(_PRUNED, self._archiving.prune)

    def if_due(self, name: str, work: Callable[[], object]) -> bool:
        """Do this, if a time of the schedule has passed since it was last done; `name` is where that is noted."""
        now = self._book.now()
        with self._book.ledger.reading() as pages:
            last = pages.get_meta(name)
        # A last look that lies ahead was made by a clock that has been set back since.
        if last and moment(last) <= now and not _has_come(self._schedule, moment(last), now):
            return False
        work()
        with self._book.ledger.writing() as pages:
            pages.put_meta(name, stamp(now))
        return True

    def keep_ballast(self) -> None:
        """Space that can be freed where a disk is so full that even deleting needs some."""
        if os.path.exists(self._ballast):
            return
        descriptor = os.open(self._ballast, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            whole = os.write(descriptor, b"\0" * BALLAST_BYTES) == BALLAST_BYTES
        except OSError:
            whole = False
        finally:
            os.close(descriptor)
        if not whole:  # less than is needed is of no use to anyone, here least of all
            os.unlink(self._ballast)

    def drop_ballast(self, error: StorageFull) -> None:
        try:
            os.unlink(self._ballast)
        except OSError:
            raise error from None


def _has_come(schedule: str, last: datetime, now: datetime) -> bool:
    """Whether a time of the schedule, by the owner's clock on the wall, lies between the two."""
    from cronsim import CronSim

    local = last.astimezone().replace(tzinfo=None)
    return bool(next(CronSim(schedule, local)) <= now.astimezone().replace(tzinfo=None))

"""The service for housekeeping: the daily backup, pruning on schedule, old daily notes, and unfinished forgetting."""

from __future__ import annotations

import gc
from datetime import UTC, datetime

from memoro.errors import StoreError, VaultError
from memoro.ledger.housekeeping import LOOK_EVERY_SECONDS, UpkeepDone, seconds_until
from memoro.model.remembered import forget_readings
from memoro.serve.allocator import return_freed
from memoro.serve.services import ServiceContext


class HousekeepingService:
    name = "housekeeping"

    def run(self, context: ServiceContext) -> None:
        schedule, last_failure = context.workspace.settings.memory.prune_schedule, ""
        while not context.stop.is_set():
            failure = self._run_due(context)
            if failure and failure != last_failure:
                context.reports.failed(f"housekeeping: {failure}")
            last_failure = failure
            forget_readings()
            # The frames of an error may keep an index open that was replaced since. Python itself looks for such
            # cycles only after millions of new objects.
            gc.collect()
            return_freed()
            # One second more, so that the scheduled time has passed when we look.
            pause = min(LOOK_EVERY_SECONDS, seconds_until(schedule, datetime.now(UTC)) + 1)
            context.stop.wait(pause)

    def _run_due(self, context: ServiceContext) -> str:
        """Run what is due; returns the failures, empty if there were none."""
        try:
            upkeep = context.workspace.upkeep() if context.workspace.has_ledger() else UpkeepDone((), ())
            moved = context.workspace.archive_old_days()
        except (StoreError, VaultError) as error:
            return str(error)
        for line in upkeep.done:
            context.reports.done(line)
        if moved:
            context.reports.done(f"{len(moved)} old daily {'note' if len(moved) == 1 else 'notes'} archived")
        return " ".join(upkeep.failed)

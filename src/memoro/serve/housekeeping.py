"""The service for housekeeping: the daily backup, pruning on schedule, and unfinished forgetting."""

from __future__ import annotations

from datetime import UTC, datetime

from memoro.errors import StoreError
from memoro.ledger.housekeeping import LOOK_EVERY_SECONDS, seconds_until
from memoro.serve.services import ServiceContext


class HousekeepingService:
    name = "housekeeping"

    def run(self, context: ServiceContext) -> None:
        schedule, last_failure = context.workspace.settings.memory.prune_schedule, ""
        while not context.stop.is_set():
            if context.workspace.has_ledger():
                failure = self._tidy(context)
                if failure and failure != last_failure:
                    context.reports.failed(f"housekeeping: {failure}")
                last_failure = failure
            # One second more, so that the scheduled time has passed when we look.
            pause = min(LOOK_EVERY_SECONDS, seconds_until(schedule, datetime.now(UTC)) + 1)
            context.stop.wait(pause)

    def _tidy(self, context: ServiceContext) -> str:
        """Run what is due; returns the failures, empty if there were none."""
        try:
            tidied = context.workspace.tidy()
        except StoreError as error:
            return str(error)
        for line in tidied.done:
            context.reports.done(line)
        return " ".join(tidied.failed)

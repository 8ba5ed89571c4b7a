"""The service that looks for proposals on schedule: a round without a person, after which they wait."""

from __future__ import annotations

from datetime import UTC, datetime

from memoro.curate.rounds.running import RoundReport
from memoro.errors import MemoroError
from memoro.ledger.housekeeping import LOOK_EVERY_SECONDS, has_come, seconds_until
from memoro.serve.services import ServiceContext


class CurationService:
    name = "curation"

    def run(self, context: ServiceContext) -> None:
        schedule, last_failure = context.workspace.settings.curate.schedule, ""
        while not context.stop.is_set():
            failure = self._look(context, schedule)
            if failure and failure != last_failure:
                context.reports.failed(f"curation: {failure}")
            last_failure = failure
            # One second more, so that the scheduled time has passed when we look.
            pause = min(LOOK_EVERY_SECONDS, seconds_until(schedule, datetime.now(UTC)) + 1)
            context.stop.wait(pause)

    def _look(self, context: ServiceContext, schedule: str) -> str:
        """Make a round if one is due; returns why it failed, empty if it did not."""
        workspace = context.workspace
        try:
            if not workspace.settings.enabled or not workspace.has_ledger():
                return ""
            report = workspace.curation.run_if_due(lambda last, now: has_come(schedule, last, now))
        except MemoroError as error:
            return str(error)
        if report is not None:
            context.reports.done(line_of(report))
        return ""


def line_of(report: RoundReport) -> str:
    """Return the one line that says what a round found."""
    return f"curation: {report.sentence[:1].lower()}{report.sentence[1:].rstrip('.')}"

"""The service that asks providers about batch jobs, and takes their results."""

from __future__ import annotations

from memoro.errors import Interrupted, StoreError
from memoro.model.notes import counted
from memoro.serve.services import ServiceContext

IDLE_SECONDS = 60.0  # between two looks whether a job is out


class BatchJobService:
    name = "batch jobs"

    def run(self, context: ServiceContext) -> None:
        last_failure = ""
        while not context.stop.wait(self._pause(context)):
            failure = self._take_results(context)
            if failure and failure != last_failure:
                context.reports.failed(f"batch jobs: {failure}")
            last_failure = failure

    def _pause(self, context: ServiceContext) -> float:
        try:
            pause = context.workspace.batch_jobs.pause()
        except StoreError:  # the next look reports it
            pause = None
        return IDLE_SECONDS if pause is None else pause

    def _take_results(self, context: ServiceContext) -> str:
        """Ask about the jobs that are out; return what went wrong, empty if nothing did."""
        jobs = context.workspace.batch_jobs
        try:
            before = {one.id for one in jobs.jobs().jobs}
            if not before:
                return ""
            notices = context.workspace.indexing.fill_vectors(context.stop)
            ended = [one for one in jobs.jobs(all_jobs=True).jobs if one.id in before and one.has_ended]
        except Interrupted:
            return ""
        except StoreError as error:
            return str(error)
        for one in ended:
            why = f": {one.why}" if one.why else ""
            context.reports.done(f"batch job {one.id} with {counted(one.texts, 'text')}: {one.state}{why}")
        return "" if ended else " ".join(notice for notice in notices if not notice.endswith("takes their vectors"))

"""Filling a space by batch jobs: submit what is missing, ask how far the jobs are, and take their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from memoro.errors import ProviderError
from memoro.index.batch_collection import JobCollection
from memoro.index.batch_plan import MOST_FAILURES, is_due, seconds_until_due
from memoro.index.batch_queue import BatchQueue, BatchTools
from memoro.index.batch_submission import JobSubmission
from memoro.providers.batch.ports import RemoteJob
from memoro.store.ports import IndexHome

_TURN_SECONDS = 0.25  # after which a sync that waits asks whether it is to stop


class BatchFlow:
    """The batch jobs of one space of a home. For the holder of the space's queue."""

    def __init__(self, home: IndexHome, tools: BatchTools) -> None:
        self._home, self._tools = home, tools
        self.space = str(tools.provider.space)
        self._remote: dict[str, RemoteJob] = {}  # what the provider said last, by our id
        self._failed: list[str] = []  # what to say about the jobs that failed meanwhile

    def advance(self, *, may_submit: bool = True) -> tuple[str, ...]:
        """Do what is due: submissions that broke off, results that have come, new jobs. Return what went wrong.

        Without `may_submit` no new job is made; those that are out were agreed to.
        Raises no `ProviderError`: a job that nobody can ask about stays out.
        """
        queue = self._queue()
        if queue is None:
            return ()
        out = {job.id for job in queue.out()}
        failures = list(self._advance_jobs(queue))
        self._failed += [
            f"vectors: the batch job {job.id} failed ({job.why.rstrip('.')}); what it has not done is sent again"
            for job in queue.records.jobs(self.space)
            if job.id in out and job.state == "failed"
        ]
        if may_submit and not failures:
            try:
                JobSubmission(queue).submit_new()
            except ProviderError as error:
                failures.append(f"vectors: {error}")
        return tuple(dict.fromkeys(failures))

    def _advance_jobs(self, queue: BatchQueue) -> Iterator[str]:
        for job in queue.out():
            if not is_due(job, self._tools.rules, self._tools.now()):
                continue
            self._tools.check()
            try:
                if job.state == "submitting":
                    JobSubmission(queue).resume(job)
                else:
                    self._remote[job.id] = JobCollection(queue).ask(job)
            except ProviderError as error:
                yield f"vectors: {error}"

    def wait(self, report: Callable[[int, int], None], *, may_submit: bool = True) -> tuple[str, ...]:
        """Advance until no job is out. `report` gets how many texts of the jobs are done, and how many there are.

        Ends early where the provider cannot be asked: a later sync goes on.
        """
        while True:
            failures, queue = self.advance(may_submit=may_submit), self._queue()
            jobs = queue.out() if queue else []
            pause = seconds_until_due(jobs, self._tools.rules, self._tools.now())
            if failures or pause is None:
                return failures
            done = sum(self._remote[job.id].done for job in jobs if job.id in self._remote)
            report(done, sum(job.texts for job in jobs))
            self._sleep(pause)

    def notices(self) -> tuple[str, ...]:
        """Say which jobs have failed, and what is out, or that jobs are switched off."""
        queue = self._queue()
        return () if queue is None else (*self._failed, *self._out_or_off(queue))

    def _out_or_off(self, queue: BatchQueue) -> tuple[str, ...]:
        provider = self._tools.provider.space.provider
        if jobs := queue.out():
            texts = sum(len(queue.records.job_digests(job.id)) for job in jobs)
            many = f"{len(jobs)} batch job{'s' if len(jobs) != 1 else ''}"
            if any(job.remote_id is None for job in jobs):
                return (
                    f"vectors: {texts:,} passages wait for {many} at {provider}; the next sync submits what is left",
                )
            return (f"vectors: {texts:,} passages are in {many} at {provider}; a later sync takes their vectors",)
        if self._tools.rules.enabled and queue.is_switched_off and queue.may_fill_a_job():
            return (
                f"vectors: batch jobs of {provider} failed {MOST_FAILURES} times in a row, so it gets plain requests "
                "now; `memoro provider jobs --all` says why, and `memoro provider resume` tries jobs again",
            )
        return ()

    def _queue(self) -> BatchQueue | None:
        """The queue of the current index, which may be another one after a wait."""
        index = self._home.current()
        return None if index is None else BatchQueue(self._home, index, self._tools)

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._tools.check()
            time.sleep(min(left, _TURN_SECONDS))

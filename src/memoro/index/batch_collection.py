"""Asking how far batch jobs are, and taking their results: each vector is kept as it is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy

from memoro.errors import ProviderRejected
from memoro.index.batch_plan import next_step, outcome
from memoro.index.batch_queue import BatchQueue
from memoro.index.batch_submission import NOT_OF_JOBS
from memoro.providers.batch.ports import BatchResult, RemoteJob
from memoro.providers.records import BatchJob

# Results kept at once. It exceeds the texts of a job whose results come without keys, and which is thus kept whole.
_RESULTS = 2_000
CANCELLED_BY_OWNER = "cancelled by `memoro provider cancel`"


class JobCollection:
    """Asks about the jobs of one queue."""

    def __init__(self, queue: BatchQueue) -> None:
        self._queue, self._tools, self._records = queue, queue.tools, queue.records
        self._provider = queue.tools.provider

    def ask(self, job: BatchJob) -> RemoteJob:
        """Ask about a job, and do what is due: cancel one that takes too long, take the results of one that ended."""
        remote = self._provider.poll(job.remote_id or "")
        now = self._tools.now()
        match next_step(job, remote, self._tools.rules, now):
            case "wait":
                self._records.put_job(job._replace(polled_at=now))
            case "cancel":
                minutes = round((now - job.created_at) / 60)
                late = f"not done after {minutes} minute{'s' if minutes != 1 else ''}"
                self._records.put_job(job._replace(polled_at=now, why=job.why or late))
                self._provider.cancel(remote.id)
            case "collect":
                self._end(job, self._collect(job, remote))
            case "abandon":
                self._end(job, remote)
        return remote

    def _collect(self, job: BatchJob, remote: RemoteJob) -> RemoteJob:
        """Keep the results of a job; return how it ended, for they may be such that nobody can read them."""
        try:
            results = self._provider.results(remote, self._records.job_digests(job.id))
            while some := list(islice(results, _RESULTS)):
                self._keep(job, some)
                self._tools.check()
        except ProviderRejected as error:
            if isinstance(error, NOT_OF_JOBS):
                raise
            return remote._replace(state="failed", why=str(error))
        return remote

    def _keep(self, job: BatchJob, results: Sequence[BatchResult]) -> None:
        """Keep vectors in the cache; not of texts that were forgotten meanwhile: the job has them no more."""
        with self._queue.home.changing_vectors.held():
            waited_for = set(self._records.job_digests(job.id))
            found = {
                one.digest: one.vector.astype(numpy.float16).astype(numpy.float32)  # as the cache rounds every vector
                for one in results
                if one.vector is not None and one.digest in waited_for
            }
            self._queue.home.cache().put(self._queue.space, found)
        self._records.settle_texts(job.id, list(found))

    def _end(self, job: BatchJob, remote: RemoteJob) -> None:
        """Close a job. Its texts without a result are missing again, and sent by plain requests."""
        left = len(self._records.job_digests(job.id))
        is_late = self._tools.now() - job.created_at > self._tools.rules.timeout_seconds
        ended = outcome(remote, arrived=job.texts - left, is_late=is_late and job.why != CANCELLED_BY_OWNER)
        why = job.why or remote.why or f"{remote.state} at the provider"
        if ended == "done":
            why = f"{left:,} of its texts came back without a vector" if left else ""
        # Before it is closed: killed in between, the next sync finds no results, for all have been kept.
        self._provider.discard(job.id, remote)
        self._queue.close(job, ended, why)

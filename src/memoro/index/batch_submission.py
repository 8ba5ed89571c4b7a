"""Submitting batch jobs, so that a process may be killed between any two steps and no text is paid for twice.

A job with its texts is kept before anything is sent, and the moment at which it is ordered before that request is. A
job that was ordered and whose answer never came is looked for at the provider by the id that we gave it.
"""

from __future__ import annotations

from memoro.errors import AddressRefused, BatchesUnavailable, KeyRefused, ProviderRejected, QuotaExhausted
from memoro.index.batch_plan import plan_jobs
from memoro.index.batch_queue import BatchQueue
from memoro.model.tokens import tokens
from memoro.providers.batch.ports import RemoteJob
from memoro.providers.records import BatchJob

# Plain requests meet such a refusal too: it is no failure of batch jobs.
NOT_OF_JOBS = (KeyRefused, QuotaExhausted, AddressRefused)


class JobSubmission:
    """Sends the jobs of one queue."""

    def __init__(self, queue: BatchQueue) -> None:
        self._queue, self._tools, self._records = queue, queue.tools, queue.records
        self._provider = queue.tools.provider

    def submit_new(self) -> None:
        """Submit as many jobs as may be out, where enough texts are missing.

        Raises `CapReached` where the day may not cost as much, before anything is sent.
        """
        rules, open_jobs = self._tools.rules, len(self._queue.out())
        if not rules.enabled or open_jobs >= rules.concurrency or self._queue.is_switched_off:
            return
        if not self._queue.may_fill_a_job():
            return
        for planned in plan_jobs(self._queue.missing(), rules, open_jobs=open_jobs):
            self._tools.check()
            job = BatchJob(
                id=self._tools.new_id(),
                space=self._queue.space,
                state="submitting",
                created_at=self._tools.now(),
                texts=len(planned),
                tokens=sum(text.tokens for text in planned),
            )
            self._tools.meter.admit(job.tokens, is_batch=True)
            self._records.put_job(job, [text.digest for text in planned])
            if not self._submit(job):
                return

    def resume(self, job: BatchJob) -> None:
        """Go on with a submission that broke off: adopt the job if the provider has it, else send it."""
        now, rules = self._tools.now(), self._tools.rules
        if job.polled_at:
            found = self._provider.find(job.id)
            if found is not None:
                self._accepted(job, found)
                return
            if 0 <= now - job.polled_at < rules.poll_seconds:
                return  # the request may still be on its way
        elif not job.input_file:
            self._provider.discard(job.id, None)  # a file whose name never arrived here
        if now - job.created_at > rules.timeout_seconds:
            self._provider.discard(job.id, None)
            self._queue.close(job, "failed", "the provider took no job")
        else:
            self._submit(job)

    def _submit(self, job: BatchJob) -> bool:
        """Send a job from the step on that it has reached. False where the provider refuses it."""
        texts = self._queue.texts_of(job)
        if not texts:
            self._queue.close(job, "cancelled", "its passages are gone")
            return True
        if job.input_file and len(texts) != job.texts:  # the file holds texts that are not to be sent any more
            self._provider.discard(job.id, None)
            job = job._replace(input_file=None)
        job = job._replace(texts=len(texts), tokens=sum(tokens(text) for text in texts.values()))
        try:
            if not job.input_file:
                job = job._replace(input_file=self._provider.upload(job.id, texts))
            job = job._replace(polled_at=self._tools.now())
            self._records.put_job(job)
            self._accepted(job, self._provider.create(job.id, texts, job.input_file))
        except ProviderRejected as error:
            self._refused(job, error)
            return False
        return True

    def _accepted(self, job: BatchJob, remote: RemoteJob) -> None:
        self._tools.meter.count("document", job.texts, job.tokens, is_batch=True)
        self._records.put_job(job._replace(state="open", remote_id=remote.id, polled_at=self._tools.now()))

    def _refused(self, job: BatchJob, error: ProviderRejected) -> None:
        self._provider.discard(job.id, None)
        if isinstance(error, NOT_OF_JOBS):
            self._queue.close(job, "cancelled", str(error))
            raise error
        self._queue.close(job, "failed", str(error))
        if isinstance(error, BatchesUnavailable):
            self._queue.switch_off()

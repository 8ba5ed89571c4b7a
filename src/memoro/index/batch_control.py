"""The owner's side of batch jobs: list them, cancel one, and try again what was given up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ConfigError, NotFound, ProviderUnavailable
from memoro.index.batch_collection import CANCELLED_BY_OWNER
from memoro.index.batch_plan import MOST_FAILURES, batch_rules, seconds_until_due
from memoro.model.memories import stamp
from memoro.providers.ports import Space, info_of, is_builtin
from memoro.providers.prices import price_of_tokens, prices_of
from memoro.providers.records import BatchJob, JobState

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.providers.batch.ports import BatchProvider
    from memoro.providers.records import ProviderRecords
    from memoro.providers.registry import Embedders
    from memoro.store.ports import IndexHome

_PATIENCE_SECONDS = 5.0  # for another process that is submitting a job


class ShownJob(NamedTuple):
    """A batch job as its owner sees it."""

    id: str
    provider: str
    model: str
    space: str
    state: JobState
    texts: int
    waiting: int  # of the texts: they have no vector yet
    tokens: int  # as estimated
    dollars: float | None  # None: nobody knows the price
    since: str  # when it was made, in UTC
    asked: str | None  # when the provider was last asked about it, in UTC
    remote_id: str | None  # the provider's own name for it
    why: str  # it failed or was cancelled, or its results were not whole

    @property
    def has_ended(self) -> bool:
        return self.state not in ("submitting", "open")


class JobList(NamedTuple):
    jobs: tuple[ShownJob, ...]
    switched_off: tuple[str, ...]  # providers that get no more jobs, because too many failed in a row


class Resumed(NamedTuple):
    """The model, and the parts of it that `provider resume` tries again."""

    space: str
    host: str | None
    jobs_were_off: bool
    rejected: int  # texts that the provider could not embed


class BatchControl:
    """The owner's side of batch jobs."""

    def __init__(self, home: HomeContext, indexes: Callable[[], IndexHome | None]) -> None:
        self._home, self._indexes = home, indexes

    def jobs(self, *, all_jobs: bool = False) -> JobList:
        """Return the jobs that are out, or all that there were, the newest first."""
        indexes = self._indexes()
        if indexes is None:
            return JobList((), ())
        records = indexes.records()
        found = records.jobs()
        providers = dict.fromkeys(Space.parse(job.space).provider for job in found)
        off = tuple(one for one in providers if records.batch_failures(one) >= MOST_FAILURES)
        chosen = [job for job in found if all_jobs or job.is_out]
        return JobList(tuple(self._shown(job, records) for job in chosen), off)

    def pause(self) -> float | None:
        """Return for how many seconds nothing need be asked about jobs; None where none is out."""
        indexes = self._indexes()
        rules = batch_rules(self._home.settings.embedding.batch, may_wait=False)
        jobs = indexes.records().jobs() if indexes else []
        due = seconds_until_due(jobs, rules, self._home.runtime.now().timestamp())
        return None if due is None else max(due, rules.poll_seconds)

    def cancel(self, name: str) -> ShownJob:
        """Ask the provider to end a job. The next sync keeps what it has done by then.

        A job may be named by the beginning of its id, if no other begins so.
        """
        indexes, job = self._find(name)
        records = indexes.records()
        with indexes.filling(job.space).tried(_PATIENCE_SECONDS) as free:
            if job.remote_id is None and not free:
                raise ProviderUnavailable("Another process is submitting this job. Try again in a moment.")
            # Asked about at once by the next sync, which takes what was done.
            job = self._ended(indexes, job)._replace(why=CANCELLED_BY_OWNER, polled_at=0.0)
            records.put_job(job)
            if not job.is_out:
                records.settle_texts(job.id, records.job_digests(job.id))
        return self._shown(job, records)

    def _ended(self, indexes: IndexHome, job: BatchJob) -> BatchJob:
        """Ask the provider to end a job, if it may have it."""
        if not job.polled_at and job.state == "submitting":  # it was never ordered
            return job._replace(state="cancelled")
        provider = self._provider(indexes, job)
        found = job.remote_id or next((one.id for one in [provider.find(job.id)] if one), None)
        if found is None:
            provider.discard(job.id, None)
            return job._replace(state="cancelled")
        provider.cancel(found)
        return job._replace(state="open", remote_id=found)

    def resume(self) -> Resumed:
        """Try again what was given up: batch jobs, a provider that is left alone, texts that were rejected."""
        indexes = self._indexes()
        embedders = None if indexes is None else self._embedders(indexes)
        if indexes is None or embedders is None or is_builtin(embedders.wanted):
            why = embedders.problem if embedders else None
            raise ConfigError(
                why or "The settings name no other model than the built-in one: there is nothing to resume."
            )
        from memoro.providers.circuit_breaker import end_rests

        records, wanted = indexes.records(), embedders.wanted
        space, provider = str(wanted.space), wanted.space.provider
        resumed = Resumed(
            space=space,
            host=info_of(wanted).host,
            jobs_were_off=records.batch_failures(provider) >= MOST_FAILURES,
            rejected=records.rejected_count(space),
        )
        records.set_batch_failures(provider, 0)
        end_rests(records, resumed.host or space)
        if resumed.rejected:
            records.retry_rejected(space)
            _settle_anew(indexes, wanted.space)
        return resumed

    def _find(self, name: str) -> tuple[IndexHome, BatchJob]:
        indexes = self._indexes()
        found = [job for job in indexes.records().jobs() if job.id.startswith(name)] if indexes else []
        exact = [job for job in found if job.id == name] or found
        if indexes is None or not exact or not name:
            raise NotFound(f"There is no batch job {name!r}. `memoro provider jobs --all` lists them.")
        if len(exact) > 1:
            raise ConfigError(f"Several batch jobs begin with {name!r}: {', '.join(job.id for job in exact[:5])}.")
        if not exact[0].is_out:
            raise ConfigError(f"The batch job {exact[0].id} has ended already ({exact[0].state}).")
        return indexes, exact[0]

    def _provider(self, indexes: IndexHome, job: BatchJob) -> BatchProvider:
        embedders = self._embedders(indexes)
        batches = embedders.batches
        if batches is None or str(batches.provider.space) != job.space:
            why = f" {embedders.problem}" if embedders.problem else ""
            raise ConfigError(
                f"The job {job.id} belongs to {job.space}, which the settings do not name now.{why} "
                "Set `embedding.provider`, `.model` and `.url` back to what they were, and cancel it then."
            )
        return batches.provider

    def _embedders(self, indexes: IndexHome) -> Embedders:
        return self._home.embedders(indexes.records)

    def _shown(self, job: BatchJob, records: ProviderRecords) -> ShownJob:
        space = Space.parse(job.space)
        prices = prices_of(space.provider, space.model, own=self._home.settings.embedding.price)
        return ShownJob(
            id=job.id,
            provider=space.provider,
            model=space.model,
            space=job.space,
            state=job.state,
            texts=job.texts,
            waiting=len(records.job_digests(job.id)) if job.is_out else 0,
            tokens=job.tokens,
            dollars=price_of_tokens(prices, job.tokens, is_batch=True),
            since=_stamp(job.created_at),
            asked=_stamp(job.polled_at) if job.polled_at else None,
            remote_id=job.remote_id,
            why=job.why,
        )


def _stamp(seconds: float) -> str:
    return stamp(datetime.fromtimestamp(seconds, UTC))


def _settle_anew(indexes: IndexHome, space: Space) -> None:
    """Let the next sync go through all passages again, if the cache has the vectors of those that have one."""
    from memoro.index.space_vectors import SpaceVectors

    index, name = indexes.current(), str(space)
    if index is None:
        return
    count = indexes.vectors(index, name, space.dimensions).count
    if indexes.cache().count().get(name, 0) >= count:
        SpaceVectors(indexes, index, space).drop()

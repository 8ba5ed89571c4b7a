"""The texts of a space that wait for batch jobs, and those that are in jobs already."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.index.batch_plan import MOST_FAILURES, BatchRules, MissingText, Outcome, failures_after
from memoro.index.single_flight import go_on
from memoro.providers.records import BatchJob
from memoro.providers.token_estimate import estimated_tokens
from memoro.store.ports import ChunkText, Index, IndexHome
from memoro.store.space_progress import settled

if TYPE_CHECKING:
    from memoro.providers.batch.ports import BatchProvider
    from memoro.providers.metering import Meter
    from memoro.providers.records import ProviderRecords

_PAGE = 512  # passages read at once


class BatchTools(NamedTuple):
    """The collaborators and rules of the batch jobs of a space."""

    provider: BatchProvider
    meter: Meter
    rules: BatchRules
    text_for: Callable[[ChunkText], str | None]  # what is sent for a passage; None: it stays at home
    check: Callable[[], None] = go_on  # called between two requests: what it raises ends the work
    now: Callable[[], float] = time.time
    new_id: Callable[[], str] = lambda: f"memoro-{uuid.uuid4().hex[:16]}"


class JobsOut(NamedTuple):
    """The texts that are in jobs now. Nobody else sends them."""

    jobs: int = 0
    digests: frozenset[str] = frozenset()


def jobs_out(records: ProviderRecords, space: str) -> JobsOut:
    """Return what is in jobs of a space, without asking the provider."""
    found = [job for job in records.jobs(space) if job.is_out]
    return JobsOut(len(found), frozenset(digest for job in found for digest in records.job_digests(job.id)))


def before_jobs(home: IndexHome, space: str, items: Sequence[ChunkText]) -> Sequence[ChunkText]:
    """Return the passages up to the first one whose text is in a job and has no vector yet."""
    out = jobs_out(home.records(), space).digests
    waiting = [item.digest for item in items if item.digest in out]
    known = home.cache().get(space, waiting) if waiting else {}
    end = next((n for n, item in enumerate(items) if item.digest in out and item.digest not in known), len(items))
    return items[:end]


class BatchQueue:
    """The jobs of one space, and the texts of an index that have no vector in it. For the holder of its queue."""

    def __init__(self, home: IndexHome, index: Index, tools: BatchTools) -> None:
        self.home, self.tools, self.records = home, tools, home.records()
        self.space = str(tools.provider.space)
        self._index, self._maker = index, tools.provider.space.provider

    def out(self) -> list[BatchJob]:
        """Return the jobs whose texts are waited for, the oldest first."""
        return [job for job in reversed(self.records.jobs(self.space)) if job.is_out]

    def close(self, job: BatchJob, ended: Outcome, why: str) -> None:
        """Note the end of a job. Texts that a successful one did not bring stay noted: no job tries them again."""
        self.records.put_job(job._replace(state=ended, why=why, polled_at=self.tools.now()))
        if ended != "done":
            self.records.settle_texts(job.id, self.records.job_digests(job.id))
        self.records.set_batch_failures(self._maker, failures_after(self.records.batch_failures(self._maker), ended))

    @property
    def is_switched_off(self) -> bool:
        """Return whether jobs of this provider failed so often that it gets no more."""
        return self.records.batch_failures(self._maker) >= MOST_FAILURES

    def switch_off(self) -> None:
        self.records.set_batch_failures(self._maker, MOST_FAILURES)

    def may_fill_a_job(self) -> bool:
        """Return whether so many passages may be missing, without reading them."""
        in_jobs = sum(job.texts for job in self.out())
        return self._index.count_after(settled(self._index, self.space)) - in_jobs >= self.tools.rules.least_texts

    def missing(self) -> Iterator[MissingText]:
        """Yield the texts without a vector that no job has, or had in vain, in the order of the passages."""
        in_jobs = {digest for job in self.records.jobs(self.space) for digest in self.records.job_digests(job.id)}
        for items in self._unsettled():
            digests = [item.digest for item in items]
            known = self.home.cache().get(self.space, digests).keys() | in_jobs
            known |= self.records.rejected(self.space, digests).keys()
            for item in items:
                text = None if item.digest in known else self.tools.text_for(item)
                if text is not None:
                    yield MissingText(item.digest, len(text.encode()), estimated_tokens(text))

    def texts_of(self, job: BatchJob) -> dict[str, str]:
        """Return the texts of a job that are still there, in its order; the others leave it."""
        digests = self.records.job_digests(job.id)
        wanted = set(digests)
        found: dict[str, str] = {}
        for items in self._unsettled():
            for item in items:
                text = self.tools.text_for(item) if item.digest in wanted else None
                if text is not None:
                    found[item.digest] = text
            if len(found) == len(wanted):
                break
        if gone := [digest for digest in digests if digest not in found]:
            self.records.settle_texts(job.id, gone)
        return {digest: found[digest] for digest in digests if digest in found}

    def _unsettled(self) -> Iterator[list[ChunkText]]:
        after = settled(self._index, self.space)
        while items := self._index.texts_after(after, _PAGE):
            yield items
            after = items[-1].chunk

"""A provider of batch jobs in memory: it counts what is paid for, fails as it is told, and kills who asks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoro.errors import ProviderError
from memoro.providers.batch.ports import BatchResult, RemoteJob, RemoteState
from memoro.providers.cached import digest
from memoro.testing import HashEmbedder


class Killed(BaseException):
    """The process was killed."""


class OrderedJob(NamedTuple):
    """A job as the provider has it."""

    id: str
    name: str
    texts: Mapping[str, str]
    state: RemoteState = "running"


class MemoryBatches:
    """The vectors are those of a `HashEmbedder`, which sees every text that is paid for."""

    def __init__(self, embedder: HashEmbedder) -> None:
        self.space, self._embedder = embedder.space, embedder
        self.jobs: dict[str, OrderedJob] = {}  # by the provider's id
        self.files: dict[str, str] = {}  # input files, and whose job they are
        self.paid: list[str] = []  # digests
        self.failing: ProviderError | None = None  # raised by whatever is asked
        self.ending: RemoteState = "completed"  # of each job, once it is asked about
        self.without: set[str] = set()  # digests that get no result
        self.calls: list[str] = []
        self.kill_at: int | None = None  # of all steps: before and after each call has its effect
        self.steps = 0

    def upload(self, job: str, texts: Mapping[str, str]) -> str | None:
        self.step("upload")
        file = f"file-{len(self.calls)}"
        self.files[file] = job
        assert texts
        self.step()
        return file

    def create(self, job: str, texts: Mapping[str, str], input_file: str | None) -> RemoteJob:
        self.step("create")
        assert input_file is None or self.files[input_file] == job
        ordered = OrderedJob(f"remote-{len(self.jobs)}", job, dict(texts))
        self.jobs[ordered.id] = ordered
        self.paid += texts
        self.step()
        return self._remote(ordered)

    def find(self, job: str) -> RemoteJob | None:
        self.step("find")
        return next((self._remote(one) for one in self.jobs.values() if one.name == job), None)

    def poll(self, remote_id: str) -> RemoteJob:
        self.step("poll")
        if remote_id not in self.jobs:
            return RemoteJob(remote_id, "gone")
        if self.jobs[remote_id].state == "running":
            self.set(remote_id, self.ending)
        self.step()
        return self._remote(self.jobs[remote_id])

    def results(self, remote: RemoteJob, digests: Sequence[str]) -> Iterator[BatchResult]:
        self.step("results")
        texts = self.jobs[remote.id].texts if remote.id in self.jobs else {}
        for key in sorted(set(digests) & texts.keys() - self.without):
            self.step()
            yield BatchResult(key, self._embedder.embed([texts[key]], "document")[0])

    def cancel(self, remote_id: str) -> None:
        self.step("cancel")
        self.set(remote_id, "cancelled")
        self.step()

    def discard(self, job: str, remote: RemoteJob | None) -> None:
        self.calls.append("discard")
        self.step()
        self.files = {name: of for name, of in self.files.items() if of != job}
        if remote is not None:
            self.jobs.pop(remote.id, None)
        self.step()

    def set(self, remote_id: str, state: RemoteState) -> None:
        self.jobs[remote_id] = self.jobs[remote_id]._replace(state=state)

    def _remote(self, one: OrderedJob) -> RemoteJob:
        done = len(one.texts) if one.state == "completed" else 0
        return RemoteJob(one.id, one.state, total=len(one.texts), done=done)

    def step(self, call: str = "") -> None:
        if call:
            self.calls.append(call)
            if self.failing is not None:
                raise self.failing
        self.steps += 1
        if self.steps == self.kill_at:
            raise Killed


def digests(texts: Sequence[str]) -> list[str]:
    return [digest(text) for text in texts]

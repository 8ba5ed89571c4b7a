"""The port of a provider's batch jobs, and the values that it speaks in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from memoro.providers.ports import Space

if TYPE_CHECKING:
    from memoro.providers.metering import Meter
    from memoro.providers.ports import Vectors

# "cancelling": its end is near. "gone": the provider knows no such job any more. From "completed" on nothing changes.
RemoteState = Literal["running", "cancelling", "completed", "failed", "expired", "cancelled", "gone"]


class RemoteJob(NamedTuple):
    """A batch job as its provider sees it."""

    id: str
    state: RemoteState
    total: int = 0  # texts that the provider has counted; 0 before it has read them
    done: int = 0
    failed: int = 0
    files: tuple[str, ...] = ()  # where its results are, by the provider's names
    why: str = ""  # it failed


class BatchResult(NamedTuple):
    """What a job returned for one text: its vector, of length one, or why it has none."""

    digest: str
    vector: Vectors | None
    why: str = ""


class BatchProvider(Protocol):
    """A provider that takes batch jobs. A text is known by its digest, a job by the id that we gave it.

    Everything raises `ProviderUnavailable` where trying again may work, and `ProviderRejected` where it will not.
    """

    @property
    def space(self) -> Space: ...

    def upload(self, job: str, texts: Mapping[str, str]) -> str | None:
        """Send the texts as a file, which costs nothing yet; return its name at the provider.

        None: the job needs no file, and `create` sends its texts.
        """

    def create(self, job: str, texts: Mapping[str, str], input_file: str | None) -> RemoteJob:
        """Order the job. From here on it costs money.

        Raises `BatchesUnavailable` where the provider, or this model, takes no batch jobs.
        """

    def find(self, job: str) -> RemoteJob | None:
        """Return the job that the provider has under our id, should its answer have been lost."""

    def poll(self, remote_id: str) -> RemoteJob:
        """Return how far a job is; with the state "gone" where the provider does not know it."""

    def results(self, remote: RemoteJob, digests: Sequence[str]) -> Iterator[BatchResult]:
        """Yield what a job returned, each of the given texts at most once, in any order.

        `digests`: all texts of the job, in the order in which they were sent. Results of other texts are left out;
        a text without any result is not yielded.
        """

    def cancel(self, remote_id: str) -> None:
        """Ask for the end of a job. What is done by then can still be read."""

    def discard(self, job: str, remote: RemoteJob | None) -> None:
        """Delete the texts and the results of a job at the provider, as far as that works. Raises no `ProviderError`.

        Input files are found by our id: their names may never have arrived here.
        """


class Batches(NamedTuple):
    """The batch jobs of an embedder's provider, and what counts their costs."""

    provider: BatchProvider
    meter: Meter

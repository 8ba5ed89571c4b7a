"""The records of a home about its providers: costs, consent, limits of servers, batch jobs, calibration.

None of it is in the index, which can be deleted: to lose it would mean to pay twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from memoro.providers.ports import EmbedderInfo

# Why a provider was called. The last four are what a language model is asked for (`LanguagePurpose`).
Purpose = Literal["index", "search", "calibration", "test", "doctor", "extract", "judge", "review", "summary"]

# "submitting": its id may not have arrived yet. "open": submitted. The other three are the ends of a job.
JobState = Literal["submitting", "open", "done", "failed", "cancelled"]


ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")
# Stands for what a server said about a failure, once a text was forgotten that it may have quoted.
ERASED_REASON = "What it said was erased together with a forgotten text."


class UsageRow(NamedTuple):
    """What one model was used for: in one request as it is counted, and on a whole day as it is shown."""

    day: str  # the owner's own day, as YYYY-MM-DD
    provider: str
    model: str
    purpose: Purpose
    is_batch: bool = False
    requests: int = 0
    texts: int = 0  # that were sent
    tokens_in: int = 0  # as the provider said, else estimated
    tokens_out: int = 0  # that a language model wrote
    dollars: float = 0.0  # of the tokens whose price is known
    unpriced: int = 0  # tokens whose price nobody knows
    cached: int = 0  # texts that the cache answered, and that cost nothing


class ServerFacts(NamedTuple):
    """What a server has taught us about one of its models. None: not known yet."""

    dimensions: int | None = None  # the width of its vectors, where nobody asks for another
    most_texts: int | None = None  # how many texts it takes at once
    most_tokens: int | None = None  # how many tokens it takes at once
    served_model: str | None = None  # how the server names the model in its answers
    takes_dimensions: bool | None = None  # whether it understands a wish for another width
    is_truncating: bool | None = None  # whether it cuts long texts without saying so
    schema_way: str | None = None  # of a language model: how it takes the schema of its answer (`SchemaWay`)
    takes_temperature: bool | None = None
    tokens_field: str | None = None  # how it names the most tokens of an answer (`TokensField`)


class BreakerState(NamedTuple):
    """Whether a provider is left alone for a while, because it failed."""

    failures: int = 0  # in a row
    open_until: float = 0.0  # seconds since 1970; before it nothing is sent
    why: str = ""  # the last failure, as a sentence


class BatchJob(NamedTuple):
    """One batch job at a provider."""

    id: str  # our own name for it, which the provider keeps too: a job whose answer was lost is found by it
    space: str
    state: JobState
    created_at: float  # seconds since 1970
    texts: int
    tokens: int
    remote_id: str | None = None  # the provider's name for it
    input_file: str | None = None  # the provider's name for the file of its texts
    polled_at: float = 0.0
    why: str = ""  # it failed, or was cancelled

    @property
    def is_out(self) -> bool:
        """Return whether its texts are waited for."""
        return self.state in ("submitting", "open")


class Agreement(NamedTuple):
    """The owner's yes to the price of a space: so much may still be spent on filling it."""

    at: str
    dollars: float | None  # None: the owner agreed without a known price


class ProviderRecords(Protocol):
    """Kept durably in the home; several processes use it at once. Every store passes one contract suite."""

    def count(self, row: UsageRow, space: str | None = None) -> None:
        """Add this to what its day has. With `space`, its price comes off what may be spent on filling that space."""

    def usage(self, since: str = "") -> list[UsageRow]:
        """Return what was used from this day on, by day, provider, model, purpose, and whether by batch jobs."""

    def spent(self, day: str) -> float:
        """Return how many dollars a day has cost so far."""

    def agreement(self, space: str) -> Agreement | None: ...

    def agree(self, space: str, agreement: Agreement | None) -> None:
        """Keep the owner's yes to filling this space; None takes it back."""

    def facts(self, server: str) -> ServerFacts:
        """Return what is known of a model at a server, by `server_name`; all None where nothing is."""

    def learn(self, server: str, facts: ServerFacts) -> None:
        """Keep what is known now. A field that is None leaves what was known before."""

    def forget_facts(self, server: str) -> None:
        """Forget what a server taught about one of its models: another model may answer under its name."""

    def breaker(self, host: str) -> BreakerState: ...

    def set_breaker(self, host: str, state: BreakerState) -> None: ...

    def rejected(self, space: str, digests: Sequence[str]) -> dict[str, str]:
        """Return those of these texts that the provider cannot embed, with the reason."""

    def reject(self, space: str, reasons: Mapping[str, str]) -> None:
        """Keep, by digest, why texts cannot be embedded, so that nobody sends them again."""

    def rejected_count(self, space: str) -> int: ...

    def retry_rejected(self, space: str) -> None:
        """Forget that texts were rejected: the next sync sends them once more."""

    def suspicion(self, space: str) -> str | None:
        """Return why the vectors of a space are not to be trusted: its model has changed. None: they are."""

    def suspect(self, space: str, why: str | None) -> None: ...

    def jobs(self, space: str | None = None) -> list[BatchJob]:
        """Return the batch jobs, of one space or all, the newest first."""

    def put_job(self, job: BatchJob, digests: Sequence[str] | None = None) -> None:
        """Keep a job, durably before the next request is sent; `digests` are its texts, given once."""

    def job_digests(self, job: str) -> list[str]:
        """Return the texts of a job that are still waited for, in the order in which they were given."""

    def settle_texts(self, job: str, digests: Sequence[str]) -> None:
        """These texts of a job have their vector or their rejection now."""

    def batch_failures(self, provider: str) -> int:
        """Return how many batch jobs of a provider have failed in a row."""

    def set_batch_failures(self, provider: str, failures: int) -> None: ...

    def calibration(self, space: str) -> str | None:
        """Return how the cosines of a space were measured to be read, as JSON."""

    def put_calibration(self, space: str, document: str | None) -> None: ...

    def begun_calibration(self, space: str) -> str | None:
        """Return what a calibration that has not come to its end has so far, as JSON."""

    def put_begun_calibration(self, space: str, document: str | None) -> None: ...

    def forget(self, digests: Sequence[str]) -> None:
        """Leave no trace of these texts: in jobs, in rejections, in what servers said, which may quote them, and in
        calibrations that have begun, whose queries are lines of texts.
        """

    def drop_space(self, space: str) -> None:
        """Forget rejections, suspicion, calibration and agreement of a space. Usage and jobs stay."""

    def lost_at(self) -> str | None:
        """Return when the records were last found damaged and begun anew; None if they never were."""

    def close(self) -> None: ...


def lacks_agreement(records: ProviderRecords, info: EmbedderInfo, space: str) -> bool:
    """Return whether a model costs money and its owner never agreed to that: then nothing at all is sent to it.

    So it is where a price was set after a space was filled for nothing.
    """
    return info.costs_money and records.agreement(space) is None


def server_name(url: str, model: str) -> str:
    """Return the name by which facts about a model at a server are kept."""
    return f"{url.rstrip('/')} {model}"

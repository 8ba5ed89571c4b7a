"""Which texts go into which batch jobs, and what to do about a job that is out. Pure: the time is an argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from memoro.config.settings import BatchSettings
    from memoro.providers.batch.ports import RemoteJob
    from memoro.providers.records import BatchJob

LEAST_TEXTS = 1_000  # fewer come quicker by plain requests, and cost too little to wait for
MOST_TEXTS = 10_000  # in one job: the results of a job are lost together, if they are
MOST_BYTES = 50_000_000  # of the texts of one job; OpenAI takes files of 200 MB
MOST_TOKENS = (
    2_800_000  # in all jobs that are out at once: OpenAI's lowest tier of customers may have 3 million queued
)
MOST_FAILURES = 2  # in a row, after which a provider gets no more jobs
SLOWEST_POLL_SECONDS = 300.0
_SHORTEST_PAUSE = 0.5  # seconds: an interrupted submission is tried again
CANCELLING_SECONDS = 1200.0  # a cancelled job that has not ended by then is given up; OpenAI allows itself 10 minutes

# "wait": ask again later. "collect": take its results and close it. "abandon": close it without.
Step = Literal["wait", "cancel", "collect", "abandon"]
Outcome = Literal["done", "failed", "cancelled"]


class BatchRules(NamedTuple):
    """The settings of batch jobs, in seconds."""

    enabled: bool = True
    concurrency: int = 2
    poll_seconds: float = 60.0
    timeout_seconds: float = 3600.0
    wait: bool = False
    least_texts: int = LEAST_TEXTS
    most_texts: int = MOST_TEXTS

    @property
    def most_tokens(self) -> int:
        """Of one job."""
        return MOST_TOKENS // max(1, self.concurrency)


def batch_rules(settings: BatchSettings, *, may_wait: bool) -> BatchRules:
    """Return the rules that the settings say. Only who `may_wait` waits for jobs."""
    return BatchRules(
        enabled=settings.enabled,
        concurrency=settings.concurrency,
        poll_seconds=settings.poll_seconds,
        timeout_seconds=60 * settings.timeout_minutes,
        wait=settings.wait and may_wait,
        least_texts=LEAST_TEXTS,
    )


class MissingText(NamedTuple):
    """A text that has no vector yet."""

    digest: str
    bytes: int
    tokens: int


def plan_jobs(missing: Iterable[MissingText], rules: BatchRules, *, open_jobs: int) -> list[list[MissingText]]:
    """Return the texts of each job that is to be submitted now, in the order of the queue.

    A job has at least `least_texts`, unless its texts are so long that it is full before. Texts that are left over,
    and a text that is too long for any job, are sent by plain requests once no job is due for them.
    """
    jobs: list[list[MissingText]] = []
    slots = rules.concurrency - open_jobs if rules.enabled else 0
    taking: list[MissingText] = []
    size = tokens = 0
    for text in _distinct(missing):
        if len(jobs) >= slots:
            return jobs
        if text.bytes > MOST_BYTES or text.tokens > rules.most_tokens:
            continue
        is_over = size + text.bytes > MOST_BYTES or tokens + text.tokens > rules.most_tokens
        if taking and (is_over or len(taking) >= rules.most_texts):
            jobs.append(taking)
            taking, size, tokens = [], 0, 0
        taking.append(text)
        size, tokens = size + text.bytes, tokens + text.tokens
    if len(taking) >= rules.least_texts and len(jobs) < slots:
        jobs.append(taking)
    return jobs


def _distinct(missing: Iterable[MissingText]) -> Iterable[MissingText]:
    seen: set[str] = set()
    for text in missing:
        if text.digest not in seen:
            seen.add(text.digest)
            yield text


def poll_interval(job: BatchJob, rules: BatchRules, now: float) -> float:
    """Return how many seconds lie between two questions about a job: a tenth of its age, within bounds."""
    slowest = max(SLOWEST_POLL_SECONDS, rules.poll_seconds)
    return min(slowest, max(rules.poll_seconds, (now - job.created_at) / 10))


def is_due(job: BatchJob, rules: BatchRules, now: float) -> bool:
    """Return whether it is time to ask about a job. A time in the future is from a clock that was set back."""
    return job.state == "submitting" or not 0 <= now - job.polled_at < poll_interval(job, rules, now)


def seconds_until_due(jobs: Sequence[BatchJob], rules: BatchRules, now: float) -> float | None:
    """Return how long nothing has to be asked; None where no job is out."""
    ends = [job.polled_at + poll_interval(job, rules, now) for job in jobs if job.is_out]
    return min((min(max(_SHORTEST_PAUSE, end - now), SLOWEST_POLL_SECONDS) for end in ends), default=None)


def next_step(job: BatchJob, remote: RemoteJob, rules: BatchRules, now: float) -> Step:
    """Return what to do about a job of which the provider says this."""
    age = now - job.created_at
    if remote.state not in ("running", "cancelling"):
        return "collect"
    if age > rules.timeout_seconds + CANCELLING_SECONDS:
        return "abandon"
    return "cancel" if age > rules.timeout_seconds and remote.state == "running" else "wait"


def outcome(remote: RemoteJob, *, arrived: int, is_late: bool) -> Outcome:
    """Return how a job has ended. `arrived`: how many of its texts have their vector now.

    A job that expired, was cancelled because it took too long (`is_late`), or brought nothing has failed. One that
    its owner cancelled has not.
    """
    match remote.state:
        case "completed" | "gone":
            return "done" if arrived else "failed"
        case "cancelled":
            return "failed" if is_late else "cancelled"
        case _:
            return "failed"


def failures_after(before: int, ended: Outcome) -> int:
    """Return how many jobs have failed in a row, once another has ended."""
    return {"done": 0, "failed": before + 1, "cancelled": before}[ended]

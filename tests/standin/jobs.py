"""Batch jobs and files as the stand-in keeps them, whichever provider's shape they are asked for in."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from tests.standin.embeddings import Embedding, Models, Spoiling
from tests.standin.faults import FINE, Faults, Row, draw
from tests.standin.messages import Answer, Refused
from tests.standin.records import Payment, Records

JobEnd = Literal["completed", "failed", "expired", "cancelled"]


class JobScript(NamedTuple):
    """How the jobs go that are created from now on."""

    polls: int = 2  # how often a job is seen unfinished
    end: JobEnd = "completed"
    share: float = 1.0  # of the lines that are done when a job expires or is cancelled
    faults: Faults = (
        FINE  # of its lines, each drawn by its place. "dropped": no output; "500": an error; vector faults
    )
    is_shuffled: bool = True  # the output has another order than the input


class Line(NamedTuple):
    """One line of a job's input. `asked` is None where it cannot be read; `why` then says so."""

    key: str
    asked: Embedding | None
    why: Answer | None = None


class Outcome(NamedTuple):
    """What became of a line: vectors, an error, or neither where the job ended before it."""

    line: Line
    rows: tuple[Row, ...] = ()
    error: Answer | None = None
    is_cut_off: bool = False  # its JSON ends in the middle

    @property
    def is_done(self) -> bool:
        return bool(self.rows)

    @property
    def arriving(self) -> tuple[str, ...]:
        return () if self.is_cut_off else tuple(row.text for row in self.rows if row.is_right)


class StoredFile(NamedTuple):
    id: str
    name: str
    content: bytes
    created_at: float
    arriving: tuple[str, ...] = ()  # texts whose vectors are in it


class Files:
    """The files of a provider, by their ids."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._alone = threading.Lock()
        self._files: dict[str, StoredFile] = {}
        self._count = 0

    def add(self, name: str, content: bytes, arriving: tuple[str, ...] = ()) -> StoredFile:
        with self._alone:
            self._count += 1
            file = StoredFile(
                id=f"{self._prefix}{self._count:06}",
                name=name,
                content=content,
                created_at=time.time(),
                arriving=arriving,
            )
            self._files[file.id] = file
            return file

    def get(self, file: str) -> StoredFile | None:
        with self._alone:
            return self._files.get(file)

    def delete(self, file: str) -> bool:
        with self._alone:
            return self._files.pop(file, None) is not None

    def all(self) -> list[StoredFile]:
        """Return all files, the newest first."""
        with self._alone:
            return list(self._files.values())[::-1]


class Job:
    """One batch job."""

    def __init__(self, job: str, lines: Sequence[Line], script: JobScript) -> None:
        self.id = job
        self.lines = tuple(lines)
        self.script = script
        self.created_at = time.time()
        self.polls = 0
        self.outcomes: tuple[Outcome, ...] = ()
        self.cancelled = False
        self.output: StoredFile | None = None
        self.errors: StoredFile | None = None
        self.is_written = False  # its files are there

    @property
    def end(self) -> JobEnd | None:
        """How it ended; None while it runs."""
        if self.cancelled:
            return "cancelled"
        return self.script.end if self.polls > self.script.polls else None

    @property
    def done(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.is_done)

    @property
    def failed(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if outcome.error is not None)


class Jobs:
    """The batch jobs of a provider, by their ids."""

    def __init__(self, prefix: str, models: Models, records: Records) -> None:
        self.script = JobScript()
        self.alone = threading.RLock()  # held while a job is read and changed
        self._prefix = prefix
        self._models = models
        self._records = records
        self._jobs: dict[str, Job] = {}
        self._count = 0

    def create(self, lines: Sequence[Line], number: int, *, is_valid: bool = True) -> Job:
        """Start a job. What it will embed is paid for from now on, whether somebody reads it or not."""
        with self.alone:
            self._count += 1
            script = self.script if is_valid else JobScript(polls=0, end="failed")
            job = Job(f"{self._prefix}{self._count:06}", lines, script)
            self._jobs[job.id] = job
            if script.end != "failed":
                job.outcomes = self._outcomes(job, script.share if script.end != "completed" else 1.0)
            self._records.pay(Payment(text=text, number=number, job=job.id) for text in _paid(job.outcomes))
            return job

    def get(self, job: str) -> Job | None:
        with self.alone:
            return self._jobs.get(job)

    def all(self) -> list[Job]:
        """Return all jobs, the newest first."""
        with self.alone:
            return list(self._jobs.values())[::-1]

    def delete(self, job: str) -> bool:
        with self.alone:
            return self._jobs.pop(job, None) is not None

    def cancel(self, job: Job) -> bool:
        """End a job with a part of its output; return False where it had ended."""
        with self.alone:
            if job.end is not None:
                return False
            job.cancelled = True
            kept = job.outcomes[: int(len(job.outcomes) * min(job.script.share, 0.5))]
            self._records.refund(job.id, _paid(job.outcomes[len(kept) :]))
            job.outcomes = kept
            return True

    def _outcomes(self, job: Job, share: float) -> tuple[Outcome, ...]:
        done = job.lines[: round(len(job.lines) * share)]
        outcomes = [self._outcome(line, place, job.script.faults) for place, line in enumerate(done)]
        return tuple(outcome for outcome in outcomes if outcome is not None)

    def _outcome(self, line: Line, place: int, faults: Faults) -> Outcome | None:
        fault = draw(faults, 0, place)
        if line.asked is None:
            return Outcome(line, error=line.why)
        if fault == "dropped":
            return None
        if fault == "500":
            return Outcome(line, error=Answer(500, {"error": {"code": 500, "message": "Internal error."}}))
        spoiling = Spoiling(fault, random.Random(place))
        try:
            rows = tuple(self._models.rows(line.asked, spoiling))
        except Refused as refused:
            return Outcome(line, error=refused.answer)
        return Outcome(line, rows, is_cut_off=fault == "cut off")


def _paid(outcomes: Sequence[Outcome]) -> list[str]:
    return [
        text for outcome in outcomes if outcome.line.asked and not outcome.error for text in outcome.line.asked.texts
    ]


def write(job: Job, outcomes: Sequence[Outcome], line_of: Callable[[Outcome], bytes]) -> bytes:
    """Return the lines of a result file, in an order of its own."""
    chosen = list(outcomes)
    if job.script.is_shuffled:
        random.Random(job.id).shuffle(chosen)
    return b"".join(_cut(line_of(outcome), outcome.is_cut_off) for outcome in chosen)


def _cut(line: bytes, is_cut_off: bool) -> bytes:
    return line[: len(line) // 2] + b"\n" if is_cut_off else line


def arriving(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    return tuple(text for outcome in outcomes for text in outcome.arriving)

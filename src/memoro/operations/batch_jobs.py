"""Batch jobs at providers: what is out, and the owner's decisions about it."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import Caller, NoArguments, Operation

if TYPE_CHECKING:
    from memoro.index.batch_control import JobList, Resumed, ShownJob
    from memoro.workspace import Workspace


class ListJobs(NamedTuple):
    all: Annotated[bool, Field("List ended ones too.")] = False


def jobs(m: "Workspace", request: ListJobs, _caller: Caller) -> "JobList":
    return m.batch_jobs.jobs(all_jobs=request.all)


class CancelJob(NamedTuple):
    job: Annotated[
        str, Field("The job, as `memoro provider jobs` shows it, or how its name begins.", positional=True)
    ]


def cancel(m: "Workspace", request: CancelJob, _caller: Caller) -> "ShownJob":
    return m.batch_jobs.cancel(request.job)


def resume(m: "Workspace", _request: NoArguments, _caller: Caller) -> "Resumed":
    return m.batch_jobs.resume()


JOBS = Operation(
    name="provider jobs",
    request=ListJobs,
    call=jobs,
    access="read",
    summary="List the batch jobs that are running.",
    help="Batch jobs embed large indexes at half the price. `memoro sync` submits them and collects their "
    "results. Until all are complete, searches use the built-in model.",
)
CANCEL = Operation(
    name="provider cancel",
    request=CancelJob,
    call=cancel,
    access="admin",
    summary="Cancel one batch job at its provider.",
    help="The next sync keeps the vectors that the job has finished, and embeds the rest. To use no batch jobs "
    "at all, set `embedding.batch.enabled` to false.",
)
RESUME = Operation(
    name="provider resume",
    request=NoArguments,
    call=resume,
    access="admin",
    summary="Retry batch jobs, servers and texts that Memoro gave up on.",
    help="Memoro stops using batch jobs after two failures in a row, pauses a provider after failures, and never "
    "resends a rejected text. This command lifts all three.",
    is_repeatable=True,
)
OPERATIONS = (JOBS, CANCEL, RESUME)

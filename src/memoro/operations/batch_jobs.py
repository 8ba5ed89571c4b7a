"""Batch jobs at providers: what is out, and the owner's decisions about it."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import Caller, NoArguments, Operation

if TYPE_CHECKING:
    from memoro.index.batch_control import JobList, Resumed, ShownJob
    from memoro.workspace import Workspace


class ListJobs(NamedTuple):
    all: Annotated[bool, Field("Also those that have ended.")] = False


def jobs(m: "Workspace", request: ListJobs, _caller: Caller) -> "JobList":
    return m.batch_jobs.jobs(all_jobs=request.all)


class CancelJob(NamedTuple):
    job: Annotated[str, Field("The job, as `provider jobs` names it, or how its name begins.", positional=True)]


def cancel(m: "Workspace", request: CancelJob, _caller: Caller) -> "ShownJob":
    return m.batch_jobs.cancel(request.job)


def resume(m: "Workspace", _request: NoArguments, _caller: Caller) -> "Resumed":
    return m.batch_jobs.resume()


JOBS = Operation(
    name="provider jobs",
    request=ListJobs,
    call=jobs,
    access="read",
    summary="List the batch jobs that are out.",
    help="Large indexes are embedded by batch jobs, for half the price. `memoro sync` submits them and takes their "
    "results. Until all have come, searches use the built-in model.",
)
CANCEL = Operation(
    name="provider cancel",
    request=CancelJob,
    call=cancel,
    access="admin",
    summary="Ask a provider to end a batch job.",
    help="The next sync keeps what the job has done by then, and embeds the rest. To use no batch jobs at all, set "
    "`embedding.batch.enabled` to false.",
)
RESUME = Operation(
    name="provider resume",
    request=NoArguments,
    call=resume,
    access="admin",
    summary="Try again what was given up after failures.",
    help="Memoro gives up batch jobs after two failures in a row, leaves a provider alone for a while after it "
    "failed, and does not send a text again that the provider rejected. This ends all three.",
    is_repeatable=True,
)
OPERATIONS = (JOBS, CANCEL, RESUME)

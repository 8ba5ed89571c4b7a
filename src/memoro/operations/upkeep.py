"""The state of a home: sync, status and checks."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.errors import MemoroError, Refused
from memoro.model.vocabulary import PERSON
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, NoArguments, Operation, Tool

if TYPE_CHECKING:
    from memoro.curate.reviewing.digest import ProposalDigest
    from memoro.health import Check, Status
    from memoro.index.report import Report
    from memoro.model.vocabulary import ProjectOrigin
    from memoro.workspace import Workspace


class SyncIndex(NamedTuple):
    force: Annotated[bool, Field("Rebuild the whole index, beside the old one.")] = False
    accept_deletions: Annotated[
        bool, Field("Confirm that many notes are gone on purpose, or that this is another vault.")
    ] = False
    yes: Annotated[
        bool,
        Field(
            "Agree without being asked to the price of a model on another server, or to a download.",
            flags=("-y", "--yes"),
        ),
    ] = False


def sync(m: "Workspace", request: SyncIndex, caller: Caller) -> "Report":
    if request.yes and caller.source != PERSON:
        raise Refused("Only a person can agree to what a model costs. Ask the user to run `memoro sync`.")
    return m.sync(
        force=request.force,
        accept_deletions=request.accept_deletions,
        agrees=request.yes,
        progress=caller.progress,
        filling=caller.filling,
        downloading=caller.downloading,
    )


class StatusResult(NamedTuple):
    status: "Status"
    proposals: "ProposalDigest"  # that wait for a person
    project: str | None = None  # of a session that would begin here
    project_by: "ProjectOrigin | None" = None  # what says so
    feedback: int = 0  # answers that were marked as wrong or good, and are not archived


def status(m: "Workspace", _request: NoArguments, caller: Caller) -> StatusResult:
    found, named = m.status(), m.home_context.runtime.project
    here = m.home_context.project_of(caller.folder) if caller.folder and named is None else None
    project = named or (here.name if here else None)
    by = m.home_context.project_origin(project) if project else None
    return StatusResult(status=found, proposals=_waiting(m), project=project, project_by=by, feedback=_marked(m))


def _waiting(m: "Workspace") -> "ProposalDigest":
    """Count the proposals that wait for a person; none where the ledger cannot be read: `status` says so itself."""
    from memoro.curate.reviewing.digest import ProposalDigest, digest

    with suppress(MemoroError):
        return digest(m.proposals.all()) if m.has_ledger() else ProposalDigest()
    return ProposalDigest()


def _marked(m: "Workspace") -> int:
    """Count the entries of the files of feedback; none where there is no vault to read."""
    from memoro.model.feedback import parse
    from memoro.model.feedback_places import FILES

    count = 0
    for path in FILES.values():
        with suppress(MemoroError):
            count += len(parse(m.vault().read(path).data.decode("utf-8", "replace")))
    return count


def _status(found: StatusResult) -> documents.Document:
    waiting = found.proposals
    about = {
        "project": found.project,
        "project_by": found.project_by,
        "proposals": waiting.waiting,
        "proposal_kinds": dict(waiting.kinds),
        "oldest_proposal": waiting.oldest,
        "feedback": found.feedback,
    }
    return {**documents.status(found.status), **about}


class Doctor(NamedTuple):
    deep: Annotated[bool, Field("Also read the whole ledger and every backup.")] = False
    selftest: Annotated[bool, Field("Also sync and search the sample vault.")] = False


class Checks(NamedTuple):
    checks: "tuple[Check, ...]"


def doctor(m: "Workspace", request: Doctor, caller: Caller) -> Checks:
    from datetime import datetime

    from memoro.connect.checkup import check_record
    from memoro.connect.checkup import checkup as check_connections
    from memoro.hooks.checkup import checkup

    checks = [*m.doctor(deep=request.deep), *checkup(m.home, now=datetime.now())]
    checks += check_connections(m.environment, caller.folder or m.home, warnings=m.settings.recall.warnings)
    checks += check_record(m.home)
    if request.selftest:
        from memoro import demo

        checks += demo.selftest()
    return Checks(tuple(checks))


def _checks(found: Checks) -> documents.Document:
    return documents.checks(found.checks)


SYNC = Operation(
    name="sync",
    request=SyncIndex,
    call=sync,
    encode=documents.report,
    access="write",
    is_repeatable=True,
    changes_nothing_remembered=True,
    completes_sessions=True,
)
STATUS = Operation(
    name="status",
    request=NoArguments,
    call=status,
    encode=_status,
    access="read",
    tool=Tool(
        title="State of the memory",
        about="Show what is indexed and stored, what waits for the user's decision, and what is wrong.",
        profile="full",
    ),
)
DOCTOR = Operation(name="doctor", request=Doctor, call=doctor, encode=_checks, access="read")
OPERATIONS = (SYNC, STATUS, DOCTOR)

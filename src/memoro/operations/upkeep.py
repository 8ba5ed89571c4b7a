"""The state of a home: sync, status, checks and settings."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.errors import MemoroError
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, CallerOption, NoArguments, Operation, Tool

if TYPE_CHECKING:
    from memoro.config import Setting
    from memoro.health import Check, Status
    from memoro.index.report import Report
    from memoro.workspace import Workspace


class SyncIndex(NamedTuple):
    force: Annotated[bool, Field("Build the whole index anew, beside the old one.")] = False
    accept_deletions: Annotated[
        bool, Field("It is right that many notes are gone, or that this is another vault.")
    ] = False


def sync(m: "Workspace", request: SyncIndex, caller: Caller) -> "Report":
    return m.sync(force=request.force, accept_deletions=request.accept_deletions, progress=caller.progress)


class GetStatus(NamedTuple):
    proposals: Annotated[bool, Field("Count the proposals that wait, too.", internal=True)] = False


class StatusResult(NamedTuple):
    status: "Status"
    proposals: int | None = None  # how many wait for a person; None: not asked for


def status(m: "Workspace", request: GetStatus, _caller: Caller) -> StatusResult:
    found = m.status()
    return StatusResult(found, _waiting(m) if request.proposals else None)


def _waiting(m: "Workspace") -> int:
    """Count the proposals that wait for a person; none where there is no vault to write to."""
    with suppress(MemoroError):
        return len(m.entries.proposals())
    return 0


def _status(found: StatusResult) -> documents.Document:
    document = documents.status(found.status)
    return document if found.proposals is None else {**document, "proposals": found.proposals}


class Doctor(NamedTuple):
    deep: Annotated[bool, Field("Also read the whole ledger and every backup.")] = False
    selftest: Annotated[bool, Field("Also sync and search the sample vault.")] = False


class Checks(NamedTuple):
    checks: "tuple[Check, ...]"


def doctor(m: "Workspace", request: Doctor, _caller: Caller) -> Checks:
    from datetime import datetime

    from memoro.hooks.checkup import checkup

    checks = [*m.doctor(deep=request.deep), *checkup(m.home, now=datetime.now())]
    if request.selftest:
        from memoro import demo

        checks += demo.selftest()
    return Checks(tuple(checks))


def _checks(found: Checks) -> documents.Document:
    return documents.checks(found.checks)


class SettingList(NamedTuple):
    settings: "tuple[Setting, ...]"


def config_show(m: "Workspace", _request: NoArguments, _caller: Caller) -> SettingList:
    """The settings of the workspace, which the surface opened for the agent and project of the caller."""
    return SettingList(tuple(m.origins))


SYNC = Operation(
    name="sync",
    request=SyncIndex,
    call=sync,
    encode=documents.report,
    access="write",
    is_repeatable=True,
    changes_nothing_remembered=True,
)
STATUS = Operation(
    name="status",
    request=GetStatus,
    call=status,
    encode=_status,
    access="read",
    tool=Tool(
        title="State of the memory",
        about="What is indexed and stored, what waits for the user's decision, and what is wrong.",
        profile="full",
        fixed=(("proposals", True),),
    ),
)
DOCTOR = Operation(name="doctor", request=Doctor, call=doctor, encode=_checks, access="read")
CONFIG_SHOW = Operation(
    name="config show",
    request=NoArguments,
    call=config_show,
    access="read",
    summary="List every key, its value, and where the value came from.",
    options=(
        CallerOption(name="agent", flag="--agent", metavar="NAME", help="As this agent sees them ([agents.NAME])."),
        CallerOption(
            name="project", flag="--project", metavar="NAME", help="As this project sees them ([projects.NAME])."
        ),
    ),
)
OPERATIONS = (SYNC, STATUS, DOCTOR, CONFIG_SHOW)

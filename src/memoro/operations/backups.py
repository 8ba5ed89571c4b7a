"""Copies of the ledger."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.errors import NeedsConsent
from memoro.model.vocabulary import StorePart
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, NoArguments, Operation

if TYPE_CHECKING:
    from memoro.ledger.backups import Backup
    from memoro.workspace import Workspace


class BackupList(NamedTuple):
    backups: "tuple[Backup, ...]"


def create(m: "Workspace", _request: NoArguments, _caller: Caller) -> BackupList:
    return BackupList((m.backups.create(),))


def list_(m: "Workspace", _request: NoArguments, _caller: Caller) -> BackupList:
    return BackupList(tuple(m.backups.all()))


class VerifyBackup(NamedTuple):
    name: Annotated[
        str | None, Field("The backup, as `memoro backup list` shows it (all backups).", positional=True)
    ] = None


def verify(m: "Workspace", request: VerifyBackup, _caller: Caller) -> BackupList:
    names = [request.name] if request.name else [backup.name for backup in m.backups.all()]
    return BackupList(tuple(m.backups.verify(name) for name in names))


class RestoreBackup(NamedTuple):
    name: Annotated[str, Field("The backup, as `memoro backup list` shows it.", positional=True)]
    part: Annotated[StorePart | None, Field("Restore only this part.")] = None
    yes: Annotated[
        bool,
        Field("Restore, also if other people of a shared ledger lose memories.", flags=("-y", "--yes")),
    ] = False


class RestoredBackup(NamedTuple):
    backups: "tuple[Backup, ...]"  # the one that was restored
    kept: "Backup | None"  # of the state before, as far as it could be read
    files: tuple[str, ...]  # in the home: what could not be backed up, as it was


def restore(m: "Workspace", request: RestoreBackup, _caller: Caller) -> RestoredBackup:
    lost = () if request.yes else m.backups.losses_of_others(request.name, request.part)
    if lost:
        raise NeedsConsent(
            "This replaces the shared ledger for everybody. Memories, experiences and narratives of others that are "
            f"newer than the backup: {'; '.join(one.in_words for one in lost)}. The journal does not record a "
            "restore. Add --yes (yes=True) to do it; the present state is kept as a backup of this home."
        )
    done = m.backups.restore(request.name, request.part)
    return RestoredBackup((done.backup,), done.kept, done.files)


class AdoptFile(NamedTuple):
    part: Annotated[StorePart, Field("The file to accept.", positional=True)]
    yes: Annotated[
        bool, Field("Accept it without asking; the former state stays only in the backups.", flags=("-y", "--yes"))
    ] = False


class Adopted(NamedTuple):
    part: StorePart
    memories: int  # that the file holds now


def adopt(m: "Workspace", request: AdoptFile, _caller: Caller) -> Adopted:
    if not request.yes:
        raise NeedsConsent(
            f"This accepts the {request.part} as it is now, or an empty one if it is missing. "
            "Add --yes (yes=True) to do it; `memoro backup list` shows the backups that could be restored instead."
        )
    m.backups.adopt(request.part)
    store = m.ledger.access.ledger if request.part == "ledger" else m.ledger.access.archive
    with store.reading() as tx:
        return Adopted(request.part, tx.memories.count())


CREATE = Operation(
    name="backup create",
    request=NoArguments,
    call=create,
    access="admin",
    summary="Create a backup now.",
    changes_nothing_remembered=True,
)
LIST = Operation(name="backup list", request=NoArguments, call=list_, access="read", summary="List the backups.")
VERIFY = Operation(
    name="backup verify", request=VerifyBackup, call=verify, access="read",
    summary="Check that one backup, or every one, can be restored.",
)  # fmt: skip
RESTORE = Operation(
    name="backup restore", request=RestoreBackup, call=restore, access="admin",
    summary="Replace ledger and archive by a backup, or one of them.", is_destructive=True,
)  # fmt: skip
ADOPT = Operation(
    name="backup adopt", request=AdoptFile, call=adopt, access="admin",
    summary="Accept a ledger or archive file that the home does not recognise.", is_destructive=True,
)  # fmt: skip
OPERATIONS = (CREATE, LIST, VERIFY, RESTORE, ADOPT)

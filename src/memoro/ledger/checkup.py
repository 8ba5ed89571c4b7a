"""The checks of the ledger that `doctor` makes, quick ones and thorough ones."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import LedgerUnreachable, StoreError
from memoro.ledger.services import LedgerServices
from memoro.model.experiences import identity
from memoro.model.local_time import local
from memoro.model.memories import days_between, moment
from memoro.model.vocabulary import CheckState
from memoro.store.opening import QUICK_BYTES

if TYPE_CHECKING:
    from memoro.ledger.ports import StoreUpkeep

_NAMED = 3  # memories in one line: with more it is hard to read
_OLD_DAYS = 7  # a backup older than this, beside a ledger that is written to, deserves a word


class LedgerCheck(NamedTuple):
    name: str
    state: CheckState
    found: str
    remedy: str = ""


_RESTORE = "`memoro backup list` shows the backups, `memoro backup restore NAME` brings one back."
_RESTORE_ARCHIVE = (
    "`memoro backup list` shows the backups, `memoro backup restore NAME --part archive` brings one's archive back."
)


def checkup(services: LedgerServices, *, deep: bool) -> list[LedgerCheck]:
    """Check ledger and backups; `deep` reads every page, row and backup."""
    found = [_ledger(services, deep=deep), *_archive(services, deep=deep), _backups(services)]
    if deep and found[0].state == "ok":
        found += [
            _sound("ledger", services.access.ledger, _RESTORE),
            _sound("archive", services.access.archive, _RESTORE_ARCHIVE),
            _contents(services),
        ]
        found.append(_every_backup(services))
    return found


def _ledger(services: LedgerServices, *, deep: bool) -> LedgerCheck:
    """Write a value and read it back, as a command would. A small ledger is read whole first."""
    try:
        _read_whole(services.access.ledger, deep=deep)
        with services.access.ledger.writing() as tx:
            tx.meta.put("probe", "written")
            if tx.meta.get("probe") != "written":
                return LedgerCheck(
                    name="ledger", state="failed", found="what was written was not read back", remedy=_RESTORE
                )
            tx.meta.put("probe", None)
            count = tx.memories.count()
    except StoreError as error:  # which says what to do
        return LedgerCheck("ledger", "failed", _reason(error))
    return LedgerCheck("ledger", "ok", f"{count} memor{'y' if count == 1 else 'ies'}; it can be written and read")


def _archive(services: LedgerServices, *, deep: bool) -> list[LedgerCheck]:
    """A word about the archive, where it cannot be read or repeats the ledger. A small one is read whole."""
    try:
        _read_whole(services.access.archive, deep=deep)
        with services.access.archive.reading():
            pass
        return _doubles(services) if services.access.archive.size() <= QUICK_BYTES else []
    except StoreError as error:
        return [LedgerCheck("archive", "failed", _reason(error))]


def _doubles(services: LedgerServices) -> list[LedgerCheck]:
    """Name the memories that are in both files: a damaged archive was restored, or a move was cut short."""
    doubles = list[int]()
    with suppress(StoreError):  # of the ledger, whose own check says so
        doubles = services.archiving.doubles()
    if not doubles:
        return []
    names = ", ".join(f"[id:{number}]" for number in doubles[:_NAMED])
    more = f" and {len(doubles) - _NAMED} more" if len(doubles) > _NAMED else ""
    return [
        LedgerCheck(
            name="archive",
            state="warning",
            found=f"in the ledger and in the archive: {names}{more}",
            remedy=f"`memoro memory unarchive {doubles[0]}` keeps the one of the ledger, and deletes the other.",
        )
    ]


def _read_whole(store: StoreUpkeep, *, deep: bool) -> None:
    """Raise where it is damaged. A large one is read whole with `deep`, or if damage was found in it before."""
    if deep or store.size() <= QUICK_BYTES or store.known_damage():
        store.refuse_damaged()


def _reason(error: StoreError) -> str:
    """The problem; whoever has it checked wanted nothing written, and need not hear that nothing was."""
    return error.sentence if isinstance(error, LedgerUnreachable) else str(error)


def _backups(services: LedgerServices) -> LedgerCheck:
    unreadable = [one for one in services.backups.all() if one.problems]
    if unreadable:
        named = f"{unreadable[0].name}: {unreadable[0].problems[0]}"
        return LedgerCheck(
            name="backups",
            state="warning",
            found=f"{len(unreadable)} of {len(services.backups.all())} cannot be restored; {named}",
            remedy="Run `memoro backup create`. Then delete the folder of that name in `backups`, or keep it for its "
            "databases: they may be whole.",
        )
    newest = services.backups.newest()
    if newest is None:
        return LedgerCheck(
            name="backups", state="warning", found="there is none yet", remedy="Run `memoro backup create`."
        )
    if moment(newest.created_at) > services.access.now():
        return LedgerCheck(
            name="backups",
            state="warning",
            found=f"the last is dated {newest.created_at[:16]}Z, which is in the future: a clock was wrong, or is",
            remedy="Check the clock; the next write makes a new backup, and `memoro backup create` does now.",
        )
    age = days_between(newest.created_at, services.access.now())
    if age > _OLD_DAYS:
        return LedgerCheck(
            name="backups",
            state="warning",
            found=f"the last is {age:.0f} days old",
            remedy="Run `memoro backup create`.",
        )
    return LedgerCheck("backups", "ok", f"{len(services.backups.all())}, the last of {local(newest.created_at)}")


def _sound(name: str, store: StoreUpkeep, remedy: str) -> LedgerCheck:
    try:
        complaints = store.check()
    except StoreError as error:
        complaints = [str(error)]
    if complaints:
        return LedgerCheck(
            name=f"{name} file", state="failed", found=f"it is damaged: {complaints[0]}", remedy=remedy
        )
    return LedgerCheck(f"{name} file", "ok", "every page and every row is sound")


def _contents(services: LedgerServices) -> LedgerCheck:
    """Compare every memory and experience with the digest that was kept of it."""
    with services.access.ledger.reading() as tx:
        for memory in tx.memories.all():
            if memory.id not in {
                twin.id for twin in tx.memories.by_digest(services.access.digest(tx, memory.content))
            }:
                return LedgerCheck(
                    name="contents", state="failed", found=f"[id:{memory.id}] is not what was stored", remedy=_RESTORE
                )
        for experience in tx.experiences.all():
            same = tx.experiences.by_digest(services.access.digest(tx, identity(experience)))
            if experience.id not in {twin.id for twin in same}:
                return LedgerCheck(
                    name="contents",
                    state="failed",
                    found=f"experience:{experience.id} is not what was recorded",
                    remedy=_RESTORE,
                )
        pending = services.forgetting.is_pending()
    if pending:
        return LedgerCheck(
            name="contents", state="warning", found="something was forgotten by half", remedy="Run `memoro sync`."
        )
    return LedgerCheck("contents", "ok", "every memory and experience is what was stored")


def _every_backup(services: LedgerServices) -> LedgerCheck:
    wrong = [b for backup in services.backups.all() if (b := services.backups.verify(backup.name)).problems]
    if wrong:
        remedy = "Make a new one with `memoro backup create`, and delete the damaged."
        return LedgerCheck(
            name="backups read", state="warning", found=f"{wrong[0].name}: {wrong[0].problems[0]}", remedy=remedy
        )
    return LedgerCheck("backups read", "ok", "each can be restored")

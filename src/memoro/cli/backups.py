"""The views of `memoro backup …`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import PROBLEM, Run, command
from memoro.cli.lines import say
from memoro.model.local_time import local
from memoro.operations.backups import ADOPT, CREATE, LIST, RESTORE, VERIFY, Adopted, BackupList, RestoredBackup
from memoro.operations.operation import Operation, Request

if TYPE_CHECKING:
    from memoro.ledger.backups import Backup


def _listing(operation: Operation[Request, BackupList], state: str) -> Run:
    """The command that lists backups, with a word for those without problems."""
    return command(operation, lambda found, _: _show(found, state), _exit_code)


def _show(found: BackupList, well: str) -> None:
    if not found.backups:
        say("No backups yet; the first write of a day makes one, and `memoro backup create`.")
    for one in found.backups:
        say(_line(one, well))


def _line(one: Backup, well: str) -> str:
    if one.problems and not one.rows:  # nobody knows what it holds
        return f"{one.name}  {'; '.join(one.problems)}  {one.bytes:,} bytes"
    memories = one.rows.get("ledger", {}).get("memories", 0)
    held = "the archive alone" if list(one.rows) == ["archive"] else _memories(memories)
    state = "; ".join(one.problems) or well
    about = f"{local(one.created_at)}  {held}  {one.bytes:,} bytes  {one.why}"
    return f"{one.name}  {about}{'  ' + state if state else ''}"


def _show_restored(done: RestoredBackup) -> None:
    for one in done.backups:
        say(_line(one, "restored"))
    for file in done.files:
        say(f"The file that was in use until now is kept in the home as {file}.")
    if done.kept:
        parts = list(done.kept.rows)
        state = f"The {parts[0]} as it was is" if len(parts) == 1 else "Ledger and archive as they were are"
        say(f"{state} kept as a backup: `memoro backup restore {done.kept.name}` restores it.")


def _memories(number: int) -> str:
    return "1 memory" if number == 1 else f"{number:,} memories"


def _show_adopted(adopted: Adopted) -> None:
    held = _memories(adopted.memories) if adopted.memories else "nothing yet"
    say(f"The home now uses this {adopted.part}. It holds {held}.")


def _exit_code(found: BackupList, _request: object) -> int:
    return PROBLEM if any(one.problems for one in found.backups) else 0


VIEWS = {
    "backup create": _listing(CREATE, ""),
    "backup list": _listing(LIST, ""),
    "backup verify": _listing(VERIFY, "ok"),
    "backup restore": command(RESTORE, lambda done, _: _show_restored(done)),
    "backup adopt": command(ADOPT, lambda adopted, _: _show_adopted(adopted)),
}

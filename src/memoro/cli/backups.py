"""The views of `memoro backup …`: what a person sees."""

from __future__ import annotations

from memoro.cli.command import PROBLEM, Run, command
from memoro.cli.lines import say
from memoro.model.local_time import local
from memoro.operations.backups import ADOPT, CREATE, LIST, RESTORE, VERIFY, Adopted, BackupList
from memoro.operations.operation import Operation, Request


def _listing(operation: Operation[Request, BackupList], state: str) -> Run:
    """The command that lists backups, with a word for those without problems."""
    return command(operation, lambda found, _: _show(found, state), _exit_code)


def _show(found: BackupList, well: str) -> None:
    if not found.backups:
        say("No backups yet; the first write of a day makes one, and `memoro backup create`.")
    for one in found.backups:
        memories = one.rows.get("ledger", {}).get("memories", 0)
        state = "; ".join(one.problems) or well
        about = f"{local(one.created_at)}  {_memories(memories)}  {one.bytes:,} bytes  {one.why}"
        say(f"{one.name}  {about}{'  ' + state if state else ''}")


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
    "backup restore": _listing(RESTORE, "restored"),
    "backup adopt": command(ADOPT, lambda adopted, _: _show_adopted(adopted)),
}

"""The views of the commands that write in the vault: what they read and what a person sees."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.cli.command import NEEDS_CONSENT, Run, command
from memoro.cli.lines import say
from memoro.cli.options import read_stdin
from memoro.cli.show import printable, show_derived
from memoro.errors import ConfigError
from memoro.model.feedback import shortened
from memoro.operations import notes as operations
from memoro.operations.operation import Operation, Request

if TYPE_CHECKING:
    from memoro.notes.daily import DailyLine
    from memoro.notes.entry_files import Remembered
    from memoro.notes.files import NoteChange
    from memoro.target_forgetting import ForgetResult

_LISTED = 5  # repetitions
_TEXT_CHARACTERS = 80


def _show_entries(found: operations.EntryList, request: operations.ListEntries) -> None:
    path, width = "", max((len(one.address) for one in found.entries), default=0) + 2
    for one in found.entries:
        if one.path != path:
            path = one.path
            say(printable(f"{path}  ({one.tier})"))
        name = one.address if one.has_id else f"({one.address})"
        say(f"   {name:{width}}  {printable(one.text)}", hang=width + 5)
    if not found.entries:
        tier = f" --tier {request.tier}" if request.tier else ""
        say(f"No entries yet. `memoro remember{tier} TEXT` adds one.")
        return
    if not all(one.has_id for one in found.entries):
        say("An id in brackets is not in the file yet; the first edit writes it there.")
    say("`memoro edit ID TEXT` rewords an entry, `memoro remove ID` removes it, `memoro undo` reverts either.")


def show_entry(made: Remembered, done: str) -> None:
    """Print the entry that was written, or the proposal for it."""
    if made.proposal is not None and made.change is None:
        say(f"proposal {made.proposal}: {printable(made.text)}")
        is_memory, removes = made.id == made.path, bool(made.id) and done.startswith("removed")
        does = ("removes" if is_memory else "removes it from") if removes else "writes it to"
        say(f"   `memoro accept {made.proposal}` {does} {printable(made.path)}")
    else:
        show_written(made, done)
    _show_redacted(made.redacted)


def _show_remembered(made: Remembered, _request: object) -> None:
    show_entry(made, "remembered" if made.new else "was there already")


def show_written(made: Remembered, what: str) -> None:
    """Print what stands in the vault or the ledger now."""
    line = f":{made.line}" if made.line else ""
    own = "" if made.id in (None, made.path) else f"  ^{made.id}"  # a memory is its own place
    first, *more = made.text.split("\n")
    say(f"{printable(made.path)}{line}  {printable(first)}{own}", hang=3)
    for text in more:
        say(f"   {printable(text)}")
    say(f"   {what}")


def _show_redacted(redacted: Sequence[str]) -> None:
    if redacted:
        say(f"   removed before it was written: {', '.join(redacted)}")


def _show_forgotten(found: ForgetResult, request: operations.ForgetEntry) -> None:
    say(("Forgotten: " if found.done else "To be forgotten: ") + request.id)
    if not found.done:
        say(f"   {printable(found.text)}")
    show_derived(found.derived, done=found.done)
    if request.id.startswith("transcript:"):
        say("The log itself stays as it is: the host that wrote it keeps it.")
    if found.backups:
        say(f"Still in these backups, until you delete them: {', '.join(found.backups)}")
    for sentence in found.elsewhere:
        say(printable(sentence))
    _show_repetitions(found)


def _show_repetitions(found: ForgetResult) -> None:
    """List what says the same and stays, each place with what removes it."""
    if found.repetitions:
        say("Not forgotten: these places say the same, or nearly.")
    for one in found.repetitions[:_LISTED]:
        removes = f"memoro forget {shlex.quote(one.id)}" if one.id else "delete it in your editor"
        place = f"{one.path}:{one.line}" if one.line else one.path
        say(printable(f"   {place}  {removes}"), hang=6)
        if one.text:
            say(printable(f"      {shortened(' '.join(one.text.split()), _TEXT_CHARACTERS)}"))
    if len(found.repetitions) > _LISTED:
        say(f"   and {len(found.repetitions) - _LISTED} more; --dry-run --json lists all")
    if any(one.id.startswith("transcript:") for one in found.repetitions):
        say("`forget` hides a message of a conversation; the host's log keeps it.")
    say("Paraphrases are not looked for. Search for its subject: `memoro search WORDS`.")


def _forget_code(found: ForgetResult, request: operations.ForgetEntry) -> int:
    if found.done or request.dry_run:
        return 0
    print("memoro: this cannot be undone; add --yes to do it.", file=sys.stderr)
    return NEEDS_CONSENT


def _show_daily(made: DailyLine, _request: object) -> None:
    say(f"{printable(made.path)}  {printable(made.line)}")
    _show_redacted(made.redacted)


def _note(operation: Operation[Request, NoteChange], done: str) -> Run:
    """The command for a change to a whole note."""
    return command(operation, lambda made, _: _show_note(made, done), readers={"text": _read_note})


def _edit_note(chosen: argparse.Namespace) -> int:
    """Edit a note. The replacement of one part of it is written as it is, without an end of line."""
    readers = {"text": _read_note if chosen.old is None else _read_text}
    return command(operations.EDIT_NOTE, lambda made, _: _show_note(made, "edited"), readers=readers)(chosen)


def _show_note(made: NoteChange, done: str) -> None:
    say(f"{printable(made.path)}  {f'{done}, change {made.change}' if made.change else 'unchanged'}")
    _show_redacted(made.redacted)


def _read_note(argument: str | None) -> str:
    """The text of a whole note, which ends with an end of line."""
    text = _read_text(argument)
    return text if text.endswith("\n") or argument in (None, "-") else f"{text}\n"


def _read_text(argument: str | None) -> str:
    if argument is not None and argument != "-":
        return argument
    if sys.stdin.isatty():
        raise ConfigError("Give the text as an argument, or on standard input.")
    return read_stdin()


VIEWS = {
    "remember": command(operations.REMEMBER, _show_remembered),
    "pin": command(operations.PIN, _show_remembered),
    "entries": command(operations.ENTRIES, _show_entries),
    "edit": command(operations.EDIT, lambda made, _: show_entry(made, "edited")),
    "remove": command(operations.REMOVE, lambda made, _: show_entry(made, "removed; `memoro undo` restores it")),
    "forget": command(operations.FORGET, _show_forgotten, _forget_code),
    "daily": command(operations.DAILY, _show_daily),
    "note new": _note(operations.NEW_NOTE, "created"),
    "note edit": _edit_note,
    "note move": _note(operations.MOVE_NOTE, "moved"),
    "note delete": _note(operations.DELETE_NOTE, "deleted"),
    "note restore": _note(operations.RESTORE_NOTE, "restored"),
}

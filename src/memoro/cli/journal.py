"""The views of `memoro log` and `memoro undo`: what a person sees."""

from __future__ import annotations

from memoro.cli.command import command
from memoro.cli.diff import difference
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.agents import acting_agent
from memoro.model.changes import VisibilityChanged
from memoro.model.journal import JournalEntry, ShownChange
from memoro.model.local_time import local
from memoro.operations.journal import (
    LOG,
    LOG_SHOW,
    UNDO,
    Changes,
    ListChanges,
    OneChange,
    UndoChanges,
    UndoneChanges,
)

_SEEN = {"private": "private: only you see it", "shared": "shared: everybody of the tenant sees it"}
_SHORT = 60  # letters of a change in a list
_LINES = 200  # of one change; `--json` has them all
# The operations whose names say too little beside what they are about; those of notes stand before a path.
_VERBS = {"narrative": "update", "put": "write"}
_NOTE_VERBS = {
    "remember": "add an entry to",
    "remove": "remove an entry from",
    "daily": "add a line to",
    "return": "put back a line in",
    "episode": "save a session in",
    "new": "create",
    "retire": "retire an entry to",
}


def show_changes(found: Changes, request: object) -> None:
    for entry in found.changes:
        say(printable(_line(entry)))
    if not found.changes:
        is_filtered = isinstance(request, ListChanges) and any(
            (request.by, request.since, request.kind, request.before is not None)
        )
        say("No change matches. Use fewer filters." if is_filtered else "No changes yet.")


def _show_one(shown: ShownChange, _request: OneChange) -> None:
    entry = shown.entry
    say(printable(f"Change {entry.id}: {_title(entry)}"))
    say(f"when    {local(entry.at, seconds=True)}", hang=8)
    is_named = acting_agent(entry.actor, entry.agent) is not None
    agent = f", agent {entry.agent}" if entry.agent and not is_named else ""
    proposal = f", carrying out proposal {entry.proposal}" if entry.proposal else ""
    say(printable(f"by      {_author(entry)}{agent}{proposal}"), hang=8)
    lines = list(difference(shown.before, shown.after))
    for line in lines[:_LINES]:
        say(f"   {line}".rstrip(), hang=5)
    if len(lines) > _LINES:
        say(f"   … and {len(lines) - _LINES} more lines (--json has them all)")
    if shown.later:
        numbers = ", ".join(str(one.id) for one in reversed(shown.later))
        say(f"later   {'change' if len(shown.later) == 1 else 'changes'} {numbers}", hang=8)
    say(f"undo    {f'`{shown.undo}`' if shown.undo else shown.why_not}", hang=8)


def _show_undone(found: UndoneChanges, _request: UndoChanges) -> None:
    undone = found.undone
    if found.unknown is not None:
        say(
            printable(
                f"Nothing to undo: there is no change by {found.unknown}. `memoro log` shows by whom changes are."
            )
        )
        return
    say("Would be undone:" if not found.done else "Undone:" if undone.entries else "Nothing to undo.")
    for entry in undone.entries:
        say(printable(_line(entry)))
        if isinstance(entry.change, VisibilityChanged):
            say(f"   now {_SEEN[entry.change.before]}" if found.done else f"   then {_SEEN[entry.change.before]}")
    for memory in undone.derived:
        say(f"   with it [id:{memory}], which was made from one of these")
    for refused in undone.refused:
        say(f"   left: {refused}")


def _line(entry: JournalEntry) -> str:
    said = _shortened(entry.text)
    proposal = f" (proposal {entry.proposal})" if entry.proposal else ""
    return (
        f"{entry.id}. {local(entry.at)}  {_title(entry)} by {_author(entry)}{proposal}{f': {said}' if said else ''}"
    )


def _author(entry: JournalEntry) -> str:
    """The agent or the source of a change, as `--by` takes it, with the person where people share the ledger."""
    name = acting_agent(entry.actor, entry.agent) or entry.actor
    return f"{name} of {entry.person}" if entry.person else name


def _title(entry: JournalEntry) -> str:
    """Say what a change did to what, and which change undid it."""
    names = {"memory": f"[id:{entry.item}]", "note": str(entry.item)}
    item = names.get(entry.kind, f"{entry.kind}:{entry.item}")
    of = f" of change {entry.undoes} in" if entry.undoes else ""
    undone = f" (undone by {entry.undone_by})" if entry.undone_by else ""
    return f"{verb(entry.kind, entry.operation)}{of} {item}{undone}"


def verb(kind: str, operation: str) -> str:
    """Return what an operation does, as words that stand before the name of the item."""
    return (_NOTE_VERBS if kind == "note" else _VERBS).get(operation, operation)


def _shortened(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


VIEWS = {
    "log": command(LOG, show_changes),
    "log show": command(LOG_SHOW, _show_one),
    "undo": command(UNDO, _show_undone),
}

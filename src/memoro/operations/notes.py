"""Writing in the vault: entries of always-loaded files, the daily note, whole notes."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.model.vocabulary import LoadedTier
from memoro.operations.fields import Field
from memoro.operations.operation import BY, KEY, Argument, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.notes.daily import DailyLine
    from memoro.notes.entry_files import Remembered
    from memoro.notes.files import NoteChange
    from memoro.notes.loaded_entries import LoadedEntry
    from memoro.target_forgetting import ForgetResult
    from memoro.workspace import Workspace

_PATH = Field("The path of the note in the vault.", "PATH", positional=True)
_TEXT = Field("The text; without it or with -, read from standard input.", positional=True, stdin=True)


class Remember(NamedTuple):
    text: Annotated[str, Field("The fact or rule, in one sentence.", words=True)]
    tier: Annotated[
        LoadedTier,
        Field(
            "A fact for MEMORY.md (semantic, the default), or a rule for PROCEDURAL.md (procedural).",
            choices=("semantic", "procedural"),
        ),
    ] = "semantic"
    section: Annotated[str | None, Field("The heading to add it under.", "HEADING")] = None


def remember(m: "Workspace", request: Remember, caller: Caller) -> "Remembered":
    return m.remember(request.text, tier=request.tier, section=request.section, by=caller.source, key=caller.once)


class Pin(NamedTuple):
    text: Annotated[str, Field("The line, in one sentence.", words=True)]


def pin(m: "Workspace", request: Pin, caller: Caller) -> "Remembered":
    return m.pin(request.text, by=caller.source, key=caller.once)


class ListEntries(NamedTuple):
    tier: Annotated[
        LoadedTier | None,
        Field(
            "Only the entries of one file: MEMORY.md (semantic), PROCEDURAL.md (procedural) or PINNED.md (pinned)."
        ),
    ] = None


class EntryList(NamedTuple):
    entries: "tuple[LoadedEntry, ...]"


def list_entries(m: "Workspace", request: ListEntries, _caller: Caller) -> EntryList:
    return EntryList(tuple(m.loaded_entries(request.tier)))


class EditTarget(NamedTuple):
    id: Annotated[str, Field("The id of an entry, as `memoro entries` shows it, or memory:N.", "ID", positional=True)]
    text: Annotated[str, Field("The new text.", words=True)]
    expected: Annotated[str | None, Field("Write only if its text still has this digest.", "SHA256")] = None


def edit(m: "Workspace", request: EditTarget, caller: Caller) -> "Remembered":
    return m.edit(request.id, request.text, by=caller.source, key=caller.once, expected=request.expected)


class RemoveTarget(NamedTuple):
    id: Annotated[str, Field("The id of an entry, memory:N or experience:N.", "ID", positional=True)]


def remove(m: "Workspace", request: RemoveTarget, caller: Caller) -> "Remembered":
    return m.remove(request.id.removeprefix("^"), by=caller.source, key=caller.once)


class ForgetEntry(NamedTuple):
    id: Annotated[
        str,
        Field(
            "The id of an entry, PATH:LINE of a list item, memory:N, experience:N, or the id of a message, as a "
            "search shows it.",
            "ID",
            positional=True,
        ),
    ]
    yes: Annotated[bool, Field("Erase without asking.", flags=("-y", "--yes"))] = False
    dry_run: Annotated[bool, Field("Only list what would be erased.")] = False
    only: Annotated[bool, Field("Keep the copies that hooks and agents made of it.")] = False


def forget(m: "Workspace", request: ForgetEntry, _caller: Caller) -> "ForgetResult":
    return m.forget(request.id, yes=request.yes, dry_run=request.dry_run or not request.yes, only=request.only)


def _forgotten(found: "ForgetResult") -> documents.Document:
    where = {} if found.path is None else {"path": found.path}
    derived = [{"id": copy.id, "text": copy.text} for copy in found.derived]
    return {
        "id": found.id,
        **where,
        "done": found.done,
        "text": found.text,
        "backups": list(found.backups),
        "derived": derived,
        "elsewhere": list(found.elsewhere),
        "repetitions": [one._asdict() for one in found.repetitions],
    }


class AppendDailyLine(NamedTuple):
    text: Annotated[str, Field("The event, in one sentence; Memoro adds the time.", words=True)]


def daily(m: "Workspace", request: AppendDailyLine, caller: Caller) -> "DailyLine":
    return m.daily.add(request.text, by=caller.source, key=caller.once)


class NewNote(NamedTuple):
    path: Annotated[str, _PATH]
    text: Annotated[str, _TEXT]


def new_note(m: "Workspace", request: NewNote, caller: Caller) -> "NoteChange":
    return m.notes.new(request.path, request.text, by=caller.source, key=caller.once)


class EditNote(NamedTuple):
    path: Annotated[str, _PATH]
    text: Annotated[str, _TEXT]
    old: Annotated[str | None, Field("Replace only this text, which must occur exactly once.", "TEXT")] = None
    expected: Annotated[str | None, Field("Write only if the note still has this digest.", "SHA256")] = None


def edit_note(m: "Workspace", request: EditNote, caller: Caller) -> "NoteChange":
    return m.notes.edit(
        request.path, request.text, old=request.old, expected=request.expected, by=caller.source, key=caller.once
    )


class MoveNote(NamedTuple):
    path: Annotated[str, _PATH]
    new: Annotated[str, Field("The new path.", "NEW", positional=True)]


def move_note(m: "Workspace", request: MoveNote, caller: Caller) -> "NoteChange":
    return m.notes.move(request.path, request.new, by=caller.source, key=caller.once)


class DeleteNote(NamedTuple):
    path: Annotated[str, _PATH]


def delete_note(m: "Workspace", request: DeleteNote, caller: Caller) -> "NoteChange":
    return m.notes.delete(request.path, by=caller.source, key=caller.once)


class RestoreNote(NamedTuple):
    path: Annotated[str, _PATH]
    at: Annotated[str, Field("The time: 2026-03-05, 2026-03-05T14:30, yesterday.", "WHEN")]


def restore_note(m: "Workspace", request: RestoreNote, caller: Caller) -> "NoteChange":
    return m.notes.restore(request.path, request.at, by=caller.source, key=caller.once)


REMEMBER = Operation(
    name="remember",
    request=Remember,
    call=remember,
    access="write",
    options=(BY, KEY),
    is_repeatable=True,
    tool=Tool(
        title="Propose an always-loaded line",
        about="Propose a line for the always-loaded files, with which every session starts: semantic (facts), "
        "procedural (rules) or pinned. Only for what matters nearly always; the user accepts or rejects it.",
        takes=(Argument("text", "one sentence"), Argument("tier")),
    ),
)
PIN = Operation(name="pin", request=Pin, call=pin, access="write", options=(BY, KEY), is_repeatable=True)
ENTRIES = Operation(
    name="entries", request=ListEntries, call=list_entries, access="read",
    help="An entry without an id gets one for the list, made of its words; nothing is written.",
)  # fmt: skip
EDIT = Operation(name="edit", request=EditTarget, call=edit, access="write", options=(BY, KEY), restores=("text",))
REMOVE = Operation(
    name="remove",
    request=RemoveTarget,
    call=remove,
    access="write",
    options=(BY, KEY),
    is_repeatable=True,
    is_destructive=True,
    tool=Tool(
        title="Remove a memory or an entry",
        about="Remove a memory (memory:N), an experience (experience:N) or an entry of a note (^id). The user can "
        "undo it.",
        takes=(Argument("id", is_id=True),),
    ),
)
FORGET = Operation(
    name="forget", request=ForgetEntry, call=forget, encode=_forgotten, access="admin", is_destructive=True
)
DAILY = Operation(
    name="daily",
    request=AppendDailyLine,
    call=daily,
    access="write",
    options=(BY, KEY),
    tool=Tool(
        title="Add to today's note",
        about="Add a line to the user's note of today: what was done, decided or happened. The time is put before "
        "it.",
        takes=(Argument("text", "one sentence"),),
        profile="full",
    ),
)
NEW_NOTE = Operation(
    name="note new", request=NewNote, call=new_note, access="write", summary="Create a note.",
    options=(BY, KEY),
)  # fmt: skip
EDIT_NOTE = Operation(
    name="note edit", request=EditNote, call=edit_note, access="write",
    summary="Replace the text of a note, or one part of it.", options=(BY, KEY), restores=("text", "old"),
)  # fmt: skip
MOVE_NOTE = Operation(
    name="note move", request=MoveNote, call=move_note, access="write", summary="Move or rename a note.",
    options=(BY, KEY),
)  # fmt: skip
DELETE_NOTE = Operation(
    name="note delete", request=DeleteNote, call=delete_note, access="write",
    summary="Delete a note from the vault; `memoro undo` restores it.", options=(BY, KEY), is_destructive=True,
)  # fmt: skip
RESTORE_NOTE = Operation(
    name="note restore", request=RestoreNote, call=restore_note, access="write",
    summary="Restore the text that a note had at an earlier time.", options=(BY, KEY),
)  # fmt: skip
OPERATIONS = (
    REMEMBER, PIN, ENTRIES, EDIT, REMOVE, FORGET, DAILY, NEW_NOTE, EDIT_NOTE, MOVE_NOTE, DELETE_NOTE, RESTORE_NOTE,
)  # fmt: skip

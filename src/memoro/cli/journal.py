"""The views of `memoro log` and `memoro undo`: what a person sees."""

from __future__ import annotations

from collections.abc import Mapping

from memoro.cli.command import command
from memoro.cli.show import printable
from memoro.model.changes import (
    ExperienceChanged,
    ExperienceRemoved,
    ItemRemoved,
    ItemSnapshot,
    ItemWritten,
    MemoryArchived,
    MemoryChanged,
    MemoryRemoved,
    MemoryUnarchived,
    NoteAppended,
    NoteMoved,
)
from memoro.model.journal import JournalEntry, RecordedWords, StoredWords
from memoro.operations.journal import LOG, UNDO, Changes, UndoChanges, UndoneChanges


def show_changes(found: Changes, _request: object) -> None:
    for entry in found.changes:
        print(printable(_line(entry)))


def _show_undone(found: UndoneChanges, _request: UndoChanges) -> None:
    undone = found.undone
    print("Would be taken back:" if not found.done else "Taken back:" if undone.entries else "Nothing to take back.")
    for entry in undone.entries:
        print(printable(_line(entry)))
    for memory in undone.derived:
        print(f"   with it [id:{memory}], which was made from one of these")
    for refused in undone.refused:
        print(f"   left: {refused}")


def _line(entry: JournalEntry) -> str:
    names = {"memory": f"[id:{entry.item}]", "note": str(entry.item), "experience": f"experience:{entry.item}"}
    item = names.get(entry.kind, f"{entry.kind} {entry.item}")
    when = entry.at[:19].replace("T", " ")
    undone = f", undone by {entry.undone_by}" if entry.undone_by else ""
    of = f" of change {entry.undoes}" if entry.undoes else ""
    said = _said(entry)
    return f"{entry.id}. {when}Z  {entry.operation}{of} {item} by {entry.actor}{undone}{f': {said}' if said else ''}"


def _said(entry: JournalEntry) -> str:
    """Returns, in a few words, what the change says."""
    match entry.change:
        case NoteAppended(added=added):
            return _short(added)
        case NoteMoved(new=new):
            return _short(f"→ {new}")
        case ItemWritten(key=key, before=before):
            return _item(key, before)
        case ItemRemoved(before=before):
            return _item(before.item.key, before)
        case MemoryRemoved(memory=memory):
            return _short(memory.content)
        case ExperienceRemoved(experience=experience):
            return _short(experience.intent)
        case MemoryArchived():
            return "archived False → True"
        case MemoryUnarchived():
            return "archived True → False"
        case MemoryChanged() | ExperienceChanged() as change:
            return _difference({**change.before}, {**change.after})
        case _:
            return _words(entry.words)


def _item(key: str, before: ItemSnapshot | None) -> str:
    said = f", before: {_short(before.memory.content)}" if before and before.memory else ""
    return f"{_short(key)}{said}"


def _difference(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    shown = [name for name in before if name not in ("hit_at", "used_at", "outcomes")]
    return ", ".join(f"{name} {_short(before[name])} → {_short(after[name])}" for name in shown)


def _words(words: StoredWords | RecordedWords | None) -> str:
    match words:
        case StoredWords(content=content):
            return _short(content)
        case RecordedWords(intent=intent):
            return _short(intent)
        case None:
            return ""


def _short(value: object) -> str:
    value = round(value, 3) if isinstance(value, float) else value
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"


VIEWS = {
    "log": command(LOG, show_changes),
    "undo": command(UNDO, _show_undone),
}

"""The views of `memoro log` and `memoro undo`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.show import printable
from memoro.operations.journal import LOG, UNDO, Changes, UndoChanges, UndoResult

if TYPE_CHECKING:
    from memoro.model.journal import Entry


def show_changes(found: Changes, _request: object) -> None:
    for entry in found.changes:
        print(printable(_line(entry)))


def _show_undone(found: UndoResult, _request: UndoChanges) -> None:
    undone = found.undone
    print("Would be taken back:" if not found.done else "Taken back:" if undone.entries else "Nothing to take back.")
    for entry in undone.entries:
        print(printable(_line(entry)))
    for memory in undone.derived:
        print(f"   with it [id:{memory}], which was made from one of these")
    for refused in undone.refused:
        print(f"   left: {refused}")


def _line(entry: Entry) -> str:
    names = {"memory": f"[id:{entry.item}]", "note": str(entry.item), "experience": f"experience:{entry.item}"}
    item = names.get(entry.kind, f"{entry.kind} {entry.item}")
    when = entry.at[:19].replace("T", " ")
    undone = f", undone by {entry.undone_by}" if entry.undone_by else ""
    of = f" of change {entry.undoes}" if entry.undoes else ""
    return f"{entry.id}. {when}Z  {entry.operation}{of} {item} by {entry.actor}{undone}{_change(entry)}"


def _change(entry: Entry) -> str:
    before, after = entry.before or {}, entry.after or {}
    if entry.kind == "note":
        said = after.get("added", "").strip() or (after.get("path") and f"→ {after['path']}")
        return f": {_short(said)}" if said else ""
    if entry.kind == "item":
        key = after.get("key") or before.get("item", {}).get("key", "")
        said = f", before: {_short(before['content'])}" if before.get("content") else ""
        return f": {_short(key)}{said}" if key else ""
    if entry.before is None or entry.after is None:
        whole = after if entry.before is None else before
        said = whole.get("content") or whole.get("intent")
        return f": {_short(said)}" if said else ""
    shown = [name for name in before if name not in ("hit_at", "used_at", "outcomes")]
    parts = [f"{name} {_short(before[name])} → {_short(after.get(name))}" for name in shown]
    return f": {', '.join(parts)}" if parts else ""


def _short(value: object) -> str:
    value = round(value, 3) if isinstance(value, float) else value
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"


VIEWS = {
    "log": command(LOG, show_changes),
    "undo": command(UNDO, _show_undone),
}

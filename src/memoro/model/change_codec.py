"""Changes as the columns of the journal: the one place that writes and reads them.

The columns are those that version 0.1.0 wrote, so its journals are read as they are.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, get_args

from memoro.model.changes import (
    Blanked,
    Change,
    ContentForgotten,
    ExperienceAdded,
    ExperienceChanged,
    ExperienceRemoved,
    ItemExpired,
    ItemRemoved,
    ItemSnapshot,
    ItemWritten,
    MemoryAdded,
    MemoryArchived,
    MemoryChanged,
    MemoryRemoved,
    MemoryUnarchived,
    NarrativeAdded,
    NarrativeRemoved,
    NoteAppended,
    NotedFeedback,
    NoteMoved,
    NoteWritten,
    SubjectKind,
    UnknownChange,
    VisibilityChanged,
    operation_of,
    subject_of,
)
from memoro.model.experiences import Experience
from memoro.model.from_json import build, convert, fits, hints_of, some_fields
from memoro.model.items import Item
from memoro.model.memories import Memory, Narrative

_KINDS = get_args(SubjectKind)
Fields = dict[str, Any]


class ChangeColumns(NamedTuple):
    """A change as a row of the journal has it; `before` and `after` are JSON objects, as text."""

    operation: str
    kind: str
    item: int | str
    before: str | None
    after: str | None


def encode(change: Change) -> ChangeColumns:
    if isinstance(change, UnknownChange):
        return ChangeColumns(*change)
    kind, item = subject_of(change)
    before, after = _sides(change)
    return ChangeColumns(
        operation=operation_of(change), kind=kind, item=item, before=_to_text(before), after=_to_text(after)
    )


def decode(columns: ChangeColumns) -> Change:
    """Returns the change that the columns tell of: one that `encode` gives the same columns for. It never raises."""
    try:
        change = _decoded(columns, _from_text(columns.before), _from_text(columns.after))
        if _is_same(columns, encode(change)):
            return change
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return UnknownChange(*columns)


def _is_same(one: ChangeColumns, other: ChangeColumns) -> bool:
    """Tells whether two rows say the same, whatever the order of their keys."""
    return one[:3] == other[:3] and all(
        _from_text(a) == _from_text(b) for a, b in zip(one[3:], other[3:], strict=True)
    )


def _sides(change: Change) -> tuple[Fields | None, Fields | None]:
    """Returns `before` and `after`: None where there was nothing, {} where it stands in a row of its own."""
    match change:
        case MemoryAdded(supersedes=numbers):
            return None, {"supersedes": numbers} if numbers else {}
        case ExperienceAdded() | NarrativeAdded():
            return None, {}
        case MemoryChanged():
            return _memory_sides(change)
        case MemoryRemoved(memory=memory):
            return memory._asdict(), None
        case MemoryArchived():
            return {"archived": False}, {"archived": True}
        case MemoryUnarchived():
            return {"archived": True}, {"archived": False}
        case VisibilityChanged():
            return {"visibility": change.before}, {"visibility": change.after}
        case ExperienceChanged():
            return {**change.before}, {**change.after}
        case ExperienceRemoved(experience=experience):
            return experience._asdict(), None
        case NarrativeRemoved(narrative=narrative):
            return narrative._asdict(), None
        case ItemWritten():
            after = {"version": change.version, "namespace": change.namespace, "key": change.key}
            return _snapshot(change.before) if change.before else None, after
        case ItemRemoved(before=before):
            return _snapshot(before), None
        case NoteWritten():
            return _note_sides(change)
        case NoteAppended():
            return {"seen": change.seen} if change.seen is not None else None, {"added": change.added}
        case NoteMoved():
            return {"path": change.path}, {"path": change.new}
        case _:
            return None, None


def _memory_sides(change: MemoryChanged) -> tuple[Fields, Fields]:
    before: Fields = {**change.before}
    after: Fields = {**change.after}
    for fields, links, feedback in (
        (before, change.unlinked, change.withdrawn),
        (after, change.linked, change.noted),
    ):
        if links:
            fields["links"] = links
        if feedback:
            fields["given"] = tuple(feedback)
    return before, after


def _snapshot(snapshot: ItemSnapshot) -> Fields:
    return {**(snapshot.memory._asdict() if snapshot.memory else {}), "item": snapshot.item._asdict()}


def _note_sides(change: NoteWritten) -> tuple[Fields | None, Fields | None]:
    before = {"digest": change.before} if change.before is not None else None
    after: Fields | None = {"digest": change.after} if change.after is not None else None
    if change.returned:
        after = {**(after or {}), "returned": change.returned}
    return before, after


def _decoded(columns: ChangeColumns, before: Fields | None, after: Fields | None) -> Change:
    if before is None and after is None:
        return _without_content(columns)
    match columns.kind:
        case "memory":
            return _memory(columns, before, after)
        case "experience":
            return _experience(columns, before, after)
        case "narrative":
            return _narrative(columns, before)
        case "item":
            return _item(columns, before, after)
        case "note":
            return _note(columns, before, after)
        case _:
            raise ValueError("no such kind")


def _without_content(columns: ChangeColumns) -> Change:
    if not fits(columns.kind, SubjectKind) or not fits(columns.item, _item_hint(columns.kind)):
        raise ValueError("no such kind, or no such thing")
    kind: SubjectKind = next(one for one in _KINDS if one == columns.kind)
    if columns.operation == "forget":
        return ContentForgotten(kind, columns.item)
    if columns.operation == "expire" and isinstance(columns.item, int):
        return ItemExpired(columns.item)
    return Blanked(columns.operation, kind, columns.item)


def _item_hint(kind: str) -> type[int | str]:
    return str if kind in ("note", "transcript") else int


def _memory(columns: ChangeColumns, before: Fields | None, after: Fields | None) -> Change:
    if before is None:
        supersedes = convert((after or {}).get("supersedes", ()), tuple[int, ...])
        return MemoryAdded(_operation(MemoryAdded, columns), _number(columns), supersedes)
    if after is None:
        return MemoryRemoved(_operation(MemoryRemoved, columns), build(Memory, before))
    if "archived" in before or "archived" in after:
        return _move(columns, before, after)
    if "visibility" in before:
        return _visibility(columns, before, after)
    return MemoryChanged(
        operation=_operation(MemoryChanged, columns),
        number=_number(columns),
        unlinked=convert(before.pop("links", ()), tuple[int, ...]),
        withdrawn=_feedback(before.pop("given", None)),
        linked=convert(after.pop("links", ()), tuple[int, ...]),
        noted=_feedback(after.pop("given", None)),
        **_changed(Memory, before, after),
    )


def _move(columns: ChangeColumns, before: Fields, after: Fields) -> Change:
    if (before, after) == ({"archived": False}, {"archived": True}):
        return MemoryArchived(_operation(MemoryArchived, columns), _number(columns))
    if (before, after) == ({"archived": True}, {"archived": False}):
        return MemoryUnarchived(_operation(MemoryUnarchived, columns), _number(columns))
    raise ValueError("not a move")


def _visibility(columns: ChangeColumns, before: Fields, after: Fields) -> Change:
    sides = {"before": before["visibility"], "after": after["visibility"]}
    return build(
        VisibilityChanged,
        {"operation": columns.operation, "kind": columns.kind, "number": _number(columns), **sides},
    )


def _feedback(value: Any) -> NotedFeedback | None:
    if value is None:
        return None
    recall, word = value
    return build(NotedFeedback, {"recall": recall, "word": word})


def _changed(kind: type[Memory] | type[Experience], before: Fields, after: Fields) -> Fields:
    if before.keys() != after.keys() or "id" in before:
        raise ValueError("the fields before and after are not the same")
    return {"before": some_fields(kind, before), "after": some_fields(kind, after)}


def _experience(columns: ChangeColumns, before: Fields | None, after: Fields | None) -> Change:
    if before is None:
        return ExperienceAdded(_operation(ExperienceAdded, columns), _number(columns))
    if after is None:
        return ExperienceRemoved(_operation(ExperienceRemoved, columns), build(Experience, before))
    if "visibility" in before:
        return _visibility(columns, before, after)
    return ExperienceChanged(
        operation=_operation(ExperienceChanged, columns),
        number=_number(columns),
        **_changed(Experience, before, after),
    )


def _narrative(columns: ChangeColumns, before: Fields | None) -> Change:
    if before is None:
        return NarrativeAdded(_operation(NarrativeAdded, columns), _number(columns))
    return NarrativeRemoved(_operation(NarrativeRemoved, columns), build(Narrative, before))


def _item(columns: ChangeColumns, before: Fields | None, after: Fields | None) -> Change:
    snapshot = _to_snapshot(before) if before is not None else None
    if after is not None:
        fields = {**after, "operation": columns.operation, "number": columns.item, "before": None}
        return build(ItemWritten, fields)._replace(before=snapshot)
    if snapshot is None:
        raise ValueError("nothing was removed")
    return ItemRemoved(_operation(ItemRemoved, columns), snapshot)


def _to_snapshot(fields: Fields) -> ItemSnapshot:
    item = build(Item, fields.pop("item", None))
    return ItemSnapshot(item, build(Memory, fields) if fields else None)


def _note(columns: ChangeColumns, before: Fields | None, after: Fields | None) -> Change:
    if after is not None and "added" in after:
        seen = before["seen"] if before is not None else None
        return build(NoteAppended, {**_path(columns), "seen": seen, "added": after["added"]})
    if after is not None and "path" in after:
        return build(NoteMoved, {**_path(columns), "new": after["path"]})
    digests = {"before": (before or {}).get("digest"), "after": (after or {}).get("digest")}
    return build(NoteWritten, {**_path(columns), **digests, "returned": (after or {}).get("returned", ())})


def _path(columns: ChangeColumns) -> Fields:
    return {"operation": columns.operation, "path": columns.item}


def _operation(kind: type[tuple[Any, ...]], columns: ChangeColumns) -> Any:
    return convert(columns.operation, hints_of(kind)["operation"])


def _number(columns: ChangeColumns) -> int:
    return int(convert(columns.item, int))


def _to_text(fields: Fields | None) -> str | None:
    return None if fields is None else json.dumps(fields, ensure_ascii=False)


def _from_text(text: str | None) -> Fields | None:
    if text is None:
        return None
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    return fields

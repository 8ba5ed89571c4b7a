"""The journal: what was changed, by whom, from what to what; and how to take it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import UndoConflict
from memoro.model.items import Item
from memoro.model.memories import Memory

if TYPE_CHECKING:
    from memoro.model.experiences import Experience

Fields = Mapping[str, Any]
# Counted up and down by many: taken back by the difference, whatever happened since.
_COUNTED = ("feedback",)
# Whoever changed it last is right: taken back only where nobody has touched it since.
_LENIENT = ("hit_at",)


class Entry(NamedTuple):
    """One change. `before` is None where there was nothing, `after` where nothing is left.

    Of a thing that came whole, or went into the archive whole, `after` is empty: it stands elsewhere.
    """

    id: int
    at: str
    operation: str
    actor: str
    kind: str  # "memory", "experience", "narrative", "item" or "note"
    item: Any  # its number, or of a note its path
    before: Fields | None
    after: Fields | None
    undoes: int | None = None
    undone_by: int | None = None
    agent: str | None = None


def difference(old: Memory | Experience, new: Memory | Experience) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields that differ, as they were and as they are."""
    names = [name for name in old._fields if getattr(old, name) != getattr(new, name)]
    return {name: getattr(old, name) for name in names}, {name: getattr(new, name) for name in names}


def taken_back(memory: Memory, entry: Entry) -> Memory:
    """The memory without the change that the entry tells of, with all that happened since."""
    before, after = entry.before or {}, entry.after or {}
    fields: dict[str, Any] = {}
    for name, old in _own(before).items():
        now = getattr(memory, name)
        if name in _COUNTED:
            fields[name] = now + old - after[name]
        elif now == after[name]:
            fields[name] = old
        elif name not in _LENIENT:
            raise UndoConflict(entry.id, f"{name.replace('_', ' ')} of [id:{memory.id}] has been changed again since")
    return memory._replace(**fields)


def as_it_was(memory: Memory, entries: Sequence[Entry], at: str) -> Memory:
    """The memory at a moment, by taking back, newest first, every change made after it."""
    for entry in reversed(entries):
        if entry.at > at and entry.before and entry.after:
            memory = memory._replace(**_own(entry.before))
    return memory


def _own(fields: Fields) -> dict[str, Any]:
    """What an entry says of the memory itself: not of its links, nor of where it stands."""
    return {name: value for name, value in fields.items() if name in Memory._fields}


def with_first_words(entries: Sequence[Entry], now: Memory | None) -> list[Entry]:
    """The history with what a memory said when it was stored: the journal keeps only what was changed."""
    said = {"content": now.content, "tags": now.tags} if now else {}
    filled = []
    for entry in reversed(entries):
        if entry.before is None and entry.after is not None:
            entry = entry._replace(after={**said, **entry.after})
        else:
            said |= {name: value for name, value in (entry.before or {}).items() if name in ("content", "tags")}
        filled.append(entry)
    return filled[::-1]


def as_memory(fields: Mapping[str, Any]) -> Memory:
    """A memory from its fields as JSON has them."""
    return Memory(**{**_own(fields), "tags": tuple(fields["tags"]), "parents": tuple(fields["parents"])})


def snapshot(item: Item, memory: Memory | None) -> dict[str, Any]:
    """An item as the journal keeps it: itself, and the fields of the memory it is found as, if it is."""
    return {**(memory._asdict() if memory else {}), "item": item._asdict()}

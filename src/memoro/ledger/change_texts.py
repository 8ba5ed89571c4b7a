"""Changes in words: both sides of one whole, and one line for a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memoro.model import ratings
from memoro.model.changes import (
    Change,
    ExperienceAdded,
    ExperienceChanged,
    ExperienceRemoved,
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
    NoteMoved,
    NoteWritten,
    VisibilityChanged,
)
from memoro.model.experiences import passage
from memoro.model.items import Item
from memoro.model.journal import JournalEntry, RecordedWords, StoredWords
from memoro.model.targets import ExperienceId, MemoryId, PassageId, parse_target

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

Sides = tuple[str | None, str | None]
_ARROW = " → "
_ENTRY = re.compile(r" \^[A-Za-z0-9-]+$")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_DATES = ("valid_from", "valid_to")
_UNTOLD = ("hit_at", "used_at", "outcomes")  # fields that change with every use
_TOLD_BY_ANOTHER = ("superseded_at",)  # `superseded_by` tells it


def fill_text(tx: Transaction, entry: JournalEntry) -> JournalEntry:
    """Adds, for readers, one line about what changed."""
    match entry.change:
        case MemoryChanged() | ExperienceChanged() as change:
            return entry._replace(text=_difference({**change.before}, {**change.after}, entry.at))
        case ExperienceAdded() if isinstance(entry.words, RecordedWords):
            return entry._replace(text=one_line(entry.words.intent))
        case ExperienceRemoved(experience=experience):
            return entry._replace(text=one_line(experience.intent))
        case NoteMoved(new=new):
            return entry._replace(text=f"→ {new}")
        case NoteAppended(added=added):  # what came before it is the heading of a fresh note
            return entry._replace(text=_without_mark(added.strip("\n").rpartition("\n")[2]))
        case ItemWritten(namespace=ratings.MUTED, key=key):
            return entry._replace(text=f"muted: {_rated(tx, key)}")
        case ItemWritten(namespace=ratings.GOOD, key=key):
            return entry._replace(text=f"marked as good: {_rated(tx, key)}")
        case ItemRemoved(before=ItemSnapshot(item=Item(namespace=ratings.MUTED, key=key))):
            return entry._replace(text=f"no longer muted: {_rated(tx, key)}")
        case ItemRemoved(before=ItemSnapshot(item=Item(namespace=ratings.GOOD, key=key))):
            return entry._replace(text=f"no longer marked as good: {_rated(tx, key)}")
        case ItemWritten(key=key, before=before):
            said = f", before: {before.memory.content}" if before and before.memory else ""
            return entry._replace(text=one_line(f"{key}{said}"))
        case MemoryArchived(number=number) | MemoryUnarchived(number=number):
            memory = tx.memories.find(number)
            return entry._replace(text=one_line(memory.content) if memory else "")
        case _:
            return entry._replace(text=summary(*sides_of(tx, entry)))


def fill_text_with_subject(tx: Transaction, entry: JournalEntry) -> JournalEntry:
    """The same for a list of changes to many things: of a memory, its words too, because nobody knows its number."""
    told = fill_text(tx, entry)
    match entry.change:
        case MemoryChanged(number=number, before=before) if "content" not in before:
            memory = tx.memories.find(number)
            words = one_line(memory.content) if memory else ""
            return told._replace(text=f"{words} ({told.text})" if words and told.text else words or told.text)
        case _:
            return told


def sides_of(tx: Transaction, entry: JournalEntry) -> Sides:
    """Returns the text before and after a change; None where there was nothing, or where it was forgotten."""
    match entry.change:
        case NoteWritten(before=before, after=after):
            return _kept(tx, before), _kept(tx, after)
        case NoteAppended(added=added):
            return None, added.strip("\n")
        case NoteMoved(path=path, new=new):
            return path, new
        case VisibilityChanged(before=before, after=after):
            return before, after
        case NarrativeAdded(number=number):
            told = tx.narratives.find(number)
            return None, told.summary if told else None
        case NarrativeRemoved(narrative=narrative):
            return narrative.summary, None
        case MemoryChanged() | ExperienceChanged() as change:
            return _fields({**change.before}), _fields({**change.after})
        case _:
            return _sides_of_item(entry.change, entry.words)


def _sides_of_item(change: Change, words: StoredWords | RecordedWords | None) -> Sides:
    match change:
        case MemoryRemoved(memory=memory):
            return memory.content, None
        case ExperienceRemoved(experience=experience):
            return passage(experience), None
        case MemoryAdded() | ExperienceAdded():
            return None, _words(words)
        case ItemWritten(before=ItemSnapshot(memory=memory)) if memory:
            return memory.content, None
        case ItemRemoved(before=before):
            return (before.memory.content if before.memory else before.item.key), None
        case _:
            return None, None


def summary(before: str | None, after: str | None) -> str:
    """Returns one line: what came, what went, or what became what. Front matter counts where nothing else changed."""
    old, new = _lines(_without_front_matter(before)), _lines(_without_front_matter(after))
    if old == new:
        old, new = _lines(before), _lines(after)
    added, removed = _others(new, old), _others(old, new)
    if added and removed:
        return f"{_lead(removed)}{_ARROW}{_lead(added)}{_more(len(added) + len(removed) - 2)}"
    shown = added or removed
    return _lead(shown) + _more(len(shown) - 1) if shown else ""


def _others(lines: Sequence[str], known: Sequence[str]) -> list[str]:
    """Returns the lines that are not known, in their order; of equal ones the first are the known."""
    left = Counter(known)
    found: list[str] = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            found.append(line)
    return found


def _lead(lines: Sequence[str]) -> str:
    """Returns the line that tells most: an entry rather than the heading of its fresh note, or its own details."""
    return one_line(next((line for line in lines if _ENTRY.search(line)), lines[0]))


def _more(lines: int) -> str:
    return f" (and {lines} more line{'' if lines == 1 else 's'})" if lines else ""


def one_line(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str | None) -> list[str]:
    return [_without_mark(line) for line in (text or "").splitlines() if line.strip("#-* \t")]


def _without_front_matter(text: str | None) -> str:
    return _FRONT_MATTER.sub("", text or "")


def _without_mark(line: str) -> str:
    """Returns a line of Markdown without the mark of a heading or a list."""
    return line.strip().lstrip("#-* ")


def _kept(tx: Transaction, digest: str | None) -> str | None:
    data = tx.contents.get(digest) if digest else None
    return None if data is None else data.decode("utf-8", "replace")


def _words(words: StoredWords | RecordedWords | None) -> str | None:
    match words:
        case StoredWords(content=content):
            return content
        case RecordedWords(intent=intent, solution_json=solution):
            return f"{intent}\n{solution}"
        case None:
            return None


def _difference(before: Mapping[str, object], after: Mapping[str, object], at: str) -> str:
    """Returns the fields that differ, in words, without those that only repeat the time of the change."""
    untold = (*_UNTOLD, *_TOLD_BY_ANOTHER)
    shown = sorted(name for name in before if name not in untold and not (name in _DATES and after[name] == at))
    return ", ".join(_field_difference(name, before[name], after[name]) for name in shown)


def _field_difference(name: str, old: object, new: object) -> str:
    match name:
        case "content" | "intent":
            return f"{_value(old)}{_ARROW}{_value(new)}"
        case "superseded_by":
            return "not replaced any more" if new is None else f"replaced by memory {new}"
        case "trust":
            return f"trust {str(old).replace('_', ' ')}{_ARROW}{str(new).replace('_', ' ')}"
        case _:
            return f"{name.replace('_', ' ')} {_value(old)}{_ARROW}{_value(new)}"


def _rated(tx: Transaction, key: str) -> str:
    """Returns the words of a memory or an experience that was rated; of a passage, its note."""
    match parse_target(ratings.rated_id(key)):
        case MemoryId(number=number):
            memory = tx.memories.find(number)
            return one_line(memory.content) if memory else f"memory {number}"
        case ExperienceId(number=number):
            experience = tx.experiences.find(number)
            return one_line(experience.intent) if experience else f"experience {number}"
        case PassageId(path=path):
            return one_line(path)
        case other:
            return one_line(str(other))


def _fields(fields: Mapping[str, object]) -> str | None:
    told = sorted((name, value) for name, value in fields.items() if name not in _UNTOLD)
    shown = [f"{name.replace('_', ' ')}: {_value(value)}" for name, value in told]
    return "\n".join(shown) or None


def _value(value: object) -> str:
    if value is None or value == ():
        return "none"
    value = round(value, 3) if isinstance(value, float) else value
    return one_line(", ".join(map(str, value)) if isinstance(value, tuple) else str(value))

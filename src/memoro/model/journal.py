"""The journal: who changed what and when; and the rules by which a change is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from memoro.errors import UndoConflict
from memoro.model.changes import (
    Change,
    ExperienceChanged,
    ExperienceFields,
    ItemWritten,
    MemoryChanged,
    MemoryFields,
    earlier_memory,
    is_addition,
    operation_of,
    subject_of,
)
from memoro.model.experiences import Experience
from memoro.model.memories import Memory

# Many writers count these up and down: taken back by the difference, whatever happened since.
_COUNTED = ("feedback",)
_COUNTED_OF_EXPERIENCES = ("uses", "outcomes")
# The last writer is right: taken back only where nobody has touched them since.
_LENIENT = ("hit_at",)
_LENIENT_OF_EXPERIENCES = ("used_at", "archived_at")


class Authorship(NamedTuple):
    """The author and time of a change, and the earlier change that it reverts."""

    at: str
    actor: str
    agent: str | None = None
    undoes: int | None = None
    proposal: int | None = None  # that it carries out


class StoredWords(NamedTuple):
    """The content and tags of a memory when it was stored."""

    content: str
    tags: tuple[str, ...]


class RecordedWords(NamedTuple):
    """The intent of an experience when it was recorded."""

    type: str
    intent: str
    solution_json: str


class JournalEntry(NamedTuple):
    """One change. `words` is filled in for readers; the journal does not repeat what stands in a row."""

    id: int
    at: str
    actor: str
    change: Change
    agent: str | None = None
    undoes: int | None = None
    undone_by: int | None = None
    words: StoredWords | RecordedWords | None = None
    text: str = ""  # one line about what changed, for readers
    proposal: int | None = None  # that it carried out
    person: str | None = None  # who made it, where people share the ledger

    @property
    def operation(self) -> str:
        return operation_of(self.change)

    @property
    def kind(self) -> str:
        return subject_of(self.change).kind

    @property
    def item(self) -> int | str:
        return subject_of(self.change).item


class ChangeFilter(NamedTuple):
    """Which changes are wanted. None leaves open what it says."""

    actor: str | None = None
    by: str | None = None  # the actor, the agent of what an agent did, or the person of a shared ledger
    kind: str | None = None  # of their subject
    item: int | str | None = None  # the subject itself, of that kind
    since: str | None = None  # not before this moment
    until: str | None = None  # before this moment
    before: int | None = None  # with a lower number than this change


EVERY_CHANGE = ChangeFilter()


class ChangeCount(NamedTuple):
    """How often somebody did one thing to one kind of thing."""

    actor: str
    agent: str | None
    kind: str
    operation: str
    total: int
    last: int  # the number of the last of these changes


class ShownChange(NamedTuple):
    """One change whole: what there was before and after it, as far as the ledger still has it."""

    entry: JournalEntry
    before: str | None  # None: there was nothing, or it was forgotten
    after: str | None
    undo: str | None  # the command that reverts it; None: nothing can
    why_not: str = ""  # a sentence, where nothing can
    later: tuple[JournalEntry, ...] = ()  # changes to the same thing since, the newest first


def entry_of(change: Change, by: Authorship) -> JournalEntry:
    """Returns the entry to add to the journal, which gives it its number."""
    return JournalEntry(
        id=0, at=by.at, actor=by.actor, change=change, agent=by.agent, undoes=by.undoes, proposal=by.proposal
    )


def memory_without(memory: Memory, change: MemoryChanged, entry: int) -> Memory:
    """Returns the memory without the change of an entry, and with all that happened since."""
    restored: dict[str, object] = {}
    for name, old in change.before.items():
        now, new = getattr(memory, name), cast("dict[str, object]", change.after)[name]
        if name in _COUNTED:
            restored[name] = _counted_back(now, old, new)
        elif now == new:
            restored[name] = old
        elif name not in _LENIENT:
            raise UndoConflict(entry, f"{name.replace('_', ' ')} of [id:{memory.id}] has been changed again since")
    return memory._replace(**cast("MemoryFields", restored))


def experience_without(experience: Experience, change: ExperienceChanged, entry: int) -> Experience:
    """Returns the experience without the change of an entry, and with all that happened since."""
    restored: dict[str, object] = {}
    for name, old in change.before.items():
        now, new = getattr(experience, name), cast("dict[str, object]", change.after)[name]
        if name in _COUNTED_OF_EXPERIENCES:
            restored[name] = max(0, _counted_back(now, old, new))
        elif now == new:
            restored[name] = old
        elif name == "success":  # others told of outcomes since: subtract what this one did to the mean
            restored[name] = min(1.0, max(0.0, _counted_back(now, old, new)))
        elif name not in _LENIENT_OF_EXPERIENCES:
            raise UndoConflict(entry, f"{name} of experience:{experience.id} has been changed again since")
    return experience._replace(**cast("ExperienceFields", restored))


def _counted_back(now: object, old: object, new: object) -> float:
    numbers = [one for one in (now, old, new) if isinstance(one, (int, float))]
    return numbers[0] + numbers[1] - numbers[2]


def as_it_was(memory: Memory, entries: Sequence[JournalEntry], at: str) -> Memory:
    """Returns the memory at a moment, by taking back, newest first, every change made after it."""
    for entry in reversed(entries):
        if entry.at > at and isinstance(entry.change, (MemoryChanged, ItemWritten)):
            memory = memory._replace(**earlier_memory(entry.change))
    return memory


def with_first_words(entries: Sequence[JournalEntry], now: Memory | None) -> list[JournalEntry]:
    """Returns the history of a memory with what it said when it came: the journal keeps only what was changed."""
    words = StoredWords(now.content, now.tags) if now else None
    filled = []
    for entry in reversed(entries):
        if is_addition(entry.change):
            entry = entry._replace(words=words)
        else:
            words = _earlier_words(words, earlier_memory(entry.change))
        filled.append(entry)
    return filled[::-1]


def _earlier_words(words: StoredWords | None, before: MemoryFields) -> StoredWords | None:
    later = words or StoredWords("", ())
    if "content" not in before and (words is None or "tags" not in before):
        return words
    return StoredWords(before.get("content", later.content), before.get("tags", later.tags))

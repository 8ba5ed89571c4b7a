"""Changes: what happened to memories, experiences, narratives, items and notes. One class for each kind of change.

The journal holds them, undo matches on them, and `change_codec` writes and reads them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict, cast

from memoro.model.experiences import Experience
from memoro.model.items import Item, Namespace, stand_in
from memoro.model.memories import Memory, Narrative
from memoro.model.vocabulary import ExperienceType, Feedback, Trust, Visibility

SubjectKind = Literal["memory", "experience", "narrative", "item", "note", "transcript"]


EditOperation = Literal["reinforce", "demote", "update", "supersede", "trust", "promote"]


UseOperation = Literal["record", "use", "offer", "trust", "archive", "unarchive"]


WriteOperation = Literal[
    "new", "edit", "delete", "restore", "episode", "remember", "remove", "return", "retire", "undo"
]


class MemoryFields(TypedDict, total=False):
    """Some fields of a memory: those that a change touched."""

    content: str
    source: str
    trust: Trust
    created_at: str
    tags: tuple[str, ...]
    feedback: int
    hit_at: str | None
    agent: str | None
    project: str | None
    session: str | None
    task: str | None
    narrative: int | None
    valid_from: str | None
    valid_to: str | None
    superseded_by: int | None
    superseded_at: str | None
    parents: tuple[int, ...]
    origin: str | None


class ExperienceFields(TypedDict, total=False):
    """Some fields of an experience: those that a change touched."""

    type: ExperienceType
    intent: str
    solution_json: str
    success: float
    source: str
    trust: Trust
    created_at: str
    tags: tuple[str, ...]
    uses: int
    outcomes: int
    used_at: str | None
    archived_at: str | None
    agent: str | None
    project: str | None
    session: str | None


class NotedFeedback(NamedTuple):
    """Feedback that a recall was given about one of its items."""

    recall: int
    word: Feedback


class ItemSnapshot(NamedTuple):
    """An item with the memory it is found as, if it is found as one."""

    item: Item
    memory: Memory | None


class MemoryAdded(NamedTuple):
    """A memory came whole. Its content stands in its own row, not in the journal."""

    operation: Literal["store", "import", "undo"]
    number: int
    supersedes: tuple[int, ...] = ()  # memories that it superseded in the same write; undo takes that back too


class MemoryChanged(NamedTuple):
    """Some fields of a memory changed, with its links and the feedback of a recall."""

    operation: Literal[EditOperation, "undo"]
    number: int
    before: MemoryFields
    after: MemoryFields
    linked: tuple[int, ...] = ()  # the memories it was linked with once more
    unlinked: tuple[int, ...] = ()  # the memories from which one such link was taken
    noted: NotedFeedback | None = None
    withdrawn: NotedFeedback | None = None


class MemoryRemoved(NamedTuple):
    operation: Literal["remove", "undo"]
    memory: Memory


class MemoryArchived(NamedTuple):
    """A memory moved from the ledger to the archive."""

    operation: Literal["archive", "undo"]
    number: int


class MemoryUnarchived(NamedTuple):
    """A memory moved from the archive to the ledger."""

    operation: Literal["unarchive", "undo"]
    number: int


class VisibilityChanged(NamedTuple):
    """A memory or an experience of a shared ledger was made private, or shared."""

    operation: Literal["visibility", "undo"]
    kind: Literal["memory", "experience"]
    number: int
    before: Visibility
    after: Visibility


class ExperienceAdded(NamedTuple):
    """An experience came whole. It stands in its own row, not in the journal."""

    operation: Literal["record", "import", "undo"]
    number: int


class ExperienceChanged(NamedTuple):
    operation: Literal[UseOperation, "undo"]
    number: int
    before: ExperienceFields
    after: ExperienceFields


class ExperienceRemoved(NamedTuple):
    operation: Literal["remove", "undo"]
    experience: Experience


class NarrativeAdded(NamedTuple):
    operation: Literal["narrative", "import", "undo"]
    number: int


class NarrativeRemoved(NamedTuple):
    operation: Literal["undo"]
    narrative: Narrative


class ItemWritten(NamedTuple):
    """An item was put. Its value stands in its own row; the one it replaced, if any, is `before`."""

    operation: Literal["put", "undo"]
    number: int
    before: ItemSnapshot | None
    version: int
    namespace: Namespace
    key: str


class ItemRemoved(NamedTuple):
    operation: Literal["delete", "remove", "undo"]
    before: ItemSnapshot


class ItemExpired(NamedTuple):
    """An item's time was over. Its owner said how long to keep it, so nothing is left to undo."""

    number: int


class NoteWritten(NamedTuple):
    """A note was written whole. The ledger keeps the bytes of both digests; None means that there was no note."""

    operation: WriteOperation
    path: str
    before: str | None
    after: str | None
    returned: tuple[int, ...] = ()  # the entries of the lines that this write put back


class NoteAppended(NamedTuple):
    """Text was added to the end of a note."""

    operation: Literal["daily"]
    path: str
    seen: str | None  # identifies the note's bytes before; None: there was no note
    added: str


class NoteMoved(NamedTuple):
    operation: Literal["move", "undo"]
    path: str
    new: str


class ContentForgotten(NamedTuple):
    """Somebody forgot something for good. The entry says what it was about, not what it said."""

    kind: SubjectKind
    item: int | str


class Blanked(NamedTuple):
    """A change whose content was forgotten later."""

    operation: str
    kind: SubjectKind
    item: int | str


class UnknownChange(NamedTuple):
    """A row that this version cannot read: damaged, or of a later version. It can be shown and not undone."""

    operation: str
    kind: str
    item: int | str
    before: str | None  # as they stand in the journal
    after: str | None


Change = (
    MemoryAdded
    | MemoryChanged
    | MemoryRemoved
    | MemoryArchived
    | MemoryUnarchived
    | VisibilityChanged
    | ExperienceAdded
    | ExperienceChanged
    | ExperienceRemoved
    | NarrativeAdded
    | NarrativeRemoved
    | ItemWritten
    | ItemRemoved
    | ItemExpired
    | NoteWritten
    | NoteAppended
    | NoteMoved
    | ContentForgotten
    | Blanked
    | UnknownChange
)


class Subject(NamedTuple):
    """The thing that a change is about."""

    kind: str  # a SubjectKind, unless the change is unknown
    item: int | str  # its number; of a note or a conversation, its path


def subject_of(change: Change) -> Subject:
    match change:
        case MemoryRemoved(memory=memory):
            return Subject("memory", memory.id)
        case MemoryAdded() | MemoryChanged() | MemoryArchived() | MemoryUnarchived():
            return Subject("memory", change.number)
        case VisibilityChanged():
            return Subject(change.kind, change.number)
        case ExperienceRemoved(experience=experience):
            return Subject("experience", experience.id)
        case ExperienceAdded() | ExperienceChanged():
            return Subject("experience", change.number)
        case NarrativeRemoved(narrative=narrative):
            return Subject("narrative", narrative.id)
        case NarrativeAdded():
            return Subject("narrative", change.number)
        case ItemRemoved(before=before):
            return Subject("item", before.item.id)
        case ItemWritten() | ItemExpired():
            return Subject("item", change.number)
        case NoteWritten() | NoteAppended() | NoteMoved():
            return Subject("note", change.path)
        case ContentForgotten() | Blanked() | UnknownChange():
            return Subject(change.kind, change.item)


def operation_of(change: Change) -> str:
    match change:
        case ContentForgotten():
            return "forget"
        case ItemExpired():
            return "expire"
        case _:
            return change.operation


def has_content(change: Change) -> bool:
    """Tells whether there is anything in the change that could be taken back."""
    match change:
        case ContentForgotten() | Blanked() | ItemExpired() | UnknownChange(before=None, after=None):
            return False
        case _:
            return True


def is_addition(change: Change) -> bool:
    """Tells whether the change added something that was not there before."""
    match change:
        case MemoryAdded() | ExperienceAdded() | NarrativeAdded():
            return True
        case ItemWritten(before=before):
            return before is None
        case _:
            return False


def is_removal(change: Change) -> bool:
    """Tells whether the change took something out, and holds all that it was."""
    match change:
        case MemoryRemoved() | ExperienceRemoved() | NarrativeRemoved() | ItemRemoved():
            return True
        case NoteWritten(before=str(), after=None, returned=()) | UnknownChange(before=str(), after=None):
            return True
        case _:
            return False


def memory_difference(old: Memory, new: Memory) -> tuple[MemoryFields, MemoryFields]:
    """Returns the fields that differ, as they were and as they are."""
    names = [name for name in old._fields if getattr(old, name) != getattr(new, name)]
    before, after = ({name: getattr(one, name) for name in names} for one in (old, new))
    return cast("MemoryFields", before), cast("MemoryFields", after)


def experience_difference(old: Experience, new: Experience) -> tuple[ExperienceFields, ExperienceFields]:
    """Returns the fields that differ, as they were and as they are."""
    names = [name for name in old._fields if getattr(old, name) != getattr(new, name)]
    before, after = ({name: getattr(one, name) for name in names} for one in (old, new))
    return cast("ExperienceFields", before), cast("ExperienceFields", after)


def earlier_memory(change: Change) -> MemoryFields:
    """Returns what the change tells of a memory as it was before."""
    match change:
        case MemoryChanged(before=before):
            return before
        case MemoryRemoved(memory=Memory() as memory) | ItemWritten(before=ItemSnapshot(memory=Memory() as memory)):
            return _fields_of(memory)
        case ItemRemoved(before=ItemSnapshot(memory=Memory() as memory)):
            return _fields_of(memory)
        case _:
            return {}


def _fields_of(memory: Memory) -> MemoryFields:
    fields = memory._asdict()
    del fields["id"]
    return cast("MemoryFields", fields)


def contents_of(change: Change) -> tuple[str, ...]:
    """Returns every content of a memory that the change repeats."""
    if isinstance(change, UnknownChange):
        return tuple(content for side in (change.before, change.after) for content in _content_in(side))
    sides = [earlier_memory(change), change.after if isinstance(change, MemoryChanged) else MemoryFields()]
    return tuple(side["content"] for side in sides if "content" in side)


def _content_in(text: str | None) -> tuple[str, ...]:
    """Returns the content in the text of a row that is not understood: forgetting must find it there too."""
    import json

    try:
        fields = json.loads(text or "null")
    except (ValueError, RecursionError):
        return ()
    return (fields["content"],) if isinstance(fields, dict) and isinstance(fields.get("content"), str) else ()


def removed_memory(change: Change) -> Memory | None:
    """Returns the memory that the change took out; for an item that was found as none, a memory that names it.

    A rating is an item too, and no memory.
    """
    from memoro.model.ratings import STORE

    match change:
        case MemoryRemoved(memory=memory):
            return memory
        case ItemRemoved(before=snapshot) if snapshot.item.store != STORE:
            return snapshot.memory or stand_in(snapshot.item)
        case _:
            return None

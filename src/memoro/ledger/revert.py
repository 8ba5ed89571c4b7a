"""Taking changes back: one rule for each kind of change. What happened since stays, or the change is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memoro.errors import UndoConflict
from memoro.ledger.apply import ChangeWriter
from memoro.ledger.visibility import check_may_change
from memoro.model.changes import (
    Blanked,
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
    NoteMoved,
    NoteWritten,
    UnknownChange,
    VisibilityChanged,
    experience_difference,
    has_content,
    memory_difference,
)
from memoro.model.experiences import Experience, identity
from memoro.model.journal import Authorship, JournalEntry, experience_without, memory_without
from memoro.model.local_time import local_day
from memoro.model.memories import Memory, stamp
from memoro.model.ratings import rating_of
from memoro.model.vocabulary import PERSON

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.archive import Archiving
    from memoro.ledger.ports import Transaction


class NoteReverter(Protocol):
    """Takes back what was written into the vault."""

    def revert(self, entry: JournalEntry) -> None: ...

    def has_happened(self, entry: int) -> bool:
        """Tells whether the write of an entry got to the disk: a process may have died before."""


class NoVaultOpen:
    """Stands in where no vault is open."""

    def revert(self, entry: JournalEntry) -> None:
        raise UndoConflict(entry.id, "it was written into a vault, and none is open here")

    def has_happened(self, _entry: int) -> bool:
        return True


class Reverter:
    """Takes back any change of the journal."""

    def __init__(self, access: LedgerAccess, archiving: Archiving, notes: NoteReverter) -> None:
        self._access = access
        self._archiving = archiving
        self.notes = notes

    def revert(self, entry: JournalEntry) -> JournalEntry:
        """Takes back one change, with an entry of its own; returns the entry of what was taken back."""
        match entry.change:
            case MemoryArchived(number=number):
                _check_in_force(entry)
                self._archiving.unarchive(number, undoes=entry.id)
            case MemoryUnarchived(number=number):
                _check_in_force(entry)
                self._archiving.archive(number, undoes=entry.id)
            case NoteWritten() | NoteAppended() | NoteMoved():
                _check_in_force(entry)
                self.notes.revert(entry)
            case _:
                return self._revert_rows(entry.id)
        return entry

    def is_reverted(self, entry: JournalEntry) -> bool:
        """Tells whether a change was taken back. A write to a note may have been intended only."""
        if entry.undone_by is None:
            return False
        is_note = isinstance(entry.change, NoteWritten | NoteAppended | NoteMoved)
        return not is_note or self.notes.has_happened(entry.undone_by)

    def _revert_rows(self, number: int) -> JournalEntry:
        by = Authorship(stamp(self._access.now()), PERSON, undoes=number)
        with self._access.ledger.writing() as tx:
            entry = tx.journal.get(number)  # as it is now, with nobody else writing
            _check_in_force(entry)
            _RowReverter(self._access, tx, ChangeWriter(self._access, tx, by), entry.id).revert(entry)
        return entry


def superseded_along(tx: Transaction, entry: JournalEntry) -> list[JournalEntry]:
    """Returns the changes in force by which a stored memory superseded others in the same write."""
    if not isinstance(entry.change, MemoryAdded):
        return []
    found = []
    for old in entry.change.supersedes:
        for one in tx.journal.history("memory", old) if tx.memories.find(old) else ():
            by = one.change.after.get("superseded_by") if isinstance(one.change, MemoryChanged) else None
            if by == entry.change.number and one.operation == "supersede" and one.undone_by is None:
                found.append(one)
    return found


def _check_in_force(entry: JournalEntry) -> None:
    if entry.undone_by is not None:
        raise UndoConflict(entry.id, f"it was undone already, by change {entry.undone_by}")
    if not has_content(entry.change):
        raise UndoConflict(entry.id, "its text was forgotten")


class _RowReverter:
    """Takes back one change of the ledger's rows, within a transaction."""

    def __init__(self, access: LedgerAccess, tx: Transaction, writer: ChangeWriter, entry: int) -> None:
        self._access = access
        self._tx = tx
        self._writer = writer
        self._entry = entry

    def revert(self, entry: JournalEntry) -> None:
        match entry.change:
            case MemoryAdded(number=number):
                self._remove_memory(number)
                for along in superseded_along(self._tx, entry):
                    self._revert_along(along)
            case MemoryRemoved(memory=memory):
                self._put_back_memory(memory)
            case MemoryChanged() as change:
                self._change_memory_back(change)
            case VisibilityChanged() as change:
                self._change_visibility_back(change)
            case ExperienceAdded(number=number):
                self._remove_experience(number)
            case ExperienceRemoved(experience=experience):
                self._put_back_experience(experience)
            case ExperienceChanged() as change:
                self._change_experience_back(change)
            case NarrativeAdded(number=number):
                self._writer.remove_narrative(self._tx.narratives.get(number))
            case NarrativeRemoved(narrative=narrative):
                self._writer.put_back_narrative(narrative)
            case ItemWritten() | ItemRemoved() as change:
                self._revert_item(change)
            case UnknownChange(kind=kind):
                raise self._conflict(f"it is about a {kind}, and this version cannot revert it")
            case MemoryArchived() | MemoryUnarchived() | NoteWritten() | NoteAppended() | NoteMoved():
                raise self._conflict("it is not a change of rows")
            case ContentForgotten() | Blanked() | ItemExpired():
                raise self._conflict("its text was forgotten")

    def _conflict(self, why: str) -> UndoConflict:
        return UndoConflict(self._entry, why)

    def _check_not_forgotten(self, text: str) -> None:
        if at := self._tx.forgotten.at(self._access.digest(self._tx, text)):
            raise self._conflict(f"what it would bring back was forgotten on {local_day(at)}")

    def _remove_memory(self, number: int) -> None:
        memory = self._tx.memories.find(number)
        if memory is None:
            raise self._conflict(f"[id:{number}] is not in the ledger any more")
        self._writer.remove_memory(memory, "undo")

    def _revert_along(self, entry: JournalEntry) -> None:
        """Takes back another change of the same write, with an entry of its own."""
        by = Authorship(stamp(self._access.now()), PERSON, undoes=entry.id)
        _RowReverter(self._access, self._tx, ChangeWriter(self._access, self._tx, by), entry.id).revert(entry)

    def _put_back_memory(self, memory: Memory) -> None:
        if self._tx.memories.find(memory.id):
            raise self._conflict(f"[id:{memory.id}] is there already")
        self._check_not_forgotten(memory.content)
        self._writer.add_memory(memory, "undo")

    def _change_memory_back(self, change: MemoryChanged) -> None:
        memory = self._tx.memories.get(change.number)
        restored = memory_without(memory, change, self._entry)
        if restored.content != memory.content:
            self._check_not_forgotten(restored.content)
        before, after = memory_difference(memory, restored)
        self._writer.change_memory(
            memory,
            MemoryChanged(
                operation="undo",
                number=change.number,
                before=before,
                after=after,
                linked=change.unlinked,
                unlinked=change.linked,
                noted=change.withdrawn,
                withdrawn=change.noted,
            ),
        )

    def _change_visibility_back(self, change: VisibilityChanged) -> None:
        if self._tx.visibility.of(change.kind, change.number) != change.after:
            raise self._conflict(f"who sees {change.kind}:{change.number} has been changed again since")
        back = change._replace(operation="undo", before=change.after, after=change.before)
        check_may_change(self._tx, back, self._access.ledger.person)
        self._writer.change_visibility(back)

    def _remove_experience(self, number: int) -> None:
        experience = self._tx.experiences.find(number)
        if experience is None:
            raise self._conflict(f"experience:{number} is not in the ledger any more")
        self._writer.remove_experience(experience, "undo")

    def _put_back_experience(self, experience: Experience) -> None:
        if self._tx.experiences.find(experience.id):
            raise self._conflict(f"experience:{experience.id} is there already")
        self._check_not_forgotten(identity(experience))
        same = self._tx.experiences.by_digest(self._access.digest(self._tx, identity(experience)))
        for one in same:
            if one.project == experience.project:
                raise self._conflict(f"the same was recorded again since, as experience:{one.id}")
        self._writer.add_experience(experience, "undo")

    def _change_experience_back(self, change: ExperienceChanged) -> None:
        old = self._tx.experiences.get(change.number)
        before, after = experience_difference(old, experience_without(old, change, self._entry))
        self._writer.change_experience(
            old, ExperienceChanged(operation="undo", number=change.number, before=before, after=after)
        )

    def _revert_item(self, change: ItemWritten | ItemRemoved) -> None:
        number = change.number if isinstance(change, ItemWritten) else change.before.item.id
        item = self._tx.items.find(number)
        version = change.version if isinstance(change, ItemWritten) else None
        if (item.version if item else None) != version:
            raise self._conflict(f"item {number} has been changed again since")
        now = ItemSnapshot(item, self._tx.memories.find(number)) if item else None
        if change.before is not None:
            self._put_back_item(change.before, now)
        elif now is not None:
            self._writer.remove_item(now, "undo")
            self._tx.memories.delete(number)
        self._revert_rating(now, change.before)

    def _revert_rating(self, now: ItemSnapshot | None, before: ItemSnapshot | None) -> None:
        """A rating is an item, and stands in the feedback of its recall too."""
        if gone := rating_of(now.item if now else None):
            self._tx.sessions.take_back(gone.recall, gone.item, gone.word)
        if again := rating_of(before.item if before else None):
            self._tx.sessions.note_again(again.recall, again.item, again.word)

    def _put_back_item(self, old: ItemSnapshot, now: ItemSnapshot | None) -> None:
        item = old.item
        other = self._tx.items.named(item.store, item.namespace, item.key)
        if other and other.id != item.id:
            raise self._conflict(f"{item.key!r} is there again, as item {other.id}")
        self._put_back_memory_of(old)
        self._writer.put_item(item, now, "undo")

    def _put_back_memory_of(self, old: ItemSnapshot) -> None:
        """Makes the memory of an item say again what it said; what use has made of it since stays."""
        number, said, memory = old.item.id, old.memory, self._tx.memories.find(old.item.id)
        if said is None:
            self._tx.memories.delete(number)
            return
        self._check_not_forgotten(said.content)
        digest = self._access.digest(self._tx, said.content)
        if memory is None:
            self._tx.memories.insert(said, digest)
            return
        kept = memory._replace(content=said.content, tags=said.tags, valid_to=said.valid_to, hit_at=said.hit_at)
        self._tx.memories.replace(memory, kept, digest)

"""Carrying out changes to rows: what each kind of change writes, and its entry in the journal.

`revert` takes changes back with the same writer. Notes are written by `notes.journaled_writer`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from memoro.model.changes import (
    Change,
    ExperienceAdded,
    ExperienceChanged,
    ExperienceRemoved,
    ItemRemoved,
    ItemSnapshot,
    ItemWritten,
    MemoryAdded,
    MemoryChanged,
    MemoryRemoved,
    NarrativeAdded,
    NarrativeRemoved,
    VisibilityChanged,
)
from memoro.model.experiences import Experience, identity
from memoro.model.items import Item
from memoro.model.journal import Authorship, entry_of
from memoro.model.memories import Link, Memory, Narrative, grown, moment
from memoro.model.notes import MEMORY

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import Transaction


class ChangeWriter:
    """Writes changes within one transaction, all by the same author."""

    def __init__(self, access: LedgerAccess, tx: Transaction, by: Authorship) -> None:
        self._access = access
        self._tx = tx
        self._by = by

    def record(self, change: Change) -> int:
        """Adds the entry of a change whose rows are written elsewhere; returns its number."""
        proposal = self._access.proposal if self._by.undoes is None else None
        entry = self._tx.journal.add(entry_of(change, self._by._replace(proposal=proposal)))
        self._access.note_change(entry)
        return entry

    def add_memory(
        self,
        memory: Memory,
        operation: Literal["store", "undo"],
        supersede: Callable[[Memory], tuple[int, ...]] = lambda _memory: (),
    ) -> Memory:
        """Adds the memory. `supersede` lets it supersede others; its entry comes last, and `undo` takes back all."""
        digest = self._access.refuse_forgotten(self._tx, memory.content)
        kept = self._tx.memories.insert(memory, digest)
        self.record(MemoryAdded(operation, kept.id, supersede(kept)))
        return kept

    def change_memory(self, old: Memory, change: MemoryChanged) -> Memory:
        """Changes the row, and whatever else the change tells of: links, and the feedback of a recall."""
        new = old._replace(**change.after)
        same = new.content == old.content
        find_digest = self._access.digest if same else self._access.refuse_forgotten
        self._tx.memories.replace(old, new, find_digest(self._tx, new.content))
        self._link(old.id, change.linked)
        self._unlink(old.id, change.unlinked)
        item = f"{MEMORY}{old.id}"
        if change.noted:
            self._tx.sessions.note_again(change.noted.recall, item, change.noted.word)
        if change.withdrawn:
            self._tx.sessions.take_back(change.withdrawn.recall, item, change.withdrawn.word)
        self.record(change)
        return new

    def remove_memory(self, memory: Memory, operation: Literal["remove", "undo"]) -> None:
        self._tx.memories.delete(memory.id)
        self.record(MemoryRemoved(operation, memory))

    def change_visibility(self, change: VisibilityChanged) -> None:
        self._tx.visibility.put(change.kind, change.number, change.after)
        self.record(change)

    def _link(self, number: int, others: Sequence[int]) -> None:
        now = moment(self._by.at)
        for other in others:
            fresh = Link(low=min(number, other), high=max(number, other), strength=0.0, at=self._by.at)
            self._tx.links.put(grown(self._tx.links.between(number, other) or fresh, now))

    def _unlink(self, number: int, others: Sequence[int]) -> None:
        """Takes back what one use added to the links of a memory."""
        for other in others:
            old = self._tx.links.between(number, other)
            if old:
                self._tx.links.put(old._replace(strength=old.strength - 1))

    def add_experience(self, experience: Experience, operation: Literal["record", "undo"]) -> Experience:
        digest = self._access.refuse_forgotten(self._tx, identity(experience), "experience")
        kept = self._tx.experiences.insert(experience, digest)
        self.record(ExperienceAdded(operation, kept.id))
        return kept

    def change_experience(self, old: Experience, change: ExperienceChanged) -> Experience:
        new = old._replace(**change.after)
        self._tx.experiences.replace(old, new)
        self.record(change)
        return new

    def remove_experience(self, experience: Experience, operation: Literal["remove", "undo"]) -> None:
        self._tx.experiences.delete(experience.id)
        self.record(ExperienceRemoved(operation, experience))

    def add_narrative(self, narrative: Narrative) -> Narrative:
        kept = self._tx.narratives.insert(narrative)
        self.record(NarrativeAdded("narrative", kept.id))
        return kept

    def put_back_narrative(self, narrative: Narrative) -> None:
        self._tx.narratives.put_back(narrative)
        self.record(NarrativeAdded("undo", narrative.id))

    def remove_narrative(self, narrative: Narrative) -> None:
        self._tx.narratives.delete(narrative)
        self.record(NarrativeRemoved("undo", narrative))

    def put_item(self, item: Item, before: ItemSnapshot | None, operation: Literal["put", "undo"]) -> None:
        """Writes the row of an item. The memory it is found as is the caller's to write."""
        self._tx.items.put(item)
        self.record(
            ItemWritten(
                operation=operation,
                number=item.id,
                before=before,
                version=item.version,
                namespace=item.namespace,
                key=item.key,
            )
        )

    def remove_item(self, before: ItemSnapshot, operation: Literal["delete", "remove", "undo"]) -> None:
        """Deletes the row of an item. The memory it was found as is the caller's to delete."""
        self._tx.items.delete(before.item.id)
        self.record(ItemRemoved(operation, before))

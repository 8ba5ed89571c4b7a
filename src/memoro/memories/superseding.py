"""Letting a memory take the place of others in a transaction; where its trust does not suffice, a proposal waits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import MemoryRefused
from memoro.ledger.access import LedgerAccess, Owner
from memoro.ledger.apply import ChangeWriter
from memoro.model.changes import MemoryChanged, NotedFeedback, memory_difference
from memoro.model.memories import Memory, may_supersede, superseded
from memoro.model.notes import MEMORY
from memoro.model.vocabulary import PERSON

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


class Superseding(NamedTuple):
    """Lets a new memory supersede older ones, within the transaction that stores it."""

    access: LedgerAccess
    owner: Owner
    tx: Transaction
    writer: ChangeWriter
    source: str  # who stores the new memory, which may be known already

    def supersede(self, new: Memory, numbers: Sequence[int], now: datetime) -> tuple[int, ...]:
        """Return the numbers of those that the new memory has superseded now.

        One that it superseded before stays as it is. One of higher trust stays current, and a proposal waits.
        """
        return tuple(number for number in numbers if self._supersede_one(new, self.checked(number), now))

    def checked(self, number: int) -> Memory:
        """Return a memory that the owner may replace."""
        old = self.tx.memories.get(number)
        self.owner.check_change(f"[id:{number}]", old.agent, old.project)
        return old

    def _supersede_one(self, new: Memory, old: Memory, now: datetime) -> bool:
        if old.id == new.id:
            raise MemoryRefused(f"[id:{old.id}] says exactly this. A memory cannot supersede itself.")
        if old.superseded_by == new.id:
            return False
        check_chain(self.tx, old, new)
        if self.source != PERSON and not may_supersede(new.trust, old.trust):
            self._propose(old.id, new.id)
            return False
        before, after = memory_difference(old, superseded(old, new, now))
        recall = self.tx.sessions.note(f"{MEMORY}{old.id}", "corrected", new.session)
        change = MemoryChanged(
            operation="supersede",
            number=old.id,
            before=before,
            after=after,
            noted=NotedFeedback(recall, "corrected") if recall else None,
        )
        self.writer.change_memory(old, change)
        return True

    def _propose(self, old: int, new: int) -> None:
        from memoro.ledger.proposals import ProposalQueue  # seldom needed
        from memoro.model.proposals import Suggestion, SupersedeMemory

        queue = ProposalQueue(self.access, self.owner)
        queue.add(self.tx, Suggestion(SupersedeMemory(old, new)), by=self.source)


def check_chain(tx: Transaction, old: Memory, new: Memory) -> None:
    """Raise where the older memory is a successor of the newer: neither would be current."""
    later: Memory | None = new
    while later is not None:
        if later.id == old.id:
            raise MemoryRefused(f"[id:{new.id}] was itself superseded by [id:{old.id}].")
        later = tx.memories.find(later.superseded_by or 0)


def proposals_of(tx: Transaction, new: int, numbers: Sequence[int]) -> dict[int, int]:
    """Return the open proposals that a new memory supersede these: the number of each by that of the older memory."""
    from memoro.model.proposals import SupersedeMemory

    waiting = [(one.id, one.change) for one in tx.proposals.all() if one.state == "open"]
    return {
        change.old: id
        for id, change in waiting
        if isinstance(change, SupersedeMemory) and change.new == new and change.old in numbers
    }

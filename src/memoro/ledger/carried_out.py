"""The changes that carried out accepted proposals: which belong together, and which rest on others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memoro.model.agents import acting_agent
from memoro.model.changes import ItemWritten, MemoryAdded, MemoryChanged
from memoro.model.journal import JournalEntry
from memoro.model.memories import Memory

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.model.proposals import Proposal


def of_same_proposal(tx: Transaction, entry: JournalEntry) -> list[JournalEntry]:
    """Returns the changes that carried out the same proposal, newest first.

    Of an undo, the undos of those changes: undoing it brings back the whole proposal. A change that carried out no
    proposal stands alone.
    """
    first = tx.journal.get(entry.undoes) if entry.undoes is not None and tx.journal.made_at(entry.undoes) else entry
    if first.proposal is None:
        return [entry]
    made = [one for one in tx.journal.of_proposals((first.proposal,)) if one.undoes is None]
    if entry.undoes is None:
        return made
    undos = {one.undone_by for one in made if one.undone_by is not None} | {entry.id}
    return [tx.journal.get(number) for number in sorted(undos, reverse=True)]


def of_source(tx: Transaction, source: str) -> list[JournalEntry]:
    """Returns the changes that carried out proposals which a source made, newest first."""
    numbers = [one.id for one in tx.proposals.all("accepted") if source in _sources(one)]
    return [one for one in tx.journal.of_proposals(numbers) if one.undoes is None]


def _sources(proposal: Proposal) -> tuple[str | None, ...]:
    """Return the names of those who made a proposal."""
    return proposal.origin, proposal.actor, acting_agent(proposal.actor, proposal.agent)


def resting_on(tx: Transaction, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Returns the changes by which a memory that one of these entries added was promoted, or replaced another."""
    gone = set(added_memories(entries))
    while found := {memory.id for memory in derived_from(tx, gone)} - gone:
        gone |= found
    if not gone:
        return []
    replaced = [memory.id for memory in tx.memories.all() if memory.superseded_by in gone]
    histories = [tx.journal.history("memory", number) for number in {*gone, *replaced}]
    resting = [one for history in histories for one in history if one.undone_by is None and _rests_on(one, gone)]
    return [along for one in resting for along in of_same_proposal(tx, one)]


def _rests_on(entry: JournalEntry, gone: set[int]) -> bool:
    match entry.change:
        case MemoryChanged(operation="promote", number=number):
            return number in gone
        case MemoryChanged(operation="supersede", after=after):
            return after.get("superseded_by") in gone
        case _:
            return False


def added_memories(entries: Iterable[JournalEntry]) -> Iterable[int]:
    """Returns the numbers of the memories that these entries added."""
    for entry in entries:
        match entry.change:
            case MemoryAdded(number=number) | ItemWritten(number=number, before=None):
                yield number
            case _:
                pass


def derived_from(tx: Transaction, gone: set[int]) -> list[Memory]:
    return [memory for memory in tx.memories.derived() if gone & set(memory.parents)]

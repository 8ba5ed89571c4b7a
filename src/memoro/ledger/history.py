"""The history of one thing by the journal: its first content, and its last before it was removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.errors import MemoryNotFound
from memoro.model.changes import ExperienceAdded, ExperienceRemoved, ItemRemoved, MemoryAdded, removed_memory
from memoro.model.experiences import Experience
from memoro.model.journal import JournalEntry, RecordedWords, with_first_words
from memoro.model.memories import Memory
from memoro.model.ratings import MUTED, STORE, rated_id

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


def fill_first_words(tx: Transaction, entry: JournalEntry) -> JournalEntry:
    """Adds, for readers, what a memory or an experience said when it came."""
    match entry.change:
        case MemoryAdded(number=number):
            history = with_first_words(tx.journal.history("memory", number), tx.memories.find(number))
            return next((one for one in history if one.id == entry.id), entry)
        case ExperienceAdded(number=number):
            known = tx.experiences.find(number) or last_removed_experience(tx, number)
            words = RecordedWords(known.type, known.intent, known.solution_json) if known else None
            return entry._replace(words=words)
        case _:
            return entry


def last_removed_memory(tx: Transaction, number: int) -> Memory | None:
    """Returns a memory that was taken out, as it was then."""
    for entry in reversed(tx.journal.history("memory", number)):
        if found := removed_memory(entry.change):
            return found
    return None


def memory_not_found(tx: Transaction, number: int, where: str = "") -> MemoryNotFound:
    """Return the error for a number that names no memory. A rating takes a number too, and its error says so."""
    item = tx.items.find(number)
    removals = [one.change for one in tx.journal.history("item", number) if isinstance(one.change, ItemRemoved)]
    known = item or (removals[-1].before.item if removals else None)
    if known is None or known.store != STORE:
        return MemoryNotFound(f"There is no memory [id:{number}]{where}. `memoro memory list` lists all.")
    rated = rated_id(known.key)
    what = f"the mute of {rated}" if known.namespace == MUTED else f"your mark that {rated} helped"
    no_memory = f"There is no memory [id:{number}]. Mutes and marks take such numbers too, and this one"
    if item is None:
        return MemoryNotFound(
            f"{no_memory} was {what}, which no longer holds. `memoro memory list` lists all memories."
        )
    ways = "`memoro given muted` lists mutes, and `memoro given allow ID` lifts one."
    way = ways if known.namespace == MUTED else "`memoro log` shows the change to undo."
    return MemoryNotFound(f"{no_memory} is {what}. {way}")


def last_removed_experience(tx: Transaction, number: int) -> Experience | None:
    """Returns an experience that was taken out, as it was then."""
    for entry in reversed(tx.journal.history("experience", number)):
        if isinstance(entry.change, ExperienceRemoved):
            return entry.change.experience
    return None

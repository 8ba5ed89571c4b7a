"""The history of one thing by the journal: its first content, and its last before it was removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.model.changes import ExperienceAdded, ExperienceRemoved, MemoryAdded, removed_memory
from memoro.model.experiences import Experience
from memoro.model.journal import JournalEntry, RecordedWords, with_first_words
from memoro.model.memories import Memory

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


def last_removed_experience(tx: Transaction, number: int) -> Experience | None:
    """Returns an experience that was taken out, as it was then."""
    for entry in reversed(tx.journal.history("experience", number)):
        if isinstance(entry.change, ExperienceRemoved):
            return entry.change.experience
    return None

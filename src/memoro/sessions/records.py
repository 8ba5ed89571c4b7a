"""The records of one conversation: each compaction begins a new one, in which items may be given again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.model.sessions import Session


def record_id(session: str, number: int) -> str:
    """Return the name of the nth record of a conversation, by the id that its host gave it."""
    return session if number == 1 else f"{session} ({number})"


def records_of(tx: Transaction, session: str) -> list[Session]:
    """Return the records of a conversation, in order."""
    found: list[Session] = []
    while known := tx.sessions.find(record_id(session, len(found) + 1)):
        found.append(known)
    return found

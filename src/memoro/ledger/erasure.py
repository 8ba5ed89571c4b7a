"""Erasing a forgotten text from the rows that tell of it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from memoro.model.experiences import as_experience, identity
from memoro.model.journal import Entry

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import Transaction


def delete_traces(tx: Transaction, memory: int) -> None:
    """Delete what other rows say about a memory, and blank its history."""
    tx.links.delete_of(memory)
    tx.given.delete_of(memory)
    tx.narratives.detach(memory)
    tx.items.delete(memory)
    tx.journal.blank_history("memory", memory)


def texts_in_journal(tx: Transaction) -> Iterator[tuple[int, str]]:
    """Every content of a memory and identity of an experience that an entry repeats, with its position."""
    yield from tx.journal.contents()
    for gone in tx.journal.removals("experience"):
        yield gone.id, identity(as_experience(gone.before))


def blank_repeating(tx: Transaction, access: LedgerAccess, forgotten: Container[bytes]) -> None:
    """Blank the entries that repeat what was forgotten, also those of memories that said it once."""
    repeating = [position for position, text in texts_in_journal(tx) if access.digest(tx, text) in forgotten]
    for position in repeating:
        tx.journal.blank(position)


def forgetting(kind: str, item: int | str, at: str) -> Entry:
    """The entry that tells that something was forgotten, and not what."""
    return Entry(id=0, at=at, operation="forget", actor="user", kind=kind, item=item, before=None, after=None)

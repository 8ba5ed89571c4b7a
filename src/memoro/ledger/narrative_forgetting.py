"""Forgetting narratives that repeat a forgotten text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memoro.ledger.erasure import erase_repetitions, forgetting
from memoro.model.changes import NarrativeRemoved
from memoro.model.derivation import made_from
from memoro.model.memories import Narrative
from memoro.model.notes import NARRATIVE

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import Transaction


def narratives_repeating(tx: Transaction, texts: Iterable[str]) -> list[Narrative]:
    """Return the narratives that were made from one of these texts, by their numbers; undone ones too."""
    is_made = made_from(texts)
    gone = [
        one.change.narrative for one in tx.journal.removals("narrative") if isinstance(one.change, NarrativeRemoved)
    ]
    every = {one.id: one for one in (*gone, *tx.narratives.all())}
    return [one for _, one in sorted(every.items()) if is_made(one.summary)]


def delete_narratives(tx: Transaction, access: LedgerAccess, narratives: Sequence[Narrative], at: str) -> None:
    """Delete narratives from tables, history and recalls. The chain closes over them, and they do not come back."""
    for one in narratives:
        tx.forgotten.add(access.digest(tx, one.summary), at)
        if tx.narratives.find(one.id):
            tx.narratives.delete(tx.narratives.get(one.id))
        tx.journal.blank_history("narrative", one.id)
        tx.journal.add(forgetting("narrative", one.id, at))
    if narratives:
        erase_repetitions(tx, [one.summary for one in narratives], [f"{NARRATIVE}{one.id}" for one in narratives])

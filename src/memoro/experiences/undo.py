"""Taking back what was done to experiences."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memoro.errors import UndoConflict
from memoro.ledger.access import LedgerAccess
from memoro.ledger.undo import Kind, add_undo
from memoro.model.experiences import Experience, as_experience, identity, taken_back
from memoro.model.journal import Entry, difference

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


def undoing(access: LedgerAccess) -> Kind:
    def back(tx: Transaction, entry: Entry, now: datetime) -> None:
        if entry.before is None:
            _take_out(tx, entry, now)
        elif entry.after is None:
            _put_back(access, tx, entry, now)
        else:
            old = tx.experiences.get(entry.item)
            new = taken_back(old, entry)
            tx.experiences.replace(old, new)
            add_undo(tx, entry, *difference(old, new), now)

    return Kind(back, told)


def _take_out(tx: Transaction, entry: Entry, now: datetime) -> None:
    experience = tx.experiences.find(entry.item)
    if experience is None:
        raise UndoConflict(entry.id, f"experience:{entry.item} is not in the ledger any more")
    tx.experiences.delete(entry.item)
    add_undo(tx, entry, experience._asdict(), None, now)


def _put_back(access: LedgerAccess, tx: Transaction, entry: Entry, now: datetime) -> None:
    if tx.experiences.find(entry.item):
        raise UndoConflict(entry.id, f"experience:{entry.item} is there already")
    experience = as_experience(entry.before)
    digest = access.digest(tx, identity(experience))
    if at := tx.forgotten.at(digest):
        raise UndoConflict(entry.id, f"what it would bring back was forgotten on {at[:10]}")
    if same := [one for one in tx.experiences.by_digest(digest) if one.project == experience.project]:
        raise UndoConflict(entry.id, f"the same was recorded again since, as experience:{same[0].id}")
    tx.experiences.insert(experience, digest)
    add_undo(tx, entry, None, {}, now)


def told(tx: Transaction, entry: Entry) -> Entry:
    """What an experience is about, with the entry of its coming: the journal does not repeat the row."""
    known = tx.experiences.find(entry.item) or last_gone(tx, entry.item)
    if known is None:
        return entry
    said = {"type": known.type, "intent": known.intent, "solution_json": known.solution_json}
    return entry._replace(after={**said, **(entry.after or {})})


def last_gone(tx: Transaction, number: int) -> Experience | None:
    """An experience that was taken out, as it was then."""
    for entry in reversed(tx.journal.history("experience", number)):
        if entry.before is not None and entry.after is None:
            return as_experience(entry.before)
    return None

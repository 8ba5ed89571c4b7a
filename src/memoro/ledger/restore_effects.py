"""What the restore of a backup takes from the people who share a ledger."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger.visibility import stored_by
from memoro.model.experiences import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memoro.ledger.ports import ArchiveTransaction, Transaction

    Subjects = dict[tuple[str, int], object]  # by kind and number: what people would miss of it


class PersonLoss(NamedTuple):
    """How many memories, experiences and narratives of one person a restore removes, and how many it changes."""

    person: str | None  # who stored them; None: nobody recorded it
    removed: int
    changed: int

    @property
    def in_words(self) -> str:
        parts = [f"{self.removed} removed"] if self.removed else []
        parts += [f"{self.changed} changed"] if self.changed else []
        return f"{self.person or 'unknown'}: {', '.join(parts)}"


def of_ledger(tx: Transaction) -> Subjects:
    found: Subjects = _memories(tx)
    found |= {("experience", one.id): identity(one) for one in tx.experiences.all()}
    return found | {("narrative", one.id): one.summary for one in tx.narratives.all()}


def of_archive(tx: ArchiveTransaction) -> Subjects:
    return _memories(tx)


def losses(tx: Transaction, now: Subjects, then: Subjects) -> tuple[PersonLoss, ...]:
    """Return who would lose what if `now` became `then`. `tx` reads the present ledger."""
    removed = _by_person(tx, (one for one in now if one not in then))
    changed = _by_person(tx, (one for one in now if one in then and now[one] != then[one]))
    people = sorted({*removed, *changed}, key=str)
    return tuple(PersonLoss(person=one, removed=removed[one], changed=changed[one]) for one in people)


def _memories(tx: Transaction | ArchiveTransaction) -> Subjects:
    """Memories without what each use of them changes."""
    return {("memory", one.id): one._replace(feedback=0, hit_at=None) for one in tx.memories.all()}


def _by_person(tx: Transaction, subjects: Iterable[tuple[str, int]]) -> Mapping[str | None, int]:
    return Counter(stored_by(tx, kind, number) for kind, number in subjects)

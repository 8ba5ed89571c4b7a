"""Archiving one experience, by a person's word."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger.access import LedgerAccess, Once, Owner
from memoro.ledger.apply import ChangeWriter
from memoro.model.changes import ExperienceChanged, experience_difference
from memoro.model.experiences import Experience
from memoro.model.journal import Authorship
from memoro.model.memories import stamp
from memoro.model.results import ChangeResult

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


class ExperienceRetiring(NamedTuple):
    access: LedgerAccess
    owner: Owner

    def retire(self, number: int, *, source: str, key: str) -> Experience:
        """Marks an experience as archived: it is not offered any more, and comes back when it is used again."""
        at = stamp(self.access.now())

        def work(tx: Transaction) -> ChangeResult:
            old = tx.experiences.get(number)
            self.owner.check_change(f"experience:{number}", old.agent, old.project)
            if old.archived_at is None:
                before, after = experience_difference(old, old._replace(archived_at=at))
                change = ExperienceChanged(operation="archive", number=number, before=before, after=after)
                by = Authorship(at, self.access.name(source, "source") or "", self.owner.agent)
                ChangeWriter(self.access, tx, by).change_experience(old, change)
            return ChangeResult(number)

        self.access.once(Once(key, ("retire", "experience", number), ChangeResult), work)
        return self.get(number)

    def get(self, number: int) -> Experience:
        with self.access.ledger.reading() as tx:
            return tx.experiences.get(number)

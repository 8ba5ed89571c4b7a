"""Forgetting experiences: their bytes are deleted, and a digest keeps them from coming back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NeedsConsent, NotFound
from memoro.experiences.solutions import bare, whole
from memoro.ledger.access import LedgerAccess
from memoro.ledger.backups import Backups
from memoro.ledger.erasure import blank_repeating, erase_repetitions, forgetting
from memoro.ledger.forget import Forgetting, begin, sha256
from memoro.ledger.history import last_removed_experience
from memoro.model.experiences import Experience, identity, passage
from memoro.model.memories import stamp
from memoro.model.notes import EXPERIENCE

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


class ForgottenExperiences(NamedTuple):
    experiences: tuple[Experience, ...]  # what is to go, or went
    done: bool  # False: only looked at
    backups: tuple[str, ...] = ()  # those that still hold it


class ExperienceForgetting:
    def __init__(self, access: LedgerAccess, backups: Backups, forgetting: Forgetting) -> None:
        self._access = access
        self._backups = backups
        self._forgetting = forgetting

    def forget(self, number: int, *, yes: bool, dry_run: bool) -> ForgottenExperiences:
        """Delete one, and the same one of other projects, from tables, journal, words, vectors, caches and logs."""
        with self._backups.paused() if yes and not dry_run else nullcontext():
            return self._forget(number, yes=yes, dry_run=dry_run)

    def _forget(self, number: int, *, yes: bool, dry_run: bool) -> ForgottenExperiences:
        with self._access.ledger.reading() as tx:
            chosen = tx.experiences.find(number) or last_removed_experience(tx, number)
            if chosen is None:
                raise NotFound(f"There is no experience:{number}.")
            digest = self._access.digest(tx, identity(chosen))
            found = {one.id: one for one in (chosen, *tx.experiences.by_digest(digest))}
        named = self._backups.holding({digest})
        if dry_run:
            return ForgottenExperiences(tuple(found.values()), False, named)
        if not yes:
            raise NeedsConsent(
                "Forgetting an experience cannot be undone. Add --yes (yes=True) to do it; "
                "`memoro experience remove` is the way that can be undone."
            )
        self._access.with_room(lambda: self._scrub(list(found.values())))
        self._forgetting.finish()
        return ForgottenExperiences(tuple(found.values()), True, named)

    def _scrub(self, experiences: Sequence[Experience]) -> None:
        """Delete the rows, and note in the same commit what else must be deleted."""
        at = stamp(self._access.now())
        with self._access.ledger.writing() as tx:
            digests = {self._access.digest(tx, identity(one)) for one in experiences}
            for digest in digests:
                tx.forgotten.add(digest, at)
            for one in experiences:
                tx.experiences.delete(one.id)
                tx.journal.blank_history("experience", one.id)
                tx.journal.add(forgetting("experience", one.id, at))
            blank_repeating(tx, self._access, digests)
            said = [text for one in experiences for text in (passage(one), bare(one), whole(one))]
            erase_repetitions(tx, said, [f"{EXPERIENCE}{one.id}" for one in experiences])
            begin(tx, [], _texts_gone(tx, experiences), experiences=[one.id for one in experiences])


def _texts_gone(tx: Transaction, experiences: Sequence[Experience]) -> list[str]:
    """The digests of the texts whose vectors must be deleted: those that no other experience has."""
    texts = {passage(one) for one in experiences}
    return [sha256(text) for text in texts - {passage(one) for one in tx.experiences.all()}]

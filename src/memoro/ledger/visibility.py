"""Show and change who sees a memory or an experience of a shared ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import Refused
from memoro.ledger.apply import ChangeWriter
from memoro.model.changes import Change, VisibilityChanged, is_addition
from memoro.model.journal import Authorship
from memoro.model.memories import stamp
from memoro.model.notes import EXPERIENCE, MEMORY
from memoro.model.vocabulary import Visibility

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess, Owner
    from memoro.ledger.ports import Transaction
    from memoro.ledger.repositories.visibility import SeenKind

_NAMES: dict[str, str] = {"memory": MEMORY, "experience": EXPERIENCE}


class ShownVisibility(NamedTuple):
    """The visibility of a memory or an experience."""

    id: int
    visibility: Visibility
    person: str | None  # who stored it; None: nobody recorded it
    changed: bool = False
    narratives: tuple[int, ...] = ()  # shared ones that rest on a memory just made private, and may tell of it


class RowVisibility:
    def __init__(self, access: LedgerAccess, owner: Owner) -> None:
        self._access = access
        self._owner = owner

    def show(self, kind: SeenKind, number: int) -> ShownVisibility:
        with self._access.ledger.reading() as tx:
            return self._shown(tx, kind, number)

    def change(self, kind: SeenKind, number: int, visibility: Visibility, source: str) -> ShownVisibility:
        """Make it private to the person who stored it, or share it with everybody of the tenant."""

        def work(tx: Transaction) -> ShownVisibility:
            found = self._shown(tx, kind, number)
            if found.visibility == visibility:
                return found
            change = VisibilityChanged(
                operation="visibility", kind=kind, number=number, before=found.visibility, after=visibility
            )
            check_may_change(tx, change, self._access.ledger.person)
            by = Authorship(stamp(self._access.now()), source, self._owner.agent)
            ChangeWriter(self._access, tx, by).change_visibility(change)
            rests = tx.narratives.resting_on(number) if (kind, visibility) == ("memory", "private") else ()
            return found._replace(visibility=visibility, changed=True, narratives=tuple(rests))

        self._access.check_shared()
        return self._access.write(work)

    def _shown(self, tx: Transaction, kind: SeenKind, number: int) -> ShownVisibility:
        row = tx.memories.get(number) if kind == "memory" else tx.experiences.get(number)
        self._owner.check_read(f"{_NAMES[kind]}{number}", row.agent, row.project)
        self._access.check_shared()
        seen = tx.visibility.of(kind, number) or "shared"
        return ShownVisibility(number, seen, stored_by(tx, kind, number))


def stored_by(tx: Transaction, kind: str, number: int) -> str | None:
    """The person whose entry in the journal stored it."""
    added = (one.person for one in tx.journal.history(kind, number) if is_addition(one.change))
    return next(added, None)


def is_made_private(change: Change) -> bool:
    """Return whether a change made something private, so that undoing it shows it to everybody again."""
    return isinstance(change, VisibilityChanged) and change.before == "shared"


def check_may_change(tx: Transaction, change: VisibilityChanged, person: str | None) -> None:
    """Raise Refused where someone would hide what is not theirs. A private row is seen by its owner alone."""
    if change.after == "shared":
        return
    name = f"{_NAMES[change.kind]}{change.number}"
    if change.kind == "memory" and tx.items.find(change.number):
        raise Refused(f"{name} belongs to an item of a framework, which everybody of the tenant sees.")
    who = stored_by(tx, change.kind, change.number)
    if who is None:
        raise Refused(f"The journal does not say who stored {name}, so nobody can make it private.")
    if who != person:
        raise Refused(f"{who} stored {name}, so only {who} can make it private.")

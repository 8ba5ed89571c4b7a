"""Keeping accepted proposals from emptying a file: a planner may be wrong many times in the same way."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memoro.errors import Refused
from memoro.ledger.access import LedgerAccess
from memoro.model.losses import LOSS_DAYS, most_lost
from memoro.model.memories import stamp
from memoro.model.proposals import MoveEntry, Proposal, ProposedChange, RemoveEntry, RetireEntry, WriteNote
from memoro.vault.entries import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from memoro.ledger.ports import Transaction


def refuse_loss(access: LedgerAccess, proposal: Proposal, text_of: Callable[[str], str | None]) -> None:
    """Raises Refused where a proposal that no agent and no person made would take too much out of a file.

    What was taken out of it in the last days by such proposals, and not put back, counts too.
    """
    path = lost_from(proposal.change)
    if proposal.origin == "agent" or path is None:
        return
    present = {one.text for one in entries(text_of(path) or "")}
    loses = len(present - _left_by(proposal.change)) if isinstance(proposal.change, WriteNote) else 1
    since = stamp(access.now() - timedelta(days=LOSS_DAYS))
    with access.ledger.reading() as tx:
        lost = sum(_took_out(tx, one, path, since) for one in tx.proposals.all("accepted") if one.id != proposal.id)
    most = most_lost(len(present) + lost)
    if loses and lost + loses > most:
        raise Refused(
            f"With this, {lost + loses} of {len(present) + lost} entries would leave {path} within {LOSS_DAYS} days "
            f"by automatic proposals, and at most {most} may. Remove it yourself (`memoro remove`), or accept it "
            "later; nothing was changed."
        )


def lost_from(change: ProposedChange) -> str | None:
    """Returns the file that loses entries by a change, or may lose some; None where none does."""
    match change:
        case RemoveEntry(path=path) | RetireEntry(path=path) | MoveEntry(path=path) | WriteNote(path=path):
            return path
        case _:
            return None


def _left_by(note: WriteNote) -> set[str]:
    return {one.text for one in entries(note.text)}


def _took_out(tx: Transaction, proposal: Proposal, path: str, since: str) -> bool:
    change = proposal.change
    if proposal.origin == "agent" or isinstance(change, WriteNote) or lost_from(change) != path:
        return False
    is_recent = (proposal.settled_at or "") >= since
    return is_recent and any(entry.undone_by is None for entry in tx.journal.of_proposals((proposal.id,)))

"""One line at the start of a session: how many proposals wait for the user. At most once a day in a home."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import MemoroError
from memoro.model.fence import FENCE_CLOSE
from memoro.model.notes import counted
from memoro.recall.fence import PROMPT_PREFACE, draw, fenced

if TYPE_CHECKING:
    from memoro.hooks.events import SessionStarted
    from memoro.ledger.proposals import WaitingCount
    from memoro.workspace import Workspace

_TOLD = "proposals_told"  # in the ledger: the day on which it was last said, and the key of that event
_CONTINUED = ("resume", "fork", "compact")  # sessions that have begun already


def with_waiting_proposals(block: str, event: SessionStarted, workspace: Workspace, key: str | None) -> str:
    """Return a block that also says how many proposals wait; the block itself where none does, or it was said today.

    A failure changes nothing about the block. The line is for the user: agents can decide nothing.
    """
    if event.source in _CONTINUED or not workspace.has_ledger():
        return block
    with suppress(MemoroError):
        waiting = _count(workspace)
        if waiting.here and _is_first_today(workspace, key):
            return _with_line(block, waiting_line(waiting))
    return block


def waiting_line(waiting: WaitingCount) -> str:
    here, everywhere = waiting
    what = f"{counted(here, 'proposal')} {'waits' if here == 1 else 'wait'} for the user's decision"
    if here != everywhere:  # the user sees all: `status` and `review` have the larger number
        verb = "concerns" if here == 1 else "concern"
        what = f"{everywhere} proposals wait for the user's decision, of which {here} {verb} this project"
    return f"{what}: `memoro review`. You may mention it once; only the user can decide."


def _count(workspace: Workspace) -> WaitingCount:
    from memoro.ledger.proposals import ProposalQueue

    ledger = workspace.ledger
    return ProposalQueue(ledger.access, ledger.owner).waiting()


def _is_first_today(workspace: Workspace, key: str | None) -> bool:
    """Return whether nobody was told today, and note that somebody is now; a repeated event is told again."""
    access = workspace.ledger.access
    day = workspace.today().isoformat()
    with access.ledger.reading() as tx:
        last = tx.meta.get(_TOLD) or ""
    if last.startswith(day):
        return key is not None and last == f"{day} {key}"
    with access.ledger.writing() as tx:
        tx.meta.put(_TOLD, f"{day} {key or ''}".rstrip())
    return True


def _with_line(block: str, line: str) -> str:
    """The line stands in the block, before its records, or in a block of its own: no log takes it for a message."""
    before, preface, after = block.partition(f"{PROMPT_PREFACE}\n")
    if preface and block.rstrip().endswith(FENCE_CLOSE):
        return f"{before}{preface}{line}\n{after}"
    return block or fenced("", draw(), line)

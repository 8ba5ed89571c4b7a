"""Decisions that a person makes in a host: what is done with a key, and for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro import opening
from memoro.errors import Refused
from memoro.mcp.apps.keys import STALE, Decision, DecisionKeys, digest_of
from memoro.model.vocabulary import PERSON
from memoro.operations.journal import UNDO, UndoChanges
from memoro.operations.operation import Caller
from memoro.operations.reviewing import REVIEW, Review
from memoro.page.proposal_words import wish_in_words
from memoro.page.texts import texts

if TYPE_CHECKING:
    from memoro.workspace import Workspace

UNDONE = "Undone. The proposal does not wait any more; `memoro undo` does it again."


class Decided(NamedTuple):
    """What became of one decision."""

    is_done: bool
    sentence: str
    undo_key: str = ""  # takes an acceptance back; empty: there is nothing to take back


def decide(m: Workspace, keys: DecisionKeys, number: int, decision: Decision, key: str) -> Decided:
    """Carry out what a person chose in the view. Raises Refused where the key is not for what waits now."""
    digest = keys.take(key, number, is_undo=decision == "undo")
    caller = Caller(source=PERSON, key=f"app:{key}")
    if decision == "undo":
        with _as_owner(m) as owned:
            UNDO.run(owned, UndoChanges(proposal=number), caller)
        return Decided(True, UNDONE)
    shown = m.proposals.preview(number)
    if digest_of(shown) != digest:
        raise Refused(STALE)
    asked = Review(accept=(number,)) if decision == "accept" else Review(reject=(number,))
    with _as_owner(m) as owned:
        made = REVIEW.run(owned, asked._replace(round=False), caller).decided[0]
    if not made.is_done:
        return Decided(False, made.sentence)
    title = wish_in_words(shown.proposal.change)
    sentence = texts()(f"review.done_{decision}ed", what=title[:1].lower() + title[1:], number=number)
    return Decided(True, sentence, keys.issue_undo(number) if decision == "accept" else "")


def _as_owner(m: Workspace) -> Workspace:
    """The same home as its owner opens it: what is accepted must not belong to the agent and project of a host."""
    runtime = m.home_context.runtime
    binding = ("MEMORO_AGENT", "MEMORO_PROJECT")
    environment = {name: value for name, value in runtime.environment.items() if name not in binding}
    return opening.open_with(environment, m.home, m.settings.vault.path, clock=runtime.clock)

"""Reviewing proposals: a person lists them, accepts one and rejects another."""

from __future__ import annotations

from memoro.curate.reviewing.amending import amended
from memoro.curate.reviewing.apply import ProposalApplier
from memoro.curate.reviewing.preview import ProposalPreview, preview, preview_settled
from memoro.errors import ProposalOutdated
from memoro.ledger.access import Once
from memoro.ledger.proposals import KeepProposal, ProposalQueue, Queued, is_request, rejection
from memoro.model.proposals import Proposal, ProposedChange, Suggestion
from memoro.model.results import ChangeResult
from memoro.model.vocabulary import ProposalState
from memoro.notes.entry_files import Remembered


class ProposalReview:
    """`m.proposals`."""

    def __init__(self, queue: ProposalQueue, applier: ProposalApplier) -> None:
        self._queue = queue
        self._applier = applier

    def propose(self, suggestion: Suggestion, *, by: str = "agent", keep: KeepProposal | None = None) -> Queued:
        """Lets a change wait for a person's word, without its secrets. One that waits already is not added again.

        Refused where an agent asks for what a person rejected, if in other words.
        """
        if is_request(suggestion, by):
            self._refuse_rejected(suggestion.change)
        return self._queue.propose(suggestion, by=by, keep=keep)

    def _refuse_rejected(self, change: ProposedChange) -> None:
        from memoro.curate.gating.gate import Cosines
        from memoro.curate.gating.subjects import is_same, proposal_subject

        wanted, compare = proposal_subject(change, {}), Cosines()
        for earlier in self._queue.rejected() if wanted else ():
            subject = proposal_subject(earlier.change, {})
            if wanted and subject and is_same(wanted, subject, compare):
                raise rejection(earlier)

    def all(self, state: ProposalState | None = "open") -> list[Proposal]:
        return self._queue.all(state)

    def previews(self, state: ProposalState | None = "open") -> list[ProposalPreview]:
        """Returns proposals, each with the text that it is about now; an accepted one with what was written."""
        return [self._previewed(one) for one in self._queue.all(state)]

    def _previewed(self, proposal: Proposal) -> ProposalPreview:
        if proposal.state == "open":
            return preview(self._applier, proposal)
        outcome = self._queue.outcome(proposal.id) if proposal.state == "accepted" else None
        return preview_settled(self._applier, proposal, outcome)

    def preview(self, number: int) -> ProposalPreview:
        """Returns a proposal that waits, with the text that it is about; Refused where it was settled."""
        return preview(self._applier, self._queue.get_open(number))

    def accept(self, number: int, *, text: str | None = None, key: str | None = None) -> Remembered:
        """Does what was proposed, by a person's word; `undo` takes it back. Repeated with a key, it is no error.

        With `text` it is done in these words, which are the person's own. ProposalOutdated where the entry, note or
        memory that it is about has changed since, or the feedback that it was made of is gone. An automatic proposal
        is then withdrawn; the next round may make it anew.
        """
        once = Once(key, ("accept", number) if text is None else ("accept", number, text), ChangeResult)
        if self._queue.is_settled(once):
            return self._applier.apply(self._queue.get(number))  # which has a key of its own: nothing is done twice
        proposal = self._queue.get_open(number)
        if text is not None:
            proposal = proposal._replace(change=amended(proposal.change, text))
        self._applier.check(proposal)
        try:
            self._applier.check_feedback(proposal)
            done = self._applier.apply(proposal)
        except ProposalOutdated as outdated:
            if proposal.origin == "agent":  # it would not be made anew
                raise
            self._queue.withdraw(number)
            raise ProposalOutdated(outdated.why, withdrawn=True) from None
        self._queue.settle(number, "accepted", once)
        return done

    def settled(self, limit: int) -> list[Proposal]:
        """Returns the proposals that were decided last, the newest decision first."""
        return self._queue.settled(limit)

    def settled_previews(self, limit: int) -> list[ProposalPreview]:
        """Returns the same, each with the text that was written, or would have been."""
        return [self._previewed(one) for one in self._queue.settled(limit)]

    def reopen(self, number: int) -> Proposal:
        """Takes a rejection back: the proposal waits again, and may be made again."""
        return self._queue.reopen(number)

    def reject(self, number: int, *, key: str | None = None) -> Proposal:
        once = Once(key, ("reject", number), ChangeResult)
        if self._queue.is_settled(once):
            return self._queue.get(number)
        self._queue.get_open(number)
        self._queue.settle(number, "rejected", once)
        return self._queue.get(number)

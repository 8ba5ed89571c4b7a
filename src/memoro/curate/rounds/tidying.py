"""`memoro tidy`: what can be tidied up is offered to the gate, and waits there for a person."""

from __future__ import annotations

from typing import NamedTuple

from memoro.curate.gating.gate import ProposalGate
from memoro.curate.gating.rules import Withheld
from memoro.curate.planners.contradictions import Contradiction
from memoro.curate.rounds.planning import LookedAt, RoundPlanning
from memoro.model.proposals import Proposal, Suggestion

BY = "tidy"  # who proposes


class TidyRound(NamedTuple):
    """The result of a round of tidying: what it read, found and proposed."""

    looked_at: LookedAt
    proposed: tuple[Proposal, ...] = ()  # they are new, and wait for a person
    planned: tuple[Suggestion, ...] = ()  # of a dry run: what would be proposed
    withheld: tuple[Withheld, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()  # of which a person decides
    notices: tuple[str, ...] = ()
    model: str | None = None  # the language model that chose; None: the rules alone
    is_dry_run: bool = False


class Tidying(NamedTuple):
    """Makes rounds of tidying. Nothing is changed: what passes the gate waits as proposals."""

    planning: RoundPlanning
    gate: ProposalGate

    def run(self, *, dry_run: bool = False) -> TidyRound:
        """Look for what can be tidied up, and propose it. A dry run proposes nothing."""
        plan = self.planning.plan("tidy")
        done = TidyRound(
            looked_at=plan.looked_at,
            contradictions=plan.contradictions,
            notices=plan.notices,
            model=plan.model,
            is_dry_run=dry_run,
        )
        if dry_run:
            admitted = self.gate.preview(plan.suggestions)
            return done._replace(planned=admitted.suggestions, withheld=admitted.withheld)
        offered = self.gate.offer(plan.suggestions, by=BY)
        new = tuple(one.proposal for one in offered.queued if one.new)
        return done._replace(proposed=new, withheld=offered.withheld)

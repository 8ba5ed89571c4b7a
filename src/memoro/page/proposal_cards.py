"""A proposal that waits, as a card: what would change, why, what would be lost, and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.reviewing.amending import editable_text
from memoro.curate.reviewing.digest import kind_of_change
from memoro.model.agents import acting_agent
from memoro.model.projects import short_name
from memoro.model.proposals import ErasedProposal
from memoro.model.vocabulary import ProposalKind
from memoro.page.change_words import actor_name
from memoro.page.proposal_words import (
    ShownEvidence,
    loss_in_words,
    shown_evidence,
    uses_in_words,
    where,
    wish_in_words,
)
from memoro.page.shown_difference import ShownDifference, shown_difference
from memoro.page.texts import texts

if TYPE_CHECKING:
    from memoro.curate.reviewing.reviewed import ReviewedProposal

_SURE = 100  # of a whole, as per cent


class ProposalCard(NamedTuple):
    """A proposal that waits, as the page and the app in a host show it."""

    number: int
    kind: ProposalKind
    title: str
    href: str  # of what it is about; empty: there is nothing yet
    difference: ShownDifference
    says: str  # what moves and says the same; empty: the difference tells it
    reason: str
    evidence: tuple[ShownEvidence, ...]
    loss: str
    uses: str
    outdated: str
    origin: str
    by: str
    project: str
    at: str
    sure: int | None
    waits_until: str | None
    text: str | None  # that a person may say in other words
    can_accept: bool


def proposal_card(one: ReviewedProposal) -> ProposalCard:
    t, shown, proposal = texts(), one.preview, one.preview.proposal
    difference = shown_difference(shown.before, shown.after)
    author = acting_agent(proposal.actor, proposal.agent) or proposal.actor
    is_same = not difference.added and not difference.removed
    can_accept = not isinstance(proposal.change, ErasedProposal)
    tail = "outdated_agent" if proposal.origin == "agent" else "outdated_automatic"
    return ProposalCard(
        number=proposal.id,
        kind=kind_of_change(proposal.change),
        title=wish_in_words(proposal.change),
        href=where(proposal.change),
        difference=difference,
        says=(shown.after or "") if is_same else "",
        reason=proposal.reason,
        evidence=tuple(shown_evidence(each) for each in proposal.evidence),
        loss=loss_in_words(proposal.change, difference.removed),
        uses=uses_in_words(one.uses) if one.uses else "",
        outdated=f"{shown.outdated} {t(f'review.{tail}')}" if shown.outdated else "",
        origin=t(f"review.origin_{proposal.origin}"),
        by="" if author in (proposal.origin, "memoro") else actor_name(author),
        project=short_name(proposal.project) if proposal.project else "",
        at=proposal.at,
        sure=None if proposal.score is None else round(_SURE * proposal.score),
        waits_until=proposal.expires_at,
        text=editable_text(proposal.change) if can_accept else None,
        can_accept=can_accept,
    )

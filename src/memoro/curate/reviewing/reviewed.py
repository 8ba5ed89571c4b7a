"""A proposal with all that a person needs to decide on it: the texts, and how often the item was used."""

from __future__ import annotations

from typing import NamedTuple

from memoro.curate.reviewing.preview import ProposalPreview
from memoro.model.notes import EXPERIENCE, MEMORY
from memoro.model.proposals import (
    ChangeMemory,
    PromoteMemory,
    ProposedChange,
    RemoveMemory,
    RetireExperience,
    RetireMemory,
    StoreMemory,
    SupersedeMemory,
)
from memoro.model.sessions import Uses


class ReviewedProposal(NamedTuple):
    """A proposal that waits, as a person sees it."""

    preview: ProposalPreview
    uses: Uses | None = None  # of the memory or experience that it is about


def item_of(change: ProposedChange) -> str | None:
    """Return the memory or experience whose use tells something about a change."""
    match change:
        case PromoteMemory(number=number) | RetireMemory(number=number) | RemoveMemory(number=number):
            return f"{MEMORY}{number}"
        case ChangeMemory(number=number) | SupersedeMemory(old=number) | StoreMemory(supersedes=int() as number):
            return f"{MEMORY}{number}"
        case RetireExperience(number=number):
            return f"{EXPERIENCE}{number}"
        case _:
            return None

"""The digest of waiting proposals: how many of each kind, and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.vocabulary import PROPOSAL_KINDS, ProposalKind

_IN_WORDS: dict[ProposalKind, str] = {
    "add": "to add",
    "reword": "to reword",
    "replace": "to replace",
    "move": "to move",
    "retire": "to retire or remove",
}


class ProposalDigest(NamedTuple):
    """The proposals that wait."""

    waiting: int = 0
    kinds: tuple[tuple[ProposalKind, int], ...] = ()
    oldest: str | None = None  # when the oldest was made, UTC


def digest(proposals: Iterable[Proposal]) -> ProposalDigest:
    """Count the proposals that wait among these."""
    waiting = [one for one in proposals if one.state == "open"]
    counts = Counter(kind_of_change(one.change) for one in waiting)
    return ProposalDigest(
        waiting=len(waiting),
        kinds=tuple((kind, counts[kind]) for kind in PROPOSAL_KINDS if counts[kind]),
        oldest=min((one.at for one in waiting), default=None),
    )


def kind_of_change(change: ProposedChange) -> ProposalKind:
    """Return what a change does, by and large."""
    match change:
        case StoreMemory(supersedes=int()) | SupersedeMemory():
            return "replace"
        case RememberEntry() | AddRule() | PromoteMemory() | AddDailyLine() | PutBackLines() | StoreMemory():
            return "add"
        case WriteNote(expected=None):
            return "add"
        case EditEntry() | ChangeMemory() | WriteNote():
            return "reword"
        case MoveEntry():
            return "move"
        case _:
            return "retire"


def kinds_in_words(found: ProposalDigest) -> str:
    """Return the kinds for people: "3 to add, 1 to reword"."""
    return ", ".join(f"{count} {_IN_WORDS[kind]}" for kind, count in found.kinds)

"""Proposals: changes that wait for a person's word, with the evidence for them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import NamedTuple

from memoro.model.vocabulary import LoadedTier, ProposalOrigin, ProposalState

_AROUND_WORDS = re.compile(r"^- (?:\d\d:\d\d )?| \^[A-Za-z0-9-]+$")


class RememberEntry(NamedTuple):
    """Add an entry to an always-loaded file."""

    text: str
    tier: LoadedTier
    section: str | None
    path: str


class EditEntry(NamedTuple):
    """Say an entry of an always-loaded file in other words."""

    id: str
    text: str
    path: str
    was: str | None = None  # what it says as it is proposed; None: it is not compared


class RemoveEntry(NamedTuple):
    """Take an entry out of an always-loaded file."""

    id: str
    path: str
    was: str | None = None  # what it says as it is proposed; None: it is not compared


class AddDailyLine(NamedTuple):
    """Add a line to the daily note of the day on which it happened."""

    text: str
    at: str  # when it happened, UTC


class PutBackLines(NamedTuple):
    """Put lines back that Memoro had added to a note and that a save of an older version may have dropped."""

    path: str
    lines: tuple[str, ...]
    changes: tuple[int, ...]  # of the journal, one for each line: the write that added it


class StoreMemory(NamedTuple):
    """Keep a fact as a memory, in place of an older one where one is named."""

    content: str
    tags: tuple[str, ...] = ()
    source: str = "extraction"
    session: str | None = None
    project: str | None = None
    supersedes: int | None = None
    valid_from: str | None = None  # from when it holds; None: from when it is accepted
    was: str | None = None  # what the older one says as it is proposed; None: it is not compared


class SupersedeMemory(NamedTuple):
    """Let one memory hold in place of another that is there too."""

    old: int
    new: int
    was: str | None = None  # what the older one says as it is proposed; None: it is not compared


class ChangeMemory(NamedTuple):
    """Change the text, tags or validity of a memory that a person has confirmed. None: as it is."""

    number: int
    content: str | None = None
    tags: tuple[str, ...] | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    was: str | None = None  # what it says as it is proposed; None: it is not compared


class RemoveMemory(NamedTuple):
    number: int


class WriteNote(NamedTuple):
    """Make a note what `text` says. `expected` is the SHA-256 of the note that was read; None: there is none yet."""

    path: str
    text: str
    expected: str | None = None


class RetireEntry(NamedTuple):
    """Move an entry from an always-loaded file to its archive note. `text` is what it says as it is proposed."""

    id: str
    path: str
    text: str


class MoveEntry(NamedTuple):
    """Move an entry to the always-loaded file of another tier, where it keeps its id."""

    id: str
    path: str
    tier: LoadedTier
    text: str  # what it says as it is proposed


class PromoteMemory(NamedTuple):
    """Add what a memory says to an always-loaded file. The memory then points to that entry."""

    number: int
    text: str
    tier: LoadedTier
    section: str | None
    path: str


class RetireMemory(NamedTuple):
    """Move a memory to the archive."""

    number: int


class RetireExperience(NamedTuple):
    """Mark an experience as archived."""

    number: int


class RetireNote(NamedTuple):
    """Move a note of an agent to `agent/archive/`. `expected` is the SHA-256 of the note that was read."""

    path: str
    expected: str


class AddRule(NamedTuple):
    """Add a rule that was made from feedback. The feedback entries with these ids move to their archive."""

    text: str
    path: str
    section: str | None = None
    feedback: tuple[str, ...] = ()


class ErasedProposal(NamedTuple):
    """A proposal whose content was forgotten, or that this version cannot read: it can be shown, not accepted."""

    operation: str
    detail: str = "{}"  # as it stands in the ledger


ProposedChange = (
    RememberEntry
    | EditEntry
    | RemoveEntry
    | AddDailyLine
    | PutBackLines
    | StoreMemory
    | SupersedeMemory
    | ChangeMemory
    | RemoveMemory
    | WriteNote
    | RetireEntry
    | MoveEntry
    | PromoteMemory
    | RetireMemory
    | RetireExperience
    | RetireNote
    | AddRule
    | ErasedProposal
)


class Evidence(NamedTuple):
    """Words that speak for a proposal, and where they stand."""

    quote: str
    path: str | None = None  # of a conversation or a note
    line: int | None = None
    date: str | None = None
    speaker: str | None = None


class Suggestion(NamedTuple):
    """A change that somebody suggests, before it waits as a proposal."""

    change: ProposedChange
    evidence: tuple[Evidence, ...] = ()
    origin: ProposalOrigin = "agent"
    score: float | None = None  # 0–1: how sure its maker is
    waits: timedelta | None = None  # for a person's word; without it, for ever
    reason: str = ""  # why, in one plain sentence


class Proposal(NamedTuple):
    """A suggestion that waits for a person's word, or was settled. Nothing happens until it is accepted."""

    id: int
    at: str
    actor: str
    agent: str | None
    change: ProposedChange
    state: ProposalState
    settled_at: str | None = None
    evidence: tuple[Evidence, ...] = ()
    origin: ProposalOrigin = "agent"
    score: float | None = None
    expires_at: str | None = None
    project: str | None = None  # of the session that made it
    reason: str = ""  # why, in one plain sentence

    @property
    def operation(self) -> str:
        return proposed_operation(self.change)


def proposed_operation(change: ProposedChange) -> str:
    """Returns the name under which the ledger keeps a proposed change."""
    match change:
        case RememberEntry():
            return "remember"
        case EditEntry():
            return "edit"
        case RemoveEntry():
            return "remove"
        case AddDailyLine():
            return "daily"
        case PutBackLines():
            return "put_back"
        case StoreMemory():
            return "store_memory"
        case SupersedeMemory():
            return "supersede_memory"
        case ChangeMemory():
            return "change_memory"
        case RemoveMemory():
            return "remove_memory"
        case WriteNote():
            return "write_note"
        case RetireEntry():
            return "retire_entry"
        case MoveEntry():
            return "move_entry"
        case PromoteMemory():
            return "promote_memory"
        case RetireMemory():
            return "retire_memory"
        case RetireExperience():
            return "retire_experience"
        case RetireNote():
            return "retire_note"
        case AddRule():
            return "add_rule"
        case ErasedProposal(operation=operation):
            return operation


def at_moment(proposal: Proposal, now: str) -> Proposal:
    """Returns the proposal in the state that it has at a moment: one that waited too long has expired."""
    over = proposal.expires_at is not None and proposal.expires_at <= now
    return proposal._replace(state="expired") if proposal.state == "open" and over else proposal


def texts_of(proposal: Proposal) -> tuple[str, ...]:
    """Returns every text that a proposal repeats: what it is about, its reason, and its evidence."""
    quotes = (one.quote for one in proposal.evidence)
    others = (one for one in (text_before(proposal.change), proposal.reason) if one)
    return (*changed_texts(proposal.change), *others, *quotes)


def text_before(change: ProposedChange) -> str | None:
    """Returns what the entry or memory that a change replaces said when it was proposed, where that is compared."""
    match change:
        case EditEntry(was=was) | RemoveEntry(was=was):
            return was
        case StoreMemory(was=was) | SupersedeMemory(was=was) | ChangeMemory(was=was):
            return was
        case _:
            return None


def changed_texts(change: ProposedChange) -> tuple[str, ...]:
    """Returns the texts that a proposed change would write or move."""
    match change:
        case RememberEntry(text=text) | EditEntry(text=text) | AddDailyLine(text=text) | WriteNote(text=text):
            return (text,)
        case RetireEntry(text=text) | MoveEntry(text=text) | PromoteMemory(text=text) | AddRule(text=text):
            return (text,)
        case PutBackLines(lines=lines):
            return (*lines, *map(words_of_line, lines))
        case StoreMemory(content=str() as content) | ChangeMemory(content=str() as content):
            return (content,)
        case _:
            return ()


def words_of_line(line: str) -> str:
    """Return the words of a line that Memoro wrote, without its bullet, time and id."""
    return _AROUND_WORDS.sub("", line)

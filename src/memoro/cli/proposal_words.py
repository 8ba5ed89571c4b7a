"""Proposals in plain words: what would happen and where, what speaks for it, and where it came from."""

from __future__ import annotations

from memoro.model.agents import acting_agent
from memoro.model.local_time import local, local_day
from memoro.model.notes import counted
from memoro.model.projects import short_name
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    ErasedProposal,
    Evidence,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.sessions import Uses
from memoro.model.vocabulary import LoadedTier, ProposalOrigin

_WHAT: dict[LoadedTier, str] = {"semantic": "a fact", "procedural": "a rule", "pinned": "a pinned line"}
_FILES: dict[LoadedTier, str] = {
    "semantic": "the file of facts",
    "procedural": "the file of rules",
    "pinned": "the file of pinned lines",
}
_ORIGINS: dict[ProposalOrigin, str] = {
    "agent": "an agent asked for it",
    "extraction": "extracted from a conversation",
    "review": "a look at what is used and what recurs",
    "tidy": "a look for what is repeated, outdated or misplaced",
    "feedback": "what you said with `wrong` and `good`",
}


def heading(proposal: Proposal) -> str:
    """Return one line: the number, what would happen, and where."""
    wish = wish_in_words(proposal.change)
    return f"{proposal.id}. {wish[:1].upper()}{wish[1:]}"


def wish_in_words(change: ProposedChange) -> str:
    """Say what would happen, and where."""
    match change:
        case RememberEntry(path=path, tier=tier, section=section):
            return f"add {_WHAT[tier]} to {path}{_under(section)}"
        case AddRule(path=path, section=section, feedback=feedback):
            made = f", made from {counted(len(feedback), 'thing')} that you said about answers" if feedback else ""
            return f"add a rule to {path}{_under(section)}{made}"
        case PromoteMemory(number=number, path=path, section=section):
            return f"add memory:{number} to {path}{_under(section)}, so that every session starts with it"
        case EditEntry(path=path, id=own):
            return f"reword the entry ^{own} of {path}"
        case RemoveEntry(path=path, id=own):
            return f"remove the entry ^{own} from {path}"
        case RetireEntry(path=path, id=own):
            return f"move the entry ^{own} of {path} to the archive, out of every session"
        case MoveEntry(path=path, id=own, tier=tier):
            return f"move the entry ^{own} of {path} to {_FILES[tier]}"
        case PutBackLines(path=path, lines=lines):
            return (
                f"put {counted(len(lines), 'line')} back in {path} that a save of an older version may have dropped"
            )
        case AddDailyLine(at=at):
            return f"add a line to the daily note of {local_day(at)}"
        case WriteNote(path=path, expected=expected):
            return f"write the note {path}" if expected is None else f"rewrite the note {path}"
        case RetireNote(path=path):
            return f"move the agents' note {path} to their archive"
        case _:
            return _wish_about_items(change)


_AboutItem = (
    StoreMemory | SupersedeMemory | ChangeMemory | RemoveMemory | RetireMemory | RetireExperience | ErasedProposal
)


def _wish_about_items(change: _AboutItem) -> str:
    match change:
        case StoreMemory(supersedes=None):
            return "store this as a memory"
        case StoreMemory(supersedes=old):
            return f"store this as a memory, in place of memory:{old}"
        case SupersedeMemory(old=old, new=new):
            return f"supersede memory:{old} by memory:{new}"
        case ChangeMemory(number=number):
            return f"change memory:{number}, which you confirmed"
        case RemoveMemory(number=number):
            return f"remove memory:{number}"
        case RetireMemory(number=number):
            return f"move memory:{number} to the archive, out of every search"
        case RetireExperience(number=number):
            return f"move experience:{number} to the archive"
        case ErasedProposal(operation=operation):
            return f"{operation.replace('_', ' ')}; what it said was forgotten, so it can only be rejected"


def _under(section: str | None) -> str:
    return f", under {section}" if section else ""


def evidence_lines(proposal: Proposal) -> list[str]:
    """Return a line for each quote that speaks for a proposal: the words, who said them, when and where."""
    return [_evidence(one) for one in proposal.evidence]


def _evidence(one: Evidence) -> str:
    place = f"{one.path}:{one.line}" if one.path and one.line else one.path
    said = ", ".join(part for part in (one.speaker, one.date and one.date[:10], place) if part)
    quote = " ".join(one.quote.split())
    return f"because: “{quote}” ({said})" if said else f"because: “{quote}”"


def author(proposal: Proposal) -> str:
    """Return the agent or the source that made a proposal."""
    return acting_agent(proposal.actor, proposal.agent) or proposal.actor


def origin_line(proposal: Proposal) -> str:
    """Return where a proposal came from, by whom and when."""
    name = author(proposal)
    by = f", by {name}" if name not in (proposal.origin, "memoro") else ""
    project = f", in project {short_name(proposal.project)}" if proposal.project else ""
    sure = f", {100 * proposal.score:.0f} % sure" if proposal.score is not None else ""
    until = f"; it waits until {local_day(proposal.expires_at)}" if proposal.expires_at else ""
    return f"{_ORIGINS[proposal.origin]}{by}{project}, on {local(proposal.at)}{sure}{until}"


def uses_line(uses: Uses) -> str:
    """Return how often an item was given, and what became of it."""
    if not uses.recalled:
        return "never given to an agent"
    told = [f"given {_times(uses.recalled)}"]
    told += [f"found useful {_times(uses.reinforced)}"] if uses.reinforced else []
    told += [f"found wrong or useless {_times(uses.demoted)}"] if uses.demoted else []
    told += [f"corrected {_times(uses.corrected)}"] if uses.corrected else []
    return ", ".join(told)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")

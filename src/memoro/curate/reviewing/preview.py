"""A proposal beside what it would change: the text as it is now, and as it would be."""

from __future__ import annotations

from typing import NamedTuple

from memoro.curate.reviewing.apply import ProposalApplier
from memoro.curate.reviewing.outdated import why_outdated
from memoro.errors import MemoroError
from memoro.model.experiences import passage
from memoro.model.local_time import local_day
from memoro.model.memories import Memory
from memoro.model.proposals import (
    ChangeMemory,
    EditEntry,
    MoveEntry,
    Proposal,
    PutBackLines,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
    changed_texts,
)


class ProposalPreview(NamedTuple):
    """A proposal that waits, with the text it is about."""

    proposal: Proposal
    before: str | None = None  # None: there is nothing yet, or it cannot be read
    after: str | None = None  # None: nothing would be left
    outdated: str = ""  # a sentence, where what it is about has changed so that it cannot be accepted


def preview(applier: ProposalApplier, proposal: Proposal) -> ProposalPreview:
    """Return both texts. Of one that is settled only the new one: what it replaced may say something else by now."""
    after = _after(applier, proposal)
    if proposal.state != "open":
        return ProposalPreview(proposal, None, after)
    outdated = why_outdated(applier, proposal)
    try:
        before = _before(applier, proposal)
    except MemoroError:  # the note is gone or unreadable; the proposal itself can still be decided
        before = None
    return ProposalPreview(proposal=proposal, before=before, after=after, outdated=outdated)


def _before(applier: ProposalApplier, proposal: Proposal) -> str | None:
    match proposal.change:
        case EditEntry(id=own, path=path) | RemoveEntry(id=own, path=path):
            return applier.vault().entries.text_in(own, path)
        case RetireEntry(id=own, path=path) | MoveEntry(id=own, path=path):
            return applier.vault().entries.text_in(own, path)
        case WriteNote(path=path) | RetireNote(path=path):
            return applier.vault().notes.text_of(path)
        case SupersedeMemory(old=number) | RemoveMemory(number=number) | StoreMemory(supersedes=int() as number):
            return applier.memories.show(number, scope="all").memory.content
        case RetireMemory(number=number):
            return applier.memories.show(number, scope="all").memory.content
        case RetireExperience(number=number):
            return passage(applier.experiences.get(number))
        case ChangeMemory(number=number):
            return _said(applier.memories.show(number, scope="all").memory)
        case _:
            return None


def _after(applier: ProposalApplier, proposal: Proposal) -> str | None:
    match proposal.change:
        case SupersedeMemory(new=number):
            try:
                return applier.memories.show(number, scope="all").memory.content
            except MemoroError:
                return None
        case ChangeMemory() as change:
            try:
                memory = applier.memories.show(change.number, scope="all").memory
            except MemoroError:
                return change.content
            other = ("number", "was")
            wanted = {
                name: value for name, value in change._asdict().items() if name not in other and value is not None
            }
            return _said(memory._replace(**wanted))
        case PutBackLines(lines=lines):
            return "\n".join(lines)
        case RemoveEntry() | RetireEntry():
            return None
        case _:
            return next(iter(changed_texts(proposal.change)), None)


def _said(memory: Memory) -> str:
    """Return the fields of a memory that an update can change, a line for each."""
    tags = f"tags: {', '.join(memory.tags)}" if memory.tags else ""
    since = f"valid from {local_day(memory.valid_from)}" if memory.valid_from else ""
    until = f"valid to {local_day(memory.valid_to)}" if memory.valid_to else ""
    return "\n".join(line for line in (memory.content, tags, since, until) if line)

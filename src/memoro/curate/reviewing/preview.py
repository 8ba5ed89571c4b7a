"""A proposal beside what it would change: the text as it is now, and as it would be."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from memoro.curate.reviewing.amending import editable_text
from memoro.curate.reviewing.apply import ProposalApplier
from memoro.curate.reviewing.outdated import why_outdated
from memoro.errors import MemoroError
from memoro.ledger.proposals import Outcome
from memoro.model.experiences import passage
from memoro.model.local_time import local_day
from memoro.model.memories import Memory
from memoro.model.proposals import (
    ChangeMemory,
    EditEntry,
    MoveEntry,
    Proposal,
    ProposedChange,
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
    texts_of,
    words_of_line,
)


class ProposalPreview(NamedTuple):
    """A proposal, with the text it is about."""

    proposal: Proposal
    before: str | None = None  # None: there is nothing yet, or it cannot be read
    after: str | None = None  # None: nothing would be left. Of an accepted one, what was written
    outdated: str = ""  # a sentence, where what it is about has changed so that it cannot be accepted
    undone: bool = False  # it was accepted, and then undone
    reworded: bool = False  # it was accepted in the person's own words
    item: str = ""  # what the memory or experience says that a settled one would only move or remove

    @property
    def words(self) -> str:
        """One line about it, for a list: what was written, or what it is about."""
        return " ".join((self.after or self.item or next(iter(texts_of(self.proposal)), "")).split())


def preview_settled(applier: ProposalApplier, proposal: Proposal, outcome: Outcome | None) -> ProposalPreview:
    """Return the new text alone: what it replaced may say something else by now. `outcome` is of an accepted one."""
    own = _own_words(proposal.change, outcome) if outcome else None
    return ProposalPreview(
        proposal=proposal,
        after=own or _after(applier, proposal),
        undone=outcome is not None and outcome.undone,
        reworded=own is not None,
        item=_item_words(applier, proposal),
    )


def _own_words(change: ProposedChange, outcome: Outcome) -> str | None:
    """Return what a person wrote instead of the proposed text; None where it was written as proposed."""
    proposed = editable_text(change)
    if proposed is None or not outcome.after or _one_line(proposed) in _one_line(outcome.after):
        return None
    if isinstance(change, WriteNote):
        return outcome.after
    known = set(outcome.before.splitlines())
    added = [words_of_line(line) for line in outcome.after.splitlines() if line not in known]
    return "\n".join(added).removeprefix("content: ") or None  # so begins the field of a memory that was changed


def _one_line(text: str) -> str:
    return " ".join(" ".join(map(words_of_line, text.splitlines())).split())


def _item_words(applier: ProposalApplier, proposal: Proposal) -> str:
    """Return what the memory or experience says that a settled proposal would only move or remove."""
    match proposal.change:
        case RemoveMemory() | RetireMemory() | RetireExperience():
            with suppress(MemoroError):  # it is gone
                return _before(applier, proposal) or ""
    return ""


def preview(applier: ProposalApplier, proposal: Proposal) -> ProposalPreview:
    """Return both texts of one that waits."""
    after = _after(applier, proposal)
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

"""Carrying out proposed changes: the one place where a proposal becomes a change."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memoro.errors import Refused
from memoro.ledger.access import Once
from memoro.memories.lifecycle import Memories
from memoro.model.memories import moment
from memoro.model.notes import MEMORY
from memoro.model.proposals import (
    AddDailyLine,
    ChangeMemory,
    EditEntry,
    ErasedProposal,
    Proposal,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.results import EntryResult
from memoro.model.vocabulary import PERSON
from memoro.notes.daily import Daily
from memoro.notes.entry_files import EntryFiles, Remembered
from memoro.notes.files import Files
from memoro.notes.putting_back import PuttingBack


class NoteAppliers(NamedTuple):
    """The writers of the vault that proposals use."""

    entries: EntryFiles
    daily: Daily
    notes: Files
    putting_back: PuttingBack


class ProposalApplier(NamedTuple):
    """Does what a proposal says, by a person's word. Done twice, it has the effect of once."""

    memories: Memories
    vault: Callable[[], NoteAppliers]  # raises where there is no vault: proposals about memories need none

    def apply(self, proposal: Proposal) -> Remembered:
        match proposal.change:
            case RememberEntry(text=text, tier=tier, section=section):
                done = self.vault().entries.add(text, tier, section=section, once=_once(proposal))
            case EditEntry(id=own, text=text):
                done = self.vault().entries.edit(own, text, once=_once(proposal))
            case RemoveEntry(id=own):
                done = self.vault().entries.remove(own, once=_once(proposal))
            case AddDailyLine(text=text, at=at):
                done = self._add_daily_line(text, at, _key(proposal))
            case PutBackLines() as dropped:
                done = self.vault().putting_back.put_back(dropped)
            case WriteNote() as note:
                done = self._write_note(note, _key(proposal))
            case StoreMemory() as memory:
                done = self._store_memory(memory, _key(proposal))
            case SupersedeMemory(old=old, new=new):
                replaced = self.memories.supersede(old, new, source=PERSON, key=_key(proposal))
                done = _about_memory(old, replaced.content)
            case ChangeMemory() as change:
                done = self._change_memory(change, _key(proposal))
            case RemoveMemory(number=number):
                removed = self.memories.remove(number, source=PERSON, key=_key(proposal))
                done = _about_memory(number, removed.content)
            case ErasedProposal():
                raise Refused(f"What proposal {proposal.id} says was forgotten, or cannot be read any more.")
        return done._replace(proposal=proposal.id)

    def _add_daily_line(self, text: str, at: str, key: str) -> Remembered:
        added = self.vault().daily.add(text, at=moment(at), key=key)
        return Remembered(
            id=None, path=added.path, line=None, text=added.line, new=added.change != 0, change=added.change or None
        )

    def _write_note(self, note: WriteNote, key: str) -> Remembered:
        done = self.vault().notes.put(note.path, note.text, expected=note.expected, key=key)
        return Remembered(
            id=None, path=note.path, line=None, text="", new=done.change != 0, change=done.change or None
        )

    def _store_memory(self, wanted: StoreMemory, key: str) -> Remembered:
        stored = self.memories.store(
            wanted.content,
            wanted.tags,
            source=wanted.source,
            trust="user_confirmed",
            session=wanted.session,
            project=wanted.project,
            key=key,
        )
        number = stored.memory.id
        if wanted.supersedes is not None and wanted.supersedes != number:
            self.memories.supersede(wanted.supersedes, number, source=PERSON, key=f"{key}:supersede")
        return _about_memory(number, stored.memory.content)._replace(new=stored.new)

    def _change_memory(self, wanted: ChangeMemory, key: str) -> Remembered:
        changed = self.memories.update(
            wanted.number,
            wanted.content,
            wanted.tags,
            valid_from=wanted.valid_from,
            valid_to=wanted.valid_to,
            source=PERSON,
            key=key,
        )
        return _about_memory(wanted.number, changed.content)


def _about_memory(number: int, content: str) -> Remembered:
    target = f"{MEMORY}{number}"
    return Remembered(id=target, path=target, line=None, text=content)


def _once(proposal: Proposal) -> Once[EntryResult]:
    return Once(_key(proposal), ("accept", proposal.id), EntryResult)


def _key(proposal: Proposal) -> str:
    """Returns an idempotency key: a process that dies before the proposal is settled does not do it twice."""
    return f"memoro:accept:{proposal.id}:{proposal.at}"

"""Carrying out proposed changes: the one place where a proposal becomes a change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, Protocol

from memoro.curate.reviewing.losses import refuse_loss
from memoro.errors import MemoryNotFound, NotFound, ProposalOutdated, Refused
from memoro.experiences.retiring import ExperienceRetiring
from memoro.ledger.access import LedgerAccess, Once
from memoro.ledger.services import LedgerServices
from memoro.memories.editing import check_as_proposed
from memoro.memories.lifecycle import Memories
from memoro.model.feedback import FeedbackEntry
from memoro.model.feedback_places import is_feedback_file
from memoro.model.memories import Memory, is_current, moment
from memoro.model.notes import EXPERIENCE, MEMORY
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    MoveEntry,
    PromoteMemory,
    Proposal,
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
from memoro.model.results import EntryResult, PathsResult
from memoro.model.vocabulary import PERSON
from memoro.notes.daily import Daily
from memoro.notes.entry_files import EntryFiles, Remembered
from memoro.notes.entry_moves import EntryMoves
from memoro.notes.files import Files
from memoro.notes.putting_back import PuttingBack


class FeedbackArchive(Protocol):
    """Knows the owner's feedback, and moves what a rule was made of to its archive.

    Done twice, it has the effect of once.
    """

    def kept(self) -> Sequence[FeedbackEntry]: ...

    def archive(self, ids: Collection[str], *, by: str) -> object: ...


class NoteAppliers(NamedTuple):
    """The writers of the vault that proposals use."""

    entries: EntryFiles
    daily: Daily
    notes: Files
    putting_back: PuttingBack
    moves: EntryMoves
    feedback: FeedbackArchive | None = None


class ProposalApplier(NamedTuple):
    """Does what a proposal says, by a person's word. Done twice, it has the effect of once."""

    access: LedgerAccess
    memories: Memories
    experiences: ExperienceRetiring
    vault: Callable[[], NoteAppliers]  # raises where there is no vault: proposals about memories need none

    def apply(self, proposal: Proposal) -> Remembered:
        """Does what was proposed; the journal says of each change which proposal it carries out.

        ProposalOutdated where what it would change is not what it was; Refused where a file would lose too much.
        """
        with self.access.carrying_out(proposal.id):
            return self._apply(proposal)._replace(proposal=proposal.id)

    def check(self, proposal: Proposal) -> None:
        """Raises Refused where a file would lose too much."""
        refuse_loss(self.access, proposal, self._note_text)

    def check_feedback(self, proposal: Proposal) -> None:
        """Raises ProposalOutdated where feedback that it was made of was undone, deleted or reworded."""
        ids = proposal.change.feedback if isinstance(proposal.change, AddRule) else ()
        quotes = [one.quote for one in proposal.evidence if one.path and is_feedback_file(one.path)]
        if not (ids or quotes) or (feedback := self.vault().feedback) is None:
            return
        kept = feedback.kept()
        notes = {said for one in kept for said in (one.note, self.access.clean(one.note).text)}
        if not {one.id for one in kept}.issuperset(ids) or not notes.issuperset(quotes):
            raise ProposalOutdated("The feedback that this was proposed for was undone, deleted or reworded.")

    def _note_text(self, path: str) -> str | None:
        return self.vault().notes.text_of(path)

    def _apply(self, proposal: Proposal) -> Remembered:
        match proposal.change:
            case RememberEntry(text=text, tier=tier, section=section):
                return self.vault().entries.add(text, tier, section=section, once=_once(proposal))
            case EditEntry(id=own, text=text, was=was):
                return self.vault().entries.edit(own, text, once=_once(proposal), was=was)
            case RemoveEntry(id=own, was=was):
                return self.vault().entries.remove(own, once=_once(proposal), was=was)
            case RetireEntry() as entry:
                return self.vault().moves.retire(entry, _key(proposal))
            case MoveEntry() as entry:
                return self.vault().moves.move(entry, _key(proposal))
            case AddRule() as rule:
                return self._add_rule(rule, proposal)
            case AddDailyLine(text=text, at=at):
                return self._add_daily_line(text, at, _key(proposal))
            case PutBackLines() as dropped:
                return self.vault().putting_back.put_back(dropped)
            case WriteNote() as note:
                return self._write_note(note, _key(proposal))
            case RetireNote(path=path, expected=expected):
                moved = self.vault().notes.retire(path, expected, key=_key(proposal))
                return Remembered(id=None, path=moved.path, line=None, text="", change=moved.change or None)
            case _:
                return self._apply_to_ledger(proposal)

    def _apply_to_ledger(self, proposal: Proposal) -> Remembered:
        key = _key(proposal)
        match proposal.change:
            case StoreMemory() as memory:
                return self._store_memory(memory, key)
            case SupersedeMemory(old=old, new=new, was=was):
                self._memory(new)
                replaced = self.memories.supersede(old, new, source=PERSON, key=key, was=was)
                return _about_memory(old, replaced.content)
            case ChangeMemory() as change:
                return self._change_memory(change, key)
            case RemoveMemory(number=number):
                removed = self.memories.remove(number, source=PERSON, key=key)
                return _about_memory(number, removed.content)
            case PromoteMemory() as promoted:
                return self._promote(promoted, proposal)
            case RetireMemory(number=number):
                return self._retire_memory(number, key)
            case RetireExperience(number=number):
                return self._retire_experience(number, key)
            case _:
                number = proposal.id
                raise Refused(
                    f"Proposal {number} was forgotten, or cannot be read. `memoro reject {number}` drops it."
                )

    def _add_rule(self, rule: AddRule, proposal: Proposal) -> Remembered:
        vault, once = self.vault(), _once(proposal)
        section = vault.entries.section_if_there("procedural", rule.section)
        added = vault.entries.add(rule.text, "procedural", section=section, once=once)
        archived = Once(f"{once.key}:feedback", ("archive feedback", rule.feedback), PathsResult)
        if vault.feedback is not None and rule.feedback and self.access.done(archived) is None:
            vault.feedback.archive(rule.feedback, by=PERSON)
            self.access.once(archived, lambda _tx: PathsResult(rule.feedback))
        return added

    def _promote(self, promoted: PromoteMemory, proposal: Proposal) -> Remembered:
        entries, once = self.vault().entries, _once(proposal)
        if entries.first(once) is None and not is_current(self._memory(promoted.number), self.access.now()):
            raise ProposalOutdated(f"[id:{promoted.number}] does not hold any more.")
        section = entries.section_if_there(promoted.tier, promoted.section)
        added = entries.add(promoted.text, promoted.tier, section=section, once=once)
        self.memories.promote(promoted.number, added.id or "", key=f"{once.key}:memory")
        return added

    def _retire_memory(self, number: int, key: str) -> Remembered:
        memory = self._memory(number)
        self.memories.archive(number, source=PERSON, key=key)
        return _about_memory(number, memory.content)

    def _memory(self, number: int) -> Memory:
        try:
            return self.memories.get(number)
        except MemoryNotFound:
            raise ProposalOutdated(f"There is no memory [id:{number}] any more.") from None

    def _retire_experience(self, number: int, key: str) -> Remembered:
        try:
            retired = self.experiences.retire(number, source=PERSON, key=key)
        except NotFound:
            raise ProposalOutdated(f"There is no experience:{number} any more.") from None
        target = f"{EXPERIENCE}{number}"
        return Remembered(id=target, path=target, line=None, text=retired.intent)

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

    def _check_says(self, number: int, *said: str | None) -> None:
        """Raises ProposalOutdated where a memory is gone, or says none of these; None first: it may say anything."""
        if said[0] is None:
            return
        content = self._memory(number).content
        if content not in said and self.access.clean_replacing(content).text not in said:
            raise ProposalOutdated(f"[id:{number}] says something else now than when this was proposed.")

    def _store_memory(self, wanted: StoreMemory, key: str) -> Remembered:
        if wanted.supersedes is not None and wanted.was is not None:
            self._check_unchanged(wanted.supersedes, wanted.was, wanted.content)
        stored = self.memories.store(
            wanted.content,
            wanted.tags,
            source=wanted.source,
            trust="user_confirmed",
            session=wanted.session,
            project=wanted.project,
            valid_from=wanted.valid_from,
            inherits=() if wanted.supersedes is None else (wanted.supersedes,),
            key=key,
        )
        number = stored.memory.id
        if wanted.supersedes is not None and wanted.supersedes != number:
            replaced, once = wanted.supersedes, f"{key}:supersede"
            self.memories.supersede(replaced, number, source=PERSON, key=once, was=wanted.was)
        return _about_memory(number, stored.memory.content)._replace(new=stored.new)

    def _check_unchanged(self, number: int, was: str, by: str) -> None:
        """Raises ProposalOutdated before anything is stored, unless a memory that says `by` has replaced it since."""
        with self.access.ledger.reading() as tx:
            memory = tx.memories.find(number)
            newer = tx.memories.find(memory.superseded_by or 0) if memory else None
        if newer is None or newer.content != by:
            check_as_proposed(memory, number, was, self.access.now())

    def _change_memory(self, wanted: ChangeMemory, key: str) -> Remembered:
        self._check_says(wanted.number, wanted.was, wanted.content)  # it may have been done before
        changed = self.memories.update(
            wanted.number,
            wanted.content,
            wanted.tags,
            valid_from=wanted.valid_from,
            valid_to=wanted.valid_to,
            source=PERSON,
            key=key,
            was=wanted.was,
        )
        return _about_memory(wanted.number, changed.content)


def make_applier(services: LedgerServices, vault: Callable[[], NoteAppliers]) -> ProposalApplier:
    return ProposalApplier(
        access=services.access,
        memories=services.memories,
        experiences=ExperienceRetiring(services.access, services.owner),
        vault=vault,
    )


def _about_memory(number: int, content: str) -> Remembered:
    target = f"{MEMORY}{number}"
    return Remembered(id=target, path=target, line=None, text=content)


def _once(proposal: Proposal) -> Once[EntryResult]:
    return Once(_key(proposal), ("accept", proposal.id), EntryResult)


def _key(proposal: Proposal) -> str:
    """Returns an idempotency key: a process that dies before the proposal is settled does not do it twice."""
    return f"memoro:accept:{proposal.id}:{proposal.at}"

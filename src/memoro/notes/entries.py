"""Remembering in the always-loaded files: a person writes entries, an agent proposes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from memoro.ledger.access import Clean, LedgerAccess, Once
from memoro.model.placeholders import check_restorable, placeholders_in
from memoro.model.proposals import EditEntry, Proposal, RememberEntry, RemoveEntry, Suggestion
from memoro.model.results import EntryResult
from memoro.model.values import require_storable
from memoro.model.vocabulary import LOADED_TIERS, PERSON, LoadedTier, ProposalState, parse_choice
from memoro.notes.entry_files import EntryFiles, Remembered
from memoro.vault import entries as bullets

if TYPE_CHECKING:
    from memoro.curate.reviewing.review import ProposalReview
    from memoro.ledger.ports import Transaction


class RememberOptions(TypedDict, total=False):
    tier: LoadedTier  # "semantic" by default
    section: str | None  # the heading to put it under
    key: str | None  # repeated with the same key, it is written or proposed once


class RewordOptions(TypedDict, total=False):
    expected: str | None  # the SHA-256 of the text that was read; NoteUnwritable where it is another one now
    key: str | None


class Asking(NamedTuple):
    """How agents ask for a change."""

    review: ProposalReview
    direct: bool  # whether agents may write as persons do


class Entries:
    """`m.entries`: add, edit and remove, by a person directly, by an agent as proposals."""

    def __init__(self, access: LedgerAccess, files: EntryFiles, asking: Asking) -> None:
        self._access = access
        self._files = files
        self._review, self._direct = asking

    def remember(self, text: str, *, by: str = PERSON, **options: Unpack[RememberOptions]) -> Remembered:
        """Keeps a fact (semantic), a rule (procedural) or what must not be missed (pinned) in its file."""
        tier = parse_choice(options.get("tier", "semantic"), LOADED_TIERS, "tier")
        section = options.get("section")
        if section is not None:
            require_storable(section, "section")
        check_restorable(text, "")
        once = Once(options.get("key"), ("entry", "remember", text, tier, section, by), EntryResult)
        said, redacted = self._clean(text, by)
        if first := self._files.first(once):
            return first._replace(redacted=redacted)
        if self._must_ask(by):
            self._check_entry(said)
            wanted = RememberEntry(text=said, tier=tier, section=section, path=self.path_of(tier))
            return self._propose(wanted, by, once)._replace(redacted=redacted)
        return self._files.add(said, tier, section=section, by=by, once=once)._replace(redacted=redacted)

    def edit(self, own: str, text: str, *, by: str = PERSON, **options: Unpack[RewordOptions]) -> Remembered:
        """Says an entry in other words; it keeps its id. An entry that is not as `expected` is not touched."""
        expected = options.get("expected")
        asked = () if expected is None else (expected,)  # a key of an earlier version stands for the rest
        once = Once(options.get("key"), ("entry", "edit", own, text, by, *asked), EntryResult)
        said, redacted = self._clean(text, by)
        if first := self._files.first(once):
            return first._replace(redacted=redacted)
        if placeholders_in(text):
            check_restorable(text, self._files.text_of(own), self._access.known)
        if self._must_ask(by) and self._files.is_loaded(path := self.where(own)):
            self._check_entry(said)
            self._files.check_expected(own, expected)
            wanted = EditEntry(self._files.id_of(own), said, path, was=self._files.text_of(own))
            return self._propose(wanted, by, once)._replace(redacted=redacted)
        return self._files.edit(own, said, by=by, once=once, expected=expected)._replace(redacted=redacted)

    def remove(self, own: str, *, by: str = PERSON, key: str | None = None) -> Remembered:
        """Takes an entry out of its file; `undo` puts it back."""
        once = Once(key, ("entry", "remove", own, by), EntryResult)
        if first := self._files.first(once):
            return first
        if self._must_ask(by) and self._files.is_loaded(path := self.where(own)):
            wanted = RemoveEntry(self._files.id_of(own), path, was=self._files.text_of(own))
            return self._propose(wanted, by, once)
        return self._files.remove(own, by=by, once=once)

    def all(self, tier: LoadedTier = "semantic") -> list[bullets.Bullet]:
        return self._files.all(tier)

    def path_of(self, tier: LoadedTier) -> str:
        """Returns the file that has this role, or will have it."""
        return self._files.path_of(tier)

    def where(self, own: str) -> str:
        """Returns the note in which an entry of this id stands: the always-loaded files first."""
        return self._files.where(own)

    def proposals(self, state: ProposalState | None = "open") -> list[Proposal]:
        return self._review.all(state)

    def accept(self, number: int, *, key: str | None = None) -> Remembered:
        """Does what was proposed, by a person's word."""
        return self._review.accept(number, key=key)

    def reject(self, number: int, *, key: str | None = None) -> Proposal:
        return self._review.reject(number, key=key)

    def _check_entry(self, said: str) -> None:
        """Raises where a text cannot be an entry, or was forgotten: then it is not proposed."""
        self._files.check_not_forgotten(said)
        bullets.one_line(said)

    def _must_ask(self, by: str) -> bool:
        return by != PERSON and not self._direct

    def _propose(
        self, change: RememberEntry | EditEntry | RemoveEntry, by: str, once: Once[EntryResult]
    ) -> Remembered:
        """Waits for a person's word; what waits already is not proposed twice."""
        own = None if isinstance(change, RememberEntry) else change.id

        def keep(tx: Transaction, number: int, new: bool) -> None:
            made = EntryResult(id=own, path=change.path, line=None, new=new, change=0, proposal=number)
            self._access.keep(tx, once, made)

        queued = self._review.propose(Suggestion(change), by=by, keep=keep)
        return Remembered(
            id=own,
            path=change.path,
            line=None,
            text=self._files.text_in(change.id, change.path) or ""
            if isinstance(change, RemoveEntry)
            else change.text,
            new=queued.new,
            proposal=queued.proposal.id,
        )

    def _clean(self, text: str, by: str) -> Clean:
        """Remove secrets from what an agent writes; leave a person's words as they are."""
        return self._access.authored(text, by_agent=by != PERSON)

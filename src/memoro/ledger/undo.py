"""The journal as people use it: what was changed, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import LedgerError, NotFound, Refused, UndoConflict, VaultError
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Once
from memoro.ledger.apply import ChangeWriter
from memoro.ledger.carried_out import added_memories, derived_from, of_same_proposal, of_source, resting_on
from memoro.ledger.change_texts import fill_text, fill_text_with_subject, sides_of
from memoro.ledger.history import fill_first_words
from memoro.ledger.revert import Reverter, superseded_along
from memoro.ledger.visibility import is_made_private
from memoro.model.changes import SubjectKind, UnknownChange, has_content
from memoro.model.journal import Authorship, ChangeFilter, JournalEntry, ShownChange
from memoro.model.memories import stamp
from memoro.model.results import NumbersResult, UndoResult
from memoro.model.values import require_number
from memoro.model.vocabulary import PERSON

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.model.proposals import Proposal

_MOST_LATER = 50  # changes that are looked at after a change
# Operations that an undo takes back only if their number is named.
_ONLY_BY_NUMBER = ("undo", "forget", "offer")


class Undone(NamedTuple):
    entries: tuple[JournalEntry, ...]  # what was taken back, newest first
    refused: tuple[str, ...]  # a sentence for each that could not be
    derived: tuple[int, ...] = ()  # memories that were made from those taken back, and went with them


class Journal:
    """`m.log`, `m.undo`."""

    def __init__(self, access: LedgerAccess, reverter: Reverter) -> None:
        self._access = access
        self._reverter = reverter

    def log(
        self,
        limit: int = 20,
        *,
        by: str | None = None,
        since: str | None = None,
        kind: SubjectKind | None = None,
        before: int | None = None,
    ) -> list[JournalEntry]:
        """Changes, newest first: of a source or person, from a time on, to one kind of thing, before a change."""
        first, limit = self._beginning(since), require_number(limit, "number of changes")
        with self._access.ledger.reading() as tx:
            chosen = tx.journal.latest(limit, ChangeFilter(by=by, kind=kind, since=first, before=before))
            return [fill_text_with_subject(tx, fill_first_words(tx, entry)) for entry in chosen]

    def show(self, entry: int) -> ShownChange:
        """Return one change with the text before and after it, and the command that undoes it."""
        with self._access.ledger.reading() as tx:
            found = fill_text(tx, fill_first_words(tx, tx.journal.get(entry)))
            before, after = sides_of(tx, found)
            newest = tx.journal.latest(_MOST_LATER, ChangeFilter(kind=found.kind, item=found.item))
            later = tuple(fill_text(tx, one) for one in newest if one.id > found.id)
        why_not = ""
        if found.undone_by is not None:
            why_not = f"It was undone by change {found.undone_by}."
        elif not has_content(found.change):
            why_not = "Its content was forgotten or has expired, so there is nothing to bring back."
        elif isinstance(found.change, UnknownChange):
            why_not = "This version cannot take back such a change."
        undo = None if why_not else f"memoro undo {found.id}"
        return ShownChange(entry=found, before=before, after=after, undo=undo, why_not=why_not, later=later)

    def of_proposal(self, number: int) -> list[JournalEntry]:
        """Return the changes that carried out a proposal, the newest first, without their undos."""
        with self._access.ledger.reading() as tx:
            return [one for one in tx.journal.of_proposals((number,)) if one.undoes is None]

    def _beginning(self, since: str | None) -> str | None:
        return None if since is None else times.beginning(since, self._access.now())

    def undo(
        self,
        entry: int | None = None,
        *,
        by: str | None = None,
        since: str | None = None,
        dry_run: bool = False,
        key: str | None = None,
    ) -> Undone:
        """Undo one change, by default the last; or all changes by a source or a person since then, newest first.

        Where people share the ledger, the last change is the person's own, and so are those by a source. What was
        made private is shown to everybody again only if its change is named.
        The changes of one accepted proposal are taken back together, or none of them is; so are those of the last
        `memoro wrong`, `good` or `given allow`, unless one of them is named. With a source, the accepted
        proposals that it made go too, with the memories and entries that others made from its memories; what cannot
        be taken back is told and left. With a `key`, "the last" is the one that it was when first asked with that
        key.
        """
        if by is None and since is None:
            one = self._one(entry) if key is None or dry_run else self._one_by_key(entry, key)
            along = () if entry is not None else self._of_same_command(one)
            return self._undo_together(one, along, dry_run=dry_run, is_repeatable=key is not None)
        if entry is not None:
            raise UndoConflict(entry, "name either a change, or a source and a time")
        found = self._of_source(by, since, None if dry_run else key)
        chosen = [one for one in found if not self._would_show(one)]
        left = tuple(str(_made_private(one)) for one in found if self._would_show(one))
        done = Undone(self._told(chosen), ()) if dry_run else self._undo_all(chosen)
        return done._replace(refused=(*left, *done.refused))

    def undo_proposal(self, number: int, *, dry_run: bool = False, is_repeatable: bool = False) -> Undone:
        """Undo all changes of an accepted proposal. With `is_repeatable`, a repetition is no error."""
        with self._access.ledger.reading() as tx:
            proposal = tx.proposals.get(number)
            made = [one for one in tx.journal.of_proposals((number,)) if one.undoes is None]
        if not made:
            why = "it changed nothing" if proposal.state == "accepted" else f"it is {proposal.state}, not accepted"
            raise NotFound(f"Proposal {number} has no changes to take back: {why}.")
        return self._undo_together(made[0], (), dry_run=dry_run, is_repeatable=is_repeatable)

    def _of_same_command(self, last: JournalEntry) -> list[JournalEntry]:
        """Return the earlier changes of the command that made the last one, newest first."""
        with self._access.ledger.reading() as tx:
            earlier = [one for one in self._access.changes_of_command(tx, last.id) if one != last.id]
            return [tx.journal.get(one) for one in reversed(earlier) if tx.journal.made_at(one) is not None]

    def _undo_together(
        self, one: JournalEntry, along: Sequence[JournalEntry], *, dry_run: bool, is_repeatable: bool
    ) -> Undone:
        with self._access.ledger.reading() as tx:
            group = [*of_same_proposal(tx, one), *along]
        left = [other for other in group if not self._reverter.is_reverted(other)]
        if not left and is_repeatable:
            return Undone(self._told(group), ())
        chosen = left or [one]
        told = self._told([*chosen, *(along for other in chosen for along in self._along(other))])
        if not dry_run:  # what a change added is still there to be told
            self._revert_together(chosen)
        return Undone(told, ())

    def _undo_all(self, chosen: list[JournalEntry]) -> Undone:
        by_number = {one.id: one for one in self._told(chosen)}
        done: list[JournalEntry] = []
        refused: list[str] = []
        for group in _grouped(chosen):
            left = [one for one in map(self._one, [one.id for one in group]) if not self._reverter.is_reverted(one)]
            try:  # each as it is by then: some go along with others
                self._revert_together(left)
                done += group
            except (LedgerError, Refused, VaultError) as error:
                refused.append(str(error))
        return Undone(tuple(by_number[one.id] for one in done), tuple(refused), self._remove_derived(done))

    def _revert_together(self, entries: list[JournalEntry]) -> None:
        """Take back these changes, newest first. Where one cannot be, those before it are done again."""
        done: list[int] = []
        for one in map(self._one, [one.id for one in entries]):
            if len(entries) > 1 and self._reverter.is_reverted(one):
                continue  # it went along with another
            try:
                self._reverter.revert(one)
            except (LedgerError, Refused, VaultError):
                self._do_again(done)
                raise
            done.append(one.id)

    def _do_again(self, numbers: list[int]) -> None:
        for number in reversed(numbers):
            undo = self._one(number).undone_by
            if undo is not None:
                with suppress(LedgerError, Refused, VaultError):  # the first failure is told
                    self._reverter.revert(self._one(undo))

    def _along(self, entry: JournalEntry) -> list[JournalEntry]:
        with self._access.ledger.reading() as tx:
            return superseded_along(tx, entry)

    def _told(self, entries: list[JournalEntry]) -> tuple[JournalEntry, ...]:
        with self._access.ledger.reading() as tx:
            return tuple(fill_text_with_subject(tx, fill_first_words(tx, entry)) for entry in entries)

    def _of_source(self, by: str | None, since: str | None, key: str | None) -> list[JournalEntry]:
        """Return all that a source did since then; with a key, what it was when first asked with that key."""

        def choose(tx: Transaction) -> NumbersResult:
            return NumbersResult(tuple(one.id for one in self._all_of_source(tx, by, since)))

        if key is None:
            with self._access.ledger.reading() as tx:
                return [tx.journal.get(number) for number in choose(tx).ids if number is not None]
        kept = self._access.once(Once(key, ("undo", by, since), NumbersResult), choose)
        with self._access.ledger.reading() as tx:
            return [tx.journal.get(number) for number in kept.ids if number is not None]

    def _all_of_source(self, tx: Transaction, by: str | None, since: str | None) -> list[JournalEntry]:
        """Return what a source did since then, what its accepted proposals did, and what rests on either."""
        first = self._beginning(since)
        own = [one for one in tx.journal.latest(wanted=ChangeFilter(by=by, since=first)) if _can_be_chosen(one)]
        accepted = of_source(tx, by) if by is not None else []
        found = [*own, *(one for one in accepted if first is None or one.at >= first)]
        chosen = [one for one in found if self._is_own(one) or one.person == by]
        together = [along for one in chosen for along in of_same_proposal(tx, one)]
        every = {one.id: one for one in (*chosen, *together, *resting_on(tx, together))}
        return [every[number] for number in sorted(every, reverse=True) if _can_be_chosen(every[number])]

    def _one_by_key(self, entry: int | None, key: str) -> JournalEntry:
        """Settles durably what is meant before it is done: a retry means the same."""
        once = Once(key, ("undo", entry), UndoResult)
        return self._one(self._access.once(once, lambda _tx: UndoResult(self._one(entry).id)).entry)

    def _one(self, entry: int | None) -> JournalEntry:
        with self._access.ledger.reading() as tx:
            if entry is not None:
                return tx.journal.get(entry)
            last = tx.journal.last_in_force(_ONLY_BY_NUMBER, self._access.ledger.person)
            decided = next((one for one in tx.proposals.settled(1) if one.state == "rejected"), None)
            latest = tx.journal.latest(_MOST_LATER, ChangeFilter(by=self._access.ledger.person))
            newer = [one for one in latest if self._is_own(one) and (last is None or one.id > last.id)]
            others = last is None and tx.journal.last_in_force(_ONLY_BY_NUMBER) is not None
        if forgot := next((one for one in newer if one.operation == "forget"), None):
            before = f". To undo the change before it, run `memoro undo {last.id}`" if last else ""
            raise UndoConflict(forgot.id, f"it forgot for good, and nothing brings that back{before}")
        if decided and (last is None or (decided.settled_at or "") > last.at):
            raise _nothing_to_take_back(decided, last)
        if others:
            raise NotFound("You have changed nothing that can be undone. `memoro undo N` undoes a change of others.")
        if last is None:
            raise NotFound("There is nothing to undo.")
        if self._would_show(last):
            raise _made_private(last)
        return last

    def _is_own(self, entry: JournalEntry) -> bool:
        return self._access.ledger.person in (None, entry.person)

    def _would_show(self, entry: JournalEntry) -> bool:
        """Return whether undoing a change would show to others what its person made private."""
        return self._access.ledger.person is not None and is_made_private(entry.change)

    def _remove_derived(self, undone: list[JournalEntry]) -> tuple[int, ...]:
        """Removes the memories that rest on memories just taken back, and those that rest on them."""
        gone = set(added_memories(undone))
        removed: list[int] = []
        with self._access.ledger.writing() as tx:
            writer = ChangeWriter(self._access, tx, Authorship(stamp(self._access.now()), PERSON))
            while found := derived_from(tx, gone):
                for memory in found:
                    writer.remove_memory(memory, "remove")
                    gone.add(memory.id)
                    removed.append(memory.id)
        return tuple(removed)


def _can_be_chosen(entry: JournalEntry) -> bool:
    """Tells whether an undo that names no entry may take this one back."""
    return entry.undone_by is None and entry.operation not in _ONLY_BY_NUMBER and has_content(entry.change)


def _made_private(entry: JournalEntry) -> Refused:
    return Refused(
        f"Change {entry.id} made {entry.kind}:{entry.item} private. To show it to everybody of the tenant again, "
        f"name the change: `memoro undo {entry.id}`."
    )


def _nothing_to_take_back(rejected: Proposal, last: JournalEntry | None) -> Refused:
    before = f" To undo the change before it, run `memoro undo {last.id}`." if last else ""
    return Refused(
        f"The last decision was to reject proposal {rejected.id}, which changed nothing. "
        f"`memoro review --reopen {rejected.id}` lets it wait again.{before}"
    )


def _grouped(entries: list[JournalEntry]) -> list[list[JournalEntry]]:
    """Return the entries of each proposal together, where its newest stands; the others one by one."""
    groups: dict[tuple[str, int], list[JournalEntry]] = {}
    for one in entries:
        name = ("change", one.id) if one.proposal is None else ("proposal", one.proposal)
        groups.setdefault(name, []).append(one)
    return list(groups.values())

"""The journal as people use it: what was changed, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import LedgerError, NotFound, Refused, UndoConflict, VaultError
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Once
from memoro.ledger.apply import ChangeWriter
from memoro.ledger.change_texts import fill_text, sides_of
from memoro.ledger.history import fill_first_words
from memoro.ledger.revert import Reverter, superseded_along
from memoro.model.changes import ItemWritten, MemoryAdded, UnknownChange, has_content
from memoro.model.journal import Authorship, JournalEntry, ShownChange
from memoro.model.memories import Memory, stamp
from memoro.model.results import NumbersResult, UndoResult
from memoro.model.vocabulary import PERSON

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

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

    def log(self, limit: int = 20, *, by: str | None = None, since: str | None = None) -> list[JournalEntry]:
        """Changes, newest first."""
        with self._access.ledger.reading() as tx:
            chosen = self._chosen(tx, by, since, limit)
            return [fill_text(tx, fill_first_words(tx, entry)) for entry in chosen]

    def show(self, entry: int) -> ShownChange:
        """One change whole: what there was before and after it, and how to take it back."""
        with self._access.ledger.reading() as tx:
            found = fill_text(tx, fill_first_words(tx, tx.journal.get(entry)))
            before, after = sides_of(tx, found)
        why_not = ""
        if found.undone_by is not None:
            why_not = f"It was undone by change {found.undone_by}."
        elif not has_content(found.change):
            why_not = "Its content was forgotten or has expired, so there is nothing to bring back."
        elif isinstance(found.change, UnknownChange):
            why_not = "This version cannot take back such a change."
        undo = None if why_not else f"memoro undo {found.id}"
        return ShownChange(entry=found, before=before, after=after, undo=undo, why_not=why_not)

    def _chosen(
        self, tx: Transaction, by: str | None, since: str | None, limit: int | None = None
    ) -> list[JournalEntry]:
        first = None if since is None else times.beginning(since, self._access.now())
        return tx.journal.latest(limit, actor=by, since=first)

    def undo(
        self,
        entry: int | None = None,
        *,
        by: str | None = None,
        since: str | None = None,
        dry_run: bool = False,
        key: str | None = None,
    ) -> Undone:
        """Take back one change, by default the last; or all that a source did since then, newest first.

        With a source, the memories that others made from its memories go too, and what cannot be taken back
        is told and left. With a `key`, "the last" is the one that it was when first asked with that key.
        """
        if by is None and since is None:
            one = self._one(entry) if key is None or dry_run else self._one_by_key(entry, key)
            told = self._told([one, *self._along(one)])  # before it is taken back: what it added is still there
            if not dry_run and not (key is not None and self._reverter.is_reverted(one)):
                self._reverter.revert(self._one(one.id))
            return Undone(told, ())
        if entry is not None:
            raise UndoConflict(entry, "name either a change, or a source and a time")
        chosen = self._of_source(by, since, None if dry_run else key)
        if dry_run:
            return Undone(self._told(chosen), ())
        by_number = {one.id: one for one in self._told(chosen)}
        done, refused = [], []
        for one in map(self._one, [one.id for one in chosen]):  # as each is by then: some go along with others
            try:
                done.append(one if self._reverter.is_reverted(one) else self._reverter.revert(self._one(one.id)))
            except (LedgerError, Refused, VaultError) as error:
                refused.append(str(error))
        return Undone(tuple(by_number[one.id] for one in done), tuple(refused), self._remove_derived(done))

    def _along(self, entry: JournalEntry) -> list[JournalEntry]:
        with self._access.ledger.reading() as tx:
            return superseded_along(tx, entry)

    def _told(self, entries: list[JournalEntry]) -> tuple[JournalEntry, ...]:
        with self._access.ledger.reading() as tx:
            return tuple(fill_text(tx, fill_first_words(tx, entry)) for entry in entries)

    def _of_source(self, by: str | None, since: str | None, key: str | None) -> list[JournalEntry]:
        """Return all that a source did since then; with a key, what it was when first asked with that key."""

        def choose(tx: Transaction) -> NumbersResult:
            return NumbersResult(tuple(e.id for e in self._chosen(tx, by, since) if _can_be_chosen(e)))

        if key is None:
            with self._access.ledger.reading() as tx:
                return [tx.journal.get(number) for number in choose(tx).ids if number is not None]
        kept = self._access.once(Once(key, ("undo", by, since), NumbersResult), choose)
        with self._access.ledger.reading() as tx:
            return [tx.journal.get(number) for number in kept.ids if number is not None]

    def _one_by_key(self, entry: int | None, key: str) -> JournalEntry:
        """Settles durably what is meant before it is done: a retry means the same."""
        once = Once(key, ("undo", entry), UndoResult)
        return self._one(self._access.once(once, lambda _tx: UndoResult(self._one(entry).id)).entry)

    def _one(self, entry: int | None) -> JournalEntry:
        with self._access.ledger.reading() as tx:
            if entry is not None:
                return tx.journal.get(entry)
            last = tx.journal.last_in_force(_ONLY_BY_NUMBER)
        if last is None:
            raise NotFound("There is nothing to undo.")
        return last

    def _remove_derived(self, undone: list[JournalEntry]) -> tuple[int, ...]:
        """Removes the memories that rest on memories just taken back, and those that rest on them."""
        gone = {number for entry in undone if (number := _added_memory(entry)) is not None}
        removed: list[int] = []
        with self._access.ledger.writing() as tx:
            writer = ChangeWriter(self._access, tx, Authorship(stamp(self._access.now()), PERSON))
            while found := _resting_on(tx, gone):
                for memory in found:
                    writer.remove_memory(memory, "remove")
                    gone.add(memory.id)
                    removed.append(memory.id)
        return tuple(removed)


def _can_be_chosen(entry: JournalEntry) -> bool:
    """Tells whether an undo that names no entry may take this one back."""
    return entry.undone_by is None and entry.operation not in _ONLY_BY_NUMBER and has_content(entry.change)


def _added_memory(entry: JournalEntry) -> int | None:
    match entry.change:
        case MemoryAdded(number=number) | ItemWritten(number=number, before=None):
            return number
        case _:
            return None


def _resting_on(tx: Transaction, gone: set[int]) -> list[Memory]:
    return [memory for memory in tx.memories.derived() if gone & set(memory.parents)]

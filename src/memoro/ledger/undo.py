"""The journal as people use it: what was changed, and taking it back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import LedgerError, NotFound, Refused, UndoConflict, VaultError
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess
from memoro.ledger.archive import Archiving
from memoro.ledger.items import take_back
from memoro.memories import links
from memoro.model import journal
from memoro.model.journal import Entry, as_memory, with_first_words
from memoro.model.memories import Memory, Narrative, stamp
from memoro.model.notes import MEMORY

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

# What a later undo may take back without being asked for it by number.
_NOT_BY_THEMSELVES = ("undo", "forget", "offer")


class Undone(NamedTuple):
    entries: tuple[Entry, ...]  # what was taken back, newest first
    refused: tuple[str, ...]  # a sentence for each that could not be
    derived: tuple[int, ...] = ()  # memories that were made from those taken back, and went with them


class Kind(NamedTuple):
    """How the journal is read, and taken back, for a kind of things that stands in the ledger."""

    back: Callable[[Transaction, Entry, datetime], None]  # within the transaction that is open
    told: Callable[[Transaction, Entry], Entry]  # with what a thing said when it came, for those who read


class Journal:
    """`m.log`, `m.undo`."""

    def __init__(self, access: LedgerAccess, archiving: Archiving) -> None:
        self._access = access
        self._archiving = archiving
        self.notes_back: Callable[[Entry], object] = _no_vault  # takes back what was written into the vault
        self.kinds = {
            "memory": Kind(self._memory_back, _memory_told),
            "narrative": Kind(self._narrative_back, _as_it_is),
            "item": Kind(self._item_back, _as_it_is),
        }

    def log(self, limit: int = 20, *, by: str | None = None, since: str | None = None) -> list[Entry]:
        """Changes, newest first."""
        with self._access.ledger.reading() as tx:
            chosen = self._chosen(tx, by, since, limit)
            return [self._filled(tx, entry) for entry in chosen]

    def _chosen(self, tx: Transaction, by: str | None, since: str | None, limit: int | None = None) -> list[Entry]:
        first = None if since is None else times.beginning(since, self._access.now())
        return tx.journal.latest(limit, actor=by, since=first)

    def _filled(self, tx: Transaction, entry: Entry) -> Entry:
        """With what a thing said when it was stored, for those who read and not for the disk."""
        came = entry.before is None and entry.after is not None
        return self.kinds[entry.kind].told(tx, entry) if came and entry.kind in self.kinds else entry

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
            if key is not None and one.undone_by is not None:
                return Undone((one,), ())
            return Undone((one,), ()) if dry_run else Undone((self._take_back(one),), ())
        if entry is not None:
            raise UndoConflict(entry, "name either a change, or a source and a time")
        with self._access.ledger.reading() as tx:
            chosen = [e for e in self._chosen(tx, by, since) if self._can_be(e)]
        if dry_run:
            return Undone(tuple(chosen), ())
        done, refused = [], []
        for one in chosen:
            try:
                done.append(self._take_back(one))
            except (LedgerError, Refused, VaultError) as error:
                refused.append(str(error))
        return Undone(tuple(done), tuple(refused), self._remove_derived(done))

    def _can_be(self, entry: Entry) -> bool:
        return (
            entry.undone_by is None
            and entry.operation not in _NOT_BY_THEMSELVES
            and not (entry.before is None and entry.after is None)
        )

    def _one_by_key(self, entry: int | None, key: str) -> Entry:
        """What is meant is settled, durably, before it is done: a retry means the same."""
        done = self._access.once(key, ("undo", entry), lambda _pages: {"entry": self._one(entry).id})
        return self._one(int(done["entry"]))

    def _one(self, entry: int | None) -> Entry:
        with self._access.ledger.reading() as tx:
            if entry is not None:
                return tx.journal.get(entry)
            last = tx.journal.last_in_force(_NOT_BY_THEMSELVES)
        if last is None:
            raise NotFound("There is nothing to undo.")
        return last

    def _take_back(self, entry: Entry) -> Entry:
        if "archived" in (entry.before or {}):
            return self._archiving.back(entry)
        if entry.kind == "note":
            return self._note_back(entry)
        now = self._access.now()
        with self._access.ledger.writing() as tx:
            found = tx.journal.get(entry.id)  # as it is now, with nobody else writing
            if found.undone_by is not None:
                raise UndoConflict(entry.id, f"it was undone already, by change {found.undone_by}")
            if found.before is None and found.after is None:
                raise UndoConflict(entry.id, "what it tells of was forgotten")
            if found.kind not in self.kinds:
                raise UndoConflict(entry.id, f"it is about a {found.kind}, of which nothing can be taken back")
            self.kinds[found.kind].back(tx, found, now)
        return found

    def _note_back(self, entry: Entry) -> Entry:
        if entry.undone_by is not None:
            raise UndoConflict(entry.id, f"it was undone already, by change {entry.undone_by}")
        if entry.before is None and entry.after is None:
            raise UndoConflict(entry.id, "what it tells of was forgotten")
        self.notes_back(entry)
        return entry

    def _memory_back(self, tx: Transaction, entry: Entry, now: datetime) -> None:
        if entry.before is None:
            memory = tx.memories.find(entry.item)
            if memory is None:
                raise UndoConflict(entry.id, f"[id:{entry.item}] is not in the ledger any more")
            tx.memories.delete(entry.item)
            add_undo(tx, entry, memory._asdict(), None, now)
        elif entry.after is None:
            if tx.memories.find(entry.item):
                raise UndoConflict(entry.id, f"[id:{entry.item}] is there already")
            memory = as_memory(entry.before)
            tx.memories.insert(memory, self._digest(tx, entry, memory.content))
            add_undo(tx, entry, None, {}, now)
        else:
            self._change_back(tx, entry, now)

    def _change_back(self, tx: Transaction, entry: Entry, now: datetime) -> None:
        memory = tx.memories.get(entry.item)
        restored = journal.taken_back(memory, entry)
        same = restored.content == memory.content
        digest = self._access.digest(tx, memory.content) if same else self._digest(tx, entry, restored.content)
        tx.memories.replace(memory, restored, digest)
        before, after = journal.difference(memory, restored)
        if linked := (entry.after or {}).get("links", ()):
            links.unlink(tx, entry.item, linked)
            before |= {"links": linked}
        if again := (entry.before or {}).get("links", ()):
            links.strengthen(tx, entry.item, again, now)
            after |= {"links": again}
        if given := (entry.after or {}).get("given"):
            tx.sessions.take_back(given[0], f"{MEMORY}{entry.item}", given[1])
            before |= {"given": given}
        if given := (entry.before or {}).get("given"):
            tx.sessions.note_again(given[0], f"{MEMORY}{entry.item}", given[1])
            after |= {"given": given}
        add_undo(tx, entry, before, after, now)

    def _digest(self, tx: Transaction, entry: Entry, content: str) -> bytes:
        digest = self._access.digest(tx, content)
        if at := tx.forgotten.at(digest):
            raise UndoConflict(entry.id, f"what it would bring back was forgotten on {at[:10]}")
        return digest

    def _item_back(self, tx: Transaction, entry: Entry, now: datetime) -> None:
        before, after = take_back(tx, entry, lambda text: self._digest(tx, entry, text))
        add_undo(tx, entry, before, after, now)

    def _narrative_back(self, tx: Transaction, entry: Entry, now: datetime) -> None:
        if entry.before is None:
            narrative = tx.narratives.get(entry.item)
            tx.narratives.delete(narrative)
            add_undo(tx, entry, narrative._asdict(), None, now)
        else:
            narrative = Narrative(**{**entry.before, "memories": tuple(entry.before["memories"])})
            tx.narratives.put_back(narrative)
            add_undo(tx, entry, None, {}, now)

    def _remove_derived(self, undone: list[Entry]) -> tuple[int, ...]:
        """Remove the memories that rest on memories just taken back, and those that rest on them."""
        gone = {e.item for e in undone if e.kind in ("memory", "item") and e.before is None}
        removed: list[int] = []
        with self._access.ledger.writing() as tx:
            while found := _resting_on(tx, gone):
                for memory in found:
                    tx.memories.delete(memory.id)
                    tx.journal.add(
                        Entry(
                            id=0,
                            at=stamp(self._access.now()),
                            operation="remove",
                            actor="user",
                            kind="memory",
                            item=memory.id,
                            before=memory._asdict(),
                            after=None,
                        )
                    )
                    gone.add(memory.id)
                    removed.append(memory.id)
        return tuple(removed)


def add_undo(
    tx: Transaction, entry: Entry, before: journal.Fields | None, after: journal.Fields | None, now: datetime
) -> None:
    """Note that a change was taken back."""
    tx.journal.add(
        Entry(
            id=0,
            at=stamp(now),
            operation="undo",
            actor="user",
            kind=entry.kind,
            item=entry.item,
            before=before,
            after=after,
            undoes=entry.id,
        )
    )


def _memory_told(tx: Transaction, entry: Entry) -> Entry:
    history = tx.journal.history("memory", entry.item)
    whole = with_first_words(history, tx.memories.find(entry.item))
    return next((other for other in whole if other.id == entry.id), entry)


def _no_vault(entry: Entry) -> None:
    raise UndoConflict(entry.id, "it was written into a vault, and none is open here")


def _resting_on(tx: Transaction, gone: set[int]) -> list[Memory]:
    return [memory for memory in tx.memories.derived() if gone & set(memory.parents)]


def _as_it_is(_pages: Transaction, entry: Entry) -> Entry:
    return entry

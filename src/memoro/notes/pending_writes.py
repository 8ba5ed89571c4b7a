"""Writes to notes that the journal holds as under way: how each ends, and what it means for watched lines.

This module reads notes and writes to the ledger alone, so that a sync may use it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import VaultError
from memoro.ledger.access import LedgerAccess
from memoro.model.changes import NoteAppended, NoteMoved, NoteWritten
from memoro.model.journal import JournalEntry
from memoro.model.ledger import DROPPED, note_state
from memoro.model.watched_lines import judge, standing

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

ReadNote = Callable[[str], bytes | None]  # while no process of Memoro writes it; None: there is no such note


class PendingWrites(NamedTuple):
    access: LedgerAccess
    read: ReadNote

    def settle(self) -> None:
        """End the writes that happened, and delete the entries of those that a crash kept from happening."""
        with self.access.ledger.reading() as tx:
            waiting = [tx.journal.get(number) for number in tx.pending.all()]
        for entry in waiting:
            self.settle_one(entry)

    def settle_one(self, entry: JournalEntry) -> None:
        try:
            happened = self._happened(entry)
        except VaultError:  # something else stands there by now, so that it cannot be told
            happened = True
        with self.access.ledger.writing() as tx:
            if entry.id not in tx.pending.all():
                return
            if not happened:
                withdraw(tx, entry.id)
                return
            match entry.change:
                case NoteWritten(before=before, after=after):
                    end(tx, entry, kept_bytes(tx, before) or b"", kept_bytes(tx, after) or b"")
                case NoteMoved():
                    end(tx, entry, b"", b"")
                case _:
                    tx.pending.end(entry.id)

    def _happened(self, entry: JournalEntry) -> bool:
        """Return whether a write got to the disk. Where others have written since, its lines tell."""
        match entry.change:
            case NoteMoved(path=old, new=new):
                return self.read(new) is not None and self.read(old) is None
            case NoteAppended(path=path, seen=seen, added=added):
                now = self.read(path) or b""
                return note_state(now).hex() != seen and added.encode() in now
            case NoteWritten(path=path, before=before, after=after):
                with self.access.ledger.reading() as tx:
                    sides = kept_bytes(tx, before), kept_bytes(tx, after)
                return _is_in(self.read(path), *sides)
            case _:
                return self.read(str(entry.item)) is not None


def _is_in(now: bytes | None, before: bytes | None, after: bytes | None) -> bool:
    """Return whether a write is in a note that others may have written since, by the lines it added and took out."""
    if now in (before, after) or now is None or before is None or after is None:
        return now != before
    old, new, lines = (Counter(data.splitlines()) for data in (before, after, now))
    added, taken = new - old, old - new
    return any(line in lines for line in added) or any(lines[line] < old[line] for line in taken)


def withdraw(tx: Transaction, entry: int) -> None:
    """Delete the entry of a write that was intended and not done."""
    tx.pending.end(entry)
    tx.lines.unwatch(entry)
    tx.journal.delete(entry)


def end(tx: Transaction, entry: JournalEntry, before: bytes, after: bytes) -> None:
    """End a write that is done, and record what it means for the lines that are watched in that note.

    A line that others may have dropped before this write is marked: the next sync proposes it. A line that this very
    write took out is gone. An append takes none out: what is not there after it, a save in that very moment dropped.
    """
    tx.pending.end(entry.id)
    if isinstance(entry.change, NoteMoved):
        tx.lines.note_moved(entry.change.path, entry.change.new)
        return
    path, old, new = str(entry.item), note_state(before), note_state(after)
    # A daily note may have thousands of lines. An append takes none of them out, and mostly nobody else saved.
    others = [one for one in tx.lines.in_note(path, but=old) if one.entry != entry.id]
    if others or not after.startswith(before):
        lines = [one for one in tx.lines.in_note(path) if one.entry != entry.id]
        found = judge(lines, before)
        for one in found.released:
            tx.lines.unwatch(one.entry)
        for one in found.dropped:
            tx.lines.saw(one.entry, DROPPED)
        remains = standing(after, [one.line for one in lines])
        for one in lines:
            if one.seen != old or remains(one.line):
                continue
            if isinstance(entry.change, NoteAppended):
                tx.lines.saw(one.entry, DROPPED)
            else:
                tx.lines.unwatch(one.entry)
    for own in tx.lines.in_note(path, but=new):
        if own.entry == entry.id:  # an editor may have saved in the very moment of an append
            tx.lines.saw(own.entry, new if standing(after, ())(own.line) else DROPPED)
    tx.lines.note_changed(path, old, new)


def kept_bytes(tx: Transaction, digest: str | None) -> bytes | None:
    return tx.contents.get(digest) if digest else None

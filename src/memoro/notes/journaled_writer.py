"""Writing a note with an entry in the journal, so that every byte that was replaced can be had again."""

from __future__ import annotations

import errno
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import MemoroError, NoteUnwritable, StorageFull, UndoConflict, VaultError
from memoro.ledger.access import LedgerAccess
from memoro.model.changes import NoteAppended, NoteMoved, NoteWritten, WriteOperation
from memoro.model.journal import Authorship, JournalEntry, entry_of
from memoro.model.ledger import DROPPED, LEFT_BEHIND, WatchedLine, note_state
from memoro.model.memories import stamp
from memoro.model.merge import merged
from memoro.vault.writer import Change, Intend, VaultWriter, WriteObserver, Written

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

PERSON = "user"
NoteChanged = NoteWritten | NoteAppended | NoteMoved
Sides = tuple[bytes | None, bytes | None]  # a note before and after; None: there is none
Keep = Callable[["Transaction", int], None]  # keeps the key of a write with its entry of the journal


def _keep_nothing(_tx: Transaction, _entry: int) -> None:
    """Keep no key: the write has none."""


class NoteWrite(NamedTuple):
    """A write that is wanted, and by whom.

    `line` gives a line that it adds, which is watched: a save of an older version may drop it once. `returned`
    gives the entries of such lines that this write puts back, in a sync, which then finds the note itself. `keep`
    keeps the write's key with its entry.
    """

    operation: WriteOperation
    path: str
    by: str
    line: Callable[[], str | None] = lambda: None
    returned: Callable[[], Sequence[int]] = tuple
    keep: Keep = _keep_nothing


class Done(NamedTuple):
    """A write that is on the disk."""

    entry: int  # of the journal
    written: Written
    redacted: tuple[str, ...] = ()


class JournaledWriter:
    """The pen and the journal in one hand.

    What is about to be written is in the journal, durably, before it is written; an entry counts as under
    way until somebody has seen what became of it.
    """

    def __init__(
        self,
        access: LedgerAccess,
        writer: VaultWriter,
        agent: str | None,
        indexed: Callable[[Sequence[str]], None],
        under_way: Callable[[], None],
    ) -> None:
        self.access = access
        self.writer = writer
        self._agent = agent
        self.indexed = indexed
        self._under_way = under_way
        self._swept = False

    def write(self, wanted: NoteWrite, change: Change) -> Done:
        """Makes of a note what `change` makes of its bytes."""
        entry, path = 0, wanted.path

        def intend(before: bytes | None, after: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                if entry:
                    self._withdraw(tx, entry)
                back = tuple(wanted.returned())
                entry = self._add(
                    tx, _written(tx, wanted.operation, path, (before, after))._replace(returned=back), wanted.by
                )
                for one in back:
                    tx.lines.saw(one, DROPPED if after is None else note_state(after), returned=True)
                if added := wanted.line():
                    tx.lines.watch(_watched(entry, path, added, after or b""))
                wanted.keep(tx, entry)

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.change(path, change, hearing))
        if done.entry and not wanted.returned():
            self._tell(path)
        return done

    def append(
        self, path: str, text: Callable[[bytes | None], bytes], line: str, *, by: str, keep: Keep = _keep_nothing
    ) -> Done:
        """Adds to the end of a daily note. The line is watched: a save of an older version may drop it once."""
        entry = 0

        def intend(before: bytes | None, added: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                if entry:
                    self._withdraw(tx, entry)
                seen = note_state(before).hex() if before is not None else None
                appended = NoteAppended(operation="daily", path=path, seen=seen, added=(added or b"").decode())
                entry = self._add(tx, appended, by)
                tx.lines.watch(_watched(entry, path, line, (before or b"") + (added or b"")))
                keep(tx, entry)

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.append(path, text, hearing))
        self._tell(path)
        return done

    def move(self, old: str, new: str, *, by: str, keep: Keep = _keep_nothing) -> Done:
        return self._move(NoteMoved("move", old, new), by, keep=keep)

    def _move(self, change: NoteMoved, by: str, undoes: int | None = None, keep: Keep = _keep_nothing) -> Done:
        entry, (_, old, new) = 0, change

        def intend(_before: bytes | None, _after: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                entry = self._add(tx, change, by, undoes)
                keep(tx, entry)

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.move(old, new, hearing), moved=True)
        self._tell(new, old)
        return done

    def _tell(self, *paths: str) -> None:
        self.indexed(paths)
        self.access.after_write()

    def _add(self, tx: Transaction, change: NoteChanged, by: str, undoes: int | None = None) -> int:
        authorship = Authorship(at=stamp(self.access.now()), actor=by, agent=self._agent, undoes=undoes)
        entry = tx.journal.add(entry_of(change, authorship))
        tx.pending.begin(entry)
        self._under_way()
        return entry

    def _withdraw(self, tx: Transaction, entry: int) -> None:
        """Deletes the entry of a write that was intended and not done."""
        change = tx.journal.get(entry).change
        for one in change.returned if isinstance(change, NoteWritten) else ():
            tx.lines.saw(one, DROPPED, returned=False)
        tx.pending.end(entry)
        tx.lines.unwatch(entry)
        tx.journal.delete(entry)

    def _heard(
        self,
        entry: Callable[[], int],
        intend: Intend,
        write: Callable[[WriteObserver], Written],
        *,
        moved: bool = False,
    ) -> Done:
        """Do a write, and note what became of it before anyone else can write that note."""
        kept = 0

        def done(written: Written) -> None:
            nonlocal kept
            if not entry():
                return
            with self.access.ledger.writing() as tx:
                if written.before == written.after and not moved:  # somebody else did the same meanwhile
                    self._withdraw(tx, entry())
                else:
                    kept = entry()
                    self._end(tx, tx.journal.get(kept), written.before or b"", written.after or b"")

        try:
            written = write(WriteObserver(intend, done))
        except BaseException:
            self._settle_after_failure(entry())
            raise
        return Done(kept, written)

    def _end(self, tx: Transaction, entry: JournalEntry, before: bytes, after: bytes) -> None:
        """Ends a write that is done, and settles what it means for the lines that are watched in that note.

        A line that others had dropped before is to come back, one that had survived their saves is theirs now,
        and one that this very write took out is gone.
        """
        tx.pending.end(entry.id)
        change = entry.change
        if isinstance(change, NoteMoved):
            tx.lines.note_moved(change.path, change.new)
            return
        path, old = str(entry.item), note_state(before)
        returned = change.returned if isinstance(change, NoteWritten) else ()
        # A daily note may have thousands of lines, and an append takes none of them out.
        lines = tx.lines.in_note(path, but=old if after.startswith(before) else None)
        known = [one.line for one in lines]
        was_there, is_there = standing(before, known), standing(after, known)
        for one in lines:
            if one.entry == entry.id or one.entry in returned:
                tx.lines.saw(one.entry, note_state(after))
            elif one.seen == old:
                if not is_there(one.line):
                    tx.lines.unwatch(one.entry)
            elif one.seen != DROPPED:
                if one.returned or was_there(one.line):
                    tx.lines.unwatch(one.entry)
                else:
                    tx.lines.saw(one.entry, DROPPED)
        tx.lines.note_changed(path, old, note_state(after))

    def settle(self) -> None:
        """Look what became of writes under way: those that a crash kept from happening leave the journal."""
        with self.access.ledger.reading() as tx:
            waiting = [tx.journal.get(number) for number in tx.pending.all()]
        for entry in waiting:
            self._settle(entry)
        if not self._swept:
            self._swept = True
            self.writer.sweep(self._is_kept)

    def _settle_after_failure(self, entry: int) -> None:
        if entry:
            with suppress(MemoroError):  # what is told is the failure; the next start looks again
                with self.access.ledger.reading() as tx:
                    intended = tx.journal.get(entry)
                self._settle(intended)

    def _settle(self, entry: JournalEntry) -> None:
        try:
            happened = self._happened(entry)
        except VaultError:  # something else stands there by now, so that it cannot be told
            happened = True
        with self.access.ledger.writing() as tx:
            if entry.id not in tx.pending.all():
                return
            if not happened:
                self._withdraw(tx, entry.id)
                return
            match entry.change:
                case NoteWritten(before=before, after=after):
                    self._end(tx, entry, _kept(tx, before) or b"", _kept(tx, after) or b"")
                case NoteMoved():
                    self._end(tx, entry, b"", b"")
                case _:
                    tx.pending.end(entry.id)

    def has_happened(self, entry: int) -> bool:
        """Tells whether the write of an entry got to the disk, or is none (0); waits for one that is under way."""
        if not entry:
            return True
        with self.access.ledger.reading() as tx:
            under_way = tx.journal.get(entry) if entry in tx.pending.all() else None
        if under_way is not None:
            self._settle(under_way)
        with self.access.ledger.reading() as tx:
            return is_known(tx, entry)

    def is_done(self, key: str) -> bool:
        """Tells whether a write to a note with this key was done."""
        change = self.access.change_of(key)
        return change is not None and self.has_happened(change)

    def _happened(self, entry: JournalEntry) -> bool:
        """Tells whether a write got to the disk. Where others have written since, its lines tell."""
        match entry.change:
            case NoteMoved(path=old, new=new):
                return self.bytes_of(new) is not None and self.bytes_of(old) is None
            case NoteAppended(path=path, seen=seen, added=added):
                now = self.bytes_of(path) or b""
                return note_state(now).hex() != seen and added.encode() in now
            case NoteWritten(path=path, before=before, after=after):
                with self.access.ledger.reading() as tx:
                    sides = _kept(tx, before), _kept(tx, after)
                return _is_in(self.bytes_of(path), sides)
            case _:
                return self.bytes_of(str(entry.item)) is not None

    def _is_kept(self, data: bytes) -> bool:
        with self.access.ledger.reading() as tx:
            return tx.contents.holds(data)

    def scrub(self, path: str, change: Change) -> Written:
        """A write that the journal is to know nothing of. Of a full disk it tells as of one that may get room."""
        self._under_way()
        try:
            return self.writer.change(path, change)
        except NoteUnwritable as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StorageFull(path) from error
            raise

    def bytes_of(self, path: str) -> bytes | None:
        return self.writer.read(path)

    def revert(self, entry: JournalEntry) -> None:
        """Takes back one write, with all that was written since where that is possible."""
        match entry.change:
            case NoteMoved(path=old, new=new):
                self._move(NoteMoved("undo", new, old), PERSON, entry.id)
            case NoteAppended() as appended:
                self._change_back(entry, lambda now: _without(now, appended, entry.id))
            case NoteWritten(before=before, after=after) as written:
                with self.access.ledger.reading() as tx:
                    sides = _kept(tx, before), _kept(tx, after)
                self._change_back(entry, lambda now: _undone(now, sides, written.path, entry.id))
            case _:
                raise UndoConflict(entry.id, "it is not about a note")

    def _change_back(self, entry: JournalEntry, change: Change) -> None:
        undone, path = 0, str(entry.item)

        def intend(old: bytes | None, new: bytes | None) -> None:
            nonlocal undone
            with self.access.ledger.writing() as tx:
                if undone:
                    tx.journal.unlink(undone)
                    self._withdraw(tx, undone)
                undone = self._add(tx, _written(tx, "undo", path, (old, new)), PERSON, entry.id)
                tx.lines.unwatch(entry.id)

        self._heard(lambda: undone, intend, lambda hearing: self.writer.change(path, change, hearing))
        self._tell(path)


def is_known(tx: Transaction, entry: int) -> bool:
    """Tells whether the journal has an entry, or had it in the home that this ledger was imported from."""
    return tx.journal.made_at(entry) is not None or entry <= int(tx.meta.get(LEFT_BEHIND) or 0)


def standing(text: bytes, known: Sequence[str]) -> Callable[[str], bool]:
    """Tells of a line that we wrote whether it stands in a note: as it was, or in a line that its owner made of it.

    An entry is known by its id, whatever its words have become. Other `known` lines of ours are not its owner's.
    """
    lines = {one.rstrip("\r") for one in text.decode("utf-8", "replace").split("\n")}
    ids = {one.rstrip().rpartition(" ")[2] for one in lines}
    theirs = "\n".join(lines.difference(known))

    def stands(line: str) -> bool:
        marked = re.search(r" (\^[a-z][a-z0-9]{5})$", line)
        return marked[1] in ids if marked else line in lines or line in theirs

    return stands


def _is_in(now: bytes | None, sides: Sides) -> bool:
    """Tells whether a write is in a note that others may have written since, by the lines it added and took out."""
    before, after = sides
    if now in (before, after) or now is None or before is None or after is None:
        return now != before
    old, new, lines = (Counter(data.splitlines()) for data in (before, after, now))
    added, taken = new - old, old - new
    return any(line in lines for line in added) or any(lines[line] < old[line] for line in taken)


def _watched(entry: int, path: str, line: str, whole: bytes) -> WatchedLine:
    return WatchedLine(entry=entry, path=path, line=line, seen=note_state(whole), returned=False)


def _kept(tx: Transaction, digest: str | None) -> bytes | None:
    return tx.contents.get(digest) if digest else None


def _written(tx: Transaction, operation: WriteOperation, path: str, sides: Sides) -> NoteWritten:
    """Returns a write of a whole note, and keeps the bytes before and after it."""
    before, after = (tx.contents.keep(data) if data is not None else None for data in sides)
    return NoteWritten(operation=operation, path=path, before=before, after=after)


def _without(now: bytes | None, appended: NoteAppended, entry: int) -> bytes | None:
    """Returns the note without a line that was appended: the last that reads so."""
    added = appended.added.encode()
    at = (now or b"").rfind(added)
    if now is None or at < 0:
        raise UndoConflict(entry, f"the line is not in {appended.path} any more")
    left = now[:at] + now[at + len(added) :]
    return left or (None if appended.seen is None else left)  # it may have made the note


def _undone(now: bytes | None, sides: Sides, path: str, entry: int) -> bytes | None:
    """Returns the note without a write, and with what others wrote since in other lines."""
    before, after = sides
    if now == after:
        return before
    if now is None or before is None or after is None:
        raise UndoConflict(entry, f"{path} has been changed again since")
    lines = [data.decode("utf-8", "surrogateescape").split("\n") for data in (after, before, now)]
    both = merged(*lines)
    if both is None:
        raise UndoConflict(entry, f"the same lines of {path} have been changed again since")
    return "\n".join(both).encode("utf-8", "surrogateescape")

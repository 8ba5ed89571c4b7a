"""Writing a note with an entry in the journal, so that every byte that was replaced can be had again."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import MemoroError, NoteUnwritable, StorageFull, UndoConflict
from memoro.ledger.access import LedgerAccess
from memoro.model.changes import NoteAppended, NoteMoved, NoteWritten, WriteOperation
from memoro.model.entry_lines import with_entry_as_before
from memoro.model.journal import Authorship, JournalEntry, entry_of
from memoro.model.ledger import LEFT_BEHIND, WatchedLine, note_state
from memoro.model.memories import stamp
from memoro.model.merge import merged
from memoro.model.vocabulary import PERSON
from memoro.notes.pending_writes import PendingWrites, end, kept_bytes, withdraw
from memoro.vault.writer import Change, Intend, VaultWriter, WriteObserver, Written

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

NoteChanged = NoteWritten | NoteAppended | NoteMoved
Sides = tuple[bytes | None, bytes | None]  # a note before and after; None: there is none
Keep = Callable[["Transaction", int], None]  # keeps the key of a write with its entry of the journal


def _keep_nothing(_tx: Transaction, _entry: int) -> None:
    """Keep no key: the write has none."""


class NoteWrite(NamedTuple):
    """A write that is wanted, and by whom.

    `line` gives a line that it adds, which is watched: a save of an older version may drop it. `keep` keeps the
    write's key with its entry.
    """

    operation: WriteOperation
    path: str
    by: str
    line: Callable[[], str | None] = lambda: None
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
        self.before_write: Callable[[], object] = lambda: None  # other changes to the vault that are due
        self._pending = PendingWrites(access, self.bytes_of)
        self._settled = False

    def write(self, wanted: NoteWrite, change: Change) -> Done:
        """Makes of a note what `change` makes of its bytes."""
        self._prepare()
        entry, path = 0, wanted.path

        def intend(before: bytes | None, after: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                if entry:
                    withdraw(tx, entry)
                entry = self._add(tx, _written(tx, wanted.operation, path, (before, after)), wanted.by)
                if added := wanted.line():
                    tx.lines.watch(_watched(entry, path, added, after or b""))
                wanted.keep(tx, entry)

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.change(path, change, hearing))
        if done.entry:
            self._tell(path)
        return done

    def append(
        self, path: str, text: Callable[[bytes | None], bytes], line: str, *, by: str, keep: Keep = _keep_nothing
    ) -> Done:
        """Adds to the end of a daily note. The line is watched: a save of an older version may drop it."""
        self._prepare()
        entry = 0

        def intend(before: bytes | None, added: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                if entry:
                    withdraw(tx, entry)
                seen = note_state(before).hex() if before is not None else None
                appended = NoteAppended(operation="daily", path=path, seen=seen, added=(added or b"").decode())
                entry = self._add(tx, appended, by)
                tx.lines.watch(_watched(entry, path, line, (before or b"") + (added or b"")))
                keep(tx, entry)

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.append(path, text, hearing))
        self._tell(path)
        return done

    def move(self, old: str, new: str, *, by: str, keep: Keep = _keep_nothing) -> Done:
        self._settle_once()
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
        authorship = Authorship(
            at=stamp(self.access.now()),
            actor=by,
            agent=self._agent,
            undoes=undoes,
            proposal=self.access.proposal if undoes is None else None,
        )
        entry = tx.journal.add(entry_of(change, authorship))
        self.access.note_change(entry)
        tx.pending.begin(entry)
        self._under_way()
        return entry

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
                    withdraw(tx, entry())
                else:
                    kept = entry()
                    end(tx, tx.journal.get(kept), written.before or b"", written.after or b"")

        try:
            written = write(WriteObserver(intend, done))
        except BaseException:
            self._settle_after_failure(entry())
            raise
        return Done(kept, written)

    def settle(self) -> None:
        """Look what became of writes under way, and clear what a crash has left in the vault."""
        self._settled = True
        self._pending.settle()
        self.writer.sweep(self._is_kept)

    def _prepare(self) -> None:
        """Do what is due before a write, so that the write itself is the last change, which `undo` means."""
        self._settle_once()
        with suppress(MemoroError), self.access.other_commands():  # it is due later too
            self.before_write()

    def _settle_once(self) -> None:
        """Settle before the first write of this object. Opening it writes nothing into the vault."""
        if not self._settled:
            self.settle()

    def _settle_after_failure(self, entry: int) -> None:
        if entry:
            with suppress(MemoroError):  # what is told is the failure; the next start looks again
                with self.access.ledger.reading() as tx:
                    intended = tx.journal.get(entry)
                self._pending.settle_one(intended)

    def has_happened(self, entry: int) -> bool:
        """Tells whether the write of an entry got to the disk, or is none (0); waits for one that is under way."""
        if not entry:
            return True
        with self.access.ledger.reading() as tx:
            under_way = tx.journal.get(entry) if entry in tx.pending.all() else None
        if under_way is not None:
            self._pending.settle_one(under_way)
        with self.access.ledger.reading() as tx:
            return is_known(tx, entry)

    def is_done(self, key: str) -> bool:
        """Tells whether a write to a note with this key was done."""
        change = self.access.change_of(key)
        return change is not None and self.has_happened(change)

    def _is_kept(self, data: bytes) -> bool:
        with self.access.ledger.reading() as tx:
            return tx.contents.holds(data)

    def scrub(self, path: str, change: Change) -> Written:
        """A write that the journal is to know nothing of. Of a full disk it tells as of one that may get room."""
        self._settle_once()
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
        self._settle_once()
        match entry.change:
            case NoteMoved(path=old, new=new):
                self._move(NoteMoved("undo", new, old), PERSON, entry.id)
            case NoteAppended() as appended:
                self._change_back(entry, lambda now: _without(now, appended, entry.id))
            case NoteWritten(before=before, after=after):
                with self.access.ledger.reading() as tx:
                    sides = kept_bytes(tx, before), kept_bytes(tx, after)
                self._change_back(entry, lambda now: _undone(now, sides, entry, self._versions))
            case _:
                raise UndoConflict(entry.id, "it is not about a note")

    def _versions(self, path: str) -> list[bytes]:
        """Return the states of a note that the ledger keeps."""
        with self.access.ledger.reading() as tx:
            changes = [one.change for one in tx.journal.history("note", path)]
            digests = {one.before for one in changes if isinstance(one, NoteWritten)}
            return [data for digest in digests if (data := kept_bytes(tx, digest)) is not None]

    def _change_back(self, entry: JournalEntry, change: Change) -> None:
        undone, path = 0, str(entry.item)

        def intend(old: bytes | None, new: bytes | None) -> None:
            nonlocal undone
            with self.access.ledger.writing() as tx:
                if undone:
                    tx.journal.unlink(undone)
                    withdraw(tx, undone)
                undone = self._add(tx, _written(tx, "undo", path, (old, new)), PERSON, entry.id)
                tx.lines.unwatch(entry.id)

        self._heard(lambda: undone, intend, lambda hearing: self.writer.change(path, change, hearing))
        self._tell(path)


def is_known(tx: Transaction, entry: int) -> bool:
    """Tells whether the journal has an entry, or had it in the home that this ledger was imported from."""
    return tx.journal.made_at(entry) is not None or entry <= int(tx.meta.get(LEFT_BEHIND) or 0)


def _watched(entry: int, path: str, line: str, whole: bytes) -> WatchedLine:
    return WatchedLine(entry=entry, path=path, line=line, seen=note_state(whole), returned=False)


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
    if appended.seen is not None:
        return left
    if not left.strip():  # it made the note
        return None
    heading, end, _line = added.rstrip(b"\n").rpartition(b"\n")  # others have written below its heading since
    return now[:at] + heading + end + now[at + len(added) :]


def _undone(
    now: bytes | None, sides: Sides, entry: JournalEntry, versions: Callable[[str], Sequence[bytes]]
) -> bytes | None:
    """Returns the note without a write, and with what others wrote since in other lines, or in other entries."""
    (before, after), path = sides, str(entry.item)
    if now == after:
        return before
    if now is None or before is None or after is None:
        raise UndoConflict(entry.id, f"{path} has been changed again since")
    old, new, present = map(_lines_of, (before, after, now))
    both = merged(new, old, present)
    if both is None:
        both = with_entry_as_before(old, new, present, [*map(_lines_of, versions(path))])
    if both is None:
        raise UndoConflict(entry.id, f"the same lines of {path} have been changed again since")
    return "\n".join(both).encode("utf-8", "surrogateescape")


def _lines_of(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogateescape").split("\n")

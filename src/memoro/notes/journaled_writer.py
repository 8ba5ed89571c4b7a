"""Writing a note with an entry in the journal, so that every byte that was replaced can be had again."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import MemoroError, NoteUnwritable, StorageFull, UndoConflict, VaultError
from memoro.ledger.access import LedgerAccess
from memoro.model.journal import Entry
from memoro.model.ledger import DROPPED, WatchedLine, note_state
from memoro.model.memories import stamp
from memoro.model.merge import merged
from memoro.vault.writer import Change, Intend, VaultWriter, WriteObserver, Written

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

PERSON = "user"


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

    def write(
        self,
        operation: str,
        path: str,
        change: Change,
        *,
        by: str,
        line: Callable[[], str | None] = lambda: None,
        returned: Callable[[], Sequence[int]] = tuple,
    ) -> Done:
        """Make of a note what `change` makes of its bytes.

        A `line` that it adds is looked after: a save of an older version may drop it once. `returned` are
        the entries of such lines that this write puts back, in a sync, which then finds the note itself.
        """
        entry = 0

        def intend(before: bytes | None, after: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                if entry:
                    self._withdraw(tx, entry)
                fields: list[dict[str, Any] | None] = [
                    {"digest": tx.contents.keep(data)} if data is not None else None for data in (before, after)
                ]
                if back := list(returned()):
                    fields[1] = {**(fields[1] or {}), "returned": back}
                entry = self._add(tx, operation, path, *fields, by=by)
                for one in back:
                    tx.lines.saw(one, DROPPED if after is None else note_state(after), returned=True)
                if added := line():
                    tx.lines.watch(_watched(entry, path, added, after or b""))

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.change(path, change, hearing))
        if done.entry and not returned():
            self._tell(path)
        return done

    def append(self, operation: str, path: str, text: Callable[[bytes | None], bytes], line: str, *, by: str) -> Done:
        """Add to the end of a note. The line is looked after: a save of an older version may drop it once."""
        entry = 0

        def intend(before: bytes | None, added: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                if entry:
                    self._withdraw(tx, entry)
                old = {"seen": note_state(before).hex()} if before is not None else None
                entry = self._add(tx, operation, path, old, {"added": (added or b"").decode()}, by=by)
                tx.lines.watch(_watched(entry, path, line, (before or b"") + (added or b"")))

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.append(path, text, hearing))
        self._tell(path)
        return done

    def move(self, old: str, new: str, *, by: str) -> Done:
        return self._moved("move", old, new, by=by)

    def _moved(self, operation: str, old: str, new: str, *, by: str, undoes: int | None = None) -> Done:
        entry = 0

        def intend(_before: bytes | None, _after: bytes | None) -> None:
            nonlocal entry
            with self.access.ledger.writing() as tx:
                entry = self._add(tx, operation, old, {"path": old}, {"path": new}, by=by, undoes=undoes)

        done = self._heard(lambda: entry, intend, lambda hearing: self.writer.move(old, new, hearing), moved=True)
        self._tell(new, old)
        return done

    def _tell(self, *paths: str) -> None:
        self.indexed(paths)
        self.access.after_write()

    def _add(
        self,
        tx: Transaction,
        operation: str,
        path: str,
        before: Any,
        after: Any,
        *,
        by: str,
        undoes: int | None = None,
    ) -> int:
        at = stamp(self.access.now())
        entry = tx.journal.add(
            Entry(
                id=0,
                at=at,
                operation=operation,
                actor=by,
                kind="note",
                item=path,
                before=before,
                after=after,
                undoes=undoes,
                agent=self._agent,
            )
        )
        tx.pending.begin(entry)
        self._under_way()
        return entry

    def _withdraw(self, tx: Transaction, entry: int) -> None:
        """What was intended is not what was done."""
        for one in (tx.journal.get(entry).after or {}).get("returned", ()):
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

    def _end(self, tx: Transaction, entry: Entry, before: bytes, after: bytes) -> None:
        """A write is done. What it means for the lines that are looked after in that note:

        One that others had dropped before is to come back, one that had survived their saves is theirs now,
        and one that this very write took out is gone.
        """
        tx.pending.end(entry.id)
        fields = entry.after or {}
        if "path" in fields:
            tx.lines.note_moved(entry.item, fields["path"])
            return
        returned, old = fields.get("returned", ()), note_state(before)
        # A daily note may have thousands of lines, and an append takes none of them out.
        lines = tx.lines.in_note(entry.item, but=old if after.startswith(before) else None)
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
        tx.lines.note_changed(entry.item, old, note_state(after))

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

    def _settle(self, entry: Entry) -> None:
        try:
            happened = self._happened(entry)
        except VaultError:  # something else stands there by now, so that it cannot be told
            happened = True
        with self.access.ledger.writing() as tx:
            if entry.id not in tx.pending.all():
                return
            if not happened:
                self._withdraw(tx, entry.id)
            elif "digest" in {**(entry.before or {}), **(entry.after or {})} or "path" in (entry.after or {}):
                before, after = _kept(tx, entry.before), _kept(tx, entry.after)
                self._end(tx, entry, before or b"", after or b"")
            else:
                tx.pending.end(entry.id)

    def _happened(self, entry: Entry) -> bool:
        """Whether a write got to the disk. Where others have written since, it is taken to have."""
        after = entry.after or {}
        if "path" in after:
            return self.bytes_of(after["path"]) is not None and self.bytes_of((entry.before or {})["path"]) is None
        now = self.bytes_of(entry.item)
        if "added" in after:
            unchanged = note_state(now or b"").hex() == (entry.before or {}).get("seen")
            return not unchanged and after["added"].encode() in (now or b"")
        with self.access.ledger.reading() as tx:
            before = _kept(tx, entry.before)
        return now != before

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

    def undo(self, entry: Entry, *, by: str = PERSON) -> Done:
        """Take back one write, with all that was written since where that is possible."""
        if "path" in (entry.after or {}):  # a move, or what took one back
            return self._moved_back(entry, by)
        with self.access.ledger.reading() as tx:
            before, after = _kept(tx, entry.before), _kept(tx, entry.after)
        added = (entry.after or {}).get("added")
        undone = 0

        def change(now: bytes | None) -> bytes | None:
            if added is not None:
                return _without(now, added.encode(), entry)
            return before if now == after else _merged_back(now, before, after, entry)

        def intend(old: bytes | None, new: bytes | None) -> None:
            nonlocal undone
            with self.access.ledger.writing() as tx:
                if undone:
                    tx.journal.unlink(undone)
                    self._withdraw(tx, undone)
                fields = [{"digest": tx.contents.keep(d)} if d is not None else None for d in (old, new)]
                undone = self._add(tx, "undo", entry.item, *fields, by=by, undoes=entry.id)
                tx.lines.unwatch(entry.id)

        done = self._heard(lambda: undone, intend, lambda hearing: self.writer.change(entry.item, change, hearing))
        self._tell(entry.item)
        return done

    def _moved_back(self, entry: Entry, by: str) -> Done:
        old, new = (entry.before or {})["path"], (entry.after or {})["path"]
        return self._moved("undo", new, old, by=by, undoes=entry.id)


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


def _watched(entry: int, path: str, line: str, whole: bytes) -> WatchedLine:
    return WatchedLine(entry=entry, path=path, line=line, seen=note_state(whole), returned=False)


def _kept(tx: Transaction, fields: Any) -> bytes | None:
    digest = (fields or {}).get("digest")
    return tx.contents.get(digest) if digest else None


def _without(now: bytes | None, added: bytes, entry: Entry) -> bytes | None:
    """The note without a line that was appended: the last that reads so."""
    at = (now or b"").rfind(added)
    if now is None or at < 0:
        raise UndoConflict(entry.id, f"the line is not in {entry.item} any more")
    left = now[:at] + now[at + len(added) :]
    return left or (None if entry.before is None else left)  # it may have made the note


def _merged_back(now: bytes | None, before: bytes | None, after: bytes | None, entry: Entry) -> bytes:
    if now is None or before is None or after is None:
        raise UndoConflict(entry.id, f"{entry.item} has been changed again since")
    lines = [data.decode("utf-8", "surrogateescape").split("\n") for data in (after, before, now)]
    both = merged(*lines)
    if both is None:
        raise UndoConflict(entry.id, f"the same lines of {entry.item} have been changed again since")
    return "\n".join(both).encode("utf-8", "surrogateescape")

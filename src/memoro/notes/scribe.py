"""Writing a note with an entry in the journal, so that every byte that was replaced can be had again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from memoro.errors import NoteNotFound, UndoConflict
from memoro.memories.book import Book
from memoro.model.journal import Entry
from memoro.model.memories import stamp
from memoro.model.merge import merged
from memoro.store.sqlite.ledger import Pages
from memoro.vault.pen import Change, Pen, Written

PERSON = "user"


class Done(NamedTuple):
    """A write that is on the disk."""

    entry: int  # of the journal
    written: Written
    redacted: tuple[str, ...] = ()


class Scribe:
    """The pen and the journal in one hand.

    What is about to be written is in the journal, durably, before it is written; an entry counts as under
    way until somebody has seen what became of it.
    """

    def __init__(
        self,
        book: Book,
        pen: Pen,
        agent: str | None,
        indexed: Callable[[Sequence[str]], None],
        line_added: Callable[[], None],
    ) -> None:
        self.book = book
        self.pen = pen
        self._agent = agent
        self.indexed = indexed
        self._line_added = line_added

    def write(
        self, operation: str, path: str, change: Change, *, by: str, line: Callable[[], str | None] = lambda: None
    ) -> Done:
        """Make of a note what `change` makes of its bytes.

        A `line` that it adds is looked after: a save of an older version may drop it once.
        """
        entry = 0

        def intend(before: bytes | None, after: bytes | None) -> None:
            nonlocal entry
            with self.book.ledger.writing() as pages:
                if entry:
                    self._withdraw(pages, entry)
                fields = tuple({"digest": pages.notes.keep(data)} if data is not None else None
                               for data in (before, after))  # fmt: skip
                entry = self._add(pages, operation, path, *fields, by=by)
                if added := line():
                    self._line_added()
                    pages.notes.look_after(entry, path, added, after or b"")

        written = self.pen.change(path, change, intend)
        return self._finished(entry, written)

    def append(self, operation: str, path: str, text: Callable[[bytes | None], bytes], line: str, *, by: str) -> Done:
        """Add to the end of a note. The line is looked after: a save of an older version may drop it once."""
        entry = 0

        def intend(before: bytes | None, added: bytes | None) -> None:
            nonlocal entry
            with self.book.ledger.writing() as pages:
                if entry:
                    self._withdraw(pages, entry)
                entry = self._add(pages, operation, path, {}, {"added": (added or b"").decode()}, by=by)
                self._line_added()
                pages.notes.look_after(entry, path, line, (before or b"") + (added or b""))

        written = self.pen.append(path, text, intend)
        return self._finished(entry, written)

    def move(self, old: str, new: str, *, by: str) -> Done:
        with self.book.ledger.writing() as pages:
            entry = self._add(pages, "move", old, {"path": old}, {"path": new}, by=by)
        try:
            data = self.pen.move(old, new)
        except BaseException:
            with self.book.ledger.writing() as pages:
                self._withdraw(pages, entry)
            raise
        return self._finished(entry, Written(new, data, data), old)

    def _add(
        self, pages: Pages, operation: str, path: str, before: Any, after: Any, *, by: str, undoes: int | None = None
    ) -> int:
        at = stamp(self.book.now())
        entry = pages.journal.add(
            operation, "note", path, before, after, at=at, actor=by, agent=self._agent, undoes=undoes
        )
        pages.notes.begin(entry)
        return entry

    def _withdraw(self, pages: Pages, entry: int) -> None:
        """What was intended is not what was done."""
        pages.notes.end(entry)
        pages.notes.leave(entry)
        pages.journal.delete(entry)

    def _finished(self, entry: int, written: Written, *others: str) -> Done:
        self.indexed([written.path, *others])
        return Done(entry, written)

    def settle(self) -> None:
        """Look what became of writes under way: those that a crash kept from happening leave the journal."""
        with self.book.ledger.reading() as pages:
            waiting = [pages.journal.get(number) for number in pages.notes.pending()]
        for entry in waiting:
            happened = self._happened(entry)
            with self.book.ledger.writing() as pages:
                if happened:
                    pages.notes.end(entry.id)
                else:
                    self._withdraw(pages, entry.id)

    def _happened(self, entry: Entry) -> bool:
        """Whether a write got to the disk. Where others have written since, it is taken to have."""
        if entry.operation == "move":
            return self.bytes_of((entry.after or {})["path"]) is not None
        now = self.bytes_of(entry.item)
        if "added" in (entry.after or {}):
            return (entry.after or {})["added"].encode() in (now or b"")
        with self.book.ledger.reading() as pages:
            before = _kept(pages, entry.before)
        return now != before

    def bytes_of(self, path: str) -> bytes | None:
        found: list[bytes | None] = []

        def look(data: bytes | None) -> bytes | None:
            found.append(data)
            return data

        try:
            self.pen.change(path, look)
        except NoteNotFound:
            return None
        return found[-1]

    def undo(self, entry: Entry, *, by: str = PERSON) -> Done:
        """Take back one write, with all that was written since where that is possible."""
        if entry.operation == "move":
            return self._moved_back(entry, by)
        with self.book.ledger.reading() as pages:
            before, after = _kept(pages, entry.before), _kept(pages, entry.after)
        added = (entry.after or {}).get("added")
        undone = 0

        def change(now: bytes | None) -> bytes | None:
            if added is not None:
                return _without(now, added.encode(), entry)
            return before if now == after else _merged_back(now, before, after, entry)

        def intend(old: bytes | None, new: bytes | None) -> None:
            nonlocal undone
            with self.book.ledger.writing() as pages:
                if undone:
                    pages.journal.unlink(undone)
                    self._withdraw(pages, undone)
                fields = [{"digest": pages.notes.keep(d)} if d is not None else None for d in (old, new)]
                undone = self._add(pages, "undo", entry.item, *fields, by=by, undoes=entry.id)
                pages.notes.leave(entry.id)

        return self._finished(undone, self.pen.change(entry.item, change, intend))

    def _moved_back(self, entry: Entry, by: str) -> Done:
        old, new = (entry.before or {})["path"], (entry.after or {})["path"]
        data = self.pen.move(new, old)
        with self.book.ledger.writing() as pages:
            undone = self._add(pages, "undo", old, {"path": new}, {"path": old}, by=by, undoes=entry.id)
        return self._finished(undone, Written(old, data, data), new)


def _kept(pages: Pages, fields: Any) -> bytes | None:
    digest = (fields or {}).get("digest")
    return pages.notes.kept(digest) if digest else None


def _without(now: bytes | None, added: bytes, entry: Entry) -> bytes | None:
    """The note without a line that was appended: the last that reads so."""
    at = (now or b"").rfind(added)
    if now is None or at < 0:
        raise UndoConflict(entry.id, f"the line is not in {entry.item} any more")
    return now[:at] + now[at + len(added) :]


def _merged_back(now: bytes | None, before: bytes | None, after: bytes | None, entry: Entry) -> bytes:
    if now is None or before is None or after is None:
        raise UndoConflict(entry.id, f"{entry.item} has been changed again since")
    lines = [data.decode("utf-8", "surrogateescape").split("\n") for data in (after, before, now)]
    both = merged(*lines)
    if both is None:
        raise UndoConflict(entry.id, f"the same lines of {entry.item} have been changed again since")
    return "\n".join(both).encode("utf-8", "surrogateescape")

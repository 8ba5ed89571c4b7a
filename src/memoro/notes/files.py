"""Whole notes: new, edited, moved, deleted, and restored to what they were."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NoteExists, NoteNotFound, NoteUnwritable
from memoro.ledger import times
from memoro.ledger.access import Clean
from memoro.model.changes import NoteAppended, NoteMoved, NoteWritten
from memoro.model.journal import JournalEntry
from memoro.model.memories import stamp
from memoro.model.placeholders import check_restorable, placeholders_in, resolve, restore
from memoro.notes.journaled_writer import PERSON, JournaledWriter, NoteWrite
from memoro.vault.layout import ROLES

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

AGENTS_FOLDER = "agent/"
_LOADED = {name.casefold() for names in ROLES.values() for name in names}


class NoteChange(NamedTuple):
    path: str
    change: int  # of the journal
    redacted: tuple[str, ...] = ()


class Files:
    """`m.notes`. What agents write in the always-loaded files goes by `m.entries`, as proposals."""

    def __init__(self, journaled: JournaledWriter, *, direct: bool) -> None:
        self._journaled = journaled
        self._direct = direct

    def new(self, path: str, text: str, *, by: str = PERSON) -> NoteChange:
        self._check_allowed(path, by)
        check_restorable(text, "")
        said, redacted = self._journaled.access.clean(text) if by != PERSON else Clean(text, ())

        def create(before: bytes | None) -> bytes:
            if before is not None:
                raise NoteExists(f"There is a note {path!r} already. `memoro note edit` changes it.")
            return said.encode("utf-8", "replace")

        return NoteChange(path, self._journaled.write(NoteWrite("new", path, by), create).entry, redacted)

    def edit(
        self, path: str, text: str, *, old: str | None = None, expected: str | None = None, by: str = PERSON
    ) -> NoteChange:
        """Replace the note's text, or `old`, which must stand in it exactly once.

        `expected` is the SHA-256 of what was read: a note that has changed since is not touched. Secrets are
        taken out of what an agent puts in, and not of the lines that were there. Placeholders of secrets that the
        replaced text holds become these secrets again; others are refused.
        """
        self._check_allowed(path, by)
        redacted: tuple[str, ...] = ()

        def change(before: bytes | None) -> bytes:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}. `memoro note new` makes one.")
            _check(before, expected, path)
            replaced = self._as_it_stands(old, before) if old is not None else before
            count = before.count(replaced) if replaced else int(old is None)
            if count != 1:
                raise NoteUnwritable(f"{old!r} stands {count} times in {path}; it must be there exactly once.")
            nonlocal redacted
            said, redacted = self._edited(text, replaced, by)
            new = said.encode("utf-8", "replace")
            return new if old is None else before.replace(replaced, new)

        done = self._journaled.write(NoteWrite("edit", path, by), change)
        return NoteChange(path, done.entry, redacted)

    def put(self, path: str, text: str, *, expected: str | None) -> NoteChange:
        """Makes a note what `text` says, by a person's word; a note that says it already stays as it is.

        `expected` is the SHA-256 of what was read. None: there must be no note yet.
        """
        new = text.encode("utf-8", "replace")

        def change(before: bytes | None) -> bytes:
            if before == new:
                return new
            if before is None and expected is not None:
                raise NoteNotFound(f"There is no note {path!r} any more.")
            if before is not None and expected is None:
                raise NoteExists(f"There is a note {path!r} already. `memoro note edit` changes it.")
            _check(before or b"", expected, path)
            return new

        return NoteChange(
            path, self._journaled.write(NoteWrite("edit" if expected else "new", path, PERSON), change).entry
        )

    def insert(self, path: str, line: int, text: str, *, by: str = PERSON) -> NoteChange:
        """Put a text below a line (0: at the top); the note ends with a line's end then."""
        self._check_allowed(path, by)
        check_restorable(text, "")
        said, redacted = self._journaled.access.clean(text) if by != PERSON else Clean(text, ())

        def change(before: bytes | None) -> bytes:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}.")
            lines = before.removesuffix(b"\n").split(b"\n") if before else []
            if not 0 <= line <= len(lines):
                raise NoteUnwritable(f"{path} has {len(lines)} lines, and so no place below line {line}.")
            lines.insert(line, said.rstrip("\n").encode("utf-8", "replace"))
            return b"\n".join(lines).removesuffix(b"\n") + b"\n"

        return NoteChange(path, self._journaled.write(NoteWrite("edit", path, by), change).entry, redacted)

    def move(self, path: str, new: str, *, by: str = PERSON) -> NoteChange:
        self._check_allowed(path, by)
        self._check_allowed(new, by)
        return NoteChange(new, self._journaled.move(path, new, by=by).entry)

    def delete(self, path: str, *, by: str = PERSON) -> NoteChange:
        """Take a note out of the vault. Its bytes stay in the journal, from which `undo` brings it back."""
        self._check_allowed(path, by)

        def change(before: bytes | None) -> None:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}.")

        return NoteChange(path, self._journaled.write(NoteWrite("delete", path, by), change).entry)

    def restore(self, path: str, at: str, *, by: str = PERSON) -> NoteChange:
        """Make a note what it was at a time, as far as the journal tells; what it is now is in the journal then."""
        self._check_allowed(path, by)
        data = self._as_of(path, stamp(times.last(at, self._journaled.access.now())))
        return NoteChange(path, self._journaled.write(NoteWrite("restore", path, by), lambda _before: data).entry)

    def _as_of(self, path: str, at: str) -> bytes | None:
        with self._journaled.access.ledger.reading() as tx:
            later = [entry for entry in tx.journal.history("note", path) if entry.at > at]
            if not later:
                raise NoteNotFound(f"The journal knows of no change to {path!r} since then.")
            appended: list[bytes] = []
            for entry in later:
                if isinstance(entry.change, NoteAppended):
                    appended.append(entry.change.added.encode())
                    continue
                data = self._before(tx, entry, path)
                break
            else:
                data = self._journaled.bytes_of(path)
        for added in reversed(appended):
            at_last = (data or b"").rfind(added)
            data = data[:at_last] + data[at_last + len(added) :] if data and at_last >= 0 else data
        return data

    def _before(self, tx: Transaction, entry: JournalEntry, path: str) -> bytes | None:
        """Returns what a note was before an entry; None where there was no note."""
        match entry.change:
            case NoteMoved(new=new):
                return self._moved(new, entry.at)
            case NoteWritten(before=None):
                return None
            case NoteWritten(before=digest) if digest and (data := tx.contents.get(digest)) is not None:
                return data
            case _:
                raise NoteNotFound(f"What {path!r} was then is not known any more: something in it was forgotten.")

    def _moved(self, new: str, at: str) -> bytes | None:
        """Return the bytes of a note at the time it was moved to this path."""
        try:
            return self._as_of(new, at)
        except NoteNotFound:  # nothing has happened to it since
            return self._journaled.bytes_of(new)

    def _check_allowed(self, path: str, by: str) -> None:
        if by == PERSON or self._direct:
            return
        if path.casefold() in _LOADED:
            raise NoteUnwritable(f"{path} is always loaded: an agent proposes an entry for it (`remember`).")
        if not path.startswith(AGENTS_FOLDER):
            raise NoteUnwritable(
                f"{path} is its owner's: agents write notes in {AGENTS_FOLDER}, and elsewhere only where "
                'agent_writes is "direct".'
            )

    def _as_it_stands(self, old: str, before: bytes) -> bytes:
        """The bytes of a part of a note that its editor may have read without its secrets."""
        whole = before.decode("utf-8", "replace")
        return resolve(old, whole, self._journaled.access.known).encode("utf-8", "replace")

    def _edited(self, text: str, replaced: bytes, by: str) -> Clean:
        """Without the secrets that an agent puts in, and with those that stood there: they are their owner's."""
        access, before = self._journaled.access, replaced.decode("utf-8", "replace")
        check_restorable(text, before, access.known)
        said = new_lines_cleaned(text, replaced, access.clean) if by != PERSON else Clean(text, ())
        return said._replace(text=restore(said.text, before, placeholders_in(text), access.known))


def new_lines_cleaned(text: str, before: bytes, clean: Callable[[str], Clean]) -> Clean:
    old = set(before.decode("utf-8", "replace").split("\n"))
    parts: list[str] = []
    found: list[str] = []
    for known, lines in groupby(text.split("\n"), key=old.__contains__):
        joined = "\n".join(lines)
        said, redacted = (joined, ()) if known else clean(joined)
        parts.append(said)
        found += redacted
    return Clean("\n".join(parts), tuple(found))


def _check(data: bytes, expected: str | None, path: str) -> None:
    if expected is None:
        return
    import hashlib

    if hashlib.sha256(data).hexdigest() != expected:
        raise NoteUnwritable(f"{path} has changed since it was read. Read it again.")

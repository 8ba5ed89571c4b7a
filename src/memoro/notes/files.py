"""Whole notes: new, edited, moved, deleted, and restored to what they were."""

from __future__ import annotations

from typing import NamedTuple

from memoro.errors import NoteExists, NoteNotFound, NoteUnwritable
from memoro.memories import times
from memoro.model.memories import stamp
from memoro.notes.scribe import PERSON, Scribe
from memoro.vault.layout import ROLES

AGENTS_FOLDER = "agent/"
_LOADED = {name for names in ROLES.values() for name in names}


class NoteChange(NamedTuple):
    path: str
    change: int  # of the journal
    redacted: tuple[str, ...] = ()


class Files:
    """`m.notes`. What agents write in the always-loaded files goes by `m.entries`, as proposals."""

    def __init__(self, scribe: Scribe, *, direct: bool) -> None:
        self._scribe = scribe
        self._direct = direct

    def new(self, path: str, text: str, *, by: str = PERSON) -> NoteChange:
        said, redacted = self._allowed(path, text, by)

        def create(before: bytes | None) -> bytes:
            if before is not None:
                raise NoteExists(f"There is a note {path!r} already. `memoro note edit` changes it.")
            return said.encode("utf-8", "replace")

        return NoteChange(path, self._scribe.write("new", path, create, by=by).entry, redacted)

    def edit(
        self, path: str, text: str, *, old: str | None = None, expected: str | None = None, by: str = PERSON
    ) -> NoteChange:
        """Replace the note's text, or `old`, which must stand in it exactly once.

        `expected` is the SHA-256 of what was read: a note that has changed since is not touched.
        """
        said, redacted = self._allowed(path, text, by)

        def change(before: bytes | None) -> bytes:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}. `memoro note new` makes one.")
            _check(before, expected, path)
            if old is None:
                return said.encode("utf-8", "replace")
            count = before.count(old.encode()) if old else 0
            if count != 1:
                raise NoteUnwritable(f"{old!r} stands {count} times in {path}; it must be there exactly once.")
            return before.replace(old.encode(), said.encode("utf-8", "replace"))

        return NoteChange(path, self._scribe.write("edit", path, change, by=by).entry, redacted)

    def move(self, path: str, new: str, *, by: str = PERSON) -> NoteChange:
        self._allowed(path, "", by)
        self._allowed(new, "", by)
        return NoteChange(new, self._scribe.move(path, new, by=by).entry)

    def delete(self, path: str, *, by: str = PERSON) -> NoteChange:
        """Take a note out of the vault. Its bytes stay in the journal, from which `undo` brings it back."""
        self._allowed(path, "", by)

        def change(before: bytes | None) -> None:
            if before is None:
                raise NoteNotFound(f"There is no note {path!r}.")

        return NoteChange(path, self._scribe.write("delete", path, change, by=by).entry)

    def restore(self, path: str, at: str, *, by: str = PERSON) -> NoteChange:
        """Make a note what it was at a time, as far as the journal tells; what it is now is in the journal then."""
        data = self._as_of(path, stamp(times.last(at, self._scribe.book.now())))
        return NoteChange(path, self._scribe.write("restore", path, lambda _before: data, by=by).entry)

    def _as_of(self, path: str, at: str) -> bytes | None:
        with self._scribe.book.ledger.reading() as pages:
            later = [entry for entry in pages.journal.history("note", path) if entry.at > at]
            if not later:
                raise NoteNotFound(f"The journal knows of no change to {path!r} since then.")
            appended: list[bytes] = []
            for entry in later:
                if "added" not in (entry.after or {}):
                    data = pages.notes.kept(entry.before["digest"]) if entry.before else None
                    break
                appended.append((entry.after or {})["added"].encode())
            else:
                data = self._scribe.bytes_of(path)
        for added in reversed(appended):
            at_last = (data or b"").rfind(added)
            data = data[:at_last] + data[at_last + len(added) :] if data and at_last >= 0 else data
        return data

    def _allowed(self, path: str, text: str, by: str) -> tuple[str, tuple[str, ...]]:
        if by == PERSON:
            return text, ()
        if path in _LOADED and not self._direct:
            raise NoteUnwritable(f"{path} is always loaded: an agent proposes an entry for it (`remember`).")
        cleaned = self._scribe.book.clean(text)
        return cleaned.text, cleaned.redacted


def _check(data: bytes, expected: str | None, path: str) -> None:
    if expected is None:
        return
    import hashlib

    if hashlib.sha256(data).hexdigest() != expected:
        raise NoteUnwritable(f"{path} has changed since it was read. Read it again.")

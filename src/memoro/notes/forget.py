"""Forgetting an entry of a note: out of the file, and out of everything that remembers what the file was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from memoro.errors import NeedsConsent
from memoro.memories.forget import Forgetting, begin
from memoro.model.memories import stamp
from memoro.notes.entries import Entries, Remembered, decoded
from memoro.notes.scribe import Scribe
from memoro.store.sqlite.ledger import Pages
from memoro.vault import entries as bullets


class ForgottenEntry(NamedTuple):
    entry: Remembered  # what is to go, or went
    done: bool
    backups: tuple[str, ...] = ()


class EntryForgetting:
    def __init__(
        self,
        scribe: Scribe,
        entries: Entries,
        forgetting: Forgetting,
        digests: Callable[[str], Sequence[str]],  # of the passages of a note, as the index knows them
        backups: Callable[[bytes], Sequence[str]],
    ) -> None:
        self._scribe = scribe
        self._entries = entries
        self._forgetting = forgetting
        self._digests = digests
        self._backups = backups

    def forget(self, own: str, *, yes: bool = False, dry_run: bool = False) -> ForgottenEntry:
        """Scrub an entry. This cannot be undone, and so needs `yes`."""
        path = self._entries.where(own)
        text, _ = decoded(self._scribe.bytes_of(path) or b"", path)
        entry = bullets.find(text, own)
        found = Remembered(entry.id, path, entry.line, entry.text)
        named = tuple(self._backups(entry.text.encode()))
        if dry_run:
            return ForgottenEntry(found, False, named)
        if not yes:
            raise NeedsConsent("Forgetting an entry cannot be undone. Add --yes (yes=True) to do it.")
        said_before = self._digests(path)
        self._scribe.pen.change(path, lambda before: _without(before, path, own))
        with self._scribe.book.ledger.writing() as pages:
            self._unsay(pages, path, entry.text.encode())
            begin(pages, [], list(said_before))
        self._scribe.indexed([path])
        self._forgetting.finish()
        return ForgottenEntry(found, True, named)

    def _unsay(self, pages: Pages, path: str, said: bytes) -> None:
        """Take what was said out of the journal: every content that held it, and every line that was it."""
        at = stamp(self._scribe.book.now())
        pages.forget_digest(self._scribe.book.digest(pages, said.decode()), at)
        gone = {digest for digest, data in pages.notes.all_kept() if said in data}
        for entry in pages.journal.all("WHERE kind = 'note'"):
            if _names(entry.before, gone, said) or _names(entry.after, gone, said):
                pages.journal.unsay_one(entry.id)
                pages.notes.leave(entry.id)
        for digest in gone:
            pages.notes.drop(digest)
        for proposal in pages.notes.proposals(None):
            if said.decode() in str(proposal.detail.get("text", "")):
                pages.notes.unsay(proposal.id)
        pages.journal.add("forget", "note", path, None, None, at=at, actor="user")


def _names(fields: Any, digests: set[str], said: bytes) -> bool:
    fields = fields or {}
    return fields.get("digest") in digests or said.decode() in fields.get("added", "")


def _without(before: bytes | None, path: str, own: str) -> bytes | None:
    if before is None:
        return None
    text, mark = decoded(before, path)
    return mark + bullets.remove(text, own).text.encode()

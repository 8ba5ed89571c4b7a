"""Forgetting an entry of a note: out of the file, and out of everything that remembers what the file was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NeedsConsent
from memoro.ledger.erasure import erase_repetitions, forgetting
from memoro.ledger.forget import Forgetting, begin
from memoro.model.changes import Change, NoteAppended, NoteWritten
from memoro.model.memories import stamp
from memoro.notes.entry_files import EntryFiles, Remembered, decoded
from memoro.notes.journaled_writer import JournaledWriter
from memoro.vault import entries as bullets
from memoro.vault.markdown import split_lines

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


class ForgottenEntry(NamedTuple):
    entry: Remembered  # what is to go, or went
    done: bool
    backups: tuple[str, ...] = ()


class EntryForgetting:
    def __init__(
        self,
        journaled: JournaledWriter,
        entries: EntryFiles,
        forgetting: Forgetting,
        digests: Callable[[str], Sequence[str]],  # of the passages of a note, as the index knows them
        backups: Callable[[bytes], Sequence[str]],
    ) -> None:
        self._journaled = journaled
        self._entries = entries
        self._forgetting = forgetting
        self._digests = digests
        self._backups = backups

    def forget(self, own: str, *, yes: bool = False, dry_run: bool = False) -> ForgottenEntry:
        """Scrub an entry. This cannot be undone, and so needs `yes`."""
        path = self._entries.where(own)
        text, _ = decoded(self._journaled.bytes_of(path) or b"", path)
        entry = bullets.find(text, own)
        found = Remembered(id=entry.id, path=path, line=entry.line, text=entry.text)
        said = self._all_said(text, entry)
        named = tuple(dict.fromkeys(name for one in said for name in self._backups(one)))
        if dry_run:
            return ForgottenEntry(found, False, named)
        if not yes:
            raise NeedsConsent("Forgetting an entry cannot be undone. Add --yes (yes=True) to do it.")
        said_before = self._digests(path)
        with_room = self._journaled.access.with_room
        # The journal first: broken off in between, the entry is still there to be forgotten again.
        with_room(lambda: self._unsay_all(path, entry, said, said_before))
        with_room(lambda: self._journaled.scrub(path, lambda before: _without(before, path, own)))
        self._journaled.indexed([path])
        self._forgetting.finish()
        return ForgottenEntry(found, True, named)

    def _unsay_all(self, path: str, entry: bullets.Bullet, said: list[bytes], digests: Sequence[str]) -> None:
        with self._journaled.access.ledger.writing() as tx:
            self._unsay(tx, path, entry, said)
            begin(tx, [], list(digests))

    def _all_said(self, text: str, entry: bullets.Bullet) -> list[bytes]:
        """Return the lines of the entry, and those it had under the same id before edits."""
        told = {line.strip() for line in _lines_of(text, entry)}
        with self._journaled.access.ledger.reading() as tx:
            for _, data in tx.contents.all():
                if entry.marked and f"^{entry.id}".encode() in data:
                    was = data.decode("utf-8", "replace")
                    same = [one for one in bullets.entries(was) if one.id == entry.id and one.marked]
                    told.update(line.strip() for one in same for line in _lines_of(was, one))
        return [line.encode() for line in sorted(told) if line]

    def _unsay(self, tx: Transaction, path: str, entry: bullets.Bullet, said: Sequence[bytes]) -> None:
        """Take what was said out of the journal: every content that held it, and every line that was it."""
        at = stamp(self._journaled.access.now())
        tx.forgotten.add(self._journaled.access.digest(tx, " ".join(entry.text.split())), at)
        erase_from_history(tx, said)
        tx.journal.add(forgetting("note", path, at))


def erase_from_history(tx: Transaction, said: Sequence[bytes]) -> None:
    """Erase what was said from contents of notes, the journal, recalls and proposals."""
    gone = {digest for digest, data in tx.contents.all() if any(one in data for one in said)}
    for change in tx.journal.of("note"):
        if _repeats(change.change, gone, said):
            tx.journal.blank(change.id)
            tx.lines.unwatch(change.id)
    for digest in gone:
        tx.contents.delete(digest)
    erase_repetitions(tx, [one.decode() for one in said])


def _lines_of(text: str, entry: bullets.Bullet) -> list[str]:
    """The lines of an entry as they stand in the note, without its bullet and its id."""
    lines = split_lines(text)[entry.line - 1 : entry.last]
    return [
        *bullets.words_of(lines[0]),
        *(word for line in lines[1:] for word in bullets.words_of(f"- {line.strip()}")),
    ]


def _repeats(change: Change, digests: set[str], said: Sequence[bytes]) -> bool:
    """Tells whether a change of a note holds any of these contents or lines."""
    match change:
        case NoteWritten(before=before, after=after):
            return before in digests or after in digests
        case NoteAppended(added=added):
            return any(one.decode() in added for one in said)
        case _:
            return False


def _without(before: bytes | None, path: str, own: str) -> bytes | None:
    if before is None:
        return None
    text, mark = decoded(before, path)
    return mark + bullets.remove(text, own).text.encode()

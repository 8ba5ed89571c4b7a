"""The files of the vault that keep the owner's feedback: added to, read, and archived once rules were made of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger.access import Once
from memoro.model import feedback as rules
from memoro.model.feedback import FeedbackEntry
from memoro.model.feedback_places import ARCHIVE, FILES, is_feedback_file
from memoro.model.results import EntryResult
from memoro.model.vocabulary import PERSON
from memoro.notes.entry_files import NO_KEY, decoded
from memoro.notes.journaled_writer import JournaledWriter, NoteWrite
from memoro.notes.keyed import KeyedWrite

if TYPE_CHECKING:
    from memoro.vault.daily_place import FolderEntry


class AddedFeedback(NamedTuple):
    entry: FeedbackEntry
    change: int  # of the journal; 0: it was there already


class ArchivedFeedback(NamedTuple):
    entries: tuple[FeedbackEntry, ...]  # as they stood before
    changes: tuple[int, ...]  # of the journal


class FeedbackFiles:
    """`m.feedback.files`. Only a command of the owner, a hook or an accepted proposal writes here."""

    def __init__(self, journaled: JournaledWriter, folder: Callable[[str], Sequence[FolderEntry]]) -> None:
        self._journaled = journaled
        self._folder = folder  # lists a folder of the vault

    def all(self) -> list[FeedbackEntry]:
        """Return the entries that are not archived: corrections, then rewards, each in the order of its file."""
        return [entry for path in FILES.values() for entry in self._read(path)]

    def archived(self, year: str) -> list[FeedbackEntry]:
        return self._read(f"{ARCHIVE}/{year}.md")

    def kept(self) -> list[FeedbackEntry]:
        """Return every entry, the archived ones too."""
        return [entry for path in self.paths() for entry in self._read(path)]

    def paths(self) -> list[str]:
        """Return every file that may hold feedback: listings of the vault leave them out."""
        years = (one.name for one in self._folder(ARCHIVE))
        return [*FILES.values(), *(path for name in years if is_feedback_file(path := f"{ARCHIVE}/{name}"))]

    def add(self, entry: FeedbackEntry, *, by: str = rules.SOURCE, once: Once[EntryResult] = NO_KEY) -> AddedFeedback:
        """Append an entry to the file of its kind, which is made where it is missing; each id stands once."""
        path, write = FILES[entry.kind], KeyedWrite(self._journaled, once)
        made = write.run(
            lambda: self._journaled.write(
                NoteWrite("remember", path, by, keep=write.keep), lambda before: _with(before, entry, path)
            ),
            lambda change: EntryResult(id=entry.id, path=path, line=None, new=change != 0, change=change),
        )
        stands = next((one for one in self._read(path) if one.id == made.id), entry)
        return AddedFeedback(stands, made.change)

    def first(self, once: Once[EntryResult]) -> EntryResult | None:
        """Return the first result for a key; None where the entry is still to be added."""
        return KeyedWrite(self._journaled, once).first()

    def archive(self, ids: Collection[str], *, by: str = PERSON) -> ArchivedFeedback:
        """Move entries to `feedback/archive/YYYY.md`, by the year of each. Undo takes each write back.

        An entry is in the archive before it leaves its file: a crash leaves it in both, and archiving it again
        completes the move. Ids that stand in neither file are passed over: their owner may have deleted them.
        """
        found = [one for one in self.all() if one.id in ids]
        changes: list[int] = []
        for path in dict.fromkeys(map(rules.archive_path, found)):
            changes.append(self._put(path, [one for one in found if rules.archive_path(one) == path], by))
        for path in dict.fromkeys(one.path for one in found):
            changes.append(self._take_out(path, {one.id for one in found if one.path == path}, by))
        return ArchivedFeedback(tuple(found), tuple(change for change in changes if change))

    def _put(self, path: str, entries: Sequence[FeedbackEntry], by: str) -> int:
        def added(before: bytes | None) -> bytes | None:
            for entry in entries:
                before = _with(before, entry, path)
            return before

        return self._journaled.write(NoteWrite("remember", path, by), added).entry

    def _take_out(self, path: str, ids: set[str], by: str) -> int:
        def left(before: bytes | None) -> bytes | None:
            if before is None:
                return None
            text, mark = decoded(before, path)
            return mark + rules.without_entries(text, ids).encode()

        return self._journaled.write(NoteWrite("remove", path, by), left).entry

    def _read(self, path: str) -> list[FeedbackEntry]:
        data = self._journaled.bytes_of(path)
        return rules.parse(decoded(data, path)[0], path) if data is not None else []


def _with(before: bytes | None, entry: FeedbackEntry, path: str) -> bytes:
    text, mark = decoded(before, path) if before is not None else (rules.header(path), b"")
    return mark + rules.with_entry(text, entry).encode()

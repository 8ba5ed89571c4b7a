"""From a note on the disk to the change that the index needs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, NamedTuple

from memoro.errors import NoteNotFound, NoteTooLarge, NoteUnreadable
from memoro.index.look import file_digest, unread_digest, written_on
from memoro.model.notes import Chunk, FileEntry, Indexed, Note, Problem, Rules, Stamp
from memoro.model.projects import short_name
from memoro.store.changes import Change, Emptied, Move, Touch, Write
from memoro.vault.contents import Content
from memoro.vault.files import VaultFiles
from memoro.vault.layout import Layout

EMPTY_RETRY_SECONDS = 0.2  # an editor that empties a file before it writes is done by then
EMPTIED = "It is empty now and was not before; the next sync believes it if it still is."

ProjectOfFolder = Callable[[str], str | None]
OutcomeKind = Literal["added", "changed", "moved", "unchanged"]


class NoteOutcome(NamedTuple):
    """The change for one note; None where it cannot be read or is not believed to have changed."""

    change: Change | None
    outcome: OutcomeKind | None = None
    problems: tuple[Problem, ...] = ()
    is_same: bool = False  # the bytes are as they were: problems of an earlier sync still hold


class NoteReader(NamedTuple):
    """Reads notes of one vault."""

    vault: VaultFiles
    rules: Rules
    layout: Layout
    project_of: ProjectOfFolder = short_name  # of a working folder

    def change(self, path: str, known: FileEntry | None, origin: str | None) -> NoteOutcome:
        """The change for a note that may differ from its entry. A failure becomes a problem.

        `origin` is the path from which a note with these bytes has moved.
        """
        try:
            content = self._read(path, known)
            if content is None:
                return NoteOutcome(Emptied(path), problems=(Problem(path, "partly", EMPTIED),))
            if known and self._is_same(known, content):
                touch = Touch(path, _trusted_stamp(content), written_on(content.stamp))
                return NoteOutcome(touch, "unchanged", is_same=True)
            file, warnings = self._indexed(path, content)
        except NoteTooLarge as error:
            problem = Problem(path, "partly", str(error))
            return self._name_only(path, Stamp(*error.stamp), known, origin)._replace(problems=(problem,))
        except NoteNotFound:
            return NoteOutcome(None)  # deleted after the listing; the next sync hides it
        except NoteUnreadable as error:
            return NoteOutcome(None, problems=(Problem(path, "failed", str(error)),))
        problems = tuple(Problem(path, "partly", warning) for warning in warnings)
        return _written(file, known, origin)._replace(problems=problems)

    def _read(self, path: str, known: FileEntry | None) -> Content | None:
        """The note's bytes, or None where it is suddenly empty and is not yet believed."""
        content = self.vault.read(path)
        if content.data or known is None or known.gone_at or known.digest == file_digest(b""):
            return content
        time.sleep(EMPTY_RETRY_SECONDS)
        again = self.vault.read(path)
        # Empty by chance twice, between two saves of a busy editor, is not the same as empty and left so.
        return again if again.data or (known.emptied and again.stamp == content.stamp) else None

    def _is_same(self, known: FileEntry, content: Content) -> bool:
        same = known.digest == file_digest(content.data) and not known.gone_at
        return same and known.tier == self.layout.tier(known.path)

    def _indexed(self, path: str, content: Content) -> tuple[Indexed, tuple[str, ...]]:
        from memoro.index.read import read_note  # loads YAML: not needed while nothing has changed

        entry = FileEntry(
            path=path,
            tier=self.layout.tier(path),
            digest=file_digest(content.data),
            stamp=_trusted_stamp(content),
        )
        file, warnings = read_note(entry, content.data, written_on=written_on(content.stamp), rules=self.rules)
        if file.note.date is None and entry.tier == "daily" and (day := self.layout.day(path)):
            file = file._replace(note=file.note._replace(date=day), day=day)
        return self._with_owner(file, content), warnings

    def _with_owner(self, file: Indexed, content: Content) -> Indexed:
        """A note of an agent's own memory carries the project that it is about."""
        found = self.vault.memory(file.entry.path) if file.entry.path.startswith("@") else None
        if found is None:
            return file
        from memoro.vault.memory_sources import owner_of

        owner = owner_of(*found, content.data)
        if owner.is_mixed:  # nobody knows of which project a line is, so nothing of it is given unasked
            return file._replace(note=file.note._replace(project=None, privacy="personal"))
        project = self.project_of(owner.folder) if owner.folder else None
        return file._replace(note=file.note._replace(project=project)) if project else file

    def _name_only(self, path: str, stamp: Stamp, known: FileEntry | None, origin: str | None) -> NoteOutcome:
        """A note too large to be read is found by its name."""
        name = path.rpartition("/")[2]
        only = Chunk(
            text=name, start_line=1, end_line=1, headings=(), digest=file_digest(name.encode()), partial=True
        )
        entry = FileEntry(path=path, tier=self.layout.tier(path), digest=unread_digest(stamp), stamp=stamp)
        file = Indexed(entry=entry, note=Note(title=name.rpartition(".")[0]), day=written_on(stamp), chunks=(only,))
        if known and known == entry._replace(stamp=known.stamp):
            return NoteOutcome(Touch(path, stamp, file.day), "unchanged")
        return _written(file, known, origin)


def _written(file: Indexed, known: FileEntry | None, origin: str | None) -> NoteOutcome:
    if origin is not None:
        return NoteOutcome(Move(origin, file), "moved")
    return NoteOutcome(Write(file), "added" if known is None or known.gone_at else "changed")


def _trusted_stamp(content: Content) -> Stamp | None:
    return content.stamp if content.trusted else None

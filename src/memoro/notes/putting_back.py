"""Putting lines back into notes, by a person's word."""

from __future__ import annotations

from typing import NamedTuple

from memoro.errors import NoteNotFound, NotFound
from memoro.model.changes import NoteWritten
from memoro.model.proposals import PutBackLines, words_of_line
from memoro.model.vocabulary import PERSON
from memoro.model.watched_lines import standing
from memoro.notes.entry_files import EntryFiles, Remembered, decoded
from memoro.notes.journaled_writer import JournaledWriter, NoteWrite
from memoro.notes.pending_writes import kept_bytes
from memoro.vault.line_places import line_before, put_back


class PuttingBack(NamedTuple):
    journaled: JournaledWriter
    entries: EntryFiles

    def put_back(self, wanted: PutBackLines) -> Remembered:
        """Put lines back where they were, or at the end. One that stands there already is not doubled."""
        for line in wanted.lines:
            self.entries.check_not_forgotten(words_of_line(line))
        places = [self._line_before(change, line) for change, line in zip(wanted.changes, wanted.lines, strict=False)]

        def change(before: bytes | None) -> bytes | None:
            if before is None:
                raise NoteNotFound(f"There is no note {wanted.path!r} any more, so nothing was put back into it.")
            text, mark = decoded(before, wanted.path)
            for line, place in zip(wanted.lines, places, strict=False):
                if not standing(text.encode(), ())(line):
                    text = put_back(text, line, place)
            return mark + text.encode()

        done = self.journaled.write(NoteWrite("return", wanted.path, PERSON), change)
        return Remembered(
            id=None,
            path=wanted.path,
            line=None,
            text="\n".join(wanted.lines),
            new=done.entry != 0,
            change=done.entry or None,
        )

    def _line_before(self, change: int, line: str) -> str | None:
        """Return the line above this one when it was added, where the ledger kept the whole note of that time."""
        with self.journaled.access.ledger.reading() as tx:
            try:
                written = tx.journal.get(change).change
            except NotFound:
                return None
            then = kept_bytes(tx, written.after) if isinstance(written, NoteWritten) else None
        return line_before(then.decode("utf-8", "replace"), line) if then else None

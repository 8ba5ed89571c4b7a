"""Moving entries between notes, by a person's word: to the archive note of a file, or to the file of another tier."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from memoro.errors import MemoroError, NoteUnwritable, ProposalOutdated
from memoro.ledger.access import Once
from memoro.model.proposals import MoveEntry, RetireEntry
from memoro.model.results import EntryResult
from memoro.notes.entry_files import EntryFiles, PlacedEntry, Remembered
from memoro.notes.journaled_writer import JournaledWriter
from memoro.vault.layout import ARCHIVE


class EntryMoves(NamedTuple):
    """Each move is two writes: first into the one note, then out of the other. A crash leaves an entry in both."""

    journaled: JournaledWriter
    files: EntryFiles

    def retire(self, wanted: RetireEntry, key: str) -> Remembered:
        """Moves an entry of an always-loaded file to its archive note, with the day."""
        if not self.files.is_loaded(wanted.path):
            raise NoteUnwritable(f"{wanted.path} is not an always-loaded file, so nothing of it is retired.")
        day = self.journaled.access.now().astimezone().date()
        place = PlacedEntry(
            own=wanted.id,
            text=f"{{}} (retired {day})",
            path=f"{ARCHIVE}{wanted.path}",
            fresh=f"# Retired from {wanted.path}\n",
            operation="retire",
        )
        return self._move(wanted, place, key)

    def move(self, wanted: MoveEntry, key: str) -> Remembered:
        """Moves an entry to the always-loaded file of another tier, where it keeps its id."""
        target = self.files.path_of(wanted.tier)
        if target == wanted.path:
            raise ProposalOutdated(f"The entry ^{wanted.id} is in {target} already.")
        place = PlacedEntry(own=wanted.id, text="{}", path=target, fresh=self.files.fresh(wanted.tier))
        return self._move(wanted, place, key)

    def _move(self, wanted: RetireEntry | MoveEntry, place: PlacedEntry, key: str) -> Remembered:
        """The text of `place` says where the words go: the file has them, a proposal lacks their secrets."""
        own = f"{wanted.path}#^{wanted.id}"
        into = Once(f"{key}:in", ("entry", "place", own, place.path), EntryResult)
        out_of = Once(f"{key}:out", ("entry", "take out", own), EntryResult)
        if (placed := self.files.first(into)) and self.files.first(out_of):
            return placed
        try:
            said = self.files.proposed(own, wanted.text).text
            placed = self.files.place(place._replace(text=place.text.replace("{}", said)), into)
            self.files.remove(own, once=out_of, was=wanted.text)
        except ProposalOutdated:
            if placed:
                self._take_back(placed)
            raise
        return placed

    def _take_back(self, placed: Remembered) -> None:
        """Takes an entry out again whose other half cannot be done any more."""
        if placed.change is None:
            return
        with self.journaled.access.ledger.reading() as tx:
            entry = tx.journal.get(placed.change)
        if entry.undone_by is None:
            with suppress(MemoroError):  # then the entry stands in both notes, and nothing is lost
                self.journaled.revert(entry)

"""The journal of a plain ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memoro.model.agents import acting_agent
from memoro.model.change_codec import decode, encode
from memoro.model.changes import NoteWritten, contents_of, has_content, is_removal
from memoro.model.journal import EVERY_CHANGE, ChangeCount, ChangeFilter, JournalEntry
from memoro.store.missing import no_change
from memoro.store.plain.tables import Tables, insert, number_for


class PlainJournal:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows = tables.journal

    def add(self, entry: JournalEntry) -> int:
        number = number_for(self._tables, "journal", 0)
        self._rows[number] = entry._replace(id=number, undone_by=None, words=None)
        if entry.undoes is not None:
            undone = self._rows[entry.undoes]
            self._rows[undone.id] = undone._replace(undone_by=number)
            if undone.undoes is not None and undone.undoes in self._rows:
                self._rows[undone.undoes] = self._rows[undone.undoes]._replace(undone_by=None)
        return number

    def restore(self, entry: JournalEntry) -> None:
        insert(self._rows, number_for(self._tables, "journal", entry.id), entry._replace(words=None))

    def get(self, position: int) -> JournalEntry:
        if position not in self._rows:
            raise no_change(position)
        return self._rows[position]

    def last(self) -> int:
        return max(self._rows, default=0)

    def made_at(self, position: int) -> str | None:
        return self._rows[position].at if position in self._rows else None

    def last_before(self, at: str) -> str | None:
        return max((entry.at for entry in self.all() if entry.at < at), default=None)

    def after(self, position: int) -> Iterator[JournalEntry]:
        return (entry for number, entry in sorted(self._rows.items()) if number > position)

    def all(self) -> Iterator[JournalEntry]:
        return self.after(0)

    def count(self) -> int:
        return len(self._rows)

    def latest(self, limit: int | None = None, wanted: ChangeFilter = EVERY_CHANGE) -> list[JournalEntry]:
        found = self._newest(lambda entry: _fits(entry, wanted))
        return found if limit is None or limit < 0 else found[:limit]

    def counts_between(self, first: str, end: str) -> list[ChangeCount]:
        found: dict[tuple[str, str | None, str, str], list[int]] = {}
        for entry in self._newest(lambda entry: first <= entry.at < end):
            found.setdefault((entry.actor, entry.agent, entry.kind, entry.operation), []).append(entry.id)
        return [ChangeCount(*who, len(numbers), numbers[0]) for who, numbers in found.items()]

    def last_in_force(self, excluded: Sequence[str], person: str | None = None) -> JournalEntry | None:
        def in_force(entry: JournalEntry) -> bool:
            is_wanted = entry.operation not in excluded and person in (None, entry.person)
            return is_wanted and entry.undone_by is None and has_content(entry.change)

        return next(iter(self._newest(in_force)), None)

    def of(self, kind: str, operation: str | None = None) -> list[JournalEntry]:
        return self._newest(lambda entry: entry.kind == kind and operation in (None, entry.operation))

    def of_proposals(self, numbers: Sequence[int]) -> list[JournalEntry]:
        return self._newest(lambda entry: entry.proposal in numbers)

    def history(self, kind: str, item: int | str) -> list[JournalEntry]:
        return self._newest(lambda entry: _is_of(entry, kind) and entry.item == item)[::-1]

    def removals(self, kind: str) -> list[JournalEntry]:
        return self._newest(lambda entry: _is_of(entry, kind) and is_removal(entry.change))

    def changed_since(self, at: str, kind: str) -> list[JournalEntry]:
        return self._newest(lambda entry: _is_of(entry, kind) and entry.at > at)

    def _newest(self, wanted: Callable[[JournalEntry], bool]) -> list[JournalEntry]:
        return [entry for entry in self.all() if wanted(entry)][::-1]

    def contents(self) -> Iterator[tuple[int, str]]:
        for entry in self.all():
            for content in contents_of(entry.change) if _is_of(entry, "memory") else ():
                yield entry.id, content

    def keeps_content(self, digest: str) -> bool:
        changes = [entry.change for entry in self.all()]
        return any(isinstance(one, NoteWritten) and digest in (one.before, one.after) for one in changes)

    def blank(self, position: int) -> None:
        if position in self._rows:
            self._rows[position] = _blank(self._rows[position])

    def blank_history(self, kind: str, item: int | str) -> None:
        for entry in self.history(kind, item):
            self.blank(entry.id)

    def delete(self, position: int) -> None:
        self.unlink(position)
        self._rows.pop(position, None)

    def unlink(self, position: int) -> None:
        for entry in list(self._rows.values()):
            if entry.undone_by == position:
                self._rows[entry.id] = entry._replace(undone_by=None)


def _fits(entry: JournalEntry, wanted: ChangeFilter) -> bool:
    return (
        wanted.actor in (None, entry.actor)
        and wanted.by in (None, entry.actor, entry.person, acting_agent(entry.actor, entry.agent))
        and wanted.kind in (None, entry.kind)
        and (wanted.kind is None or wanted.item in (None, entry.item))
        and (wanted.since is None or entry.at >= wanted.since)
        and (wanted.until is None or entry.at < wanted.until)
        and (wanted.before is None or entry.id < wanted.before)
    )


def _is_of(entry: JournalEntry, kind: str) -> bool:
    """An item has the number of the memory it is found as, and is part of its history."""
    return entry.kind == kind or (kind == "memory" and entry.kind == "item")


def _blank(entry: JournalEntry) -> JournalEntry:
    """The entry as a store reads it whose columns were emptied."""
    return entry._replace(change=decode(encode(entry.change)._replace(before=None, after=None)))

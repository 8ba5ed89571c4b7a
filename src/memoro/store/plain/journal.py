"""The journal of a plain ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memoro.model.journal import Entry
from memoro.store.encoding import from_json, to_json
from memoro.store.missing import no_change
from memoro.store.plain.tables import Tables, insert, number_for


class PlainJournal:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows = tables.journal

    def add(self, entry: Entry) -> int:
        number = number_for(self._tables, "journal", 0)
        self._rows[number] = _kept(entry)._replace(id=number, undone_by=None)
        if entry.undoes is not None:
            undone = self._rows[entry.undoes]
            self._rows[undone.id] = undone._replace(undone_by=number)
            if undone.undoes is not None and undone.undoes in self._rows:
                self._rows[undone.undoes] = self._rows[undone.undoes]._replace(undone_by=None)
        return number

    def restore(self, entry: Entry) -> None:
        insert(self._rows, number_for(self._tables, "journal", entry.id), _kept(entry))

    def get(self, position: int) -> Entry:
        if position not in self._rows:
            raise no_change(position)
        return self._rows[position]

    def last(self) -> int:
        return max(self._rows, default=0)

    def after(self, position: int) -> Iterator[Entry]:
        return (entry for number, entry in sorted(self._rows.items()) if number > position)

    def all(self) -> Iterator[Entry]:
        return self.after(0)

    def count(self) -> int:
        return len(self._rows)

    def latest(self, limit: int | None = None, *, actor: str | None = None, since: str | None = None) -> list[Entry]:
        found = self._newest(lambda entry: actor in (None, entry.actor) and (since is None or entry.at >= since))
        return found if limit is None else found[:limit]

    def last_in_force(self, excluded: Sequence[str]) -> Entry | None:
        def in_force(entry: Entry) -> bool:
            blank = entry.before is None and entry.after is None
            return entry.undone_by is None and entry.operation not in excluded and not blank

        return next(iter(self._newest(in_force)), None)

    def of(self, kind: str, operation: str | None = None) -> list[Entry]:
        return self._newest(lambda entry: entry.kind == kind and operation in (None, entry.operation))

    def history(self, kind: str, item: int | str) -> list[Entry]:
        return self._newest(lambda entry: _is_of(entry, kind) and entry.item == item)[::-1]

    def removals(self, kind: str) -> list[Entry]:
        return self._newest(lambda one: _is_of(one, kind) and one.before is not None and one.after is None)

    def changed_since(self, at: str, kind: str) -> list[Entry]:
        return self._newest(lambda entry: _is_of(entry, kind) and entry.at > at)

    def _newest(self, wanted: Callable[[Entry], bool]) -> list[Entry]:
        return [entry for entry in self.all() if wanted(entry)][::-1]

    def contents(self) -> Iterator[tuple[int, str]]:
        for entry in self.all():
            for fields in (entry.before or {}, entry.after or {}):
                if _is_of(entry, "memory") and fields.get("content") is not None:
                    yield entry.id, fields["content"]

    def keeps_content(self, digest: str) -> bool:
        notes = (entry for entry in self.all() if entry.kind == "note")
        return any(digest in (to_json(fields) or "") for entry in notes for fields in (entry.before, entry.after))

    def blank(self, position: int) -> None:
        if position in self._rows:
            self._rows[position] = self._rows[position]._replace(before=None, after=None)

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


def _is_of(entry: Entry, kind: str) -> bool:
    """An item has the number of the memory it is found as, and is part of its history."""
    return entry.kind == kind or (kind == "memory" and entry.kind == "item")


def _kept(entry: Entry) -> Entry:
    """An entry as it comes back from JSON, in which every store keeps what was changed."""
    return entry._replace(before=from_json(to_json(entry.before)), after=from_json(to_json(entry.after)))

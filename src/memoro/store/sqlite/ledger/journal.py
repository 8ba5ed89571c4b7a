"""The rows of the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import apsw

from memoro.model.agents import AGENT_ACTORS, log_name_of
from memoro.model.changes import NoteWritten, contents_of
from memoro.model.journal import EVERY_CHANGE, ChangeCount, ChangeFilter, JournalEntry
from memoro.store.encoding import is_number, is_text
from memoro.store.missing import no_change

_COLUMNS = "id, at, actor, agent, undoes, undone_by, proposal, person, operation, kind, item, before, after"
_ENTRY = f"SELECT {_COLUMNS} FROM journal"
_MOST = 2**63 - 1  # that SQLite can count
_ALSO = {"memory": "item"}  # an item has the number of the memory it is found as


class SqliteJournal:
    def __init__(self, db: apsw.Connection, person: str | None = None) -> None:
        self._db = db
        self._person = person  # who makes the changes, where people share the ledger

    def add(self, entry: JournalEntry) -> int:
        from memoro.model.change_codec import encode  # only where a change is written or read

        self._db.execute(
            """INSERT INTO journal (at, actor, agent, undoes, proposal, person, operation, kind, item, before, after)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                *(entry.at, entry.actor, entry.agent, entry.undoes, entry.proposal, entry.person or self._person),
                *encode(entry.change),
            ),
        )
        number = self._db.last_insert_rowid()
        if entry.undoes is not None:
            self._db.execute("UPDATE journal SET undone_by = ? WHERE id = ?", (number, entry.undoes))
            # An undo that is undone leaves its change in force, to be undone again.
            self._db.execute(
                "UPDATE journal SET undone_by = NULL WHERE id = (SELECT undoes FROM journal WHERE id = ?)",
                (entry.undoes,),
            )
        return number

    def restore(self, entry: JournalEntry) -> None:
        self._db.pragma("defer_foreign_keys", True)  # until the transaction ends
        from memoro.model.change_codec import encode

        self._db.execute(
            f"INSERT INTO journal ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(entry.id, entry.at, entry.actor, entry.agent, entry.undoes, entry.undone_by, entry.proposal),
                entry.person,
                *encode(entry.change),
            ),
        )

    def get(self, position: int) -> JournalEntry:
        row = self._db.execute(f"{_ENTRY} WHERE id = ?", (position,)).fetchone() if is_number(position) else None
        if row is None:
            raise no_change(position)
        return _to_entry(row)

    def last(self) -> int:
        return int(self._db.execute("SELECT max(id) FROM journal").get or 0)

    def made_at(self, position: int) -> str | None:
        found = (
            self._db.execute("SELECT at FROM journal WHERE id = ?", (position,)).get if is_number(position) else None
        )
        return None if found is None else str(found)

    def last_before(self, at: str) -> str | None:
        found = self._db.execute("SELECT max(at) FROM journal WHERE at < ?", (at,)).get
        return None if found is None else str(found)

    def after(self, position: int) -> Iterator[JournalEntry]:
        for row in self._db.execute(f"{_ENTRY} WHERE id > ? ORDER BY id", (position,)):
            yield _to_entry(row)

    def all(self) -> Iterator[JournalEntry]:
        return self.after(0)

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM journal").get)

    def latest(self, limit: int | None = None, wanted: ChangeFilter = EVERY_CHANGE) -> list[JournalEntry]:
        conditions = _conditions(wanted)
        joined = " AND ".join(text for text, _ in conditions)
        values = [value for _, each in conditions for value in each]
        return self._newest(f"WHERE {joined}" if joined else "", values, -1 if limit is None else min(limit, _MOST))

    def counts_between(self, first: str, end: str) -> list[ChangeCount]:
        query = """SELECT actor, agent, kind, operation, count(*), max(id) FROM journal WHERE at >= ? AND at < ?
                    GROUP BY actor, agent, kind, operation ORDER BY max(id) DESC"""
        return [ChangeCount(*row) for row in cast(Any, self._db.execute(query, (first, end)))]

    def last_in_force(self, excluded: Sequence[str], person: str | None = None) -> JournalEntry | None:
        marks = ", ".join("?" * len(excluded))
        condition = f"""WHERE undone_by IS NULL AND operation NOT IN ({marks})
                          AND NOT (before IS NULL AND after IS NULL)"""
        values = (*excluded, *((person,) if person is not None else ()))
        own = " AND person = ?" if person is not None else ""
        return next(iter(self._newest(condition + own, values, 1)), None)

    def of(self, kind: str, operation: str | None = None) -> list[JournalEntry]:
        return self._newest("WHERE kind = ?1 AND (?2 IS NULL OR operation = ?2)", (kind, operation))

    def of_proposals(self, numbers: Sequence[int]) -> list[JournalEntry]:
        found = [self._newest("WHERE proposal = ?", (number,)) for number in numbers]
        return sorted((entry for entries in found for entry in entries), key=lambda entry: -entry.id)

    def history(self, kind: str, item: int | str) -> list[JournalEntry]:
        if not (is_number(item) if isinstance(item, int) else is_text(item)):
            return []
        return self._newest("WHERE kind IN (?, ?) AND item = ?", (*_kinds(kind), item))[::-1]

    def removals(self, kind: str) -> list[JournalEntry]:
        return self._newest("WHERE kind IN (?, ?) AND before IS NOT NULL AND after IS NULL", _kinds(kind))

    def changed_since(self, at: str, kind: str) -> list[JournalEntry]:
        return self._newest("WHERE kind IN (?, ?) AND at > ?", (*_kinds(kind), at))

    def _newest(self, condition: str, values: Sequence[Any], limit: int = -1) -> list[JournalEntry]:
        query = f"{_ENTRY} {condition} ORDER BY id DESC LIMIT {int(limit)}"
        return [_to_entry(row) for row in self._db.execute(query, tuple(values))]

    def contents(self) -> Iterator[tuple[int, str]]:
        query = f"""{_ENTRY} WHERE kind IN ('memory', 'item')
                     AND (before LIKE '%"content"%' OR after LIKE '%"content"%') ORDER BY id"""
        for row in self._db.execute(query):
            entry = _to_entry(row)
            for content in contents_of(entry.change):
                yield entry.id, content

    def keeps_content(self, digest: str) -> bool:
        query = f"{_ENTRY} WHERE kind = 'note' AND (before LIKE ?1 OR after LIKE ?1)"
        changes = (_to_entry(row).change for row in self._db.execute(query, (f"%{digest}%",)))
        return any(isinstance(one, NoteWritten) and digest in (one.before, one.after) for one in changes)

    def blank(self, position: int) -> None:
        self._db.execute("UPDATE journal SET before = NULL, after = NULL WHERE id = ?", (position,))

    def blank_history(self, kind: str, item: int | str) -> None:
        self._db.execute(
            "UPDATE journal SET before = NULL, after = NULL WHERE kind IN (?, ?) AND item = ?", (*_kinds(kind), item)
        )

    def delete(self, position: int) -> None:
        self.unlink(position)
        self._db.execute("DELETE FROM journal WHERE id = ?", (position,))

    def unlink(self, position: int) -> None:
        self._db.execute("UPDATE journal SET undone_by = NULL WHERE undone_by = ?", (position,))


def _conditions(wanted: ChangeFilter) -> list[tuple[str, tuple[str | int, ...]]]:
    """Conditions with their values, in which no row is read whole that is not wanted."""
    found: list[tuple[str, tuple[str | int, ...]]] = []
    if wanted.before is not None:
        found.append(("id < ?", (max(0, min(wanted.before, _MOST)),)))
    if wanted.actor is not None:
        found.append(("actor = ?", (wanted.actor,)))
    if wanted.by is not None:
        agents = ", ".join("?" * len(AGENT_ACTORS))
        named = f"actor = ? OR person = ? OR (agent = ? AND actor IN ({agents}))"
        values = (wanted.by, wanted.by, wanted.by, *AGENT_ACTORS)
        if log_name := log_name_of(wanted.by):
            named, values = f"{named} OR (agent IS NULL AND actor = ?)", (*values, log_name)
        found.append((f"({named})", values))
    if wanted.kind is not None and wanted.item is not None:
        one = "id IN (SELECT id FROM journal WHERE kind = ? AND item = ?)"
        found.append((one, (wanted.kind, wanted.item)))
    elif wanted.kind is not None:  # not by its index, which has no order of numbers: all of a kind would be sorted
        found.append(("+kind = ?", (wanted.kind,)))
    bounds = [("at >= ?", wanted.since), ("at < ?", wanted.until)]
    given = [(text, value) for text, value in bounds if value is not None]
    if given:
        span = " AND ".join(text for text, _ in given)
        found.append((f"id IN (SELECT id FROM journal WHERE {span})", tuple(value for _, value in given)))
    return found


def _kinds(kind: str) -> tuple[str, str]:
    return kind, _ALSO.get(kind, kind)


def _to_entry(row: Any) -> JournalEntry:
    from memoro.model.change_codec import ChangeColumns, decode

    id, at, actor, agent, undoes, undone_by, proposal, person, *columns = row
    return JournalEntry(
        id=id,
        at=at,
        actor=actor,
        change=decode(ChangeColumns(*columns)),
        agent=agent,
        undoes=undoes,
        undone_by=undone_by,
        proposal=proposal,
        person=person,
    )

"""The rows of the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from memoro.model.journal import Entry
from memoro.store.encoding import from_json, is_number, is_text, to_json
from memoro.store.missing import no_change

_ENTRY = "SELECT id, at, operation, actor, kind, item, before, after, undoes, undone_by, agent FROM journal"
_ALSO = {"memory": "item"}  # an item has the number of the memory it is found as


class SqliteJournal:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, entry: Entry) -> int:
        self._db.execute(
            """INSERT INTO journal (at, operation, actor, agent, kind, item, before, after, undoes)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                *(entry.at, entry.operation, entry.actor, entry.agent, entry.kind, entry.item),
                *(to_json(entry.before), to_json(entry.after), entry.undoes),
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

    def restore(self, entry: Entry) -> None:
        self._db.pragma("defer_foreign_keys", True)  # until the transaction ends
        row = entry._asdict() | {"before": to_json(entry.before), "after": to_json(entry.after)}
        marks = ", ".join("?" * len(row))
        self._db.execute(f"INSERT INTO journal ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))

    def get(self, position: int) -> Entry:
        row = self._db.execute(f"{_ENTRY} WHERE id = ?", (position,)).fetchone() if is_number(position) else None
        if row is None:
            raise no_change(position)
        return _to_entry(row)

    def last(self) -> int:
        return int(self._db.execute("SELECT max(id) FROM journal").get or 0)

    def after(self, position: int) -> Iterator[Entry]:
        for row in self._db.execute(f"{_ENTRY} WHERE id > ? ORDER BY id", (position,)):
            yield _to_entry(row)

    def all(self) -> Iterator[Entry]:
        return self.after(0)

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM journal").get)

    def latest(self, limit: int | None = None, *, actor: str | None = None, since: str | None = None) -> list[Entry]:
        condition = "WHERE (?1 IS NULL OR actor = ?1) AND (?2 IS NULL OR at >= ?2)"
        return self._newest(condition, (actor, since), -1 if limit is None else limit)

    def last_in_force(self, excluded: Sequence[str]) -> Entry | None:
        marks = ", ".join("?" * len(excluded))
        condition = f"""WHERE undone_by IS NULL AND operation NOT IN ({marks})
                          AND NOT (before IS NULL AND after IS NULL)"""
        return next(iter(self._newest(condition, excluded, 1)), None)

    def of(self, kind: str, operation: str | None = None) -> list[Entry]:
        return self._newest("WHERE kind = ?1 AND (?2 IS NULL OR operation = ?2)", (kind, operation))

    def history(self, kind: str, item: int | str) -> list[Entry]:
        if not (is_number(item) if isinstance(item, int) else is_text(item)):
            return []
        return self._newest("WHERE kind IN (?, ?) AND item = ?", (*_kinds(kind), item))[::-1]

    def removals(self, kind: str) -> list[Entry]:
        return self._newest("WHERE kind IN (?, ?) AND before IS NOT NULL AND after IS NULL", _kinds(kind))

    def changed_since(self, at: str, kind: str) -> list[Entry]:
        return self._newest("WHERE kind IN (?, ?) AND at > ?", (*_kinds(kind), at))

    def _newest(self, condition: str, values: Sequence[Any], limit: int = -1) -> list[Entry]:
        query = f"{_ENTRY} {condition} ORDER BY id DESC LIMIT {int(limit)}"
        return [_to_entry(row) for row in self._db.execute(query, tuple(values))]

    def contents(self) -> Iterator[tuple[int, str]]:
        for side in ("before", "after"):
            query = f"""SELECT id, {side} ->> '$.content' FROM journal
                         WHERE kind IN ('memory', 'item') AND {side} LIKE '%"content"%'"""
            for number, content in self._db.execute(query):
                if content is not None:
                    yield int(str(number)), str(content)

    def keeps_content(self, digest: str) -> bool:
        query = "SELECT 1 FROM journal WHERE kind = 'note' AND (before LIKE ?1 OR after LIKE ?1) LIMIT 1"
        return bool(self._db.execute(query, (f"%{digest}%",)).get)

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


def _kinds(kind: str) -> tuple[str, str]:
    return kind, _ALSO.get(kind, kind)


def _to_entry(row: Any) -> Entry:
    entry = Entry(*row)
    return entry._replace(before=from_json(row[6]), after=from_json(row[7]))

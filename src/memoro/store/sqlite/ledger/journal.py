"""The rows of the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from memoro.errors import MemoryNotFound
from memoro.model.journal import Entry, Fields

_ENTRY = "SELECT id, at, operation, actor, kind, item, before, after, undoes, undone_by, agent FROM journal"
_ALSO = {"memory": "item"}  # an item has the number of the memory it is found as


class JournalRows:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(
        self,
        operation: str,
        kind: str,
        item: int | str,
        before: Fields | None,
        after: Fields | None,
        *,
        at: str,
        actor: str,
        agent: str | None = None,
        undoes: int | None = None,
    ) -> int:
        self._db.execute(
            """INSERT INTO journal (at, operation, actor, agent, kind, item, before, after, undoes)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (at, operation, actor, agent, kind, item, _json(before), _json(after), undoes),
        )
        number = self._db.last_insert_rowid()
        if undoes is not None:
            self._db.execute("UPDATE journal SET undone_by = ? WHERE id = ?", (number, undoes))
            # An undo that is undone leaves its change in force, to be undone again.
            self._db.execute(
                "UPDATE journal SET undone_by = NULL WHERE id = (SELECT undoes FROM journal WHERE id = ?)", (undoes,)
            )
        return number

    def get(self, number: int) -> Entry:
        row = self._db.execute(f"{_ENTRY} WHERE id = ?", (number,)).fetchone() if 0 < number < 2**63 else None
        if row is None:
            raise MemoryNotFound(f"There is no change {number}. `memoro log` lists them.")
        return _to_entry(row)

    def all(self, condition: str = "", values: Sequence[Any] = (), limit: int = -1) -> list[Entry]:
        """Changes, newest first."""
        query = f"{_ENTRY} {condition} ORDER BY id DESC LIMIT ?"
        return [_to_entry(row) for row in self._db.execute(query, (*values, limit))]

    def history(self, kind: str, item: int | str) -> list[Entry]:
        """All that one thing went through, oldest first; of a memory also what it went through as an item."""
        if isinstance(item, int) and not 0 < item < 2**63:  # what SQLite cannot hold names nothing
            return []
        if isinstance(item, str) and item.encode("utf-8", "replace").decode() != item:  # nor do halves of characters
            return []
        return self.all("WHERE kind IN (?, ?) AND item = ?", (kind, _ALSO.get(kind, kind), item))[::-1]

    def last(self) -> int:
        return int(self._db.execute("SELECT max(id) FROM journal").get or 0)

    def changed_after(self, entry: int) -> list[int]:
        """Memories of which something that can be found has changed since."""
        query = """SELECT DISTINCT item FROM journal
                    WHERE id > ? AND kind IN ('memory', 'item')
                      AND operation NOT IN ('reinforce', 'demote', 'trust')"""
        return [int(str(item)) for (item,) in self._db.execute(query, (entry,))]

    def experiences_changed_after(self, entry: int) -> list[int]:
        """Experiences of which something that can be found has changed since; being used is nothing of the kind."""
        query = """SELECT DISTINCT item FROM journal
                    WHERE id > ? AND kind = 'experience'
                      AND (operation NOT IN ('use', 'offer', 'trust') OR after LIKE '%"archived_at"%')"""
        return [int(str(item)) for (item,) in self._db.execute(query, (entry,))]

    def experiences(self) -> Iterator[tuple[int, Fields]]:
        """Every experience that an entry repeats whole, since it went, with the number of the entry."""
        query = "SELECT id, before FROM journal WHERE kind = 'experience' AND before IS NOT NULL AND after IS NULL"
        for number, before in self._db.execute(query):
            yield int(str(number)), json.loads(str(before))

    def contents(self) -> Iterator[tuple[int, str]]:
        """Every content that an entry about a memory repeats, with the number of the entry."""
        for side in ("before", "after"):
            query = f"""SELECT id, {side} ->> '$.content' FROM journal
                         WHERE kind IN ('memory', 'item') AND {side} LIKE '%"content"%'"""
            for number, content in self._db.execute(query):
                if content is not None:
                    yield int(str(number)), str(content)

    def blank(self, entry: int) -> None:
        """Leave of one entry only that there was one."""
        self._db.execute("UPDATE journal SET before = NULL, after = NULL WHERE id = ?", (entry,))

    def delete(self, number: int) -> None:
        """Take out an entry of something that did not happen after all."""
        self.unlink(number)
        self._db.execute("DELETE FROM journal WHERE id = ?", (number,))

    def unlink(self, number: int) -> None:
        """What this entry took back is not taken back by it any more."""
        self._db.execute("UPDATE journal SET undone_by = NULL WHERE undone_by = ?", (number,))

    def unsay_one(self, number: int) -> None:
        self._db.execute("UPDATE journal SET before = NULL, after = NULL WHERE id = ?", (number,))

    def unsay(self, kind: str, item: int | str) -> None:
        """Leave of the history of a thing only that there was one."""
        self._db.execute(
            "UPDATE journal SET before = NULL, after = NULL WHERE kind IN (?, ?) AND item = ?",
            (kind, _ALSO.get(kind, kind), item),
        )


def _to_entry(row: Any) -> Entry:
    entry = Entry(*row)
    return entry._replace(before=_fields(row[6]), after=_fields(row[7]))


def _json(fields: Fields | None) -> str | None:
    return None if fields is None else json.dumps(dict(fields), ensure_ascii=False)


def _fields(text: str | None) -> Fields | None:
    if text is None:
        return None
    fields = json.loads(text)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}

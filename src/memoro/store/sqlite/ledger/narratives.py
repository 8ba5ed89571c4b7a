"""The rows of narratives: a chain, and the memories that each of its links rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from memoro.model.memories import Narrative
from memoro.store.encoding import is_number
from memoro.store.missing import no_narrative

_NARRATIVE = """
    SELECT n.id, n.summary, n.created_at, n.source, n.previous, n.session, n.agent, n.project,
           (SELECT min(id) FROM narratives WHERE previous = n.id)
      FROM narratives n"""


class SqliteNarratives:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def get(self, number: int) -> Narrative:
        found = self.find(number)
        if found is None:
            raise no_narrative(number)
        return found

    def find(self, number: int) -> Narrative | None:
        return next(iter(self._newest("WHERE n.id = ?", (number,))), None) if is_number(number) else None

    def all(self) -> list[Narrative]:
        return self._newest()[::-1]

    def latest(self, limit: int, project: str | None = None) -> list[Narrative]:
        return self._newest("WHERE ?1 IS NULL OR n.project = ?1", (project,), limit)

    def last_of_project(self, project: str | None) -> Narrative | None:
        return next(iter(self._newest("WHERE n.project IS ?", (project,), 1)), None)

    def last_of_session(self, session: str) -> Narrative | None:
        return next(iter(self._newest("WHERE n.session = ?", (session,), 1)), None)

    def find_same(self, narrative: Narrative) -> Narrative | None:
        same = (narrative.created_at, narrative.summary, narrative.project)
        found = self._newest("WHERE n.created_at = ? AND n.summary = ? AND n.project IS ?", same, 1)
        return next(iter(found), None)

    def count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM narratives").get)

    def _newest(self, condition: str = "", values: Sequence[Any] = (), limit: int = -1) -> list[Narrative]:
        rows = self._db.execute(f"{_NARRATIVE} {condition} ORDER BY n.id DESC LIMIT ?", (*values, limit)).fetchall()
        return [self._to_narrative(row) for row in rows]

    def _to_narrative(self, row: Any) -> Narrative:
        number, summary, created, source, previous, session, agent, project, following = row
        query = "SELECT memory FROM rests_on WHERE narrative = ? ORDER BY position"
        memories = tuple(int(str(m)) for (m,) in self._db.execute(query, (number,)))
        return Narrative(
            id=number,
            summary=summary,
            created_at=created,
            source=source,
            memories=memories,
            previous=previous,
            next=following,
            session=session,
            agent=agent,
            project=project,
        )

    def insert(self, new: Narrative) -> Narrative:
        values = (new.created_at, new.previous, new.source, new.session, new.agent, new.project, new.summary)
        self._db.execute(
            """INSERT INTO narratives (id, created_at, previous, source, session, agent, project, summary)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (new.id or None, *values),
        )
        number = self._db.last_insert_rowid()
        rows = [(number, position, memory) for position, memory in enumerate(new.memories)]
        self._db.executemany("INSERT INTO rests_on VALUES (?, ?, ?)", rows)
        return new._replace(id=number)

    def delete(self, old: Narrative) -> None:
        self._db.execute("UPDATE narratives SET previous = ? WHERE previous = ?", (old.previous, old.id))
        self._db.execute("DELETE FROM rests_on WHERE narrative = ?", (old.id,))
        self._db.execute("DELETE FROM narratives WHERE id = ?", (old.id,))

    def put_back(self, narrative: Narrative) -> None:
        place = (narrative.id, narrative.project)
        before = self._db.execute("SELECT max(id) FROM narratives WHERE id < ? AND project IS ?", place).get
        after = self._db.execute("SELECT min(id) FROM narratives WHERE id > ? AND project IS ?", place).get
        self.insert(narrative._replace(previous=before))
        self._db.execute("UPDATE narratives SET previous = ? WHERE id = ?", (narrative.id, after))

    def resting_on(self, memory: int) -> list[int]:
        query = "SELECT DISTINCT narrative FROM rests_on WHERE memory = ? ORDER BY narrative"
        return [int(str(n)) for (n,) in self._db.execute(query, (memory,))] if is_number(memory) else []

    def detach(self, memory: int) -> None:
        self._db.execute("DELETE FROM rests_on WHERE memory = ?", (memory,))

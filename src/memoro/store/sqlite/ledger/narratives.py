"""The rows of narratives: a chain, and the memories that each of its links rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from memoro.errors import MemoryNotFound
from memoro.model.answers import Term
from memoro.model.memories import Narrative
from memoro.model.words import searchable
from memoro.store.sqlite.ledger.words import fits

_NARRATIVE = """
    SELECT n.id, n.summary, n.created_at, n.source, n.previous, n.session, n.agent, n.project,
           (SELECT min(id) FROM narratives WHERE previous = n.id)
      FROM narratives n"""


class NarrativeRows:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def get(self, number: int) -> Narrative:
        found = self.all("WHERE n.id = ?", (number,)) if 0 < number < 2**63 else []
        if not found:
            raise MemoryNotFound(f"There is no narrative {number}. `memoro narrative search` shows the latest.")
        return found[0]

    def all(self, condition: str = "", values: Sequence[Any] = (), limit: int = -1) -> list[Narrative]:
        """Narratives, newest first."""
        rows = self._db.execute(f"{_NARRATIVE} {condition} ORDER BY n.id DESC LIMIT ?", (*values, limit)).fetchall()
        return [self._to_narrative(row) for row in rows]

    def _to_narrative(self, row: Any) -> Narrative:
        number, summary, created, source, previous, session, agent, project, following = row
        query = "SELECT memory FROM rests_on WHERE narrative = ? ORDER BY position"
        memories = tuple(int(str(m)) for (m,) in self._db.execute(query, (number,)))
        return Narrative(number, summary, created, source, memories, previous, following, session, agent, project)

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
        self._db.execute(
            "INSERT INTO narrative_words (rowid, summary) VALUES (?, ?)", (number, searchable(new.summary))
        )
        return new._replace(id=number)

    def delete(self, old: Narrative) -> None:
        """Take one out of the chain; the one after it goes on from the one before."""
        self._db.execute("UPDATE narratives SET previous = ? WHERE previous = ?", (old.previous, old.id))
        self._db.execute("DELETE FROM rests_on WHERE narrative = ?", (old.id,))
        self._db.execute("DELETE FROM narrative_words WHERE rowid = ?", (old.id,))
        self._db.execute("DELETE FROM narratives WHERE id = ?", (old.id,))

    def put_back(self, narrative: Narrative) -> None:
        """Insert one that was taken out at its place in the chain, between those that are there now."""
        place = (narrative.id, narrative.project)
        before = self._db.execute("SELECT max(id) FROM narratives WHERE id < ? AND project IS ?", place).get
        after = self._db.execute("SELECT min(id) FROM narratives WHERE id > ? AND project IS ?", place).get
        self.insert(narrative._replace(previous=before))
        self._db.execute("UPDATE narratives SET previous = ? WHERE id = ?", (narrative.id, after))

    def matching(self, words: Sequence[Term]) -> Iterator[tuple[Narrative, float]]:
        """The narratives that hold any of the words, best first, each with how well they fit."""
        for number, fit in fits(self._db, "narrative_words", words):
            yield self.get(number), fit

    def on(self, memory: int) -> list[int]:
        query = "SELECT DISTINCT narrative FROM rests_on WHERE memory = ? ORDER BY narrative"
        return [int(str(n)) for (n,) in self._db.execute(query, (memory,))]

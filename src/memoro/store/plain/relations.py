"""Narratives, links and given memories of a plain ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoro.model.ledger import GivenMemory
from memoro.model.memories import Link, Narrative
from memoro.store.missing import no_narrative
from memoro.store.plain.tables import Tables, insert, number_for


class PlainNarratives:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._rows = tables.narratives

    def get(self, number: int) -> Narrative:
        found = self.find(number)
        if found is None:
            raise no_narrative(number)
        return found

    def find(self, number: int) -> Narrative | None:
        return self._with_next(self._rows[number]) if number in self._rows else None

    def all(self) -> list[Narrative]:
        return [self._with_next(row) for _, row in sorted(self._rows.items())]

    def _with_next(self, row: Narrative) -> Narrative:
        return row._replace(next=min((one.id for one in self._rows.values() if one.previous == row.id), default=None))

    def latest(self, limit: int, project: str | None = None) -> list[Narrative]:
        return [one for one in self.all() if project in (None, one.project)][::-1][:limit]

    def last_of_project(self, project: str | None) -> Narrative | None:
        return next((one for one in reversed(self.all()) if one.project == project), None)

    def last_of_session(self, session: str) -> Narrative | None:
        return next((one for one in reversed(self.all()) if one.session == session), None)

    def find_same(self, narrative: Narrative) -> Narrative | None:
        same = (narrative.created_at, narrative.summary, narrative.project)
        return next((one for one in reversed(self.all()) if (one.created_at, one.summary, one.project) == same), None)

    def resting_on(self, memory: int) -> list[int]:
        return [one.id for one in self.all() if memory in one.memories]

    def count(self) -> int:
        return len(self._rows)

    def insert(self, new: Narrative) -> Narrative:
        kept = new._replace(id=number_for(self._tables, "narratives", new.id))
        insert(self._rows, kept.id, kept)
        return kept

    def put_back(self, narrative: Narrative) -> None:
        chain = sorted(one.id for one in self._rows.values() if one.project == narrative.project)
        before = max((number for number in chain if number < narrative.id), default=None)
        after = min((number for number in chain if number > narrative.id), default=None)
        self.insert(narrative._replace(previous=before))
        if after is not None:
            self._rows[after] = self._rows[after]._replace(previous=narrative.id)

    def delete(self, old: Narrative) -> None:
        for one in list(self._rows.values()):
            if one.previous == old.id:
                self._rows[one.id] = one._replace(previous=old.previous)
        self._rows.pop(old.id, None)

    def detach(self, memory: int) -> None:
        for one in list(self._rows.values()):
            self._rows[one.id] = one._replace(memories=tuple(n for n in one.memories if n != memory))


class PlainLinks:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.links

    def of(self, memory: int) -> list[Link]:
        return [link for link in self.all() if memory in (link.low, link.high)]

    def between(self, one: int, other: int) -> Link | None:
        return self._rows.get((min(one, other), max(one, other)))

    def all(self) -> list[Link]:
        return [link for _, link in sorted(self._rows.items())]

    def count(self) -> int:
        return len(self._rows)

    def put(self, link: Link) -> None:
        if link.strength > 0:
            self._rows[link.low, link.high] = link
        else:
            self._rows.pop((link.low, link.high), None)

    def delete_of(self, memory: int) -> None:
        for link in self.of(memory):
            del self._rows[link.low, link.high]


class PlainGiven:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.given

    def add(self, session: str, memories: Sequence[int], at: str) -> None:
        answer = max((one.answer for one in self.of(session)), default=0) + 1
        for memory in memories:
            self.restore(GivenMemory(session=session, answer=answer, memory=memory, at=at, reinforced=False))

    def restore(self, given: GivenMemory) -> None:
        self._rows[given.session, given.answer, given.memory] = given

    def all(self) -> Iterator[GivenMemory]:
        return (given for _, given in sorted(self._rows.items()))

    def of(self, session: str) -> list[GivenMemory]:
        return [given for given in self.all() if given.session == session]

    def last_session(self, memory: int) -> str | None:
        given = [one for one in self.all() if one.memory == memory]
        return max(given, key=lambda one: (one.at, one.answer)).session if given else None

    def mark_reinforced(self, session: str, memory: int) -> list[int]:
        before, news = self._reinforced_with(session, memory), False
        for one in self.of(session):
            if one.memory == memory and not one.reinforced:
                news = True
                self.restore(one._replace(reinforced=True))
        return sorted(self._reinforced_with(session, memory) - before) if news else []

    def _reinforced_with(self, session: str, memory: int) -> set[int]:
        reinforced = [one for one in self.of(session) if one.reinforced]
        answers = {one.answer for one in reinforced if one.memory == memory}
        return {one.memory for one in reinforced if one.answer in answers} - {memory}

    def delete_of(self, memory: int) -> None:
        for key in [key for key in self._rows if key[2] == memory]:
            del self._rows[key]

"""Memories and experiences of a plain ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoro.model.experiences import Experience
from memoro.model.listing import ExperienceFilter, ListOrder, MemoryFilter
from memoro.model.memories import EXTRACTION, Memory
from memoro.model.vocabulary import ExperienceType
from memoro.store.missing import no_experience, no_memory
from memoro.store.plain.pages import experience_page, memory_page
from memoro.store.plain.tables import Tables, insert, number_for, updated


class PlainMemories:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, number: int) -> Memory:
        if number not in self._tables.memories:
            raise no_memory(number)
        return self._tables.memories[number]

    def find(self, number: int) -> Memory | None:
        return self._tables.memories.get(number)

    def all(self) -> Iterator[Memory]:
        return (memory for _, memory in sorted(self._tables.memories.items()))

    def page(self, wanted: MemoryFilter, order: ListOrder, limit: int) -> list[tuple[Memory, float | str]]:
        return memory_page(self._tables, wanted, order, limit)

    def derived(self) -> Iterator[Memory]:
        return (memory for memory in self.all() if memory.parents)

    def superseded_by(self, number: int) -> list[Memory]:
        return [memory for memory in self.all() if memory.superseded_by == number]

    def unsuperseded(self) -> Iterator[Memory]:
        return (memory for memory in self.all() if memory.superseded_by is None)

    def by_digest(self, digest: bytes) -> list[Memory]:
        return [memory for memory in self.all() if self._tables.memory_digests[memory.id] == digest]

    def origins(self) -> Iterator[tuple[str, int]]:
        return ((memory.origin, memory.id) for memory in self.all() if memory.origin is not None)

    def ended_facts(self, origins: Sequence[str]) -> list[Memory]:
        wanted = set(origins)
        return [one for one in self._ended_facts() if one.origin in wanted]

    def has_ended_facts(self) -> bool:
        return any(True for _ in self._ended_facts())

    def _ended_facts(self) -> Iterator[Memory]:
        return (one for one in self.all() if one.source == EXTRACTION and one.valid_to is not None)

    def count(self) -> int:
        return len(self._tables.memories)

    def count_current(self, at: str) -> int:
        return sum((m.valid_from or "") <= at < (m.valid_to or "~") for m in self.unsuperseded())

    def highest_feedback(self) -> int:
        return max((memory.feedback for memory in self.all()), default=0)

    def begun_or_ended(self, one: str, other: str) -> list[int]:
        low, high = sorted((one, other))
        return [m.id for m in self.all() if any(end and low < end <= high for end in (m.valid_from, m.valid_to))]

    def next_change(self, now: str) -> str | None:
        ends = (end for m in self.all() for end in (m.valid_from, m.valid_to) if end)
        return min((end for end in ends if end > now), default=None)

    def insert(self, memory: Memory, digest: bytes) -> Memory:
        kept = memory._replace(id=number_for(self._tables, "memories", memory.id))
        insert(self._tables.memories, kept.id, kept)
        self._tables.memory_digests[kept.id] = digest
        return kept

    def replace(self, old: Memory, new: Memory, digest: bytes) -> None:
        if row := self.find(old.id):
            self._tables.memories[old.id] = updated(row, old, new)
            self._tables.memory_digests[old.id] = digest

    def delete(self, number: int) -> None:
        self._tables.memories.pop(number, None)
        self._tables.memory_digests.pop(number, None)


class PlainExperiences:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, number: int) -> Experience:
        if number not in self._tables.experiences:
            raise no_experience(number)
        return self._tables.experiences[number]

    def find(self, number: int) -> Experience | None:
        return self._tables.experiences.get(number)

    def all(self) -> Iterator[Experience]:
        return (experience for _, experience in sorted(self._tables.experiences.items()))

    def page(self, wanted: ExperienceFilter, order: ListOrder, limit: int) -> list[tuple[Experience, float | str]]:
        return experience_page(self._tables, wanted, order, limit)

    def live(self, type: ExperienceType | None = None) -> Iterator[Experience]:
        return (one for one in self.all() if one.archived_at is None and type in (None, one.type))

    def archived(self) -> Iterator[Experience]:
        return (one for one in self.all() if one.archived_at is not None)

    def by_digest(self, digest: bytes) -> list[Experience]:
        return [one for one in self.all() if self._tables.experience_digests[one.id] == digest]

    def count(self) -> int:
        return sum(1 for _ in self.live())

    def any_unused(self, since: str, now: str) -> bool:
        unused = any((one.used_at or one.created_at) < since for one in self.live())
        return unused or any((one.archived_at or "") > now for one in self.archived())

    def insert(self, experience: Experience, digest: bytes) -> Experience:
        kept = experience._replace(id=number_for(self._tables, "experiences", experience.id))
        insert(self._tables.experiences, kept.id, kept)
        self._tables.experience_digests[kept.id] = digest
        return kept

    def replace(self, old: Experience, new: Experience) -> None:
        if row := self.find(old.id):
            self._tables.experiences[old.id] = updated(row, old, new)

    def delete(self, number: int) -> None:
        self._tables.experiences.pop(number, None)
        self._tables.experience_digests.pop(number, None)

"""Rows of memories, experiences and narratives, and what connects them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.experiences import Experience
    from memoro.model.items import Item, Namespace
    from memoro.model.ledger import GivenMemory
    from memoro.model.listing import ExperienceFilter, ListOrder, MemoryFilter
    from memoro.model.memories import Link, Memory, Narrative
    from memoro.model.vocabulary import ExperienceType


class MemoryRepository(Protocol):
    def get(self, number: int) -> Memory: ...

    def find(self, number: int) -> Memory | None: ...

    def all(self) -> Iterator[Memory]: ...

    def page(self, wanted: MemoryFilter, order: ListOrder, limit: int) -> list[tuple[Memory, float | str]]:
        """The first memories of a list behind a place, each with the value by which the list is sorted.

        A filter by the state "archived" leaves nothing out: the archive is asked for those.
        """

    def derived(self) -> Iterator[Memory]:
        """Memories that were made from others."""

    def superseded_by(self, number: int) -> list[Memory]: ...

    def unsuperseded(self) -> Iterator[Memory]: ...

    def by_digest(self, digest: bytes) -> list[Memory]: ...

    def origins(self) -> Iterator[tuple[str, int]]:
        """Names that memories had in the stores they came from, each with its number here."""

    def ended_facts(self, origins: Sequence[str]) -> list[Memory]:
        """Return those that were extracted from one of these messages and have an end, which may be to come."""

    def has_ended_facts(self) -> bool:
        """Tells whether there is any such memory, of whatever message."""

    def count(self) -> int: ...

    def count_current(self, at: str) -> int:
        """Counts those that are neither superseded nor out of date."""

    def highest_feedback(self) -> int: ...

    def begun_or_ended(self, one: str, other: str) -> list[int]:
        """Numbers of those that began or ceased to hold between two moments."""

    def next_change(self, now: str) -> str | None:
        """The next moment at which a memory begins or ceases to hold."""

    def insert(self, memory: Memory, digest: bytes) -> Memory:
        """Add a memory under its own number, or, if that is 0, under a number never used before."""

    def replace(self, old: Memory, new: Memory, digest: bytes) -> None:
        """Write the fields of `new` that differ from `old`."""

    def delete(self, number: int) -> None: ...


class ExperienceRepository(Protocol):
    def get(self, number: int) -> Experience: ...

    def find(self, number: int) -> Experience | None: ...

    def all(self) -> Iterator[Experience]: ...

    def page(self, wanted: ExperienceFilter, order: ListOrder, limit: int) -> list[tuple[Experience, float | str]]:
        """The first experiences of a list behind a place, each with the value by which the list is sorted."""

    def live(self, type: ExperienceType | None = None) -> Iterator[Experience]:
        """Experiences that are not archived."""

    def archived(self) -> Iterator[Experience]: ...

    def by_digest(self, digest: bytes) -> list[Experience]: ...

    def count(self) -> int:
        """Counts those that are not archived."""

    def any_unused(self, since: str, now: str) -> bool:
        """True if a live one was last used before `since`, or one was archived at a time after `now`."""

    def insert(self, experience: Experience, digest: bytes) -> Experience:
        """Add one under its own number, or, if that is 0, under a number never used before."""

    def replace(self, old: Experience, new: Experience) -> None:
        """Write the fields of `new` that differ from `old`. Intent and solution never do."""

    def delete(self, number: int) -> None: ...


class NarrativeRepository(Protocol):
    def get(self, number: int) -> Narrative: ...

    def find(self, number: int) -> Narrative | None: ...

    def all(self) -> list[Narrative]: ...

    def latest(self, limit: int, project: str | None = None) -> list[Narrative]:
        """The newest first; of one project, or of all."""

    def last_of_project(self, project: str | None) -> Narrative | None:
        """The end of a project's chain; None stands for those without a project."""

    def last_of_session(self, session: str) -> Narrative | None: ...

    def find_same(self, narrative: Narrative) -> Narrative | None:
        """The one with the same time, summary and project."""

    def resting_on(self, memory: int) -> list[int]:
        """Numbers of the narratives that rest on a memory."""

    def count(self) -> int: ...

    def insert(self, new: Narrative) -> Narrative: ...

    def put_back(self, narrative: Narrative) -> None:
        """Insert one that was deleted at its place in its project's chain, between those that are there now."""

    def delete(self, old: Narrative) -> None:
        """Take one out of the chain; its successor then follows its predecessor."""

    def detach(self, memory: int) -> None:
        """Make every narrative rest on this memory no longer."""


class LinkRepository(Protocol):
    def of(self, memory: int) -> list[Link]: ...

    def between(self, one: int, other: int) -> Link | None: ...

    def all(self) -> list[Link]: ...

    def count(self) -> int: ...

    def put(self, link: Link) -> None:
        """Write a link; one without strength is deleted."""

    def delete_of(self, memory: int) -> None: ...


class GivenRepository(Protocol):
    """Memories that sessions were given, answer by answer."""

    def add(self, session: str, memories: Sequence[int], at: str) -> None:
        """Record one answer."""

    def restore(self, given: GivenMemory) -> None: ...

    def all(self) -> Iterator[GivenMemory]: ...

    def of(self, session: str) -> list[GivenMemory]: ...

    def last_session(self, memory: int) -> str | None:
        """The session that was given a memory last."""

    def mark_reinforced(self, session: str, memory: int) -> list[int]:
        """Note that a session reinforced a memory.

        Returns the other memories of the same answers that it reinforced too, if that makes a new pair.
        """

    def delete_of(self, memory: int) -> None: ...


class ItemRepository(Protocol):
    """Values of frameworks by namespace and key. An item has the number of the memory it is found as."""

    def find(self, number: int) -> Item | None: ...

    def named(self, store: str, namespace: Namespace, key: str) -> Item | None: ...

    def below(self, store: str, prefix: Namespace, now: str, *, by_key: bool = False) -> Iterator[Item]:
        """Items of a namespace and those nested in it that have not expired; the last changed first, or by key."""

    def namespaces(self, store: str, now: str) -> list[Namespace]: ...

    def last_key(self, store: str, namespace: Namespace) -> str | None: ...

    def expired(self, now: str, limit: int) -> list[int]: ...

    def all(self) -> Iterator[Item]: ...

    def put(self, item: Item) -> None: ...

    def keep_until(self, numbers: Sequence[int], ends: Sequence[str]) -> None:
        """Move the ends of items, and of the memories they are found as."""

    def delete(self, number: int) -> None: ...

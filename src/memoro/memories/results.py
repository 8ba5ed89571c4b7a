"""The results of operations on memories."""

from __future__ import annotations

from typing import NamedTuple

from memoro.memories.rank import RankedMemory
from memoro.model.memories import Link, Memory


class ChangedMemory(NamedTuple):
    """A memory after a change, or as it is while the change waits as a proposal."""

    memory: Memory
    proposal: int | None = None
    why: str = ""  # why it is only proposed


class SimilarMemory(NamedTuple):
    """A memory that says much the same as a new one: `supersede` keeps one of the two."""

    memory: Memory
    alike: float


class Stored(NamedTuple):
    memory: Memory
    new: bool  # False: it was known already, word for word
    similar: tuple[SimilarMemory, ...] = ()
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out


class Recollection(NamedTuple):
    query: str
    results: tuple[RankedMemory, ...]
    degraded: tuple[str, ...] = ()
    only_archived: int = 0  # matches in the archive, where there are no others


class MemoryDetails(NamedTuple):
    """One memory with everything that refers to it."""

    memory: Memory
    archived: bool
    links: tuple[Link, ...]
    narratives: tuple[int, ...]
    supersedes: tuple[int, ...]

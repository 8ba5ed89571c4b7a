"""The results of operations on memories."""

from __future__ import annotations

from typing import NamedTuple

from memoro.memories.rank import RankedMemory
from memoro.model.memories import Link, Memory
from memoro.model.vocabulary import LedgerMode, Visibility


class ChangedMemory(NamedTuple):
    """A memory after a change, or as it is while the change waits as a proposal."""

    memory: Memory
    proposal: int | None = None
    why: str = ""  # why it is only proposed


class NearMemory(NamedTuple):
    """A current memory that a new one may replace."""

    memory: Memory
    says_the_same: bool  # in almost the same words: one of the two is enough


class WaitingSupersession(NamedTuple):
    """A memory that the new one would have superseded if it were trusted as far: a proposal waits instead."""

    memory: Memory
    proposal: int


class Stored(NamedTuple):
    memory: Memory
    new: bool  # False: it was known already, word for word
    nearest: tuple[NearMemory, ...] = ()  # at most three
    superseded: tuple[Memory, ...] = ()  # of those that it was to supersede
    waiting: tuple[WaitingSupersession, ...] = ()
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out
    degraded: tuple[str, ...] = ()  # why the nearest may be others, or missing
    visibility: Visibility | None = None  # None: nobody shares the ledger


class Recollection(NamedTuple):
    query: str
    results: tuple[RankedMemory, ...]
    degraded: tuple[str, ...] = ()
    only_archived: int = 0  # matches in the archive, where there are no others
    mode: LedgerMode = "words"  # as the results were found

    def without_explanations(self) -> Recollection:
        return self._replace(results=tuple(one._replace(explanation=None) for one in self.results))


class MemoryDetails(NamedTuple):
    """One memory with everything that refers to it."""

    memory: Memory
    archived: bool
    links: tuple[Link, ...]
    narratives: tuple[int, ...]
    supersedes: tuple[int, ...]
    visibility: Visibility | None = None  # None: nobody shares the ledger

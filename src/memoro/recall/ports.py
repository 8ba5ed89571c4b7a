"""The sources of one recall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from memoro.model.answers import Passage, Where
from memoro.model.home import Runtime
from memoro.model.ratings import MutedWords
from memoro.model.recall import Provenance
from memoro.recall import fence
from memoro.search.retrieve import Admits, Ranking

if TYPE_CHECKING:
    from memoro.model.notes import Hidden
    from memoro.store.ports import Index
    from memoro.vault.files import VaultFiles

T = TypeVar("T")


class SyncedSearch(Protocol):
    """A search in an index that was synced once; `notices` says what was not as it should be."""

    notices: list[str]

    def search(self, query: str, where: Where, limit: int, admits: Admits | None = None) -> Ranking: ...

    def with_ends(self, index: Index, passages: Sequence[Passage]) -> Sequence[Passage]:
        """The passages, with its days where one states only what holds no longer, as the ledger says."""

    def read(self, work: Callable[[Index], T]) -> T: ...


class ProvenanceSource(Protocol):
    def provenances(self, paths: Sequence[str]) -> Mapping[str, Provenance]:
        """Return those of these paths that are memories or experiences, each with how far it is believed."""


class RecallSources(NamedTuple):
    search: SyncedSearch
    items: ProvenanceSource
    runtime: Runtime = Runtime()
    draw: Callable[[], str] = fence.draw  # of a boundary
    vault: Callable[[], VaultFiles] | None = None  # the notes and logs on the disk
    hidden: Callable[[], Hidden] | None = None  # what its owner has forgotten
    muted: Callable[[], MutedWords] = MutedWords  # what its owner does not want to be given unasked

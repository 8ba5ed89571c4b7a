"""Searching while an agent's turn waits: one sync, then answers that come soon."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from memoro.errors import StoreError, VaultError
from memoro.model.answers import Where
from memoro.model.targets import ExperienceId, MemoryId, parse_target
from memoro.model.vocabulary import Mode
from memoro.search import retrieve
from memoro.search.filters import bound_by
from memoro.search.request import SearchRequest
from memoro.search.retrieve import IndexQuery

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.index.indexing import Indexing
    from memoro.model.scope import Scope
    from memoro.search.finder import Finder
    from memoro.search.retrieve import Ranking
    from memoro.store.ports import Index

# How long after its beginning a recall still waits for a vector: an agent's turn waits for it.
RECALL_SECONDS = 0.35

T = TypeVar("T")
Scores = list[tuple[int, float]]  # numbers of memories or experiences, each with its score


class PromptSearch:
    """Syncs when it is made, and searches by that; vectors that are not there in time are done without."""

    def __init__(self, home: HomeContext, indexing: Indexing, finder: Finder) -> None:
        started = time.perf_counter()
        self._indexing, self._finder = indexing, finder
        self._mode: Mode = home.settings.query.mode if home.settings.embedding.enabled else "words"
        self.notices = list(indexing.refresh(embed=True, remote_seconds=RECALL_SECONDS).notices)
        self._deadline = started + RECALL_SECONDS

    def search(self, query: str, where: Where, limit: int) -> Ranking:
        question = IndexQuery(text=query, where=where, limit=limit, mode=self._mode, deadline=self._deadline)
        return self._finder.find(question, lambda _index, found: found)

    def read(self, work: Callable[[Index], T]) -> T:
        return self._indexing.read(work, self.notices)


class LedgerSearch:
    """Finds memories and experiences by words and meaning."""

    def __init__(self, home: HomeContext, indexing: Indexing, finder: Finder) -> None:
        self._home, self._indexing, self._finder = home, indexing, finder

    def memories(self, query: str, limit: int, scope: Scope) -> tuple[Scores, tuple[str, ...]]:
        mode: Mode = "hybrid" if self._home.settings.embedding.enabled else "words"
        where = bound_by(scope, Where(kinds=("memory",)))
        answer = self._finder.search(SearchRequest(query=query, where=where, limit=limit, mode=mode))
        return _numbered([hit.path for hit in answer.results], [hit.score for hit in answer.results]), answer.degraded

    def nearest_memories(self, text: str, limit: int, scope: Scope) -> tuple[Scores, tuple[str, ...]]:
        """The memories nearest to a statement, however weak the match; none where there is no index yet.

        What the ledger holds is brought into the index first. The vault is not looked at: whoever stores a fact
        does not wait for notes.
        """
        started = time.perf_counter()
        if not self._indexing.follow_ledger():
            return [], ()
        mode: Mode = "hybrid" if self._home.settings.embedding.enabled else "words"
        where = bound_by(scope, Where(kinds=("memory",)))
        question = IndexQuery(
            text=text, where=where, limit=limit, mode=mode, deadline=started + RECALL_SECONDS, asks=False
        )
        found = self._finder.find(question, lambda _index, found: found)
        degraded = found.notices if found.mode != mode else ()
        paths = [one.match.passage.path for one in found.ranked]
        return _numbered(paths, [one.score for one in found.ranked]), degraded

    def experiences(self, query: str, limit: int, scope: Scope) -> tuple[Scores | None, tuple[str, ...]]:
        """None where there is no meaning to search by, or nothing to search: the ledger's words find them then."""
        try:
            found = PromptSearch(self._home, self._indexing, self._finder).search(
                query, bound_by(scope, Where(kinds=("experience",))), limit
            )
        except (VaultError, StoreError) as error:
            return None, (f"search: {error}",)
        if found.mode == "words":
            return None, found.notices
        paths = [one.match.passage.path for one in found.ranked]
        return _numbered(paths, retrieve.side_by_side(found.ranked)), found.notices


def _numbered(paths: Sequence[str], scores: Sequence[float]) -> Scores:
    targets = zip(map(parse_target, paths), scores, strict=True)
    return [(target.number, score) for target, score in targets if isinstance(target, MemoryId | ExperienceId)]

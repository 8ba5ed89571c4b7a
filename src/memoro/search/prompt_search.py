"""Searching while an agent's turn waits: one sync, then answers that come soon."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from memoro.model.privacy import message_is_private
from memoro.model.vocabulary import Mode
from memoro.search.retrieve import Admits, IndexQuery

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.index.indexing import Indexing
    from memoro.model.answers import Passage, Where
    from memoro.search.finder import Finder
    from memoro.search.retrieve import Ranking
    from memoro.store.ports import Index

# How long after its beginning a recall still waits for a vector: an agent's turn waits for it.
RECALL_SECONDS = 0.35
FILL_SECONDS = 0.2  # of these for another model to embed what was just written

T = TypeVar("T")


class PromptSearch:
    """Syncs when it is made, and searches by that; vectors that are not there in time are done without."""

    def __init__(self, home: HomeContext, indexing: Indexing, finder: Finder, message: str = "") -> None:
        """`message` is what the searches are for: where it is private, so are they."""
        started = time.perf_counter()
        self._indexing, self._finder = indexing, finder
        self._mode: Mode = home.settings.query.mode if home.settings.embedding.enabled else "words"
        self.notices = list(indexing.refresh(embed=True, remote_seconds=FILL_SECONDS).notices)
        self._deadline = started + RECALL_SECONDS
        self._is_private = message_is_private(message)

    def search(self, query: str, where: Where, limit: int, admits: Admits | None = None) -> Ranking:
        question = IndexQuery(
            text=query,
            where=where,
            limit=limit,
            mode=self._mode,
            deadline=self._deadline,
            is_private=self._is_private,
            admits=admits,
        )
        return self._finder.find(question, lambda _index, found: found)

    def with_ends(self, index: Index, passages: Sequence[Passage]) -> Sequence[Passage]:
        """As `Finder.with_ends`."""
        return self._finder.with_ends(index, passages)

    def read(self, work: Callable[[Index], T]) -> T:
        return self._indexing.read(work, self.notices)

"""Finding memories and experiences by words and meaning, without a look at the vault."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import StoreError, VaultError
from memoro.model.answers import Where
from memoro.model.privacy import is_hidden, item_is_private
from memoro.model.targets import ExperienceId, MemoryId, parse_target
from memoro.model.vocabulary import LedgerMode, Mode
from memoro.search import retrieve
from memoro.search.filters import bound_by
from memoro.search.prompt_search import RECALL_SECONDS, PromptSearch
from memoro.search.relevance import cut
from memoro.search.retrieve import IndexQuery

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.index.indexing import Indexing
    from memoro.model.memories import Memory
    from memoro.model.scope import Scope
    from memoro.search.finder import Finder
    from memoro.search.rank import Ranked
    from memoro.search.standing import Standing

Scores = list[tuple[int, float]]  # numbers of memories or experiences, each with its score

_BEHIND = "index: another process is syncing; these were found by words alone"


class MemoryQuestion(NamedTuple):
    """A question to the memories of a home."""

    text: str
    limit: int
    where: Where
    standing: Standing  # the memories that may be seen, each with its worth
    certain: tuple[int, ...] = ()  # memories that are candidates whatever their words and their meaning
    mode: LedgerMode | None = None  # None: as the settings say


class NearQuestion(NamedTuple):
    """Which memories are nearest to one that was just stored?"""

    stored: Memory
    text: str  # what it is about
    limit: int
    scope: Scope


class FoundMemories(NamedTuple):
    """The relevant memories, best first; None where there is no meaning to search by, and words must do."""

    ranked: tuple[Ranked, ...] | None
    degraded: tuple[str, ...] = ()


class LedgerSearch:
    """Finds memories and experiences by words and meaning."""

    def __init__(self, home: HomeContext, indexing: Indexing, finder: Finder) -> None:
        self._home, self._indexing, self._finder = home, indexing, finder

    def memories(self, asked: MemoryQuestion) -> FoundMemories:
        """Rank as every search does, after the index has seen what was just written.

        The vault is not looked at: whoever asks for memories does not wait for notes.
        """
        if self._mode(asked.mode) == "words":
            return FoundMemories(None)
        try:
            if not self._indexing.follow_ledger(embed=True):
                return FoundMemories(None, (_BEHIND,))
            question = IndexQuery(
                text=asked.text,
                where=asked.where,
                limit=asked.limit,
                mode="hybrid",
                standing=asked.standing,
                certain=tuple(str(MemoryId(number)) for number in asked.certain),
            )
            found = self._finder.find(question, lambda _index, found: found)
        except StoreError as error:
            return FoundMemories(None, (f"index: {error}",))
        if found.mode == "words":
            return FoundMemories(None, found.notices)
        return FoundMemories(cut(found.ranked, found.mode, None).kept, found.notices)

    def nearest_memories(self, asked: NearQuestion) -> tuple[Scores, tuple[str, ...]]:
        """The memories nearest to a statement, however weak the match; none where there is no index yet.

        What the ledger holds is brought into the index first. The vault is not looked at: whoever stores a fact
        does not wait for notes. A private fact is not sent to another machine.
        """
        started = time.perf_counter()
        if not self._indexing.follow_ledger():
            return [], ()
        mode: Mode = "hybrid" if self._home.settings.embedding.enabled else "words"
        stored, patterns = asked.stored, self._home.settings.privacy.private
        question = IndexQuery(
            text=asked.text,
            where=bound_by(asked.scope, Where(kinds=("memory",))),
            limit=asked.limit,
            mode=mode,
            deadline=started + RECALL_SECONDS,
            asks=False,
            is_private=item_is_private(stored.content, stored.tags)
            or is_hidden(str(MemoryId(stored.id)), stored.tags, patterns),
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

    def _mode(self, wanted: LedgerMode | None) -> LedgerMode:
        if not self._home.settings.embedding.enabled:
            return "words"
        return wanted or ("words" if self._home.settings.query.mode == "words" else "hybrid")


def _numbered(paths: Sequence[str], scores: Sequence[float]) -> Scores:
    targets = zip(map(parse_target, paths), scores, strict=True)
    return [(target.number, score) for target, score in targets if isinstance(target, MemoryId | ExperienceId)]

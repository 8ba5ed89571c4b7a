"""Querying memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import QueryError, StoreError
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Owner
from memoro.memories.links import linked
from memoro.memories.options import QueryOptions
from memoro.memories.rank import RankedMemory, limit_sources, memory_of
from memoro.memories.results import Recollection
from memoro.memories.view import SeenMemories, View, WantedMemories, ranked, ranked_archived
from memoro.model.ledger import STALENESS, UNRECORDED
from memoro.model.memories import stamp
from memoro.model.scope import EVERYTHING
from memoro.model.values import require_number
from memoro.model.vocabulary import REACHES, LedgerMode, Reach, parse_choice
from memoro.search.item_words import ItemWords
from memoro.search.ledger_search import FoundMemories, MemoryQuestion, NearQuestion

if TYPE_CHECKING:
    from memoro.ledger.item_index import ItemIndex

MAX_RESULTS = 200
MODES: tuple[LedgerMode, ...] = ("words", "hybrid")
# Of the best by fit × usefulness × recency, out of every match, so many are candidates by words and meaning too: a
# memory that has often helped is not lost among the many that hold the same words.
_CERTAIN = 20
_ENOUGH = 30  # ranked at least: a source that is not trusted has few places, and others follow it


# By words and meaning: numbers with their scores, and what was degraded.
NearMemories = Callable[[NearQuestion], tuple[Sequence[tuple[int, float]], tuple[str, ...]]]


class MemorySearch(NamedTuple):
    """The ways to find memories: by their own words, or as `search` does by words and meaning."""

    items: ItemIndex
    by_meaning: Callable[[MemoryQuestion], FoundMemories]
    nearest: NearMemories  # for a statement; nothing without an index


class MemoryQuerying:
    def __init__(self, access: LedgerAccess, owner: Owner, search: MemorySearch) -> None:
        self._access = access
        self._owner = owner
        self._search = search

    def query(self, query: str, limit: int, options: QueryOptions) -> Recollection:
        if not 1 <= require_number(limit, "number of results") <= MAX_RESULTS:
            raise QueryError(f"The number of results must be from 1 to {MAX_RESULTS}, not {limit}.")
        wanted = options.get("mode")
        mode = parse_choice(wanted, MODES, "mode") if wanted is not None else None
        session = self._access.name(options.get("session"), "session")
        view = self._view(session, options)
        found = self._found(query, limit, view, mode)
        results, degraded = list(found.results), found.degraded
        if options.get("archived"):
            old = self._archived(query, limit, view)
            results = limit_sources(sorted([*results, *old], key=lambda one: -one.score), limit, memory_of)
        if options.get("links"):
            with self._access.ledger.reading() as tx:
                results = [*results, *linked(tx, results, limit, view)]
        if session and results:
            degraded = (*degraded, *self._record(session, results))
        stale = self._access.ledger.staleness()
        degraded = (*degraded, f"{STALENESS}{stale}") if stale else degraded
        archived = 0 if results or options.get("archived") else self._count_archived(query, limit, view)
        return found._replace(results=tuple(results), degraded=degraded, only_archived=archived)

    def _view(self, session: str | None, options: QueryOptions) -> View:
        """The memories that the query may see."""
        as_of, now = options.get("as_of"), self._access.now()
        reach = _reach(options)
        with self._access.ledger.reading() as tx:
            known = tx.sessions.find(session) if session else None
            wanted = WantedMemories(
                tags=frozenset(self._access.tags(options.get("tags", ()))),
                agent=options.get("agent"),
                project=options.get("project"),
            )
            of_session = (known.scope if known else EVERYTHING).beyond(self._owner.scope)
            if reach == "all":
                of_session = of_session._replace(agent=None, project=None)
            scopes = (self._owner.sees(reach), of_session)
            view = View(times.last(as_of, now) if as_of else now, wanted, scopes)
            if as_of:
                view.look_back(tx)
        return view

    def _found(self, query: str, limit: int, view: View, mode: LedgerMode | None) -> Recollection:
        """The best memories by words and meaning; where there is no meaning to search by, by words alone."""
        if mode == "words":
            by_words, notices = self._by_words(query, limit, view)
            return Recollection(query=query, results=tuple(by_words), degraded=notices)
        by_words, notices = self._by_words(query, max(limit, _CERTAIN), view)
        seen = SeenMemories(self._access, view)
        found = self._search.by_meaning(
            MemoryQuestion(
                text=query,
                limit=min(MAX_RESULTS, max(_ENOUGH, 2 * limit)),
                where=view.where(),
                standing=seen,
                certain=tuple(one.memory.id for one in by_words[:_CERTAIN]),
                mode=mode,
            )
        )
        degraded = tuple(dict.fromkeys((*notices, *found.degraded)))
        if found.ranked is None:
            best = limit_sources(by_words, limit, memory_of)
            return Recollection(query=query, results=tuple(best), degraded=degraded)
        results = [seen.ranked(one) for one in found.ranked]
        if seen.rewritten:  # the index knows them by what they say today
            results += [one for one in by_words if one.memory.id in seen.rewritten]
            results.sort(key=lambda one: -one.score)
        best = limit_sources(results, limit, memory_of)
        return Recollection(query=query, results=tuple(best), degraded=degraded, mode="hybrid")

    def _by_words(self, query: str, limit: int, view: View) -> tuple[list[RankedMemory], tuple[str, ...]]:
        def rank(words: ItemWords) -> list[RankedMemory]:
            with self._access.ledger.reading() as tx:
                return ranked(tx, words, query, limit, view)

        notices: list[str] = []
        return self._search.items.read("memory", rank, notices), tuple(notices)

    def _archived(self, query: str, limit: int, view: View) -> list[RankedMemory]:
        with self._access.archive.reading() as archive:
            old = [one._replace(archived=True) for one in ranked_archived(archive, query, limit, view)]
        with self._access.ledger.reading() as tx:  # a move that was broken off leaves a memory in both
            return [one for one in old if tx.memories.find(one.memory.id) is None]

    def _count_archived(self, query: str, limit: int, view: View) -> int:
        try:
            return len(self._archived(query, limit, view))
        except StoreError:  # nobody asked for the archive
            return 0

    def _record(self, session: str, results: Sequence[RankedMemory]) -> tuple[str, ...]:
        """Record what was given to a session. Where that fails the answer says so, and is given all the same."""
        given = [one.memory.id for one in results if not one.archived]
        try:
            with self._access.ledger.writing() as tx:
                tx.given.add(session, given, stamp(self._access.now()))
        except StoreError as error:
            return (f"{UNRECORDED}{error}",)
        return ()


def _reach(options: QueryOptions) -> Reach:
    return parse_choice(options.get("scope", "session"), REACHES, "scope")

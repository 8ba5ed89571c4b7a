"""Querying memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import QueryError, StoreError
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Owner
from memoro.memories.links import linked
from memoro.memories.options import QueryOptions
from memoro.memories.rank import RankedMemory, limit_sources, memory_of, rank_memory
from memoro.memories.results import Recollection
from memoro.memories.view import View, WantedMemories, ranked, ranked_archived
from memoro.model.memories import stamp
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.vocabulary import REACHES, LedgerMode, Reach, parse_choice
from memoro.search.item_words import ItemWords

if TYPE_CHECKING:
    from memoro.ledger.item_index import ItemIndex

MAX_RESULTS = 200
MODES: tuple[LedgerMode, ...] = ("words", "hybrid")


# By words and meaning: numbers with their scores, and what was degraded.
SearchMemories = Callable[[str, int, Scope], tuple[Sequence[tuple[int, float]], tuple[str, ...]]]


class MemorySearch(NamedTuple):
    """The ways to find memories: by their own words, or as `search` does by words and meaning."""

    items: ItemIndex
    by_meaning: SearchMemories
    nearest: SearchMemories  # the same for a statement, without a sync of the vault; nothing without an index


class MemoryQuerying:
    def __init__(self, access: LedgerAccess, owner: Owner, search: MemorySearch) -> None:
        self._access = access
        self._owner = owner
        self._search = search

    def query(self, query: str, limit: int, options: QueryOptions) -> Recollection:
        if not 1 <= limit <= MAX_RESULTS:
            raise QueryError(f"The number of results must be from 1 to {MAX_RESULTS}, not {limit}.")
        mode = parse_choice(options.get("mode", "words"), MODES, "mode")
        session = self._access.name(options.get("session"), "session")
        view = self._view(session, options)
        if mode == "words":
            results, degraded = self._by_words(query, limit, view)
        else:
            results, degraded = self._by_meaning(query, limit, view, self._owner.sees(_reach(options)))
        if options.get("archived"):
            old = self._archived(query, limit, view)
            results = limit_sources(sorted([*results, *old], key=lambda one: -one.score), limit, memory_of)
        if options.get("links"):
            with self._access.ledger.reading() as tx:
                results = [*results, *linked(tx, results, limit, view)]
        if session and results:
            degraded = (*degraded, *self._record(session, results))
        archived = 0 if results or options.get("archived") else self._count_archived(query, limit, view)
        return Recollection(query=query, results=tuple(results), degraded=degraded, only_archived=archived)

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
            view = View(times.last(as_of, now) if as_of else now, wanted, (self._owner.sees(reach), of_session))
            if as_of:
                view.look_back(tx)
        return view

    def _by_meaning(
        self, query: str, limit: int, view: View, scope: Scope
    ) -> tuple[list[RankedMemory], tuple[str, ...]]:
        # Not `limit`: the view leaves some of them out.
        found, degraded = self._search.by_meaning(query, MAX_RESULTS, scope)
        with self._access.ledger.reading() as tx:
            known = [(tx.memories.find(number), score) for number, score in found]
        seen = [(view(memory), score) for memory, score in known if memory]
        results = [rank_memory(m, score, view.now)._replace(score=score) for m, score in seen if m]
        if degraded:  # a memory that changed this moment may be missing
            known_ids = {one.memory.id for one in results}
            more, _ = self._by_words(query, limit, view)
            results += [one for one in more if one.memory.id not in known_ids]
            results.sort(key=lambda one: -one.score)
        return limit_sources(results, limit, memory_of), degraded

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
            return (f"session: this was not recorded. {error}",)
        return ()


def _reach(options: QueryOptions) -> Reach:
    return parse_choice(options.get("scope", "session"), REACHES, "scope")

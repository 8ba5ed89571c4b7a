"""The memories that a query may see, and as of when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger import times
from memoro.memories.rank import RankedMemory, best, rank_memory, worth
from memoro.model.answers import Held, Where
from memoro.model.changes import ItemSnapshot, ItemWritten, MemoryChanged
from memoro.model.journal import JournalEntry, as_it_was
from memoro.model.memories import Memory, held_between, is_current, stamp, usefulness, was_current
from memoro.model.notes import MEMORY
from memoro.model.projects import belongs, name_patterns
from memoro.model.scope import Scope
from memoro.search import query as queries
from memoro.search.item_words import ItemText, ItemWords

if TYPE_CHECKING:
    from memoro.ledger.access import LedgerAccess
    from memoro.ledger.ports import ArchiveTransaction, MemoryTransaction, Transaction
    from memoro.search.rank import Ranked


class WantedMemories(NamedTuple):
    """The filters of a query."""

    tags: frozenset[str]
    agent: str | None
    project: str | None

    def admits(self, memory: Memory) -> bool:
        return (
            self.tags <= set(memory.tags)
            and (self.agent is None or memory.agent in (None, self.agent))
            and (self.project is None or belongs(memory.project, name_patterns(self.project)))
        )


class View:
    """The memories that a query may see, and as of when."""

    def __init__(self, now: datetime, wanted: WantedMemories, scopes: Sequence[Scope] = ()) -> None:
        self.now = now
        self._wanted = wanted
        self._scopes = scopes  # each must admit a memory
        self.versions: Mapping[int, Memory] = {}
        self._holds: Callable[[Memory, datetime], bool] = is_current

    def __call__(self, memory: Memory, held: Held | None = None) -> Memory | None:
        """Return a memory as it is to be seen. With days, also one that held then, and does not hold now."""
        seen = self.versions.get(memory.id, memory)
        wanted = (
            (self._holds(seen, self.now) or (held is not None and self._held(seen, held)))
            and self._wanted.admits(seen)
            and all(scope.admits(seen) for scope in self._scopes)
        )
        return seen if wanted else None

    def _held(self, memory: Memory, days: Held) -> bool:
        if self._holds is was_current:  # the view is of one moment, whatever the question names
            return False
        return held_between(memory, times.beginning(days.first, self.now), times.end(days.last, self.now))

    def of(self, tx: MemoryTransaction) -> Callable[[int], Memory | None]:
        """Return a function that shows the memories of a transaction by their numbers."""

        def see(number: int) -> Memory | None:
            memory = tx.memories.find(number)
            return self(memory) if memory else None

        return see

    def where(self) -> Where:
        """Return a filter that lets pass all that the view shows; it may let pass more."""
        day = self.now.astimezone().date().isoformat()
        projects = [name_patterns(self._wanted.project)] if self._wanted.project else []
        agents = [(self._wanted.agent,)] if self._wanted.agent else []
        return Where(
            kinds=("memory",),
            tags=tuple(sorted(self._wanted.tags)[:1]),
            bound_projects=next(filter(None, [*projects, *(scope.projects for scope in self._scopes)]), ()),
            bound_agents=next(filter(None, [*agents, *(scope.agents for scope in self._scopes)]), ()),
            held=Held(day, day, only=True) if self._holds is was_current else None,
        )

    def look_back(self, tx: Transaction) -> None:
        """See what was current then, and learn what memories said then that say something else now."""
        self._holds = was_current
        since = tx.journal.changed_since(stamp(self.now), "memory")
        present = {number: tx.memories.find(number) for number in map(_changed_memory, since) if number}
        self.versions = {
            number: as_it_was(memory, tx.journal.history("memory", number), stamp(self.now))
            for number, memory in present.items()
            if memory
        }


class SeenMemories:
    """The memories of a view that a search has met, and what each is worth: the `Standing` of a search."""

    def __init__(self, access: LedgerAccess, view: View) -> None:
        self._access, self._view = access, view
        self._memories: dict[str, Memory] = {}
        self.rewritten: set[int] = set()  # these said something else at the time of the view

    def __call__(self, paths: Sequence[str], held: Held | None = None) -> Mapping[str, float]:
        with self._access.ledger.reading() as tx:
            present = {path: tx.memories.find(int(path.removeprefix(MEMORY))) for path in paths}
        for path, memory in present.items():
            seen = self._view(memory, held) if memory else None
            if memory and seen and seen.content != memory.content:
                self.rewritten.add(memory.id)
            elif seen:
                self._memories[path] = seen
        return {path: worth(self._memories[path], self._view.now) for path in paths if path in self._memories}

    def ranked(self, one: Ranked) -> RankedMemory:
        """Return a result of the search, with what decided its place."""
        words = next((part.value for part in one.explanation.parts if part.name == "words"), 0.0)
        memory = rank_memory(self._memories[one.match.passage.path], words, self._view.now)
        return memory._replace(score=one.score, explanation=one.explanation, replaced_by=one.replaced_by)


def _changed_memory(entry: JournalEntry) -> int | None:
    """Returns the number of a memory that said something else before the entry."""
    match entry.change:
        case MemoryChanged(number=number) | ItemWritten(number=number, before=ItemSnapshot()):
            return number
        case _:
            return None


def ranked(tx: Transaction, words: ItemWords, query: str, limit: int, view: View) -> list[RankedMemory]:
    """The best memories by their words, each by what it said at the time of the view."""
    said = {number: ItemText(memory.content, memory.tags) for number, memory in view.versions.items()}
    feedback = [tx.memories.highest_feedback(), *(memory.feedback for memory in view.versions.values())]
    with words.fits(words.terms(query), said) as fits:
        return best(fits, limit, most_useful=_most(feedback), see=view.of(tx), now=view.now)


def ranked_archived(tx: ArchiveTransaction, query: str, limit: int, view: View) -> list[RankedMemory]:
    """The same of the archive, which has a word index of its own."""
    fits = tx.words.fits(queries.parse(query, tx.words.terms).terms)
    return best(fits, limit, most_useful=_most([tx.memories.highest_feedback()]), see=view.of(tx), now=view.now)


def _most(feedback: Sequence[int]) -> float:
    return usefulness(max(feedback), "user_said")

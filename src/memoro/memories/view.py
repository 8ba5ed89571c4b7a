"""The memories that a query may see, and as of when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memoro.memories.rank import RankedMemory, best
from memoro.model.changes import ItemSnapshot, ItemWritten, MemoryChanged
from memoro.model.journal import JournalEntry, as_it_was
from memoro.model.memories import Memory, is_current, stamp, usefulness, was_current
from memoro.model.scope import EVERYTHING, Scope
from memoro.search import query as queries
from memoro.search.item_words import ItemText, ItemWords

if TYPE_CHECKING:
    from memoro.ledger.ports import ArchiveTransaction, MemoryTransaction, Transaction


class View:
    """The memories that a query may see, and as of when."""

    def __init__(
        self, now: datetime, tags: set[str], agent: str | None, project: str | None, scope: Scope = EVERYTHING
    ) -> None:
        self.now = now
        self._scope = scope
        self._tags = tags
        self._agent, self._project = agent, project
        self.versions: Mapping[int, Memory] = {}
        self._holds: Callable[[Memory, datetime], bool] = is_current

    def __call__(self, memory: Memory) -> Memory | None:
        seen = self.versions.get(memory.id, memory)
        wanted = (
            self._holds(seen, self.now)
            and self._tags <= set(seen.tags)
            and (self._agent is None or seen.agent in (None, self._agent))
            and (self._project is None or seen.project in (None, self._project))
            and self._scope.admits(seen)
        )
        return seen if wanted else None

    def of(self, tx: MemoryTransaction) -> Callable[[int], Memory | None]:
        """Return a function that shows the memories of a transaction by their numbers."""

        def see(number: int) -> Memory | None:
            memory = tx.memories.find(number)
            return self(memory) if memory else None

        return see

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

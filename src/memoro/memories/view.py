"""What a query may see of the memories, and as of when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memoro.memories.rank import Recalled, best
from memoro.model import journal
from memoro.model.ledger import MemoryMatch
from memoro.model.memories import Memory, is_current, stamp, usefulness, was_current
from memoro.model.scope import EVERYTHING, Scope
from memoro.search import query as queries
from memoro.search.item_words import ItemFit, ItemText, ItemWords

if TYPE_CHECKING:
    from memoro.ledger.ports import ArchiveTransaction, Transaction


class View:
    """What a query may see, and as of when."""

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

    def look_back(self, tx: Transaction) -> None:
        """See what was current then, and learn what memories said then that say something else now."""
        self._holds = was_current
        since = tx.journal.changed_since(stamp(self.now), "memory")
        changed = {entry.item for entry in since if entry.before and entry.after}
        present = {number: tx.memories.find(number) for number in changed}
        self.versions = {
            number: journal.as_it_was(memory, tx.journal.history("memory", number), stamp(self.now))
            for number, memory in present.items()
            if memory
        }


def ranked(tx: Transaction, words: ItemWords, query: str, limit: int, view: View) -> list[Recalled]:
    """The best memories by their words, each by what it said at the time of the view."""
    said = {number: ItemText(memory.content, memory.tags) for number, memory in view.versions.items()}
    feedback = [tx.memories.highest_feedback(), *(memory.feedback for memory in view.versions.values())]
    with words.fits(words.terms(query), said) as fits:
        return best(_found(tx, fits), limit, most_useful=_most(feedback), view=view, now=view.now)


def ranked_archived(tx: ArchiveTransaction, query: str, limit: int, view: View) -> list[Recalled]:
    """The same of the archive, which has a word index of its own."""
    matches = tx.words.memories(queries.parse(query, tx.words.terms).terms)
    return best(matches, limit, most_useful=_most([tx.memories.highest_feedback()]), view=view, now=view.now)


def _found(tx: Transaction, fits: Iterable[ItemFit]) -> Iterator[MemoryMatch]:
    for one in fits:
        if memory := tx.memories.find(one.number):
            yield MemoryMatch(memory, one.fit, one.most)


def _most(feedback: Sequence[int]) -> float:
    return usefulness(max(feedback), "user_said")

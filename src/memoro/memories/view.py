"""What a query may see of the memories, and as of when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import TYPE_CHECKING

from memoro.memories.rank import Recalled, best
from memoro.model import journal
from memoro.model.ledger import MemoryMatch
from memoro.model.memories import Memory, is_current, stamp, usefulness, was_current
from memoro.model.scope import EVERYTHING, Scope
from memoro.search import query as queries

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


def ranked(tx: ArchiveTransaction, query: str, limit: int, view: View) -> list[Recalled]:
    words = queries.parse(query, tx.words.terms).terms
    matches = tx.words.memories(words)
    if view.versions:
        matches = _with_versions(tx, matches, view, {word.stem for word in words})
    feedback = [tx.memories.highest_feedback(), *(memory.feedback for memory in view.versions.values())]
    most = usefulness(max(feedback), "user_said")
    return best(matches, limit, most_useful=most, view=view, now=view.now)


def _with_versions(
    tx: ArchiveTransaction, matches: Iterable[MemoryMatch], view: View, wanted: set[str]
) -> Iterator[MemoryMatch]:
    """The matches, but those that said something else then by the share of the words that they said then."""
    old = []
    for memory in view.versions.values():
        said = {word.stem for word in queries.parse(memory.content, tx.words.terms).terms}
        if wanted & said:
            old.append(MemoryMatch(memory, len(wanted & said) / len(wanted)))
    rest = (match for match in matches if match.memory.id not in view.versions)
    return merge(sorted(old, key=_by_fit), rest, key=_by_fit)


def _by_fit(match: MemoryMatch) -> float:
    return -match.fit

"""The current facts nearest to a new one, which it may repeat or replace: memories and entries, words first.

A similarity threshold finds duplicates and never contradictions, and one ranking may bury what another finds first.
So each way of looking is an arm, and the arms are interleaved.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.curate.judging.facts import CurrentFact, EntryPlace, NewFact
from memoro.memories.nearest import NearestMemories
from memoro.model.attributes import stated_attributes
from memoro.model.corrections import subject_words
from memoro.model.memories import Memory, dated, stamp
from memoro.model.name_forms import is_first_person
from memoro.model.privacy import is_hidden, item_is_private, line_is_private
from memoro.model.targets import MemoryId
from memoro.notes.loaded_entries import LoadedEntry
from memoro.search.item_words import ItemText, ItemWords, best_fits, count_words

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

NEAREST_FACTS = 10
# Below this cosine of the built-in model, an entry has nothing to do with a fact.
_LEAST_COSINE = 0.3

Embed = Callable[[Sequence[str]], "Vectors"]
Item = TypeVar("Item", bound=Hashable)


class FactsFound(NamedTuple):
    """The current facts nearest to a new one, the nearest first."""

    facts: tuple[CurrentFact, ...]
    degraded: tuple[str, ...] = ()


class NearestFacts(NamedTuple):
    """Looks for current facts among the memories and the entries of the always-loaded files."""

    memories: NearestMemories
    entries: Callable[[], Sequence[LoadedEntry]]
    embed: Embed | None  # of the built-in model, so that nothing leaves this machine; None: words alone
    private: tuple[str, ...] = ()  # what the owner calls private besides

    def find(self, new: NewFact, now: datetime, limit: int = NEAREST_FACTS) -> FactsFound:
        """Return at most `limit` facts that hold now and that the fact's project and agent see.

        Its own memory is none of them. Never raises: what cannot be searched is said in `degraded`.
        """
        arms = self.memories.arms(_as_memory(new, now), now, limit)
        entries, degraded = self._entries()
        by_words = [
            *((self._of_memory(one), fit) for one, fit in arms.by_words),
            *((one, fit) for one, fit in _by_words(new.fact.text, entries, limit)),
        ]
        ranked = [one for one, _ in sorted(by_words, key=lambda pair: -pair[1])]
        chosen = interleaved(
            (
                [*map(self._of_memory, arms.alike), *ranked],
                list(map(self._of_memory, arms.by_search)),
                self._by_meaning(new.fact.text, entries),
                _by_attribute(new.fact.text, entries),
            )
        )
        return FactsFound(tuple(chosen)[:limit], tuple(dict.fromkeys((*arms.degraded, *degraded))))

    def find_entries(self, text: str, limit: int = NEAREST_FACTS) -> FactsFound:
        """Return at most `limit` entries of the always-loaded files, the nearest first. Never raises."""
        entries, degraded = self._entries()
        by_words = [one for one, _ in _by_words(text, entries, limit)]
        arms = (by_words, self._by_meaning(text, entries), _by_attribute(text, entries))
        return FactsFound(tuple(interleaved(arms))[:limit], degraded)

    def holds(self, fact: CurrentFact, now: datetime) -> bool:
        """Return whether a fact still holds as it was found: in the same words, and of the same trust."""
        match fact.place:
            case MemoryId(number=number):
                memory = self.memories.current(number, now)
                return memory is not None and self._of_memory(memory) == fact
            case EntryPlace(id=own, path=path):
                found, _ = self._entries()
                places = [one for one in found if isinstance(one.place, EntryPlace) and one.place[:2] == (own, path)]
                return [one.text for one in places] == [fact.text]

    def _entries(self) -> tuple[list[CurrentFact], tuple[str, ...]]:
        try:
            return [self._of_entry(one) for one in self.entries()], ()
        except Exception as error:  # whatever is wrong with a file, the memories can still be compared
            return [], (f"entries: {str(error) or type(error).__name__}",)

    def _by_meaning(self, text: str, entries: Sequence[CurrentFact]) -> list[CurrentFact]:
        if self.embed is None or not entries:
            return []
        rows = self.embed([text, *(one.text for one in entries)])
        near = (rows[1:] @ rows[0]).tolist()
        order = sorted(range(len(entries)), key=lambda i: -near[i])
        return [entries[i] for i in order if near[i] >= _LEAST_COSINE]

    def _of_memory(self, memory: Memory) -> CurrentFact:
        place = MemoryId(memory.id)
        return CurrentFact(
            place=place,
            text=memory.content,
            trust=memory.trust,
            day=dated(memory)[:10],
            agent=memory.agent,
            project=memory.project,
            is_private=item_is_private(memory.content, memory.tags)
            or is_hidden(str(place), memory.tags, self.private),
        )

    def _of_entry(self, entry: LoadedEntry) -> CurrentFact:
        is_private = line_is_private(entry.text) or is_hidden(entry.path, (), self.private)
        return CurrentFact(
            place=EntryPlace(entry.address, entry.path, entry.line), text=entry.text, is_private=is_private
        )


def interleaved(arms: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """Return every item once: the first of each arm, then the second of each, and so on."""
    seen = set[Item]()
    for place in range(max(map(len, arms), default=0)):
        for arm in arms:
            if place < len(arm) and arm[place] not in seen:
                seen.add(arm[place])
                yield arm[place]


def _by_attribute(text: str, entries: Sequence[CurrentFact]) -> list[CurrentFact]:
    """The entries that state an attribute which the text states; those first that speak of "me" as the text does.

    "I moved to Linz" shares no word with "I live in Graz", and the built-in model does not know every town.
    """
    stated, is_own = stated_attributes(text), is_first_person(text)
    found = [one for one in entries if stated & stated_attributes(one.text)] if stated else []
    return sorted(found, key=lambda one: is_first_person(one.text) != is_own)


def _by_words(text: str, entries: Sequence[CurrentFact], limit: int) -> list[tuple[CurrentFact, float]]:
    """The entries whose words fit best, as memories are ranked; the index need not know them."""
    from memoro.store.plain.index import PlainIndex

    index = PlainIndex()
    words = ItemWords(
        index, "memory", {number: count_words(index, ItemText(one.text)) for number, one in enumerate(entries)}
    )
    with words.fits(words.terms(subject_words(text))) as fits:
        return [(entries[one.number], one.fit) for one in best_fits(fits, limit)]


def _as_memory(new: NewFact, now: datetime) -> Memory:
    """The fact as the memory that it is, or would be."""
    return Memory(
        id=new.memory or 0,
        content=new.fact.text,
        source="extraction",
        trust=new.trust,
        created_at=stamp(now),
        agent=new.agent,
        project=new.project,
    )

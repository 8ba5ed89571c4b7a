"""The current memories nearest to a new one: it may say the same as one of them, or replace it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger.access import LedgerAccess, Owner
from memoro.memories.querying import MemorySearch
from memoro.memories.results import NearMemory
from memoro.model.attributes import stated_attributes
from memoro.model.corrections import is_correction, subject_words
from memoro.model.ledger import ItemFit
from memoro.model.memories import Memory, is_current
from memoro.model.scope import Scope
from memoro.search.item_words import ItemWords, best_fits
from memoro.search.ledger_search import NearQuestion
from memoro.search.relevance import ENOUGH

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

NEAREST = 3  # few enough to read; the search has what a new fact replaces among its first three mostly
_MORE = 5  # looked up besides: the new memory itself, and some that are not current or not visible
_ALIKE = 0.7  # two memories that share this much of their words say the same, or one corrects the other
_LOOK_FOR_ALIKE = 8  # of those that hold the words such a memory must hold, the ones that fit best
_MOST_CHARACTERS = 1000  # of a new memory that are searched for: the fact comes first
NearScores = Sequence[tuple[int, float]]  # numbers of memories, each with its score
_NUMBER = re.compile(r"\d+(?:[.:,/-]\d+)*")
_LETTER = re.compile(r"(?<=\w )[A-Z]\b")  # tells "Plan A" from "Plan B"


class Found(NamedTuple):
    nearest: tuple[NearMemory, ...]
    degraded: tuple[str, ...] = ()


class MemoryArms(NamedTuple):
    """Current memories near to a statement, by each way of looking for them; the nearest first."""

    alike: tuple[Memory, ...] = ()  # that share most of their words with it
    by_words: tuple[tuple[Memory, float], ...] = ()  # each with how well its words fit, 0–1
    by_search: tuple[Memory, ...] = ()  # by words and meaning, as every search orders them
    degraded: tuple[str, ...] = ()


class _Wanted(NamedTuple):
    """The memories that may be named: current, visible, and not the new one."""

    stored: Memory
    scope: Scope
    now: datetime
    is_shared: bool = False  # then a private memory is not named: what others read cannot replace it

    def of(self, tx: Transaction) -> Callable[[int], bool]:
        def admits(number: int) -> bool:
            memory = tx.memories.find(number) if number != self.stored.id else None
            if self.is_shared and tx.visibility.of("memory", number) == "private":
                return False
            return (
                memory is not None and is_current(memory, self.now) and self.scope.owns(memory.agent, memory.project)
            )

        return admits


class NearestMemories:
    def __init__(self, access: LedgerAccess, owner: Owner, search: MemorySearch) -> None:
        self._access = access
        self._owner = owner
        self._search = search

    def find(self, stored: Memory, now: datetime) -> Found:
        """Return what is nearest to a memory that was just stored; memories with almost the same words come first.

        A memory that shares no word and no attribute with it, and that a search would not call relevant, is not
        named: by meaning, something is always the nearest. Never raises: the memory is stored, whatever becomes of
        the search.
        """
        wanted, notices = self._wanted(stored, now), list[str]()
        asked = subject_words(stored.content[:_MOST_CHARACTERS])
        alike, near = dict[int, bool](), list[int]()
        found = list[NearMemory]()
        with _noticed(notices), self._access.ledger.reading() as tx:
            wanted = wanted._replace(is_shared=tx.visibility.of("memory", stored.id) == "shared")
        with _noticed(notices):
            alike = self._alike(wanted)
        with _noticed(notices):
            near = self._about_the_same(wanted, self._by_search(asked, wanted, notices, NEAREST))
        with _noticed(notices):
            by_words = [] if near else self._fits(asked, wanted, NEAREST)
            found = self._shown(wanted, alike, near or [one.number for one in by_words])
        return Found(tuple(found), tuple(dict.fromkeys(notices)))

    def arms(self, stated: Memory, now: datetime, limit: int) -> MemoryArms:
        """Return what each way of looking finds, for a statement that need not be stored (then its number is 0).

        A caller that must not miss what one way ranks low takes some of each. Never raises.
        """
        notices = list[str]()
        wanted = self._wanted(stated, now)
        asked = subject_words(stated.content[:_MOST_CHARACTERS])
        alike, near = dict[int, bool](), list[int]()
        fits = list[ItemFit]()
        found = dict[int, Memory]()
        with _noticed(notices):
            alike = self._alike(wanted)
        with _noticed(notices):
            fits = self._fits(asked, wanted, limit)
        with _noticed(notices):
            near = [number for number, _ in self._by_search(asked, wanted, notices, limit)]
        with _noticed(notices), self._access.ledger.reading() as tx:
            admitted = filter(wanted.of(tx), dict.fromkeys((*alike, *(one.number for one in fits), *near)))
            found = {number: tx.memories.get(number) for number in admitted}
        return MemoryArms(
            alike=tuple(found[number] for number in alike if number in found),
            by_words=tuple((found[one.number], one.fit) for one in fits if one.number in found),
            by_search=tuple(found[number] for number in near if number in found),
            degraded=tuple(dict.fromkeys(notices)),
        )

    def current(self, number: int, now: datetime) -> Memory | None:
        """Return a memory that holds now and is visible; None where there is none."""
        with self._access.ledger.reading() as tx:
            memory = tx.memories.find(number)
        is_seen = memory is not None and self._owner.scope.owns(memory.agent, memory.project)
        return memory if memory is not None and is_seen and is_current(memory, now) else None

    def _wanted(self, stated: Memory, now: datetime) -> _Wanted:
        """A project's fact replaces none of another project."""
        scope = self._owner.scope
        return _Wanted(stated, scope if scope.project else scope._replace(project=stated.project), now)

    def _alike(self, wanted: _Wanted) -> dict[int, bool]:
        """Memories that share most of their words with the new one, the most alike first.

        False: each of the two has words that the other lacks, so they may name different things.
        """

        def alike(words: ItemWords) -> list[tuple[float, int, bool]]:
            terms = words.terms(wanted.stored.content)
            own = {term.stem for term in terms}
            with self._access.ledger.reading() as tx, words.fits(words.telling(terms, _ALIKE)) as fits:
                numbers = [one.number for one in best_fits(fits, _LOOK_FOR_ALIKE, wanted.of(tx))]
                said = {number: words.stems(tx.memories.get(number).content) for number in numbers}
            return [
                (len(own & other) / max(1, len(own | other)), number, own <= other or other <= own)
                for number, other in said.items()
            ]

        found = self._search.items.read("memory", alike, writes=False)
        return {number: is_same for share, number, is_same in sorted(found, reverse=True) if share >= _ALIKE}

    def _about_the_same(self, wanted: _Wanted, near: NearScores) -> list[int]:
        """Keep what shares a word with the new memory or states the same, or what a search would call relevant."""

        def sharing(words: ItemWords) -> set[int]:
            own, told = words.stems(wanted.stored.content), stated_attributes(wanted.stored.content)
            with self._access.ledger.reading() as tx:
                texts = {number: memory.content for number, _ in near if (memory := tx.memories.find(number))}
            return {one for one, text in texts.items() if own & words.stems(text) or told & stated_attributes(text)}

        shared = self._search.items.read("memory", sharing, writes=False) if near else set()
        return [number for number, score in near if score >= ENOUGH or number in shared]

    def _by_search(self, asked: str, wanted: _Wanted, notices: list[str], limit: int) -> NearScores:
        """The memories that the search by words and meaning finds; none where there is no index to search yet."""
        found, degraded = self._search.nearest(
            NearQuestion(stored=wanted.stored, text=asked, limit=limit + _MORE, scope=wanted.scope)
        )
        notices += degraded
        return found

    def _fits(self, asked: str, wanted: _Wanted, limit: int) -> list[ItemFit]:
        def best(words: ItemWords) -> list[ItemFit]:
            with self._access.ledger.reading() as tx, words.fits(words.terms(asked)) as fits:
                return best_fits(fits, limit, wanted.of(tx))

        return self._search.items.read("memory", best, writes=False)

    def _shown(self, wanted: _Wanted, alike: Mapping[int, bool], near: Sequence[int]) -> list[NearMemory]:
        with self._access.ledger.reading() as tx:
            admitted = filter(wanted.of(tx), dict.fromkeys((*alike, *near)))
            memories = [tx.memories.get(number) for number in admitted][:NEAREST]
        new = wanted.stored.content
        return [NearMemory(one, alike.get(one.id, False) and not _contradicts(new, one.content)) for one in memories]


def _contradicts(new: str, old: str) -> bool:
    """Return whether texts with almost the same words may say different things: one corrects, or a value differs."""
    is_value_changed = any(set(kind.findall(new)) != set(kind.findall(old)) for kind in (_NUMBER, _LETTER))
    return is_value_changed or is_correction(new) != is_correction(old)


@contextmanager
def _noticed(notices: list[str]) -> Iterator[None]:
    """Turn any error into a notice: embedders are anybody's code, and a failure must not look like a lost write."""
    try:
        yield
    except Exception as error:
        notices.append(f"nearest: {str(error) or type(error).__name__}")

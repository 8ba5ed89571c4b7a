"""Reading memories: one with everything around it, lists, and histories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial

from memoro.errors import MemoryNotFound, QueryError
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess
from memoro.ledger.change_texts import fill_text
from memoro.ledger.history import memory_not_found
from memoro.ledger.listing import MemoryPage, read_page
from memoro.memories.links import Neighbourhood, neighbourhood
from memoro.memories.results import MemoryDetails
from memoro.model.answers import Held
from memoro.model.changes import removed_memory
from memoro.model.journal import JournalEntry, with_first_words
from memoro.model.listing import ListOrder, MemoryFilter
from memoro.model.memories import Memory, entry_of_memory, faded, held_between, is_current, strength, was_current
from memoro.model.targets import ExperienceId, MemoryId, PassageId, parse_target
from memoro.model.values import require_number

LoadedIds = Callable[[], Collection[str]]  # the ids of the entries of always-loaded files, as they are now


class MemoryReading:
    def __init__(self, access: LedgerAccess) -> None:
        self._access = access

    def show(self, number: int) -> MemoryDetails:
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            present = tx.memories.find(number)
            memory = present or self._archived(number)
            if memory is None:
                raise memory_not_found(tx, number)
            return MemoryDetails(
                memory=memory,
                archived=present is None,
                links=tuple(link._replace(strength=faded(link, now)) for link in tx.links.of(number)),
                narratives=tuple(tx.narratives.resting_on(number)),
                supersedes=tuple(memory.id for memory in tx.memories.superseded_by(number)),
                visibility=tx.visibility.of("memory", number),
            )

    def current(self, source: str | None, session: str | None, tag: str | None) -> list[Memory]:
        """Current memories, by their numbers."""
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            return [
                memory
                for memory in tx.memories.all()
                if is_current(memory, now)
                and source in (None, memory.source)
                and session in (None, memory.session)
                and (tag is None or tag in memory.tags)
            ]

    def page(
        self, wanted: MemoryFilter, order: ListOrder, limit: int, admits: Callable[[Memory], bool]
    ) -> MemoryPage:
        """Memories of a list. Those that are archived come from the archive, which knows of no sessions."""
        if wanted.state == "archived":
            if order.sort in ("used", "uses"):
                raise QueryError(
                    "Archived memories are given to nobody: sort them by newest, oldest, score, feedback."
                )
            with self._access.archive.reading() as archive:
                return MemoryPage(*read_page(partial(archive.memories.page, wanted), order, limit, admits))
        with self._access.ledger.reading() as tx:
            return MemoryPage(*read_page(partial(tx.memories.page, wanted), order, limit, admits))

    def standing(
        self, numbers: Sequence[int], held: Held | None = None, loaded: LoadedIds = lambda: ()
    ) -> dict[int, float]:
        """The strengths of those of these memories that are current; with days, also of those that held then.

        With `held.only`, they are those that were known and held at the end of the last of these days. A memory that
        points to an entry of an always-loaded file is left out as long as the entry stands there: `loaded`.
        """
        now = self._access.now()
        stands = _stands(held, now)
        with self._access.ledger.reading() as tx:
            found = [tx.memories.find(number) for number in numbers]
        present = [memory for memory in found if memory and stands(memory)]
        if any(map(entry_of_memory, present)):
            ids = loaded()
            present = [memory for memory in present if entry_of_memory(memory) not in ids]
        return {memory.id: strength(memory, now) for memory in present}

    def history(self, number: int) -> list[JournalEntry]:
        with self._access.ledger.reading() as tx:
            entries = tx.journal.history("memory", number)
            now = tx.memories.find(number)
        if not entries:
            raise MemoryNotFound(f"There never was a memory [id:{number}]. `memoro memory list` lists all.")
        filled = with_first_words(entries, now or self._archived(number))
        with self._access.ledger.reading() as tx:
            return [fill_text(tx, entry) for entry in filled]

    def _archived(self, number: int) -> Memory | None:
        """Read the archive only for what the ledger does not hold: a damaged archive hides nothing else."""
        with self._access.archive.reading() as archive:
            return archive.memories.find(number)

    def links(self, number: int, depth: int, admits: Callable[[Memory], bool]) -> Neighbourhood:
        with self._access.ledger.reading() as tx:
            return neighbourhood(tx, tx.memories.get(number), depth, self._access.now(), admits)

    def present_or_removed(self, number: int) -> Memory | None:
        """A memory of the ledger or the archive, or as it was when it was removed; None where nothing tells."""
        try:
            return self.present_or_last(number)
        except MemoryNotFound:
            return None

    def present_or_last(self, number: int) -> Memory:
        """A memory after a write that was done before: it may be archived or removed by now."""
        try:
            return self.show(number).memory
        except MemoryNotFound:
            return self.last_removed(number)

    def last_removed(self, number: int) -> Memory:
        with self._access.ledger.reading() as tx:
            history = tx.journal.history("memory", number)
        removed = [entry for entry in history if entry.operation == "remove"]
        found = removed_memory(removed[-1].change) if removed else None
        if found is None:
            raise MemoryNotFound(f"There is no memory [id:{number}] any more.")
        return found


def _stands(held: Held | None, now: datetime) -> Callable[[Memory], bool]:
    if held is None:
        return lambda memory: is_current(memory, now)
    if held.only:
        at = times.last(held.last, now)
        return lambda memory: was_current(memory, at)
    first, last = times.beginning(held.first, now), times.end(held.last, now)
    return lambda memory: is_current(memory, now) or held_between(memory, first, last)


def number_of_memory(named: int | str, what: str = "number") -> int:
    """The number of a memory, given itself or as `memory:N`."""
    found = parse_target(named) if isinstance(named, str) else None
    return found.number if isinstance(found, MemoryId) else require_number(named, what)


def number_to_rate(named: int | str) -> int:
    """The number of a memory that somebody reinforces or demotes. The error for another item names what rates it."""
    try:
        return number_of_memory(named)
    except QueryError as error:
        if isinstance(named, str) and isinstance(parse_target(named), ExperienceId | PassageId):
            raise QueryError(f"{error} `memoro given good ID` and `memoro given wrong ID` rate any item.") from None
        raise

"""The operations on memories: store, query, reinforce, demote, update, supersede, remove, and their history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Unpack

from memoro.errors import MemoryNotFound
from memoro.ledger.access import LedgerAccess, Once, Owner, Tags
from memoro.ledger.archive import Archiving, LedgerStats
from memoro.ledger.forget import ForgetChoice, Forgetting, ForgottenMemories
from memoro.ledger.listing import MemoryPage, list_order
from memoro.ledger.visibility import RowVisibility, ShownVisibility
from memoro.memories.adding import MemoryAdding
from memoro.memories.editing import MemoryEdit, MemoryEditing
from memoro.memories.links import Neighbourhood
from memoro.memories.options import ForgetOptions, QueryOptions, StoreOptions, SupersedeOptions, UpdateOptions
from memoro.memories.querying import MemoryQuerying, MemorySearch
from memoro.memories.reading import LoadedIds, MemoryReading, number_of_memory, number_to_rate
from memoro.memories.results import MemoryDetails, Recollection, Stored
from memoro.model.answers import Held
from memoro.model.journal import JournalEntry
from memoro.model.listing import MEMORY_SORTS, MEMORY_STATES, MemoryFilter, MemorySort
from memoro.model.memories import ENTRY, Memory, PrunePlan
from memoro.model.results import ChangeResult
from memoro.model.scope import EVERYTHING
from memoro.model.values import require_text
from memoro.model.vocabulary import REACHES, TRUSTS, VISIBILITIES, Reach, Trust, Visibility, parse_choice


class Weights(NamedTuple):
    """The changes of a memory's feedback by one reinforcement and one demotion."""

    reinforce: int = 3
    demote: int = 1


class Memories:
    """`m.memories`. Every write takes a `key`: repeated with the same key it is done once.

    A memory is named by its number, or by its id in an answer (`memory:N`).
    """

    def __init__(self, upkeep: MemoryUpkeep, weights: Weights, owner: Owner, search: MemorySearch) -> None:
        self._access = upkeep.access
        self._archiving = upkeep.archiving
        self._forgetting = upkeep.forgetting
        self._weights = weights
        self._owner = owner
        self._reading = MemoryReading(upkeep.access)
        self._adding = MemoryAdding(upkeep.access, owner, search, upkeep.private)
        self._editing = MemoryEditing(upkeep.access, owner, self._reading)
        self._querying = MemoryQuerying(upkeep.access, owner, search)
        self._visibility = RowVisibility(upkeep.access, owner)

    def store(self, content: str, tags: Tags = (), **options: Unpack[StoreOptions]) -> Stored:
        """Store one memory, without secrets.

        A fact that is known already, word for word, is not kept twice. The result names up to three near current
        memories. `supersedes` names those that it replaces: stored and superseded in one transaction.
        From these it takes project, agent and tags, where it names none; in place of a private one it is private.
        """
        return self._adding.store(content, tags, options)

    def query(self, query: str, limit: int = 5, **options: Unpack[QueryOptions]) -> Recollection:
        """Find the memories that answer best, by words and meaning, usefulness and recency.

        With a `session`, the ledger records which memories the session was given.
        """
        return self._querying.query(require_text(query, "query"), limit, options)

    def reinforce(
        self, number: int | str, *, session: str | None = None, source: str = "agent", key: str | None = None
    ) -> Memory:
        """Raise the feedback of a memory that helped, restart its recency, and link it with others that helped.

        Without a session, the one that was given it last counts.
        """
        edit = MemoryEdit(
            operation="reinforce", number=number_to_rate(number), source=source, key=key, session=session
        )
        return self._editing.reinforce(edit, self._weights.reinforce)

    def demote(
        self, number: int | str, *, session: str | None = None, source: str = "agent", key: str | None = None
    ) -> Memory:
        """Lower the feedback of a memory that was wrong, outdated or irrelevant. Its recency stays."""
        edit = MemoryEdit(operation="demote", number=number_to_rate(number), source=source, key=key, session=session)
        return self._editing.demote(edit, self._weights.demote)

    def update(
        self,
        number: int | str,
        content: str | None = None,
        tags: Tags | None = None,
        **options: Unpack[UpdateOptions],
    ) -> Memory:
        """Change text, tags or validity; the history keeps the old ones. Feedback stays, recency restarts.

        Of a memory that a person has confirmed, only a person (`source="user"`) changes anything. The change of
        another waits as a proposal, and `ChangeProposed` names it.
        """
        return self._editing.update(number_of_memory(number), content, tags, options)

    def supersede(self, old: int | str, new: int | str, **options: Unpack[SupersedeOptions]) -> Memory:
        """Replace the older memory by the newer one. The older one stays in the ledger, as superseded.

        If the newer one is trusted less, only a person does this at once; else it waits as a proposal, and
        `ChangeProposed` names it.
        """
        newer = number_of_memory(new)
        edit = MemoryEdit(
            operation="supersede",
            number=number_of_memory(old),
            source=options.get("source", "agent"),
            key=options.get("key"),
            session=options.get("session"),
            request=(newer,),
            was=options.get("was"),
        )
        return self._editing.supersede(edit, newer)

    def promote(self, number: int | str, entry: str, *, source: str = "user", key: str | None = None) -> Memory:
        """Let a memory point to the entry of an always-loaded file that says the same, by the entry's id.

        As long as the entry stands there, the memory is not given beside it.
        """
        edit = MemoryEdit(
            operation="promote", number=number_of_memory(number), source=source, key=key, request=(entry,)
        )
        return self._editing.promote(edit, f"{ENTRY}{entry}")

    def trust(self, number: int | str, level: Trust, *, key: str | None = None) -> Memory:
        """Set the trust level of a memory, as a person. Nothing else raises its trust."""
        level = parse_choice(level, TRUSTS[::-1], "trust")
        edit = MemoryEdit(
            operation="trust", number=number_of_memory(number), source="user", key=key, request=(level,)
        )
        return self._editing.trust(edit, lambda memory, _now: memory._replace(trust=level))

    def visibility(
        self, number: int | str, visibility: Visibility | None = None, *, source: str = "user"
    ) -> ShownVisibility:
        """Return who sees a memory of a shared ledger; given a visibility, set it. Only its author makes it private.

        Other nodes lose a memory that is made private, with its journal and links, when they next look.
        """
        found = number_of_memory(number)
        if visibility is None:
            return self._visibility.show("memory", found)
        return self._visibility.change("memory", found, parse_choice(visibility, VISIBILITIES, "visibility"), source)

    def visibilities(self, numbers: Sequence[int]) -> dict[int, Visibility] | None:
        """Return who sees each of these memories; None where nobody shares the ledger."""
        if self._access.ledger.person is None:
            return None
        with self._access.ledger.reading() as tx:
            return {number: tx.visibility.of("memory", number) or "shared" for number in numbers}

    def remove(self, number: int | str, *, source: str = "agent", key: str | None = None) -> Memory:
        """Remove a memory; `undo` restores all of it. Only a person removes a confirmed one."""
        return self._editing.remove(number_of_memory(number), source, key)

    def archive(self, number: int | str, *, source: str = "user", key: str | None = None) -> Memory:
        """Move a memory to the archive: `query(archived=True)` finds it, `unarchive` restores it."""
        found = number_of_memory(number)
        return self._move("archive", found, key, lambda: self._archiving.archive(found, source=source))

    def unarchive(self, number: int | str, *, source: str = "user", key: str | None = None) -> Memory:
        found = number_of_memory(number)
        return self._move("unarchive", found, key, lambda: self._archiving.unarchive(found, source=source))

    def _move(self, operation: str, number: int, key: str | None, move: Callable[[], Memory]) -> Memory:
        """With a key, a move that was made before, or half made, is completed and is no error."""
        if key is None:
            return move()
        self._access.once(Once(key, (operation, number), ChangeResult), lambda _tx: ChangeResult(number))
        try:
            return move()
        except MemoryNotFound:
            return self._reading.present_or_last(number)

    def prune(self, *, dry_run: bool = False) -> PrunePlan:
        """Move the weakest memories to the archive while they exceed `memory.max_size`."""
        return self._access.with_room(lambda: self._archiving.prune(dry_run=dry_run))

    def forget(
        self, numbers: int | str | Sequence[int | str] = (), **options: Unpack[ForgetOptions]
    ) -> ForgottenMemories:
        """Erase memories for good: by number, by query, or all of a source or session in a time.

        This cannot be undone, and so needs `yes`. `dry_run` returns what would be deleted. The narratives and the
        lines of notes that agents made from one of them go with it, unless `only`.
        """
        named = numbers if isinstance(numbers, Sequence) and not isinstance(numbers, str) else [numbers]
        listed = [number_of_memory(one) for one in named]
        choice = ForgetChoice(
            yes=options.get("yes", False), dry_run=options.get("dry_run", False), only=options.get("only", False)
        )
        if choice.does:
            self._forgetting.finish()
        if (query := options.get("query")) is not None:
            found = self.query(query, options.get("limit", 5), archived=True, mode="words")
            listed += [one.memory.id for one in found.results]
            if not listed:
                return ForgottenMemories((), False)
        chosen = self._forgetting.chosen(
            listed,
            source=options.get("source"),
            session=options.get("session"),
            since=options.get("since"),
            until=options.get("until"),
        )
        return self._forgetting.forget(chosen, choice)

    def stats(self) -> LedgerStats:
        """Return the counts and the size of the ledger."""
        return self._archiving.stats()

    def get(self, number: int | str, *, scope: Reach = "session") -> Memory:
        return self.show(number, scope=scope).memory

    def show(self, number: int | str, *, scope: Reach = "session") -> MemoryDetails:
        """A memory, in the ledger or the archive, with its links and the narratives that rest on it."""
        shown = self._reading.show(number_of_memory(number))
        if parse_choice(scope, REACHES, "scope") == "session":
            self._owner.check_read(f"[id:{shown.memory.id}]", shown.memory.agent, shown.memory.project)
        return shown

    def all(self, *, source: str | None = None, session: str | None = None, tag: str | None = None) -> list[Memory]:
        """Current memories that are visible, by their numbers."""
        found = self._reading.current(source, session, tag)
        return [memory for memory in found if self._owner.scope.owns(memory.agent, memory.project)]

    def page(
        self,
        wanted: MemoryFilter,
        sort: MemorySort = "newest",
        *,
        after: str | None = None,
        limit: int = 20,
        scope: Reach = "session",
    ) -> MemoryPage:
        """A page of the list of memories. `after` is the `next` of the page before: no write shifts what follows."""
        sees = self._owner.sees(parse_choice(scope, REACHES, "scope"))
        order = list_order(parse_choice(sort, MEMORY_SORTS, "sort"), after, self._access.now())
        parse_choice(wanted.state, MEMORY_STATES, "state")
        return self._reading.page(wanted, order, limit, lambda memory: sees.owns(memory.agent, memory.project))

    def standing(
        self, numbers: Sequence[int], held: Held | None = None, loaded: LoadedIds = lambda: ()
    ) -> dict[int, float]:
        """The strengths of those of these memories that are current; with days, also of those that held then.

        `loaded` returns the ids of the entries that every session loads: what points to one is left out.
        """
        return self._reading.standing(numbers, held, loaded)

    def history(self, number: int | str, *, scope: Reach = "session") -> list[JournalEntry]:
        """Every change of a memory, oldest first, also after it was removed."""
        reach = parse_choice(scope, REACHES, "scope")
        if reach == "session" and self._owner.scope != EVERYTHING:
            self._check_read(self._reading.present_or_removed(number_of_memory(number)))
        return self._reading.history(number_of_memory(number))

    def links(self, number: int | str, depth: int = 2, *, scope: Reach = "session") -> Neighbourhood:
        """The visible memories that are linked with one, each once, as a tree of the strongest ways to it."""
        sees = self._owner.sees(parse_choice(scope, REACHES, "scope"))
        found = self._reading.links(
            number_of_memory(number), depth, lambda memory: sees.owns(memory.agent, memory.project)
        )
        if scope == "session":
            self._check_read(found.memory)
        return found

    def _check_read(self, memory: Memory | None) -> None:
        if memory is not None:
            self._owner.check_read(f"[id:{memory.id}]", memory.agent, memory.project)


class MemoryUpkeep(NamedTuple):
    """The services of the ledger that memories use."""

    access: LedgerAccess
    archiving: Archiving
    forgetting: Forgetting
    private: tuple[str, ...] = ()  # what the owner calls private: paths, folders, patterns and #tags

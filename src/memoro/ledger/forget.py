"""Forgetting, which cannot be undone: the bytes are deleted, and a digest keeps them from coming back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import MemoryNotFound, NeedsConsent
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess
from memoro.ledger.backups import Backups
from memoro.ledger.erasure import blank_repeating, delete_traces, erase_repetitions, forgetting
from memoro.ledger.history import last_removed_memory
from memoro.model.changes import contents_of, removed_memory
from memoro.model.items import stand_in
from memoro.model.memories import Memory, stamp
from memoro.model.notes import EXPERIENCE, MEMORY

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

_PENDING = "scrubbing"  # set until the last byte is gone, so that a crash does not leave any
_NOTHING: dict[str, list[Any]] = {"memories": [], "digests": [], "experiences": []}


class ForgottenMemories(NamedTuple):
    memories: tuple[Memory, ...]  # what is to go, or went
    done: bool  # False: only looked at
    backups: tuple[str, ...] = ()  # those that still hold something of it
    narratives: tuple[int, ...] = ()  # those that rested on it, and may repeat it in their own words


# Drops contents from the index and from the vectors: by their paths, and by the SHA-256 of their texts.
DropFromIndex = Callable[[Sequence[str], Sequence[str]], None]


def begin(
    tx: Transaction, memories: Sequence[int], digests: Sequence[str], *, experiences: Sequence[int] = ()
) -> None:
    """Note, in the commit that deletes rows, what else must be deleted: by number, and texts by SHA-256."""
    left = _NOTHING | json.loads(tx.meta.get(_PENDING) or "{}")
    more = {"memories": memories, "digests": digests, "experiences": experiences}
    tx.meta.put(_PENDING, json.dumps({name: [*left[name], *new] for name, new in more.items()}))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Forgetting:
    def __init__(self, access: LedgerAccess, backups: Backups, drop_from_index: DropFromIndex) -> None:
        self._access = access
        self._backups = backups
        self._drop_from_index = drop_from_index

    def chosen(
        self,
        numbers: Sequence[int] = (),
        *,
        source: str | None = None,
        session: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> list[Memory]:
        """Choose memories by number, or all of a source or session in a time; archived ones too."""
        if numbers:
            return [self._anywhere(number) for number in dict.fromkeys(numbers)]
        if not source and not session:
            raise NeedsConsent("Say what to forget: a number, a query, or a source or session.")
        now = self._access.now()
        first = times.beginning(since, now) if since else ""
        last = times.end(until, now) if until else "~"
        return [
            memory
            for memory in self._everything()
            if source in (None, memory.source)
            and session in (None, memory.session)
            and first <= memory.created_at < last
        ]

    def forget(self, memories: Sequence[Memory], *, yes: bool, dry_run: bool = False) -> ForgottenMemories:
        """Delete memories from tables, history, journal, words, vectors, caches and logs.

        Others that say, word for word, what one of them says or said go with them: else it would not be gone.
        """
        memories = self._with_twins(memories)
        with self._access.ledger.reading() as tx:
            narratives = sorted({n for memory in memories for n in tx.narratives.resting_on(memory.id)})
        if dry_run:
            return ForgottenMemories(
                memories=tuple(memories), done=False, backups=self._named(memories), narratives=tuple(narratives)
            )
        if not yes:
            raise NeedsConsent(
                f"Forgetting {_count(len(memories))} cannot be undone. Add --yes (yes=True) to do it; "
                "`memoro memory remove` is the way that can be undone."
            )
        named = self._named(memories)
        self._access.with_room(lambda: self._scrub_ledger(memories))
        self.finish()
        return ForgottenMemories(memories=tuple(memories), done=True, backups=named, narratives=tuple(narratives))

    def is_pending(self) -> bool:
        with self._access.ledger.reading() as tx:
            return tx.meta.get(_PENDING) is not None

    def finish(self) -> None:
        """Complete a forgetting, also one that a crash broke off: delete the traces of rows that are deleted."""
        with self._access.ledger.reading() as tx:
            pending = tx.meta.get(_PENDING)
        if pending:
            left = _NOTHING | json.loads(pending)
            paths = [f"{EXPERIENCE}{number}" for number in left["experiences"]]
            self._access.with_room(lambda: self._scrub_shadows(left["memories"], paths, left["digests"]))

    def _scrub_ledger(self, memories: Sequence[Memory]) -> None:
        """Delete the rows, and note in the same commit what else must be deleted."""
        at = stamp(self._access.now())
        with self._access.ledger.writing() as tx:
            texts = {text for memory in memories for text in _versions(tx, memory)}
            digests = {self._access.digest(tx, text) for text in texts}
            for digest in digests:
                tx.forgotten.add(digest, at)
            for memory in memories:
                tx.memories.delete(memory.id)
                delete_traces(tx, memory.id)
                tx.journal.add(forgetting("memory", memory.id, at))
            blank_repeating(tx, self._access, digests)
            erase_repetitions(tx, texts, [f"{MEMORY}{memory.id}" for memory in memories])
            begin(tx, [memory.id for memory in memories], [sha256(text) for text in texts])

    def _scrub_shadows(self, numbers: Sequence[int], others: Sequence[str], digests: Sequence[str]) -> None:
        """Delete everything that is not a row of the ledger."""
        with self._access.archive.writing() as archive:
            for number in numbers:
                archive.memories.delete(number)
        self._drop_from_index([*(f"{MEMORY}{number}" for number in numbers), *others], digests)
        self._backups.sweep_unfinished()
        self._access.ledger.scrub()
        self._access.archive.scrub()
        with self._access.ledger.writing() as tx:
            tx.meta.put(_PENDING, None)
        self._access.ledger.scrub()

    def _with_twins(self, memories: Sequence[Memory]) -> list[Memory]:
        found = {memory.id: memory for memory in memories}
        new = list(memories)
        while new:  # a twin may have said other things too, which others still say
            with self._access.ledger.reading() as tx:
                digests = {self._access.digest(tx, text) for memory in new for text in _versions(tx, memory)}
            new = []
            with self._access.ledger.reading() as tx, self._access.archive.reading() as archive:
                for memories_of in (tx.memories, archive.memories):
                    new += [twin for digest in digests for twin in memories_of.by_digest(digest)]
            new = [twin for twin in new if twin.id not in found]
            found |= {twin.id: twin for twin in new}
        return list(found.values())

    def _named(self, memories: Sequence[Memory]) -> tuple[str, ...]:
        with self._access.ledger.reading() as tx:
            digests = {self._access.digest(tx, text) for memory in memories for text in _versions(tx, memory)}
        return self._backups.holding(digests)

    def _anywhere(self, number: int) -> Memory:
        """A memory in the ledger, in the archive, or removed and only in the journal."""
        with self._access.ledger.reading() as tx:
            found = tx.memories.find(number) or last_removed_memory(tx, number)
            item = tx.items.find(number)
        if found is None:
            with self._access.archive.reading() as archive:
                found = archive.memories.find(number)
        if found is None and item:
            found = stand_in(item)
        if found is None:
            raise MemoryNotFound(f"There is no memory [id:{number}], neither here nor in the archive.")
        return found

    def _everything(self) -> list[Memory]:
        with self._access.ledger.reading() as tx:
            kept = {memory.id: memory for memory in tx.memories.all()}
            gone = tx.journal.removals("memory")
            silent = {item.id: stand_in(item) for item in tx.items.all()}
        with self._access.archive.reading() as archive:
            archived = {memory.id: memory for memory in archive.memories.all()}
        removed = {memory.id: memory for entry in gone if (memory := removed_memory(entry.change))}
        return [memory for _, memory in sorted({**removed, **silent, **archived, **kept}.items())]


def _versions(tx: Transaction, memory: Memory) -> set[str]:
    """Returns all that a memory ever said."""
    earlier = [text for entry in tx.journal.history("memory", memory.id) for text in contents_of(entry.change)]
    now = tx.memories.find(memory.id) or memory
    return {memory.content, now.content, *earlier}


def _count(memories: int) -> str:
    return "1 memory" if memories == 1 else f"{memories} memories"

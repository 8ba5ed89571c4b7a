"""Forgetting, which cannot be undone: the bytes are deleted, and a digest keeps them from coming back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memoro.errors import ConfigError, NeedsConsent
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess
from memoro.ledger.backups import Backups
from memoro.ledger.erasure import blank_repeating, delete_traces, erase_repetitions, forgetting
from memoro.ledger.history import last_removed_memory, memory_not_found
from memoro.ledger.narrative_forgetting import delete_narratives, narratives_repeating
from memoro.model.changes import contents_of, removed_memory
from memoro.model.derivation import DerivedCopy, DerivedLine, copy_of_line, statement_of
from memoro.model.items import stand_in
from memoro.model.memories import Memory, Narrative, stamp
from memoro.model.notes import EXPERIENCE, MEMORY, NARRATIVE
from memoro.model.ratings import STORE  # of items of Memoro itself, such as mutes: these are no memories

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

_PENDING = "scrubbing"  # set until the last byte is gone, so that a crash does not leave any
_NOTHING: dict[str, list[Any]] = {"memories": [], "digests": [], "experiences": [], "narratives": []}


class ForgottenMemories(NamedTuple):
    memories: tuple[Memory, ...]  # what is to go, or went
    done: bool  # False: only looked at
    backups: tuple[str, ...] = ()  # those that still hold something of it
    narratives: tuple[int, ...] = ()  # those that rested on it, and may repeat it in their own words
    derived: tuple[DerivedCopy, ...] = ()  # what was made from it, and is forgotten with it
    elsewhere: tuple[str, ...] = ()  # sentences about what this program cannot reach, and may still hold it


class ForgetChoice(NamedTuple):
    """The extent of forgetting."""

    yes: bool = False
    dry_run: bool = False
    only: bool = False  # leave what was made from it

    @property
    def does(self) -> bool:
        return self.yes and not self.dry_run


class NoteCopies(Protocol):
    """The lines of notes that hooks and agents made from a text."""

    def copies_of(self, texts: Sequence[str]) -> Sequence[DerivedLine]: ...

    def forget_copies(self, lines: Sequence[DerivedLine]) -> None:
        """Erases the lines. The caller completes the forgetting."""


class NoNoteCopies:
    """Stands in where no vault is open."""

    def copies_of(self, _texts: Sequence[str]) -> Sequence[DerivedLine]:
        return ()

    def forget_copies(self, _lines: Sequence[DerivedLine]) -> None:
        pass


class _Derived(NamedTuple):
    """The texts that were made from memories."""

    lines: tuple[DerivedLine, ...] = ()
    narratives: tuple[Narrative, ...] = ()

    @property
    def copies(self) -> tuple[DerivedCopy, ...]:
        told = [DerivedCopy(f"{NARRATIVE}{one.id}", one.summary) for one in self.narratives]
        return (*told, *map(copy_of_line, self.lines))


# Drops contents from the index and from the vectors: by their paths, and by the SHA-256 of their texts.
DropFromIndex = Callable[[Sequence[str], Sequence[str]], None]


def begin(
    tx: Transaction,
    memories: Sequence[int],
    digests: Sequence[str],
    *,
    experiences: Sequence[int] = (),
    narratives: Sequence[int] = (),
) -> None:
    """Note, in the commit that deletes rows, what else must be deleted: by number, and texts by SHA-256."""
    left = _NOTHING | json.loads(tx.meta.get(_PENDING) or "{}")
    more = {"memories": memories, "digests": digests, "experiences": experiences, "narratives": narratives}
    tx.meta.put(_PENDING, json.dumps({name: [*left[name], *new] for name, new in more.items()}))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Forgetting:
    def __init__(self, access: LedgerAccess, backups: Backups, drop_from_index: DropFromIndex) -> None:
        self._access = access
        self._backups = backups
        self._drop_from_index = drop_from_index
        self.notes: NoteCopies = NoNoteCopies()

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
            raise ConfigError("Name what to forget: numbers, --query, --source or --session.")
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

    def forget(self, memories: Sequence[Memory], choice: ForgetChoice) -> ForgottenMemories:
        """Delete memories from tables, history, journal, words, vectors, caches and logs.

        Others that say, word for word, what one of them says or said go with them: else it would not be gone. So do,
        unless `only`, the narratives and the lines of notes that were made from one of them.
        """
        with self._backups.paused() if choice.does else nullcontext():
            return self._forget(memories, choice)

    def _forget(self, memories: Sequence[Memory], choice: ForgetChoice) -> ForgottenMemories:
        memories = self._with_twins(memories)
        derived = _Derived() if choice.only else self._derived(memories)
        told = {narrative.id for narrative in derived.narratives}
        with self._access.ledger.reading() as tx:
            resting = {n for memory in memories for n in tx.narratives.resting_on(memory.id)} - told
        found = ForgottenMemories(
            memories=tuple(memories),
            done=False,
            backups=self._named(memories, derived.copies),
            narratives=tuple(sorted(resting)),
            derived=derived.copies,
        )
        if choice.dry_run:
            return found
        if not choice.yes:
            raise NeedsConsent(
                f"Forgetting {_count(len(memories))} cannot be undone. Add --yes (yes=True) to do it; "
                "`memoro memory remove` is the way that can be undone."
            )
        if derived.lines:  # copies first: broken off in between, the memory is still there to be forgotten again
            self.notes.forget_copies(derived.lines)
        self._access.with_room(lambda: self._scrub_ledger(memories, derived.narratives))
        self.finish()
        return found._replace(
            done=True,
            derived=tuple(one._replace(text="") for one in derived.copies),
            elsewhere=tuple(self._access.ledger.out_of_reach()),
        )

    def forget_narratives(self, narratives: Sequence[Narrative]) -> None:
        """Delete narratives for good. The caller completes the forgetting."""

        def work() -> None:
            with self._access.ledger.writing() as tx:
                self._delete_narratives(tx, narratives)

        self._access.with_room(work)

    def _delete_narratives(self, tx: Transaction, narratives: Sequence[Narrative]) -> None:
        delete_narratives(tx, self._access, narratives, stamp(self._access.now()))
        begin(tx, [], [sha256(one.summary) for one in narratives], narratives=[one.id for one in narratives])

    def _derived(self, memories: Sequence[Memory]) -> _Derived:
        with self._access.ledger.reading() as tx:
            texts = sorted({text for memory in memories for text in _versions(tx, memory)})
            narratives = narratives_repeating(tx, texts) if texts else []
        return _Derived(lines=tuple(self.notes.copies_of(texts)) if texts else (), narratives=tuple(narratives))

    def is_pending(self) -> bool:
        with self._access.ledger.reading() as tx:
            return tx.meta.get(_PENDING) is not None

    def finish(self) -> None:
        """Complete a forgetting, also one that a crash broke off: delete the traces of rows that are deleted."""
        if elsewhere := self._access.ledger.forgotten_elsewhere():
            self._drop_from_index([path for path, _ in elsewhere], [digest for _, digest in elsewhere])
            self._access.ledger.note_erased()
        with self._access.ledger.reading() as tx:
            pending = tx.meta.get(_PENDING)
        if pending:
            left = _NOTHING | json.loads(pending)
            paths = [
                *(f"{EXPERIENCE}{number}" for number in left["experiences"]),
                *(f"{NARRATIVE}{number}" for number in left["narratives"]),
            ]
            self._access.with_room(lambda: self._scrub_shadows(left["memories"], paths, left["digests"]))

    def _scrub_ledger(self, memories: Sequence[Memory], narratives: Sequence[Narrative] = ()) -> None:
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
            self._delete_narratives(tx, narratives)

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

    def _named(self, memories: Sequence[Memory], copies: Sequence[DerivedCopy]) -> tuple[str, ...]:
        with self._access.ledger.reading() as tx:
            digests = {self._access.digest(tx, text) for memory in memories for text in _versions(tx, memory)}
        named = list(self._backups.holding(digests))
        for copy in copies:
            named += self._backups.holding_bytes(statement_of(copy.text).encode())
        return tuple(dict.fromkeys(named))

    def _anywhere(self, number: int) -> Memory:
        """A memory in the ledger, in the archive, or removed and only in the journal."""
        with self._access.ledger.reading() as tx:
            found = tx.memories.find(number) or last_removed_memory(tx, number)
            item = tx.items.find(number)
            missing = memory_not_found(tx, number, ", also not in the archive")
        if found is None:
            with self._access.archive.reading() as archive:
                found = archive.memories.find(number)
        if found is None and item and item.store != STORE:
            found = stand_in(item)
        if found is None:
            raise missing
        return found

    def _everything(self) -> list[Memory]:
        with self._access.ledger.reading() as tx:
            kept = {memory.id: memory for memory in tx.memories.all()}
            gone = tx.journal.removals("memory")
            silent = {item.id: stand_in(item) for item in tx.items.all() if item.store != STORE}
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

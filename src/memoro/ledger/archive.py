"""Moving memories to the archive, when the ledger grows too large, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import MemoryNotFound
from memoro.ledger.access import LedgerAccess
from memoro.model.changes import MemoryArchived, MemoryUnarchived
from memoro.model.journal import Authorship, entry_of
from memoro.model.memories import Memory, PrunePlan, Weighed, plan_pruning, stamp, strength

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

# Of all memories, the share that one run may move: a wrong clock or setting must not empty the ledger.
BRAKE = 0.2
_SLICE = 200  # memories moved in one transaction, so that nobody waits long
_EMPTY = 10 * 4096  # bytes that the tables and indexes take before anything is in them, and keep after
_ROW = 150  # bytes of a row besides its text, about
_WORDS = 0.5  # what the words of memories take in the index, measured as a share of their rows
_LAST_PRUNING = "last_pruning"  # in the ledger's values: a `LastPruning` as JSON


class PruneLimits(NamedTuple):
    max_bytes: int
    percent: float
    vector_bytes: int  # what one memory's vector takes in the index


class LedgerStats(NamedTuple):
    """Counts of what a ledger holds, and the bytes that it takes."""

    memories: int
    current: int  # neither superseded nor out of date
    archived: int
    narratives: int
    links: int
    changes: int  # entries of the journal
    live_bytes: int  # memories with their words and vectors: what the limit is about
    max_bytes: int
    tables: Mapping[str, int]  # bytes in the ledger, by table
    archive_bytes: int


class LastPruning(NamedTuple):
    """The last time that pruning moved memories to the archive."""

    at: str
    archived: int
    size: int  # bytes before it
    limit: int


def said(plan: PrunePlan) -> str:
    """Say what pruning did, for people."""
    return (
        f"{len(plan.archive):,} memories moved to the archive, for they took {_megabytes(plan.size)} of "
        f"{_megabytes(plan.limit)} (memory.max_size). `memoro memory query TEXT --archived` finds them"
    )


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"


class _RolledBack(Exception):
    """Ends a transaction that was only a trial."""


class Archiving:
    """Moving memories between ledger and archive. A crash leaves one in both, never in neither."""

    def __init__(self, access: LedgerAccess, limits: PruneLimits) -> None:
        self._access = access
        self._limits = limits

    def archive(self, number: int, *, source: str = "user", undoes: int | None = None) -> Memory:
        """Moves a memory to the archive."""
        actor = self._access.name(source, "source") or ""
        with self._access.ledger.writing() as tx:
            memory = tx.memories.get(number)
            proposal = self._access.proposal if undoes is None else None
            self._move(tx, [memory], self._authorship(actor, undoes)._replace(proposal=proposal))
        return memory

    def _authorship(self, actor: str, undoes: int | None = None) -> Authorship:
        return Authorship(stamp(self._access.now()), actor, undoes=undoes)

    def _move(self, tx: Transaction, memories: list[Memory], by: Authorship) -> None:
        """First into the archive, durably; then out of the ledger, with the transaction that is open."""
        digests = [self._access.digest(tx, memory.content) for memory in memories]
        with self._access.archive.writing() as archive:
            for memory, digest in zip(memories, digests, strict=True):
                archive.memories.delete(memory.id)  # left there by a crash, if at all
                archive.memories.insert(memory, digest)
        for memory in memories:
            tx.memories.delete(memory.id)
            change = MemoryArchived("archive" if by.undoes is None else "undo", memory.id)
            tx.journal.add(entry_of(change, by))

    def unarchive(self, number: int, *, source: str = "user", undoes: int | None = None) -> Memory:
        """Brings a memory back. First into the ledger, durably; then out of the archive.

        If it is in both already, the ledger's counts, and the archive's is deleted.
        """
        actor = self._access.name(source, "source") or ""
        memory = self._try_to_take_out(number)
        with self._access.ledger.writing() as tx:
            kept = tx.memories.find(number)
            if kept is None:
                kept = tx.memories.insert(memory, self._access.refuse_forgotten(tx, memory.content))
                change = MemoryUnarchived("unarchive" if undoes is None else "undo", number)
                tx.journal.add(entry_of(change, self._authorship(actor, undoes)))
        with self._access.archive.writing() as archive:
            archive.memories.delete(number)
        return kept

    def _try_to_take_out(self, number: int) -> Memory:
        """Return a memory of the archive, once its deletion there has worked and was rolled back.

        An archive that is damaged or cannot be written is found out before the ledger changes.
        """
        with self._access.archive.reading() as archive:
            memory = archive.memories.find(number)
        if memory is None:
            raise MemoryNotFound(
                f"There is no memory [id:{number}] in the archive. `memoro memory list --state archived` lists all."
            )
        with suppress(_RolledBack), self._access.archive.writing() as archive:
            archive.memories.delete(number)
            raise _RolledBack
        return memory

    def doubles(self) -> list[int]:
        """Return the numbers of memories that are in the ledger and in the archive: of a move that was cut short."""
        with self._access.ledger.reading() as tx, self._access.archive.reading() as archive:
            return [memory.id for memory in archive.memories.all() if tx.memories.find(memory.id)]

    def plan(self, brake: float = BRAKE) -> PrunePlan:
        """Plan which memories pruning moves."""
        limits, now = self._limits, self._access.now()
        with self._access.ledger.reading() as tx:
            size = self._live_bytes(tx)
            weighed = [
                Weighed(m.id, len(m.content.encode()) + sum(map(len, m.tags)) + _ROW, strength(m, now))
                for m in (tx.memories.all() if size > limits.max_bytes else ())
            ]
        planned = plan_pruning(
            weighed, size=size - _EMPTY, limit=limits.max_bytes - _EMPTY, percent=limits.percent, brake=brake
        )
        return planned._replace(size=size, limit=limits.max_bytes)

    def prune(self, *, dry_run: bool = False) -> PrunePlan:
        """Move the weakest to the archive until the rest fits, and give the space back."""
        first = plan = self.plan()
        if dry_run or not plan.archive:
            return plan
        with self._access.ledger.reading() as tx:
            allowed = max(1, int(tx.memories.count() * BRAKE))
        moved: list[int] = []
        while plan.archive and allowed > 0:
            batch = plan.archive[:allowed]
            self._carry_out(batch)
            moved += batch
            allowed -= len(batch)
            plan = self.plan()
        done = LastPruning(at=stamp(self._access.now()), archived=len(moved), size=first.size, limit=first.limit)
        with self._access.ledger.writing() as tx:
            size = self._live_bytes(tx)
            tx.meta.put(_LAST_PRUNING, json.dumps(done))
        return PrunePlan(size=first.size, limit=first.limit, archive=tuple(moved), fits=size <= first.limit)

    def last_pruning(self) -> LastPruning | None:
        with self._access.ledger.reading() as tx:
            kept = tx.meta.get(_LAST_PRUNING)
        try:
            return LastPruning(*json.loads(kept)) if kept else None
        except (ValueError, TypeError):  # a later version wrote it
            return None

    def _carry_out(self, numbers: tuple[int, ...]) -> None:
        for start in range(0, len(numbers), _SLICE):
            with self._access.ledger.writing() as tx:
                found = [tx.memories.find(number) for number in numbers[start : start + _SLICE]]
                self._move(tx, [memory for memory in found if memory], self._authorship("prune"))
        self._access.ledger.compact()

    def surely_fits(self) -> bool:
        """True if the whole ledger is smaller than its memories may be: then no closer look is needed."""
        with self._access.ledger.reading() as tx:
            vectors = tx.memories.count() * self._limits.vector_bytes
        return self._access.ledger.size() * (1 + _WORDS) + vectors <= self._limits.max_bytes

    def _live_bytes(self, tx: Transaction) -> int:
        return int(tx.sizes().live * (1 + _WORDS)) + tx.memories.count() * self._limits.vector_bytes

    def stats(self) -> LedgerStats:
        now = stamp(self._access.now())
        with self._access.archive.reading() as archive:
            archived, archive_bytes = archive.memories.count(), sum(archive.sizes().tables.values())
        with self._access.ledger.reading() as tx:
            return LedgerStats(
                memories=tx.memories.count(),
                current=tx.memories.count_current(now),
                archived=archived,
                narratives=tx.narratives.count(),
                links=tx.links.count(),
                changes=tx.journal.count(),
                live_bytes=self._live_bytes(tx),
                max_bytes=self._limits.max_bytes,
                tables=tx.sizes().tables,
                archive_bytes=archive_bytes,
            )

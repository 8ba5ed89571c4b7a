"""Memories and experiences in the index: the ledger is their home, this its shadow, so that one search finds all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.changes import Blanked, ExperienceChanged, MemoryChanged, subject_of
from memoro.model.changes import Change as JournalChange
from memoro.model.experiences import PREFERENCE, Experience, passage
from memoro.model.memories import Memory, moment
from memoro.model.notes import EXPERIENCE, MEMORY, Chunk, FileEntry, Indexed, Note
from memoro.model.vocabulary import LedgerKind
from memoro.store.ports import Change, Drop, Index, Write

if TYPE_CHECKING:
    from memoro.ledger.ports import Ledger, Transaction

_BATCH = 500
_KEY = "ledger"  # which ledger, and up to which of its changes
_AT = "ledger_at"  # as of when
UNTIL = "ledger_until"  # when the next memory begins or ceases to hold, though nobody changes anything
_BESIDE = 2000  # characters of a solution that help to find an experience


def mirror(index: Index, ledger: Ledger, write: Callable[[Sequence[Change]], None], now: str) -> None:
    """Make the index say about memories and experiences what the ledger says now, by what has changed."""
    with ledger.reading() as tx:
        identity, last = tx.meta.get("identity"), tx.journal.last()
        seen, _, entry = (index.get_meta(_KEY) or "").rpartition(":")
        if seen == identity:
            before = index.get_meta(_AT) or ""
            changed = _changed_after(tx, int(entry))
            changes = _changes(tx, [*changed.memories, *tx.memories.begun_or_ended(before, now)], now)
            lived = _lived(tx, changed.experiences)
        else:
            changes, lived = _all(tx, index, now), _all_lived(tx)
        for batch in _batches(chain(changes, lived)):
            write(batch)
        until = tx.memories.next_change(now)
    state = {_KEY: f"{identity}:{last}", UNTIL: until or ""}
    if any(index.get_meta(key) != value for key, value in state.items()):
        index.put_meta({**state, _AT: now})


def is_mirrored(index: Index, ledger: Ledger, now: str) -> bool:
    """Return whether the index agrees with the ledger about memories and experiences."""
    with ledger.reading() as tx:
        if index.get_meta(_KEY) != f"{tx.meta.get('identity')}:{tx.journal.last()}":
            return False
        return not tx.memories.begun_or_ended(index.get_meta(_AT) or "", now)


def waiting(index: Index | None, ledger: Ledger, now: str) -> list[int]:
    """The memories of which the index does not yet say what the ledger says."""
    with ledger.reading() as tx:
        seen, _, entry = ((index.get_meta(_KEY) if index else None) or "").rpartition(":")
        if seen == tx.meta.get("identity"):
            before = (index.get_meta(_AT) if index else None) or ""
            return sorted({*_changed_after(tx, int(entry)).memories, *tx.memories.begun_or_ended(before, now)})
        return sorted(memory.id for memory in tx.memories.unsuperseded() if _holds(memory, now))


class _Changed(NamedTuple):
    """Numbers of memories and experiences of which something that can be found has changed."""

    memories: Sequence[int]
    experiences: Sequence[int]


def _changed_after(tx: Transaction, position: int) -> _Changed:
    memories: dict[int, None] = {}
    experiences: dict[int, None] = {}
    for entry in tx.journal.after(position):
        kind, item = subject_of(entry.change)
        if isinstance(item, str) or not _can_change_results(entry.change):
            continue
        if kind in ("memory", "item"):
            memories[item] = None
        elif kind == "experience":
            experiences[item] = None
    return _Changed(list(memories), list(experiences))


def _can_change_results(change: JournalChange) -> bool:
    """Tells whether a change may make a search find something else, or nothing."""
    match change:
        case MemoryChanged(operation=operation) | Blanked(kind="memory", operation=operation):
            return operation not in ("reinforce", "demote", "trust")
        case ExperienceChanged(operation=operation, after=after):
            return operation not in ("use", "offer", "trust") or "archived_at" in after
        case _:
            return True


def _changes(tx: Transaction, numbers: Sequence[int], now: str) -> Iterator[Change]:
    for number in dict.fromkeys(numbers):
        memory = tx.memories.find(number)
        yield Write(_indexed(memory)) if memory and _holds(memory, now) else Drop(f"{MEMORY}{number}")


def _all(tx: Transaction, index: Index, now: str) -> Iterator[Change]:
    for path in index.ledger_paths():
        yield Drop(path)
    for memory in tx.memories.unsuperseded():
        if _holds(memory, now):
            yield Write(_indexed(memory))


def _lived(tx: Transaction, numbers: Sequence[int]) -> Iterator[Change]:
    for number in numbers:
        one = tx.experiences.find(number)
        yield Write(_indexed_experience(one)) if one and not one.archived_at else Drop(f"{EXPERIENCE}{number}")


def _all_lived(tx: Transaction) -> Iterator[Change]:
    for experience in tx.experiences.live():
        yield Write(_indexed_experience(experience))


def _holds(memory: Memory, now: str) -> bool:
    return memory.superseded_by is None and (memory.valid_from or "") <= now < (memory.valid_to or "~")


def _indexed(memory: Memory) -> Indexed:
    """A memory is one passage: it says one thing."""
    return _one_passage(f"{MEMORY}{memory.id}", "memory", memory.content, "", memory)


def _indexed_experience(experience: Experience) -> Indexed:
    """The passage, and its vector, is the intent. The words of the solution stand beside it, and count for less."""
    beside = "" if experience.type == PREFERENCE else experience.solution_json[:_BESIDE]
    return _one_passage(f"{EXPERIENCE}{experience.id}", "experience", passage(experience), beside, experience)


def _one_passage(path: str, tier: LedgerKind, text: str, context: str, item: Memory | Experience) -> Indexed:
    digest = hashlib.sha256(text.encode()).hexdigest()
    day = moment(item.created_at).astimezone().date().isoformat()  # as its owner's calendar has it
    tags = tuple(tag.casefold() for tag in item.tags)
    note = Note(title="", tags=tags, date=day, agent=item.agent, project=item.project)
    chunk = Chunk(text, 1, text.count("\n") + 1, (), digest, context=context)
    return Indexed(
        entry=FileEntry(path=path, tier=tier, digest=digest, stamp=None), note=note, day=day, chunks=(chunk,)
    )


def _batches(changes: Iterator[Change]) -> Iterator[list[Change]]:
    batch: list[Change] = []
    for change in changes:
        batch.append(change)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch

"""Memories in the index: the ledger is their home, and this its shadow, so that one search finds all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from memoro.model.memories import Memory, moment
from memoro.model.notes import MEMORY, Chunk, FileEntry, Indexed, Note
from memoro.store.ports import Change, Drop, Index, Write
from memoro.store.sqlite.ledger import Ledger, Pages

_BATCH = 500
_KEY = "ledger"  # which ledger, and up to which of its changes
_AT = "ledger_at"  # as of when
UNTIL = "ledger_until"  # when the next memory begins or ceases to hold, though nobody changes anything


def mirror(index: Index, ledger: Ledger, write: Callable[[Sequence[Change]], None], now: str) -> None:
    """Make the index say about memories what the ledger says now; only what has changed is looked at."""
    with ledger.reading() as pages:
        identity, last = pages.get_meta("identity"), pages.journal.last()
        seen, _, entry = (index.get_meta(_KEY) or "").rpartition(":")
        if seen == identity:
            before = index.get_meta(_AT) or ""
            numbers = [*pages.journal.changed_after(int(entry)), *pages.memories.begun_or_ended(before, now)]
            changes = _changes(pages, list(dict.fromkeys(numbers)), now)
        else:
            changes = _all(pages, index, now)
        for batch in _batches(changes):
            write(batch)
        until = pages.memories.next_change(now)
    state = {_KEY: f"{identity}:{last}", UNTIL: until or ""}
    if any(index.get_meta(key) != value for key, value in state.items()):
        index.put_meta({**state, _AT: now})


def waiting(index: Index | None, ledger: Ledger, now: str) -> list[int]:
    """The memories of which the index does not yet say what the ledger says."""
    with ledger.reading() as pages:
        seen, _, entry = ((index.get_meta(_KEY) if index else None) or "").rpartition(":")
        if seen == pages.get_meta("identity"):
            before = (index.get_meta(_AT) if index else None) or ""
            return sorted({*pages.journal.changed_after(int(entry)), *pages.memories.begun_or_ended(before, now)})
        return sorted(
            memory.id for memory in pages.memories.all("WHERE superseded_by IS NULL") if _holds(memory, now)
        )


def _changes(pages: Pages, numbers: Sequence[int], now: str) -> Iterator[Change]:
    for number in numbers:
        memory = pages.memories.find(number)
        yield Write(_indexed(memory)) if memory and _holds(memory, now) else Drop(f"{MEMORY}{number}")


def _all(pages: Pages, index: Index, now: str) -> Iterator[Change]:
    for path in index.memories():
        yield Drop(path)
    for memory in pages.memories.all("WHERE superseded_by IS NULL"):
        if _holds(memory, now):
            yield Write(_indexed(memory))


def _holds(memory: Memory, now: str) -> bool:
    return memory.superseded_by is None and (memory.valid_from or "") <= now < (memory.valid_to or "~")


def _indexed(memory: Memory) -> Indexed:
    """A memory is one passage: it says one thing."""
    digest = hashlib.sha256(memory.content.encode()).hexdigest()
    entry = FileEntry(f"{MEMORY}{memory.id}", "memory", digest, None)
    day = moment(memory.created_at).astimezone().date().isoformat()  # as its owner's calendar has it
    tags = tuple(tag.casefold() for tag in memory.tags)
    note = Note(title="", tags=tags, date=day, agent=memory.agent, project=memory.project)
    return Indexed(entry, note, day, (Chunk(memory.content, 1, memory.content.count("\n") + 1, (), digest),))


def _batches(changes: Iterator[Change]) -> Iterator[list[Change]]:
    batch: list[Change] = []
    for change in changes:
        batch.append(change)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch

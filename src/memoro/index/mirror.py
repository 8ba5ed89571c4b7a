"""Memories in the index: the ledger is their home, and this its shadow, so that one search finds all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from memoro.model.memories import Memory, moment
from memoro.model.notes import MEMORY, Chunk, FileEntry, Indexed, Note
from memoro.store.ports import Change, Drop, Index, Write
from memoro.store.sqlite.ledger import Ledger, Pages

_BATCH = 500
_KEY = "ledger"


def mirror(index: Index, ledger: Ledger, write: Callable[[Sequence[Change]], None]) -> None:
    """Make the index say about memories what the ledger says; only what has changed is looked at."""
    with ledger.reading() as pages:
        identity, last = pages.get_meta("identity"), pages.journal.last()
        seen, _, entry = (index.get_meta(_KEY) or "").rpartition(":")
        known = seen == identity
        changes = _changes(pages, pages.journal.changed_after(int(entry))) if known else _all(pages, index)
        for batch in _batches(changes):
            write(batch)
    state = f"{identity}:{last}"
    if index.get_meta(_KEY) != state:
        index.put_meta({_KEY: state})


def _changes(pages: Pages, numbers: Sequence[int]) -> Iterator[Change]:
    for number in numbers:
        memory = pages.memories.find(number)
        if memory and memory.superseded_by is None:
            yield Write(_indexed(memory))
        else:
            yield Drop(f"{MEMORY}{number}")


def _all(pages: Pages, index: Index) -> Iterator[Change]:
    for path in index.memories():
        yield Drop(path)
    for memory in pages.memories.all("WHERE superseded_by IS NULL"):
        yield Write(_indexed(memory))


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

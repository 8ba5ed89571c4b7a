"""The ledger and archive that an import adds to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memoro.errors import Refused
from memoro.ledger.access import LedgerAccess
from memoro.ledger.exchange.candidates import SOURCE
from memoro.model.changes import (
    ExperienceAdded,
    ExperienceChanged,
    MemoryAdded,
    MemoryChanged,
    NarrativeAdded,
    experience_difference,
    memory_difference,
)
from memoro.model.experiences import Experience
from memoro.model.journal import Authorship, entry_of
from memoro.model.local_time import local_day
from memoro.model.memories import Memory, stamp

if TYPE_CHECKING:
    from memoro.ledger.ports import ArchiveTransaction, Transaction


class ImportTarget:
    """Ledger and archive as an import sees them; in a dry run it only remembers what it would have added."""

    def __init__(self, access: LedgerAccess, *, dry_run: bool) -> None:
        self.access = access
        self.dry_run = dry_run
        self.origins: dict[str, int] = {}
        self._tx: Transaction
        self._archive: ArchiveTransaction
        self._seen = -1  # the journal's last entry when the origins were read
        self._would: dict[bytes, list[Memory]] = {}

    @contextmanager
    def opened(self) -> Iterator[Transaction]:
        """One transaction, in which what is looked up and what is added belong together."""
        ledger = self.access.ledger
        with ledger.reading() if self.dry_run else ledger.writing() as tx, self.access.archive.reading() as archive:
            self._tx, self._archive = tx, archive
            if tx.journal.last() != self._seen:
                known = {**dict(archive.memories.origins()), **dict(tx.memories.origins())}
                self.origins = known | self._would_origins()
            yield tx
            self._seen = tx.journal.last()

    def _would_origins(self) -> dict[str, int]:
        return {memory.origin: 0 for same in self._would.values() for memory in same if memory.origin}

    def same(self, content: str) -> list[Memory]:
        """The memories that say exactly this, wherever they are."""
        digest = self.access.digest(self._tx, content)
        kept = [*self._tx.memories.by_digest(digest), *self._archive.memories.by_digest(digest)]
        return [*kept, *self._would.get(digest, ())]

    def find(self, number: int) -> Memory | None:
        return self._tx.memories.find(number) or self._archive.memories.find(number)

    def refuse_forgotten(self, content: str) -> None:
        if at := self._tx.forgotten.at(self.access.digest(self._tx, content)):
            raise Refused(f"Exactly this was forgotten on {local_day(at)}, and is kept from coming back.")

    def add(self, memory: Memory) -> Memory:
        """Keep a new memory, with the entry in the journal by which it can be taken back."""
        digest = self.access.digest(self._tx, memory.content)
        if self.dry_run:
            self._would.setdefault(digest, []).append(memory)
            kept = memory
        else:
            kept = self._tx.memories.insert(memory, digest)
            self.note(MemoryAdded("import", kept.id))
        if kept.origin:
            self.origins[kept.origin] = kept.id
        return kept

    def trust_memory(self, number: int, said: Memory) -> bool:
        """Give a memory that is here already the trust and feedback that its owner's export says; False: it has."""
        old = self._tx.memories.find(number)
        new = old._replace(trust=said.trust, feedback=said.feedback) if old is not None else None
        if old is None or new is None or new == old:
            return False
        if not self.dry_run:
            before, after = memory_difference(old, new)
            self._tx.memories.replace(old, new, self.access.digest(self._tx, new.content))
            self.note(MemoryChanged(operation="trust", number=number, before=before, after=after))
        return True

    def trust_experience(self, old: Experience, said: Experience) -> bool:
        """Give an experience that is here already the trust and outcomes that its owner's export says."""
        new = old._replace(trust=said.trust, success=said.success, outcomes=said.outcomes)
        if new != old and not self.dry_run:
            before, after = experience_difference(old, new)
            self._tx.experiences.replace(old, new)
            self.note(ExperienceChanged(operation="trust", number=old.id, before=before, after=after))
        return new != old

    def note(
        self, change: MemoryAdded | MemoryChanged | ExperienceAdded | ExperienceChanged | NarrativeAdded
    ) -> None:
        self._tx.journal.add(entry_of(change, Authorship(stamp(self.access.now()), SOURCE)))

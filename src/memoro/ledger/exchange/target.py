"""What is there already: by its words, and by what it was called where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memoro.errors import MemoryRefused
from memoro.ledger.access import LedgerAccess
from memoro.ledger.exchange.candidates import SOURCE
from memoro.model.memories import Memory, stamp
from memoro.store.sqlite.ledger import Transaction
from memoro.store.sqlite.ledger.copying import Copying


class ImportTarget:
    """Ledger and archive as an import sees them; in a dry run it only remembers what it would have added."""

    def __init__(self, access: LedgerAccess, *, dry_run: bool) -> None:
        self.access = access
        self.dry_run = dry_run
        self.origins: dict[str, int] = {}
        self._pages: Transaction
        self._archive: Transaction
        self._seen = -1  # the journal's last entry when the origins were read
        self._would: dict[bytes, list[Memory]] = {}

    @contextmanager
    def opened(self) -> Iterator[Transaction]:
        """One transaction, in which what is looked up and what is added belong together."""
        database = self.access.ledger.database
        with (
            database.read() if self.dry_run else database.write() as db,
            self.access.archive.database.read() as archive,
        ):
            self._pages, self._archive = Transaction(db), Transaction(archive)
            if self._pages.journal.last() != self._seen:
                self.origins = dict(Copying(archive).origins()) | dict(Copying(db).origins()) | self._would_origins()
            yield self._pages
            self._seen = self._pages.journal.last()

    def _would_origins(self) -> dict[str, int]:
        return {memory.origin: 0 for same in self._would.values() for memory in same if memory.origin}

    def same(self, content: str) -> list[Memory]:
        """The memories that say exactly this, wherever they are."""
        digest = self.access.digest(self._pages, content)
        kept = [*self._pages.memories.by_digest(digest), *self._archive.memories.by_digest(digest)]
        return [*kept, *self._would.get(digest, ())]

    def find(self, number: int) -> Memory | None:
        return self._pages.memories.find(number) or self._archive.memories.find(number)

    def refuse_forgotten(self, content: str) -> None:
        if at := self._pages.forgotten_at(self.access.digest(self._pages, content)):
            raise MemoryRefused(f"Exactly this was forgotten on {at[:10]}, and is kept from coming back.")

    def add(self, memory: Memory) -> Memory:
        """Keep a new memory, with the entry in the journal by which it can be taken back."""
        digest = self.access.digest(self._pages, memory.content)
        if self.dry_run:
            self._would.setdefault(digest, []).append(memory)
            kept = memory
        else:
            kept = self._pages.memories.insert(memory, digest)
            self.note("memory", kept.id)
        if kept.origin:
            self.origins[kept.origin] = kept.id
        return kept

    def note(self, kind: str, number: int) -> None:
        at = stamp(self.access.now())
        self._pages.journal.add("import", kind, number, None, {}, at=at, actor=SOURCE)

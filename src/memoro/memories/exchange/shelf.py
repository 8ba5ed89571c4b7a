"""What is there already: by its words, and by what it was called where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memoro.memories.book import Book
from memoro.memories.exchange.candidates import SOURCE
from memoro.model.memories import Memory, stamp
from memoro.store.sqlite.ledger import Pages
from memoro.store.sqlite.ledger.copying import Copying


class Shelf:
    """Ledger and archive as an import sees them; in a dry run it only remembers what it would have added."""

    def __init__(self, book: Book, *, dry_run: bool) -> None:
        self.book = book
        self.dry_run = dry_run
        self.origins: dict[str, int] = {}
        self._pages: Pages
        self._archive: Pages
        self._seen = -1  # the journal's last entry when the origins were read
        self._would: dict[bytes, list[Memory]] = {}

    @contextmanager
    def opened(self) -> Iterator[Pages]:
        """One transaction, in which what is looked up and what is added belong together."""
        database = self.book.ledger.database
        with (
            database.read() if self.dry_run else database.write() as db,
            self.book.archive.database.read() as archive,
        ):
            self._pages, self._archive = Pages(db), Pages(archive)
            if self._pages.journal.last() != self._seen:
                self.origins = dict(Copying(archive).origins()) | dict(Copying(db).origins()) | self._would_origins()
            yield self._pages
            self._seen = self._pages.journal.last()

    def _would_origins(self) -> dict[str, int]:
        return {memory.origin: 0 for same in self._would.values() for memory in same if memory.origin}

    def same(self, content: str) -> list[Memory]:
        """The memories that say exactly this, wherever they are."""
        digest = self.book.digest(self._pages, content)
        kept = [*self._pages.memories.by_digest(digest), *self._archive.memories.by_digest(digest)]
        return [*kept, *self._would.get(digest, ())]

    def find(self, number: int) -> Memory | None:
        return self._pages.memories.find(number) or self._archive.memories.find(number)

    def forgotten_at(self, content: str) -> str | None:
        return self._pages.forgotten_at(self.book.digest(self._pages, content))

    def add(self, memory: Memory) -> Memory:
        """Keep a new memory, with the entry in the journal by which it can be taken back."""
        digest = self.book.digest(self._pages, memory.content)
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
        at = stamp(self.book.now())
        self._pages.journal.add("import", kind, number, None, {}, at=at, actor=SOURCE)

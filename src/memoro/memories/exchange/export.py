"""Writing a ledger down whole: as JSON Lines, or as Markdown that people can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

from memoro.errors import ConfigError, StoreUnavailable
from memoro.memories.book import Book
from memoro.memories.exchange import jsonl, markdown
from memoro.memories.exchange.records import FORMAT, End, Header, Held, Record
from memoro.store.sqlite.ledger import Pages
from memoro.store.sqlite.ledger.copying import Copying

RENDERERS = {"jsonl": jsonl.render, "markdown": markdown.render}


class Exported(NamedTuple):
    memories: int
    archived: int
    narratives: int
    changes: int
    experiences: int = 0


def export(book: Book, write: Callable[[str], object], format: str = "jsonl") -> Exported:
    """Write all that the ledger and the archive hold, as of one moment, in lines that depend on nothing else.

    Who has the file has the ledger: it tells what was said, and by its salt whether a guess was forgotten.
    """
    render = RENDERERS.get(format)
    if render is None:
        raise ConfigError(f"There is no format {format!r} to export to; choose from {', '.join(RENDERERS)}.")
    counts: Counter[str] = Counter()
    with _one_moment(book) as (ledger, archive):
        for line in render(_counted(_records(book, ledger, archive), counts)):
            write(f"{line}\n")
    return Exported(counts["memory"], counts["archived"], counts["Narrative"], counts["Entry"], counts["Experience"])


@contextmanager
def _one_moment(book: Book) -> Iterator[tuple[Ends, Ends]]:
    """Ledger and archive as they are while nobody moves a memory from one to the other."""
    with ExitStack() as held:
        with ExitStack() as briefly:
            with suppress(StoreUnavailable):  # a home that cannot be written to stands still by itself
                briefly.enter_context(book.ledger.database.alone())
            opened = [held.enter_context(one.database.read()) for one in (book.ledger, book.archive)]
            ledger, archive = (Ends(Pages(db), Copying(db)) for db in opened)
            _ = ledger.pages.memories.count(), archive.pages.memories.count()  # the first look fixes the moment
        yield ledger, archive


class Ends(NamedTuple):
    pages: Pages
    rows: Copying


def _records(book: Book, ledger: Ends, archive: Ends) -> Iterator[Record]:
    pages, rows = ledger
    yield Header(FORMAT, pages.get_meta("salt") or "", rows.sequences())
    yield from (Held(memory, archived=False) for memory in pages.memories.all())
    for memory in archive.pages.memories.all():
        # After a crash a memory may be in both files, and one just forgotten not yet gone from the archive.
        in_both = pages.memories.find(memory.id) is not None
        if not in_both and pages.forgotten_at(book.digest(pages, memory.content)) is None:
            yield Held(memory, archived=True)
    yield from pages.experiences.all()
    yield from reversed(pages.narratives.all())
    yield from pages.items.all()
    yield from pages.links.all()
    yield from rows.given()
    yield from rows.keys()
    yield from rows.forgotten()
    yield from rows.entries()


def _counted(records: Iterator[Record], counts: Counter[str]) -> Iterator[Record]:
    for record in records:
        counts["records"] += 1
        if isinstance(record, Held):
            counts["archived" if record.archived else "memory"] += 1
        else:
            counts[type(record).__name__] += 1
        yield record
    yield End(counts["records"])

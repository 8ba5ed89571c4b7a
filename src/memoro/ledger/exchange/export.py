"""Writing a ledger down whole: as JSON Lines, or as Markdown that people can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ConfigError, StoreUnavailable
from memoro.ledger.access import LedgerAccess
from memoro.ledger.exchange import jsonl, markdown
from memoro.ledger.exchange.records import FORMAT, End, ExportedMemory, Header, Record
from memoro.model.ledger import NUMBERED

if TYPE_CHECKING:
    from memoro.ledger.ports import ArchiveTransaction, Transaction

RENDERERS = {"jsonl": jsonl.render, "markdown": markdown.render}


class Exported(NamedTuple):
    memories: int
    archived: int
    narratives: int
    changes: int
    experiences: int = 0


def export(access: LedgerAccess, write: Callable[[str], object], format: str = "jsonl") -> Exported:
    """Write all that the ledger and the archive hold, as of one moment, in lines that depend on nothing else.

    Who has the file has the ledger: it tells what was said, and by its salt whether a guess was forgotten.
    """
    render = RENDERERS.get(format)
    if render is None:
        raise ConfigError(f"There is no format {format!r} to export to; choose from {', '.join(RENDERERS)}.")
    counts: Counter[str] = Counter()
    with _one_moment(access) as (ledger, archive):
        for line in render(_counted(ledger_records(access, ledger, archive), counts)):
            write(f"{line}\n")
    return Exported(
        memories=counts["memory"],
        archived=counts["archived"],
        narratives=counts["Narrative"],
        changes=counts["JournalEntry"],
        experiences=counts["Experience"],
    )


@contextmanager
def _one_moment(access: LedgerAccess) -> Iterator[tuple[Transaction, ArchiveTransaction]]:
    """Ledger and archive as they are while nobody moves a memory from one to the other."""
    with ExitStack() as held:
        with ExitStack() as briefly:
            with suppress(StoreUnavailable):  # a home that cannot be written to stands still by itself
                briefly.enter_context(access.ledger.exclusively())
            tx, archive = held.enter_context(access.ledger.reading()), held.enter_context(access.archive.reading())
        yield tx, archive


def ledger_records(access: LedgerAccess, tx: Transaction, archive: ArchiveTransaction) -> Iterator[Record]:
    """All that an export of the ledger holds, the header first, and without the end."""
    yield Header(FORMAT, tx.meta.get("salt") or "", {kind: tx.numbers.highest(kind) for kind in NUMBERED})
    yield from (ExportedMemory(memory, archived=False) for memory in tx.memories.all())
    for memory in archive.memories.all():
        # After a crash a memory may be in both files, and one just forgotten not yet gone from the archive.
        in_both = tx.memories.find(memory.id) is not None
        if not in_both and tx.forgotten.at(access.digest(tx, memory.content)) is None:
            yield ExportedMemory(memory, archived=True)
    yield from tx.experiences.all()
    yield from tx.narratives.all()
    yield from tx.items.all()
    yield from tx.links.all()
    yield from tx.given.all()
    yield from tx.keys.all()
    yield from tx.forgotten.all()
    # Writes to notes stay behind: they are undone with bytes that this home keeps, in this home's vault.
    yield from (entry for entry in tx.journal.all() if entry.kind != "note")


def _counted(records: Iterator[Record], counts: Counter[str]) -> Iterator[Record]:
    for record in records:
        counts["records"] += 1
        if isinstance(record, ExportedMemory):
            counts["archived" if record.archived else "memory"] += 1
        else:
            counts[type(record).__name__] += 1
        yield record
    yield End(counts["records"])

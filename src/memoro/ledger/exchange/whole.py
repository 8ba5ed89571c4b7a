"""A whole ledger out of an export: what the file holds, whether all of it is there, and restoring it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import StoreUnavailable
from memoro.ledger.access import LedgerAccess
from memoro.ledger.exchange.lowering import lowered
from memoro.ledger.exchange.records import End, ExportedMemory, Header, ImportProblem, Record
from memoro.ledger.exchange.report import Tally
from memoro.ledger.items import redacted
from memoro.model.experiences import Experience, identity
from memoro.model.items import Item
from memoro.model.journal import JournalEntry
from memoro.model.ledger import LEFT_BEHIND, NUMBERED, ForgottenDigest, GivenMemory, KeptResult
from memoro.model.memories import Link, Memory, Narrative

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

Records = Callable[[], Iterator[Record | ImportProblem]]  # the file from its beginning, as often as it is needed


class Survey(NamedTuple):
    header: Header | None
    memories: int
    problems: tuple[ImportProblem, ...]  # none: the file is whole, and agrees with itself


def survey(records: Records) -> Survey:
    look = _Look()
    for record in records():
        look.at(record)
    look.finish()
    return Survey(look.header, look.memories, tuple(look.problems))


class _Look:
    def __init__(self) -> None:
        self.header: Header | None = None
        self.memories = 0
        self.problems: list[ImportProblem] = []
        self._records = 0
        self._end: int | None = None
        self._seen: set[tuple[Any, ...]] = set()
        self._pointed_to: set[int] = set()
        self._highest = {"memories": 0, "experiences": 0, "narratives": 0, "journal": 0}

    def at(self, record: Record | ImportProblem) -> None:
        match record:
            case ImportProblem():
                self.problems.append(record)
            case End(records):
                self._end = records
            case Header():
                self.header = record
                self._records += 1
            case _:
                self._records += 1
                self._note(record)

    def _note(self, record: Record) -> None:
        name = _name(record)
        if name in self._seen:
            self.problems.append(ImportProblem("the file", f"it has {' '.join(map(str, name))} twice"))
        self._seen.add(name)
        self.memories += isinstance(record, ExportedMemory)
        if isinstance(record, JournalEntry):
            self._pointed_to |= {number for number in (record.undoes, record.undone_by) if number is not None}
        if name[0] in self._highest:
            self._highest[name[0]] = max(self._highest[name[0]], name[1])

    def finish(self) -> None:
        if self.header is None:
            self.problems.append(ImportProblem("the file", "its header is missing"))
        elif any(self.header.sequences.get(name, 0) < number for name, number in self._highest.items()):
            self.problems.append(ImportProblem("the file", "its highest numbers are lower than those it uses"))
        if self._end != self._records:
            self.problems.append(ImportProblem("the file", "it was cut off, or something is missing from it"))
        if any(("journal", number) not in self._seen for number in self._pointed_to):
            self.problems.append(ImportProblem("the file", "a change that was undone is missing from it"))


def _name(record: Record) -> tuple[Any, ...]:
    """The name of a record, which no other record of the file may have."""
    match record:
        case ExportedMemory(memory, _):
            return ("memories", memory.id)
        case Experience():
            return ("experiences", record.id)
        case Narrative():
            return ("narratives", record.id)
        case Item():
            return ("items", record.store, record.namespace, record.key)
        case JournalEntry():
            return ("journal", record.id)
        case Link():
            return ("link", record.low, record.high)
        case GivenMemory():
            return ("given", record.session, record.answer, record.memory)
        case KeptResult():
            return ("key", record.key)
        case ForgottenDigest():
            return ("forgotten", record.digest)
        case Header() | End():
            return (type(record).__name__.lower(), record[0])


def may_restore(access: LedgerAccess, records: Records) -> bool:
    """True if there is nothing that could be overwritten.

    An archive that holds only what the file puts there is what a restore that broke off has left.
    """
    with access.ledger.reading() as tx, access.archive.reading() as archive:
        if not tx.is_empty():
            return False
        left = {memory.id: memory for memory in archive.memories.all()}
    if left:
        for record in records():
            if not isinstance(record, ExportedMemory) or not record.archived:
                continue
            if left.get(record.memory.id) in (record.memory, lowered(record.memory)):
                del left[record.memory.id]
    return not left


def is_lowered(record: Record | ImportProblem) -> bool:
    """Return whether an item of an export says more for itself than a file may."""
    return isinstance(record, (ExportedMemory, Experience)) and lowered(record) != record


def restore(access: LedgerAccess, records: Records, header: Header, tally: Tally, *, trust: bool) -> None:
    """Make an empty ledger the one that was exported, in one transaction: all of it or nothing.

    Without `trust`, what the file says about its own trust and feedback is lowered.
    """
    with access.ledger.writing() as tx:
        if not tx.is_empty():
            raise StoreUnavailable("Somebody has written to the ledger just now. Run the command again.")
        tx.meta.put("salt", header.salt)
        tx.meta.put("identity", os.urandom(16).hex())  # the index has seen another state, and starts anew
        archived = False
        for record in records():
            tally.lowered += not trust and is_lowered(record)
            _put(access, tx, clean(access, record if trust else lowered(record), tally))
            archived = archived or (isinstance(record, ExportedMemory) and record.archived)
            tally.new += isinstance(record, ExportedMemory)
            tally.experiences += isinstance(record, Experience)
            tally.narratives += isinstance(record, Narrative)
            tally.links += isinstance(record, Link)
        for kind in NUMBERED:
            tx.numbers.reserve(kind, header.sequences.get(kind, 0))
        # Writes to notes up to here stay with the old home. Their keys come, and stand for writes that were done.
        tx.meta.put(LEFT_BEHIND, str(header.sequences.get("journal", 0)))
        if archived:
            _put_archived(access, tx, records, trust=trust)


def _put_archived(access: LedgerAccess, tx: Transaction, records: Records, *, trust: bool) -> None:
    with access.archive.writing() as archive:
        for record in records():
            if isinstance(record, ExportedMemory) and record.archived:
                said = record.memory if trust else lowered(record.memory)
                memory: Memory = clean(access, said, Tally("", "", done=False))
                archive.memories.delete(memory.id)  # left there by a crash, if at all
                archive.memories.insert(memory, access.digest(tx, memory.content))


def _put(access: LedgerAccess, tx: Transaction, record: Record | ImportProblem) -> None:
    match record:
        case ExportedMemory(memory, False):
            tx.memories.insert(memory, access.digest(tx, memory.content))
        case Experience():
            tx.experiences.insert(record, access.digest(tx, identity(record)))
        case Item():
            tx.items.put(record)
        case Narrative():
            tx.narratives.insert(record)
        case Link():
            tx.links.put(record)
        case GivenMemory():
            tx.given.restore(record)
        case KeptResult():
            tx.keys.add(record)
        case ForgottenDigest():
            tx.forgotten.add(bytes.fromhex(record.digest), record.at)
        case JournalEntry():
            tx.journal.restore(record)


def clean(access: LedgerAccess, record: Any, tally: Tally) -> Any:
    """Without secrets, in whatever field they are: the file may have been written by anyone."""
    if isinstance(record, (KeptResult, ForgottenDigest, Link, Header, End)):
        return record  # numbers and digests
    if isinstance(record, Item):
        return _clean_item(access, record, tally)
    if isinstance(record, str):
        text, taken_out = access.clean_replacing(record)
        tally.redacted += len(taken_out)
        return text
    if isinstance(record, dict):
        return {name: _clean_field(access, name, value, tally) for name, value in record.items()}
    if hasattr(record, "_replace"):
        return type(record)(*(_clean_field(access, name, value, tally) for name, value in record._asdict().items()))
    if isinstance(record, (tuple, list)):
        return tuple(clean(access, value, tally) for value in record)
    return record


def _clean_field(access: LedgerAccess, name: str, value: Any, tally: Tally) -> Any:
    """A solution is JSON, and must be after it was cleaned."""
    if name != "solution_json" or not isinstance(value, str):
        return clean(access, value, tally)
    kept = access.json(json.loads(value))
    tally.redacted += len(kept.redacted)
    return kept.text


def _clean_item(access: LedgerAccess, item: Item, tally: Tally) -> Item:
    """Without secrets in its value, which else stays as it is: it is JSON, and exact."""
    kinds: list[str] = []
    value = redacted(json.loads(item.value), access.clean_replacing, kinds)
    tally.redacted += len(kinds)
    return item._replace(value=json.dumps(value, ensure_ascii=False)) if kinds else item

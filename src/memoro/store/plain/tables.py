"""The rows of a plain ledger, in dictionaries."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from memoro.errors import StoreError
from memoro.model.experiences import Experience
from memoro.model.items import Item
from memoro.model.journal import JournalEntry
from memoro.model.ledger import GivenMemory, KeptResult, WatchedLine
from memoro.model.memories import Link, Memory, Narrative
from memoro.model.proposals import Proposal
from memoro.model.recalls import StoredRecall
from memoro.model.sessions import Session
from memoro.model.vocabulary import Feedback

T = TypeVar("T")
Row = TypeVar("Row", Memory, Experience)


class RecalledRow(NamedTuple):
    item: str
    content: str | None  # the digest of its text; None: it was forgotten
    feedback: tuple[Feedback, ...] = ()


class Tables(NamedTuple):
    """Each by what identifies a row. A transaction works on copies of the dictionaries; rows never change."""

    memories: dict[int, Memory]
    memory_digests: dict[int, bytes]
    experiences: dict[int, Experience]
    experience_digests: dict[int, bytes]
    narratives: dict[int, Narrative]
    journal: dict[int, JournalEntry]
    links: dict[tuple[int, int], Link]
    given: dict[tuple[str, int, int], GivenMemory]
    contents: dict[str, bytes]
    pending: dict[int, None]
    lines: dict[int, WatchedLine]
    proposals: dict[int, Proposal]
    items: dict[int, Item]
    sessions: dict[str, Session]
    recalls: dict[int, StoredRecall]
    recall_keys: dict[bytes, int]
    recalled: dict[tuple[int, int], RecalledRow]  # by recall and position
    keys: dict[str, KeptResult]
    forgotten: dict[bytes, str]
    meta: dict[str, str]
    highest: dict[str, int]  # by kind of row, the highest number ever given

    def copied(self) -> Tables:
        return Tables._make(table.copy() for table in self)

    def counts(self) -> dict[str, int]:
        return {name: len(table) for name, table in self._asdict().items()}

    def bytes(self) -> dict[str, int]:
        """About how much each table takes."""
        return {name: sum(len(repr(row)) for row in table.items()) for name, table in self._asdict().items()}


def empty_tables() -> Tables:
    return Tables._make({} for _ in Tables._fields)


def number_for(tables: Tables, kind: str, wanted: int) -> int:
    """The wanted number, or, if that is 0, one that was never given before."""
    number = wanted or tables.highest.get(kind, 0) + 1
    tables.highest[kind] = max(number, tables.highest.get(kind, 0))
    return number


def insert(table: dict[int, T], number: int, row: T) -> None:
    if number in table:
        raise StoreError(f"There is a row {number} already.")
    table[number] = row


def updated(row: Row, old: Row, new: Row) -> Row:
    """The row with the fields of `new` that differ from those of `old`."""
    return type(row)._make(
        after if before != after else now for now, before, after in zip(row, old, new, strict=True)
    )

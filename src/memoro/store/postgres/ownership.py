"""The owner of each row that a transaction adds: the whole tenant, one person, or one node.

What is written about a private row is private, too: its journal, its links, and proposals that name it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from memoro.model.vocabulary import Visibility
from memoro.store.postgres import replica
from memoro.store.postgres.changes import Change
from memoro.store.postgres.server import Seat
from memoro.store.postgres.tables import SHARED

TABLE_OF_KIND = {"memory": "memories", "experience": "experiences", "narrative": "narratives"}
KIND_OF_TABLE = {table: kind for kind, table in TABLE_OF_KIND.items()}
# Proposals of other changes are about notes.
_PROPOSED_ROWS = frozenset(
    ["store_memory", "supersede_memory", "change_memory", "remove_memory", "retire_memory", "retire_experience"]
)
_NAMED = re.compile(r"\b(memory|experience|narrative):(\d+)\b|\[id:(\d+)\]")


class Wish(NamedTuple):
    """Who is to see what a transaction adds."""

    visibility: Visibility
    is_explicit: bool = False  # whoever writes said so; else the settings do


class Ownership:
    """Decides for the rows that one transaction adds to a copy. The rows are in the copy already."""

    def __init__(
        self,
        db: apsw.Connection,
        seat: Seat,
        wish: Wish,
        is_private_elsewhere: Callable[[int], bool] = lambda _memory: False,
    ) -> None:
        self._db = db
        self._seat = seat
        self._wish = wish
        self._is_private_elsewhere = is_private_elsewhere  # a memory of the ledger that comes to the archive
        self._first_entry: int | None = None  # that the transaction added to the journal

    def note_new(self, changes: Sequence[Change]) -> None:
        """Record which of the new memories, experiences and narratives are private. Others are decided by these."""
        inserts = [one for one in changes if one.operation == "INSERT"]
        self._first_entry = min((one.key[0] for one in inserts if one.table.name == "journal"), default=None)
        # A narrative rests on memories, so memories come first.
        for name in ("memories", "experiences", "narratives"):
            for change in inserts:
                if change.table.name == name:
                    owner = self._seat.person if self._is_new_private(change) else SHARED
                    replica.note_owner(self._db, name, change.key[0], owner)

    def owner(self, change: Change) -> str:
        match change.table.seen:
            case "by everybody":
                return SHARED
            case "by its person":
                return self._seat.person
            case "by its node":
                return self._seat.node_owner
        return self._seat.person if self._is_private(change) else SHARED

    def _is_private(self, change: Change) -> bool:
        row = change.new_row
        match change.table.name:
            case "memories" | "experiences" | "narratives" as name:
                return replica.is_private(self._db, name, change.key[0])
            case "journal":
                return is_about_notes("journal", row) or self._is_private_entry(row["kind"], row["item"])
            case "links":
                return self.is_private_link(row["low"], row["high"])
            case "rests_on":
                return self.is_private_rest(row["narrative"], row["memory"])
            case "proposals":
                return self._wants_private or self._is_private_proposal(row)
        return self._wants_private

    @property
    def _wants_private(self) -> bool:
        return self._wish.visibility == "private"

    def _is_new_private(self, change: Change) -> bool:
        """What had a history keeps its visibility: an undo brings it back, or it comes out of the archive."""
        name, number = change.table.name, change.key[0]
        if change.table.part == "archive":
            return self._is_private_elsewhere(number)
        if name == "memories" and self._db.execute("SELECT 1 FROM items WHERE id = ?", (number,)).get:
            return False  # the item of a framework is seen by everybody
        history = self._history(KIND_OF_TABLE[name], number)
        if history:
            return has_private_entry(self._db, history)
        if self._wish.is_explicit:
            return self._wants_private
        return self._wants_private or any(
            replica.is_private(self._db, "memories", one) for one in self._made_from(change)
        )

    def _history(self, kind: str, number: int) -> list[int]:
        """The entries of something before this transaction."""
        before = self._first_entry if self._first_entry is not None else 2**63 - 1
        return [one for one in entries_of(self._db, kind, number) if one < before]

    def _made_from(self, change: Change) -> Iterator[int]:
        if change.table.name == "memories":
            yield from (int(one) for one in change.new_row["parents"].split("\n") if one)
        if change.table.name == "narratives":
            query = "SELECT memory FROM rests_on WHERE narrative = ?"
            yield from (int(str(one)) for (one,) in self._db.execute(query, (change.key[0],)))

    def _is_private_entry(self, kind: str, item: Any) -> bool:
        if kind == "item":
            return False
        if kind not in TABLE_OF_KIND:
            return self._wants_private
        table = TABLE_OF_KIND[kind]
        if replica.is_private(self._db, table, item):
            return True
        # Of what is not there any more, the history tells.
        is_there = self._db.execute(f"SELECT 1 FROM {table} WHERE id = ?", (item,)).get
        return not is_there and has_private_entry(self._db, self._history(kind, item))

    def _is_private_proposal(self, row: dict[str, Any]) -> bool:
        """Return whether it is about the notes of one person, or names a row that is private."""
        named = named_rows(row["detail"], row["evidence"])
        return is_about_notes("proposals", row) or any(replica.is_private(self._db, *one) for one in named)

    def moved_keys(self, name: str, number: int, is_private: bool, table: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a table that change their owner when a memory or an experience is made private, or shared."""
        # The rows of this transaction have the new owner already.
        if table == name:
            yield (number,)
        elif table == "journal":
            entries = self._history(KIND_OF_TABLE[name], number)
            yield from ((one,) for one in entries if replica.is_private(self._db, "journal", one) != is_private)
        elif table == "links" and name == "memories":
            ends = self._db.execute("SELECT low, high FROM links WHERE low = ?1 OR high = ?1", (number,)).fetchall()
            others = ((low, high, high if low == number else low) for low, high in ends)
            yield from ((low, high) for low, high, other in others if not self._is_private_row("memories", other))
        elif table == "rests_on" and name == "memories":
            rests = self._db.execute(
                "SELECT narrative, position FROM rests_on WHERE memory = ?", (number,)
            ).fetchall()
            yield from (one for one in rests if not self._is_private_row("narratives", one[0]))

        elif table == "proposals" and is_private:
            proposals = self._db.execute("SELECT id, detail, evidence FROM proposals").fetchall()
            naming = [int(str(id)) for id, *texts in proposals if (name, number) in named_rows(*map(str, texts))]
            yield from ((one,) for one in naming if not self._is_private_row("proposals", one))

    def _is_private_row(self, name: str, number: Any) -> bool:
        return replica.is_private(self._db, name, int(number))

    def is_private_link(self, low: int, high: int) -> bool:
        return any(replica.is_private(self._db, "memories", end) for end in (low, high))

    def is_private_rest(self, narrative: int, memory: int) -> bool:
        return replica.is_private(self._db, "narratives", narrative) or replica.is_private(
            self._db, "memories", memory
        )


class MovedOwnership(Ownership):
    """The same for a whole ledger that is moved to a server: all its memories are shared, or all are private."""

    def note_new(self, changes: Sequence[Change]) -> None:
        """Nothing is decided by what stands in another row."""

    def owner(self, change: Change) -> str:
        if change.table.seen != "by visibility":
            return super().owner(change)
        is_private = self._wants_private and not self._is_item(change)
        about_notes = is_about_notes(change.table.name, change.new_row)
        return self._seat.person if is_private or about_notes else SHARED

    def _is_item(self, change: Change) -> bool:
        """Return whether it is the memory of an item, which everybody sees."""
        if (change.table.part, change.table.name) != ("ledger", "memories"):
            return False
        return self._db.execute("SELECT 1 FROM items WHERE id = ?", (change.key[0],)).get is not None


def is_about_notes(table: str, row: dict[str, Any]) -> bool:
    """Return whether an entry or a proposal tells of notes: a vault is a folder of one person's machines."""
    if table == "journal":
        return row["kind"] in ("note", "transcript")
    return table == "proposals" and row["operation"] not in _PROPOSED_ROWS


def entries_of(db: apsw.Connection, kind: str, number: int) -> list[int]:
    """The journal's entries about something, by their numbers."""
    query = "SELECT id FROM journal WHERE kind = ? AND item = ? ORDER BY id"
    return [int(str(one)) for (one,) in db.execute(query, (kind, number))]


def has_private_entry(db: apsw.Connection, entries: Sequence[int]) -> bool:
    return any(replica.is_private(db, "journal", one) for one in entries)


def is_private_memory(db: apsw.Connection, number: int) -> bool:
    """Return whether a memory is private, or was when it was last in the ledger."""
    return replica.is_private(db, "memories", number) or has_private_entry(db, entries_of(db, "memory", number))


def named_rows(*texts: str) -> set[tuple[str, int]]:
    """The rows that JSON may name: too many rather than too few."""
    found: set[tuple[str, int]] = set()
    for text in texts:
        for kind, number, of_memory in _NAMED.findall(text):
            found.add((TABLE_OF_KIND[kind or "memory"], int(number or of_memory)))
        for number in _numbers(_parsed(text)):
            found |= {(table, number) for table in KIND_OF_TABLE}
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # the detail of a proposal that was forgotten
        return None


def _numbers(value: Any) -> Iterator[int]:
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _numbers(one)
    elif isinstance(value, list):
        for one in value:
            yield from _numbers(one)

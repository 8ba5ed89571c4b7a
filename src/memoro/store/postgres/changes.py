"""The rows that a transaction changes in a local copy."""

from __future__ import annotations

from typing import Any, NamedTuple

import apsw

from memoro.store.postgres import replica
from memoro.store.postgres.tables import Part, Table, tables_of


class Change(NamedTuple):
    """One row that a transaction inserted, updated or deleted in the copy. `apsw.no_change`: a column that stayed."""

    table: Table
    operation: str  # INSERT, UPDATE or DELETE
    old: tuple[Any, ...] | None
    new: tuple[Any, ...] | None

    @property
    def key(self) -> tuple[Any, ...]:
        row = self.old or self.new or ()
        places = [self.table.names.index(name) for name in self.table.key]
        return tuple(row[place] for place in places)

    @property
    def new_row(self) -> dict[str, Any]:
        return dict(zip(self.table.names, self.new or (), strict=True))


class Recording:
    """Records every row that changes in a copy from now on."""

    def __init__(self, db: apsw.Connection, part: Part) -> None:
        self._tables = {table.name: table for table in tables_of(part)}
        self._session = apsw.Session(db, "main")
        self._session.table_filter(lambda name: name in self._tables)
        self._session.attach()
        self._sequences = replica.sequences(db)
        self._db = db

    def changes(self) -> list[Change]:
        return [
            Change(table=self._tables[one.name], operation=one.op, old=one.old, new=one.new)
            for one in apsw.Changeset.iter(self._session.changeset())
        ]

    def new_numbers(self) -> dict[str, int]:
        """The tables in which numbers were given, each with the highest."""
        after = replica.sequences(self._db)
        return {name: number for name, number in after.items() if number != self._sequences.get(name, 0)}

    def close(self) -> None:
        self._session.close()

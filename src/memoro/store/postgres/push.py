"""Writes to the server what a transaction changed in the local copy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import apsw
import psycopg

from memoro.store.postgres import replica
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import NUMBERED_BY_PERSON, SHARED, Part, Table, tables_of
from memoro.store.postgres.values import to_server


class CopyDiffers(Exception):
    """The server does not hold what the local copy says, so nothing was written."""


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


class Push(NamedTuple):
    """One transaction on its way to the server."""

    cursor: Cursor
    db: apsw.Connection
    seat: Seat
    part: Part
    revision: int
    is_private: bool  # whoever writes wants nobody else to see what is new

    def send(self, changes: Sequence[Change], numbers: dict[str, int]) -> None:
        private = self.is_private or any(map(self._touches_private, changes))
        try:
            for (table, operation), group in groupby(changes, key=lambda one: (one.table, one.operation)):
                rows = list(group)
                if operation == "INSERT":
                    self._insert(table, rows, private)
                elif operation == "DELETE":
                    self._delete(table, rows)
                else:
                    self._update(table, rows)
        except psycopg.errors.UniqueViolation as error:
            raise CopyDiffers from error
        self._send_numbers(numbers)

    def _touches_private(self, change: Change) -> bool:
        key = change.key[0]
        return change.operation != "INSERT" and replica.is_private(self.db, change.table.name, key)

    def _owner(self, change: Change, private: bool) -> str:
        match change.table.seen:
            case "by everybody":
                return SHARED
            case "by its person":
                return self.seat.person
            case "by its node":
                return self.seat.node_owner
        return self.seat.person if self._is_private(change, private) else SHARED

    def _is_private(self, change: Change, private: bool) -> bool:
        row = dict(zip(change.table.names, change.new or (), strict=True))
        if change.table.name == "journal" and row["kind"] in ("note", "transcript"):
            return True  # a vault is a folder of one person's machines
        if change.table.name == "links":
            return any(replica.is_private(self.db, "memories", row[end]) for end in ("low", "high"))
        return private

    def _insert(self, table: Table, rows: list[Change], private: bool) -> None:
        names = ", ".join(f'"{name}"' for name in table.names)
        marks = ", ".join(["%s"] * (len(table.names) + 3))
        values = []
        for change in rows:
            owner = self._owner(change, private)
            replica.note_owner(self.db, table.name, change.key[0], owner)
            values.append((self.seat.tenant, owner, self.revision, *_encoded(table, change.new or ())))
        query = f"INSERT INTO {SCHEMA}.{table.on_server} (tenant, owner, revision, {names}) VALUES ({marks})"
        self.cursor.executemany(query, values)

    def _update(self, table: Table, rows: list[Change]) -> None:
        for places, group in groupby(rows, key=_changed_places):
            names = [table.names[place] for place in places]
            changes = ", ".join(f'"{name}" = %s' for name in names)
            same = "".join(f' AND "{name}" IS NOT DISTINCT FROM %s' for name in names)
            query = f"UPDATE {SCHEMA}.{table.on_server} SET revision = %s, {changes} WHERE {self._named(table)}{same}"
            values = []
            for change in group:
                types = [table.columns[place].type for place in places]
                new, old = (
                    [to_server(row[place], type) for place, type in zip(places, types, strict=True)]
                    for row in (change.new or (), change.old or ())
                )
                values.append((self.revision, *new, *self._name(change), *old))
            self._each_once(query, values)

    def _delete(self, table: Table, rows: list[Change]) -> None:
        query = f"DELETE FROM {SCHEMA}.{table.on_server} WHERE {self._named(table)} RETURNING owner"
        self.cursor.executemany(query, [self._name(one) for one in rows], returning=True)
        owners = [found[0] for _ in self.cursor.results() for found in self.cursor]
        if len(owners) != len(rows):
            raise CopyDiffers
        # A statement of its own: not every distributed engine takes a DELETE within an INSERT.
        query = f"""INSERT INTO {SCHEMA}.deleted (tenant, part, revision, name, owner, key)
                    VALUES (%s, %s, %s, %s, %s, %s)"""
        told = (self.seat.tenant, self.part, self.revision, table.name)
        self.cursor.executemany(query, [(*told, own, _key_json(one)) for own, one in zip(owners, rows, strict=True)])
        for one in rows:
            replica.note_owner(self.db, table.name, one.key[0], SHARED)

    def _each_once(self, query: str, values: list[tuple[Any, ...]]) -> None:
        """Run a statement that must find one row each time."""
        self.cursor.executemany(query, values)
        if self.cursor.rowcount != len(values):
            raise CopyDiffers

    def _named(self, table: Table) -> str:
        own = " AND owner = %s" if table.is_personal else ""
        return "tenant = %s" + own + "".join(f' AND "{name}" = %s' for name in table.key)

    def _name(self, change: Change) -> tuple[Any, ...]:
        owner = (self._owner(change, private=False),) if change.table.is_personal else ()
        types = {column.name: column.type for column in change.table.columns}
        key = (to_server(one, types[name]) for name, one in zip(change.table.key, change.key, strict=True))
        return (self.seat.tenant, *owner, *key)

    def _send_numbers(self, numbers: dict[str, int]) -> None:
        query = f"""INSERT INTO {SCHEMA}.numbers AS n (tenant, part, owner, kind, revision, highest)
                    VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (tenant, part, owner, kind)
                    DO UPDATE SET revision = excluded.revision, highest = greatest(n.highest, excluded.highest)"""
        for kind, highest in numbers.items():
            owner = self.seat.person if kind in NUMBERED_BY_PERSON else SHARED
            self.cursor.execute(query, (self.seat.tenant, self.part, owner, kind, self.revision, highest))


def _encoded(table: Table, row: Sequence[Any]) -> Iterator[Any]:
    return (to_server(value, column.type) for value, column in zip(row, table.columns, strict=True))


def _changed_places(change: Change) -> tuple[int, ...]:
    return tuple(place for place, value in enumerate(change.new or ()) if value is not apsw.no_change)


def _key_json(change: Change) -> str:
    return json.dumps([one.hex() if isinstance(one, bytes) else one for one in change.key])

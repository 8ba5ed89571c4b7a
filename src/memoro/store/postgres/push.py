"""Writes to the server what a transaction changed in the local copy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import apsw
import psycopg

from memoro.store.postgres import replica
from memoro.store.postgres.changes import Change
from memoro.store.postgres.ownership import Ownership
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import NUMBERED_BY_PERSON, SHARED, Part, Table, tables_of
from memoro.store.postgres.values import to_server


class CopyDiffers(Exception):
    """The server does not hold what the local copy says, so nothing was written."""


class Move(NamedTuple):
    """A memory or an experience that its owner makes private, or shares."""

    name: str  # of its table
    number: int
    is_private: bool


class Push(NamedTuple):
    """One transaction on its way to the server."""

    cursor: Cursor
    db: apsw.Connection
    seat: Seat
    part: Part
    revision: int
    ownership: Ownership

    def send(self, changes: Sequence[Change], numbers: dict[str, int]) -> None:
        self.ownership.note_new(changes)
        try:
            for (table, operation), group in groupby(changes, key=lambda one: (one.table, one.operation)):
                rows = list(group)
                if operation == "INSERT":
                    self._insert(table, rows)
                elif operation == "DELETE":
                    self._delete(table, rows)
                else:
                    self._update(table, rows)
        except psycopg.errors.UniqueViolation as error:
            raise CopyDiffers from error
        self._send_numbers(numbers)

    def _insert(self, table: Table, rows: list[Change]) -> None:
        names = ", ".join(f'"{name}"' for name in table.names)
        marks = ", ".join(["%s"] * (len(table.names) + 3))
        values = []
        for change in rows:
            owner = self.ownership.owner(change)
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
        self.cursor.executemany(
            query, [(*told, own, _key_json(one.key)) for own, one in zip(owners, rows, strict=True)]
        )

    def move(self, moved: Move) -> None:
        """Give a row to its person, or to everybody, with what is written about it. The others lose it, or get it.

        Each row that is no longer shared gets a tombstone that everybody sees. The nodes of its owner read it, too,
        and then the row itself, which has the same revision.
        """
        owners = (SHARED, self.seat.person) if moved.is_private else (self.seat.person, SHARED)
        for table in tables_of(self.part):
            keys = list(self.ownership.moved_keys(moved.name, moved.number, moved.is_private, table.name))
            if keys:
                self._move_rows(table, keys, *owners)

    def _move_rows(self, table: Table, keys: list[tuple[Any, ...]], old: str, new: str) -> None:
        named = "".join(f' AND "{name}" = %s' for name in table.key)
        query = f"""UPDATE {SCHEMA}.{table.on_server} SET owner = %s, revision = %s
                     WHERE tenant = %s{named} AND owner = %s"""
        self._each_once(query, [(new, self.revision, self.seat.tenant, *key, old) for key in keys])
        if old == SHARED:
            query = f"""INSERT INTO {SCHEMA}.deleted (tenant, part, revision, name, owner, key)
                        VALUES (%s, %s, %s, %s, %s, %s)"""
            told = (self.seat.tenant, self.part, self.revision, table.name, SHARED)
            self.cursor.executemany(query, [(*told, _key_json(key)) for key in keys])
        for key in keys:
            replica.note_owner(self.db, table.name, key[0], new)

    def _each_once(self, query: str, values: list[tuple[Any, ...]]) -> None:
        """Run a statement that must find one row each time."""
        self.cursor.executemany(query, values)
        if self.cursor.rowcount != len(values):
            raise CopyDiffers

    def _named(self, table: Table) -> str:
        own = " AND owner = %s" if table.is_personal else ""
        return "tenant = %s" + own + "".join(f' AND "{name}" = %s' for name in table.key)

    def _name(self, change: Change) -> tuple[Any, ...]:
        owner = (self.ownership.owner(change),) if change.table.is_personal else ()
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


def _key_json(key: tuple[Any, ...]) -> str:
    return json.dumps([one.hex() if isinstance(one, bytes) else one for one in key])

"""What a ledger holds, as counts and digests: equal for two stores exactly if they hold the same rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from memoro.store.postgres import replica
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import Part, Table, tables_of
from memoro.store.postgres.values import from_server

_AT_ONCE = 2000  # rows that are in memory at a time


class TableContents(NamedTuple):
    rows: int
    digest: str  # SHA-256 over the digests of the rows, sorted


class PartContents(NamedTuple):
    """What one part of a ledger holds."""

    tables: Mapping[str, TableContents]
    position: int  # of the journal: the number of its last entry
    numbers: Mapping[str, int]  # the highest number given in each numbered table

    def differences(self, other: PartContents) -> list[str]:
        """Say what is not equal."""
        found = [
            f"{name}: {mine.rows} rows and {other.tables[name].rows}"
            + ("" if mine.rows != other.tables[name].rows else " that differ")
            for name, mine in self.tables.items()
            if mine != other.tables[name]
        ]
        if self.position != other.position:
            found.append(f"the journal ends at {self.position} and at {other.position}")
        if self.numbers != other.numbers:
            found.append(f"the highest numbers are {dict(self.numbers)} and {dict(other.numbers)}")
        return found

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())


def contents_of_file(db: apsw.Connection, part: Part) -> PartContents:
    """What a SQLite ledger or archive holds, within the caller's transaction."""
    tables = {}
    for table in tables_of(part):
        names = ", ".join(f'"{name}"' for name in table.names)
        tables[table.name] = digested(table, db.execute(f"SELECT {names} FROM {table.name}"))
    return PartContents(tables, _position(db, part), replica.sequences(db))


def _position(db: apsw.Connection, part: Part) -> int:
    return int(db.execute("SELECT max(id) FROM journal").get or 0) if part == "ledger" else 0


def contents_on_server(cursor: Cursor, seat: Seat, part: Part) -> PartContents:
    """What the server holds of a part, as far as the seat sees it, within the caller's transaction."""
    tables = {table.name: digested(table, _server_rows(cursor, seat, table)) for table in tables_of(part)}
    position = 0
    if part == "ledger":
        cursor.execute(f"SELECT coalesce(max(id), 0) FROM {SCHEMA}.journal WHERE tenant = %s", [seat.tenant])
        position = int((cursor.fetchone() or (0,))[0])
    cursor.execute(f"SELECT kind, highest FROM {SCHEMA}.numbers WHERE tenant = %s AND part = %s", [seat.tenant, part])
    return PartContents(tables, position, {str(kind): int(highest) for kind, highest in cursor.fetchall()})


def _server_rows(cursor: Cursor, seat: Seat, table: Table) -> Iterator[tuple[Any, ...]]:
    names = ", ".join(f'"{name}"' for name in table.names)
    types = [column.type for column in table.columns]
    cursor.execute(
        f"DECLARE moved NO SCROLL CURSOR FOR SELECT {names} FROM {SCHEMA}.{table.on_server} WHERE tenant = %s",
        [seat.tenant],
    )
    while True:
        cursor.execute(f"FETCH {_AT_ONCE} FROM moved")
        rows = cursor.fetchall()
        for row in rows:
            yield tuple(from_server(value, type) for value, type in zip(row, types, strict=True))
        if not rows:
            break
    cursor.execute("CLOSE moved")


def digested(table: Table, rows: Iterable[Sequence[Any]]) -> TableContents:
    """The number of rows, and one digest of them all, in whatever order they come."""
    floats = {place for place, column in enumerate(table.columns) if column.type == "double precision"}
    found = sorted(_row_digest(row, floats) for row in rows)
    return TableContents(len(found), hashlib.sha256(b"".join(found)).hexdigest())


def _row_digest(row: Sequence[Any], floats: set[int]) -> bytes:
    digest = hashlib.sha256()
    for place, value in enumerate(row):
        if place in floats and value is not None:
            value = float(value)
        encoded = (
            value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else repr(value).encode()
        )
        digest.update(f"{type(value).__name__} {len(encoded)} ".encode())
        digest.update(encoded)
    return digest.digest()

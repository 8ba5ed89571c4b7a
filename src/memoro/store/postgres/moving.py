"""Puts the rows of a local ledger on a server, and reads back what is there.

Both parts go in one transaction under an id, so a move that was broken off has put there everything or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import apsw

from memoro.errors import StoreUnavailable, TenantNotEmpty
from memoro.store.postgres import replica
from memoro.store.postgres.changes import Change
from memoro.store.postgres.comparing import PartContents, contents_of_file, contents_on_server
from memoro.store.postgres.ledger_rows import UNTOUCHED, Commit, lock_head, record_commit, record_identity
from memoro.store.postgres.ownership import MovedOwnership, Wish
from memoro.store.postgres.pull import head
from memoro.store.postgres.push import Push
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, PostgresServer, Seat
from memoro.store.postgres.tables import Part, Table, tables_of

PARTS: tuple[Part, ...] = ("ledger", "archive")
_AT_ONCE = 500  # rows on their way to the server

Sources = Mapping[Part, apsw.Connection]  # each within a transaction
Progress = Callable[[int, int], object]


class Target(NamedTuple):
    """The tenant to which a ledger is moved, and the id of the move."""

    server: PostgresServer
    seat: Seat
    id: str
    is_private: bool  # only the person who moves sees the memories there


def check_target(target: Target) -> None:
    """Raise where the tenant does not exist, or holds something that this move has not put there."""
    with target.server.reading(target.seat) as cursor:
        for part in PARTS:
            _check_head(cursor, target, part)


def _check_head(cursor: Cursor, target: Target, part: Part) -> bool:
    """Return whether this move has filled the part already."""
    found = head(cursor, target.seat, part)
    if not found.revision:
        raise StoreUnavailable(
            f"There is no tenant {target.seat.tenant!r} on {target.server.name}. "
            "Its owner makes one with `memoro admin tenant add`; nothing was changed."
        )
    if found.commit == target.id:
        return True
    if found.revision != UNTOUCHED:
        raise TenantNotEmpty(target.seat.tenant, target.server.name)
    return False


def put_on_server(target: Target, sources: Sources, progress: Progress) -> None:
    """Make the tenant hold the rows of the sources; where this move has put others there before, replace them."""
    wanted = {part: contents_of_file(db, part) for part, db in sources.items()}
    counter = _Counter(progress, sum(contents.rows for contents in wanted.values()))
    with target.server.transaction(target.seat) as cursor:
        for part in PARTS:
            lock_head(cursor, target.seat, part)
        filled = [_check_head(cursor, target, part) for part in PARTS]
        if all(filled) and not differences(cursor, target, wanted):
            return
        for part in PARTS:
            _put_part(cursor, target, part, sources[part], counter)


class _Counter:
    """Tells how many rows have been sent."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def add(self, rows: int) -> None:
        self._done += rows
        self._progress(self._done, self._total)


def _put_part(cursor: Cursor, target: Target, part: Part, db: apsw.Connection, counter: _Counter) -> None:
    seat, now = target.seat, head(cursor, target.seat, part).revision
    for table in tables_of(part):
        cursor.execute(f"DELETE FROM {SCHEMA}.{table.on_server} WHERE tenant = %s", [seat.tenant])
    cursor.execute(f"DELETE FROM {SCHEMA}.numbers WHERE tenant = %s AND part = %s", [seat.tenant, part])
    owners = replica.private_rows_in_memory()
    push = Push(
        cursor=cursor,
        db=owners,
        seat=seat,
        part=part,
        revision=now + 1,
        ownership=MovedOwnership(db, seat, Wish("private" if target.is_private else "shared")),
    )
    for table in tables_of(part):
        for batch in _batches(db, table):
            push.send(batch, {})
            counter.add(len(batch))
    push.send([], replica.sequences(db))
    owners.close()
    record_identity(cursor, seat, part, replica.identity(db), now + 1)
    record_commit(cursor, seat, part, Commit(now + 1, target.id))
    # A copy of what was there before cannot follow by changes: nodes make theirs anew.
    cursor.execute(
        f"UPDATE {SCHEMA}.heads SET trimmed = revision WHERE tenant = %s AND part = %s", [seat.tenant, part]
    )


def _batches(db: apsw.Connection, table: Table) -> Iterator[list[Change]]:
    names = ", ".join(f'"{name}"' for name in table.names)
    batch: list[Change] = []
    for row in db.execute(f"SELECT {names} FROM {table.name}"):
        batch.append(Change(table=table, operation="INSERT", old=None, new=tuple[Any, ...](row)))
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def compare_with_server(target: Target, sources: Sources) -> tuple[Mapping[Part, PartContents], list[str]]:
    """What the sources hold, and how the server differs from it."""
    wanted = {part: contents_of_file(db, part) for part, db in sources.items()}
    with target.server.reading(target.seat) as cursor:
        return wanted, differences(cursor, target, wanted)


def differences(cursor: Cursor, target: Target, wanted: Mapping[Part, PartContents]) -> list[str]:
    found = []
    for part, contents in wanted.items():
        there = contents_on_server(cursor, target.seat, part)
        found += [f"{part}: {one}" for one in contents.differences(there)]
    return found


def other_people(server: PostgresServer, seat: Seat) -> list[str]:
    """Return who else has written to the tenant lately: private rows of theirs are not seen by this seat."""
    with server.reading(seat) as cursor:
        cursor.execute(
            f"""SELECT DISTINCT person FROM {SCHEMA}.commits
                 WHERE tenant = %s AND person NOT IN ('', %s) ORDER BY person""",
            [seat.tenant, seat.person],
        )
        return [str(person) for (person,) in cursor.fetchall()]

"""The rows of the server that say how far a tenant's ledger has come: its heads, its commits and its identities."""

from __future__ import annotations

from typing import NamedTuple

from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import Part

UNTOUCHED = 1  # the revision of a part that was never written to


class Identity(NamedTuple):
    """An identity that a part has or had."""

    part: Part
    identity: str


class Commit(NamedTuple):
    """A commit on its way: its revision, and an id by which it is found again."""

    revision: int
    id: str


def lock_head(cursor: Cursor, seat: Seat, part: Part) -> int:
    """Let no other node write to this part of the tenant's ledger until the transaction ends; return the revision.

    A tenant that does not exist has revision 0.
    """
    cursor.execute(
        f"SELECT revision FROM {SCHEMA}.heads WHERE tenant = %s AND part = %s FOR UPDATE", [seat.tenant, part]
    )
    found = cursor.fetchone()
    return int(found[0]) if found else 0


def record_commit(cursor: Cursor, seat: Seat, part: Part, commit: Commit) -> None:
    """Raise the head to the commit's revision, and note who made it."""
    cursor.execute(
        f"UPDATE {SCHEMA}.heads SET revision = %s, commit_id = %s WHERE tenant = %s AND part = %s",
        [commit.revision, commit.id, seat.tenant, part],
    )
    cursor.execute(
        f"INSERT INTO {SCHEMA}.commits (tenant, part, revision, id, person, node) VALUES (%s, %s, %s, %s, %s, %s)",
        [seat.tenant, part, commit.revision, commit.id, seat.person, seat.node],
    )


def record_identity(cursor: Cursor, seat: Seat, part: Part, identity: str, revision: int) -> None:
    """Keep an identity that the ledger takes on, so that nodes that know an earlier one recognise it."""
    cursor.execute(
        f"""INSERT INTO {SCHEMA}.identities (tenant, part, identity, revision) VALUES (%s, %s, %s, %s)
            ON CONFLICT (tenant, part, identity) DO UPDATE SET revision = excluded.revision""",
        [seat.tenant, part, identity, revision],
    )


def identities(cursor: Cursor, seat: Seat) -> list[Identity]:
    """Every identity of ledger and archive, the present ones first."""
    cursor.execute(
        f"SELECT part, identity FROM {SCHEMA}.identities WHERE tenant = %s ORDER BY revision DESC", [seat.tenant]
    )
    return [Identity(part, str(identity)) for part, identity in cursor.fetchall()]


def is_recorded(cursor: Cursor, seat: Seat, part: Part, commit: Commit) -> bool:
    """Return whether a commit was made."""
    cursor.execute(
        f"SELECT 1 FROM {SCHEMA}.commits WHERE tenant = %s AND part = %s AND revision = %s AND id = %s",
        [seat.tenant, part, commit.revision, commit.id],
    )
    return cursor.fetchone() is not None

"""Removes what the server keeps for nodes that were away: which rows were deleted, and who made which commit.

A node whose copy is older than what is kept makes its copy anew.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from memoro.store.postgres.ledger_rows import lock_head
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.server import Cursor, Seat
from memoro.store.postgres.tables import Part

_ONCE_IN_SECONDS = 24 * 3600


class TrimLimits(NamedTuple):
    """What is kept. A revision goes when it is beyond both of the first two."""

    revisions: int = 1000  # a commit whose answer was lost is looked for within seconds
    days: float = 30  # a laptop that was away for a holiday catches up by its changes
    rows: int = 5000  # that go at most in one transaction: a writer waits for less than a second


KEPT = TrimLimits()


def trim(cursor: Cursor, seat: Seat, part: Part, limits: TrimLimits = KEPT) -> int:
    """Delete what is beyond the limits and return the revision up to which deletions are no longer known.

    Of private rows, each person's own nodes remove the traces: nobody else sees them.
    """
    now = lock_head(cursor, seat, part)
    edge = _within_rows(cursor, seat, part, _oldest_kept(cursor, seat, part, now, limits), limits.rows)
    cursor.execute(
        f"""UPDATE {SCHEMA}.heads SET trimmed = greatest(trimmed, %s)
             WHERE tenant = %s AND part = %s RETURNING trimmed""",
        [edge, seat.tenant, part],
    )
    trimmed = int((cursor.fetchone() or (0,))[0])
    named = [seat.tenant, part, min(edge, trimmed)]
    cursor.execute(f"DELETE FROM {SCHEMA}.deleted WHERE tenant = %s AND part = %s AND revision <= %s", named)
    # The commit of the last revision that is trimmed stays: copies of that revision are recognised by it.
    cursor.execute(f"DELETE FROM {SCHEMA}.commits WHERE tenant = %s AND part = %s AND revision < %s", named)
    return trimmed


def _oldest_kept(cursor: Cursor, seat: Seat, part: Part, now: int, limits: TrimLimits) -> int:
    cursor.execute(
        f"""SELECT coalesce(max(revision), 0) FROM {SCHEMA}.commits
             WHERE tenant = %s AND part = %s AND revision <= %s AND at <= now() - %s * interval '1 day'""",
        [seat.tenant, part, now - limits.revisions, limits.days],
    )
    return int((cursor.fetchone() or (0,))[0])


def _within_rows(cursor: Cursor, seat: Seat, part: Part, edge: int, rows: int) -> int:
    """The edge, or an earlier one where more rows would go than may. The rows of one revision go together."""
    cursor.execute(
        f"""SELECT revision FROM {SCHEMA}.deleted WHERE tenant = %s AND part = %s AND revision <= %s
             ORDER BY revision LIMIT 1 OFFSET %s""",
        [seat.tenant, part, edge, rows],
    )
    found = cursor.fetchone()
    if found is None:
        return edge
    cursor.execute(
        f"SELECT min(revision) FROM {SCHEMA}.deleted WHERE tenant = %s AND part = %s",
        [seat.tenant, part],
    )
    first = int((cursor.fetchone() or (0,))[0])
    return max(first, int(found[0]) - 1)


class TrimTimes(NamedTuple):
    """Lets a node trim once a day. `file` is touched each time."""

    file: str

    def is_due(self) -> bool:
        try:
            age = time.time() - os.stat(self.file).st_mtime
        except FileNotFoundError:
            return True
        return not 0 <= age < _ONCE_IN_SECONDS

    def note(self) -> None:
        os.close(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        os.utime(self.file)

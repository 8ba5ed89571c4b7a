"""Runs a transaction again that the server rolled back because of another one.

Postgres does so to break a deadlock, and at the isolation levels above `READ COMMITTED` whenever two transactions
meet. Distributed engines use those levels by default, and ask every client to try again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from memoro.store.postgres.server_errors import RolledBack

Result = TypeVar("Result")
# Writers of a tenant queue for one row. Each time that one commits, at this isolation level, all others start again:
# 24 writers at once need some 24 turns.
_TRIES = 60
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.1  # seconds


def retried(transaction: Callable[[], Result]) -> Result:
    """Run a whole transaction, which changed nothing where it raises RolledBack, until it is not rolled back."""
    pause = _FIRST_PAUSE
    for _ in range(_TRIES - 1):
        try:
            return transaction()
        except RolledBack:
            time.sleep(random.uniform(0, pause))  # so that those that met do not meet again
            pause = min(2 * pause, _LONGEST_PAUSE)
    return transaction()

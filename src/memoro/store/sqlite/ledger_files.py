"""The ledger's file as the file system tells of it: cheap to look at, without opening SQLite."""

from __future__ import annotations

import os
import time

LEDGER_FILE = "ledger.db"
_YOUNG_NS = 2_000_000_000  # file systems may give two writes within this time the same stamp


def change_token(home: str) -> str | None:
    """Differs from an earlier token if the ledger may have changed; None where there is no ledger."""
    try:
        status = os.stat(os.path.join(home, LEDGER_FILE))
    except OSError:
        return None
    try:
        log = os.stat(os.path.join(home, f"{LEDGER_FILE}-wal"))
        tail = f"{log.st_size} {log.st_mtime_ns}"
    except OSError:
        tail = "-"
    latest = max(status.st_mtime_ns, 0 if tail == "-" else log.st_mtime_ns)
    # A file that changed this moment may change again without a trace in its times: it is looked at again.
    young = f" {time.time_ns()}" if time.time_ns() - latest < _YOUNG_NS else ""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {tail}{young}"

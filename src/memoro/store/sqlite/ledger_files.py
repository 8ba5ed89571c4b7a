"""The ledger's file as the file system tells of it: cheap to look at, without opening SQLite."""

from __future__ import annotations

import os
import time

from memoro.model.vocabulary import StorePart

LEDGER_FILE = "ledger.db"
BACKUPS_FOLDER = "backups"
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


def record_name(part: StorePart) -> str:
    """The name of the home's record of a file (store/file_record.py)."""
    return f"{part}.record.json"


def is_recorded(home: str, part: StorePart) -> bool:
    """Return whether a home once had this file, by its record or its backups. Every search asks it."""
    name = record_name(part)
    if any(os.path.exists(place) for place in (os.path.join(home, name), os.path.join(home, BACKUPS_FOLDER, name))):
        return True
    return has_backup(home, part)


def has_backup(home: str, part: StorePart) -> bool:
    folder = os.path.join(home, BACKUPS_FOLDER)
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return any(os.path.exists(os.path.join(folder, name, f"{part}.db")) for name in names if not name.startswith("."))

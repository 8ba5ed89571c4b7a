"""What `doctor` says about hooks."""

from __future__ import annotations

from datetime import datetime, timedelta

from memoro.health import Check
from memoro.hooks import spool

_RECENT = timedelta(days=7)
_OLD = timedelta(days=1)


def checkup(home: str, *, now: datetime) -> list[Check]:
    """Whether what hooks noted down gets written, and whether any of them failed; nothing where none was called."""
    return [_check(home, now)] if spool.is_used(home) else []


def _check(home: str, now: datetime) -> Check:
    lines, since = spool.waiting(home), (now - _RECENT).strftime("%Y-%m-%dT%H:%M:%S")
    failures = [line for line in spool.logged(home) if line[:19] >= since]
    oldest = min((line.at for line in lines), default=None)
    if oldest is not None and now.timestamp() - oldest > _OLD.total_seconds():
        why = failures[-1] if failures else "nobody has come to it"
        found = f"{len(lines)} waiting to be written, since more than a day: {why}"
        return Check("hooks", "warning", found, "Mend that; any command then writes them.")
    if failures:
        found = f"{len(failures)} failed within a week, the last one: {failures[-1]}"
        return Check("hooks", "warning", found, f"{spool.LOG} in the home tells all.")
    return Check("hooks", "ok", f"{len(lines)} waiting to be written" if lines else "nothing is waiting")

"""The check of hooks in `memoro doctor`."""

from __future__ import annotations

from datetime import datetime, timedelta

from memoro.health import Check
from memoro.hooks import spool
from memoro.store import hook_socket
from memoro.store.serving import ANSWERED, serving

_RECENT = timedelta(days=7)
_OLD = timedelta(days=1)
_REMEDY = "Fix that; `memoro serve`, the next hook or the next command that writes will write them."


def checkup(home: str, *, now: datetime) -> list[Check]:
    """Check that spooled events get written and that hooks did not fail; no check where no hook was ever called."""
    return [_check(home, now)] if spool.is_used(home) else []


def _check(home: str, now: datetime) -> Check:
    pending, since = spool.pending(home), (now - _RECENT).strftime("%Y-%m-%dT%H:%M:%S")
    failures = [line for line in spool.read_log(home) if line[:19] >= since]
    oldest = min((one.at for one in pending), default=None)
    if oldest is not None and now.timestamp() - oldest > _OLD.total_seconds():
        why = failures[-1] if failures else "neither a hook nor a command that writes has run since"
        found = f"{len(pending)} pending for more than a day: {why}"
        return Check("hooks", "warning", found, remedy=_REMEDY)
    if failures:
        found = f"{len(failures)} failed within a week; the last: {failures[-1]}"
        return Check("hooks", "warning", found, remedy=f"See {spool.LOG} in the home.")
    waiting = f"{len(pending)} pending" if pending else "nothing is pending"
    return Check("hooks", "ok", f"{waiting}; {_answered_by(home)}")


def _answered_by(home: str) -> str:
    served = serving(home)
    if served is None:
        return "each hook answers by itself, and sooner while `memoro serve` runs"
    is_answering = served.hooks == ANSWERED and hook_socket.exists(home)
    return "`memoro serve` answers them" if is_answering else "each hook answers by itself"

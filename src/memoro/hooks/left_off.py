"""Where the work was left, for the start of a session: by its project's sessions, or by its own compacted part."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import MemoroError
from memoro.hooks import spool, unended
from memoro.search.filters import where_of

if TYPE_CHECKING:
    from memoro.hooks.events import SessionStarted
    from memoro.model.notes import Hidden
    from memoro.model.recall import RecalledItem
    from memoro.model.scope import Scope
    from memoro.unasked.past_sessions import SessionSources
    from memoro.workspace import Workspace

_CONTINUED = ("resume", "fork")  # such a conversation holds what it was about
# More is written after the answer: the person waits for it.
_MOST_PENDING, _MOST_PENDING_BYTES = 8, 4_000_000


def left_off(event: SessionStarted, workspace: Workspace, agent: str, scope: Scope) -> tuple[RecalledItem, ...]:
    """Return the sessions that the start of a session tells of. A failure leaves them out: the answer is given."""
    if event.source in _CONTINUED:
        return ()
    from memoro.unasked.continuity import after_compaction, session_start

    with suppress(MemoroError, OSError):
        _write_pending(workspace)
        sources = _sources(workspace, scope, event.session or "")
        if event.source == "compact":
            from memoro.hooks.capture import open_log

            found = after_compaction(sources, open_log(agent, event.log, workspace.environment))
        else:
            found = session_start(sources)
        return tuple(one.item for one in found)
    return ()


def _write_pending(workspace: Workspace) -> None:
    """Write what ended a moment ago, so that its note is among those that are read; not where that takes long.

    A session without a turn for a while has ended too: its host may have been killed.
    """
    home, now = workspace.home, time.time()
    lines = spool.pending(home) if spool.has_pending(home) else []
    idle = unended.idle(home, now=now) if unended.has_idle(home, now=now) else []
    lines = [line for line in lines if line.capture.kind != "facts"]  # no start waits for these
    ended = [line for line in lines if line.capture.kind != "turn" or now - line.at >= unended.IDLE_SECONDS]
    logs = {os.path.expanduser(line.capture.log) for line in (*ended, *idle)}
    size = sum(os.path.getsize(log) for log in logs if os.path.isfile(log))
    if logs and len(logs) <= _MOST_PENDING and size <= _MOST_PENDING_BYTES:
        from memoro.hooks.capture import write_captures

        write_captures(workspace, turns=False)


def _sources(workspace: Workspace, scope: Scope, session: str) -> SessionSources:
    from memoro.unasked.past_sessions import SessionSources

    def hidden() -> Hidden | None:
        return workspace.ledger.access.hidden() if workspace.has_ledger() else None

    return SessionSources(
        vault=workspace.vault(),
        read=lambda work: work(workspace.indexing.current()),  # as it is: to sync or to repair it would take long
        where=where_of(scope),
        now=workspace.home_context.runtime.now(),
        own=session,
        hidden=hidden,
    )

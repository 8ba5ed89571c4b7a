"""Answers to the events of hosts: context when a session or a turn begins, a record when one ends.

The host starts a process for each event, so this module loads only what that event needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoro.hooks.events import HookEvent
    from memoro.workspace import Workspace


def answer(agent: str, document: Mapping[str, object], workspace: Workspace) -> dict[str, object] | None:
    """Return the answer to an event in the host's own form; None for no answer.

    When a turn, a session or a context ends, this only spools a note; `write_captures` writes it down.
    """
    from memoro.hooks.events import SessionStarted, read_event

    event = read_event(agent, document, workspace.environment)
    made = answer_event(agent, event, workspace) if event else None
    if isinstance(event, SessionStarted):
        from memoro.hooks.answers import refresh_index

        refresh_index(workspace)
    return made


def answer_event(
    agent: str, event: HookEvent, workspace: Workspace, key: str | None = None
) -> dict[str, object] | None:
    """Return the answer to an event. One that comes again with the same key is answered and recorded once."""
    from memoro.hooks.events import ActionAnnounced, Capture

    if isinstance(event, ActionAnnounced):  # only `memoro serve` has what is known ready
        return None
    if not isinstance(event, Capture):
        from memoro.hooks.answers import answer_of

        return answer_of(event, workspace, agent, key)
    from memoro.hooks import spool

    runtime = workspace.home_context.runtime
    owned = event._replace(agent=runtime.agent or "", project=runtime.project or "")
    spool.note(workspace.home, owned, key=key)
    return None


def write_captures(workspace: Workspace) -> int:
    """Write what is in the spool, unless another process does; returns the number of events written."""
    from memoro.hooks.capture import write_captures

    return write_captures(workspace)

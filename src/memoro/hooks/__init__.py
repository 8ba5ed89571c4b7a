"""Answers to the events of hosts: context when a session or a turn begins, a record when one ends.

The host starts a process for each event, so this module loads only what that event needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memoro.errors import StoreUnavailable

if TYPE_CHECKING:
    from memoro.workspace import Workspace


def answer(agent: str, document: Mapping[str, object], workspace: Workspace) -> dict[str, object] | None:
    """Return the answer to an event in the host's own form; None for no answer.

    When a turn, a session or a context ends, this only spools a note; `write_captures` writes it down.
    """
    from memoro.hooks import spool
    from memoro.hooks.answers import answer_of, refresh_index
    from memoro.hooks.events import Capture, SessionStarted, read_event

    event = read_event(agent, document, workspace.environment)
    if isinstance(event, Capture):
        try:
            spool.append(workspace.home, event)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise StoreUnavailable(f"Cannot write the hook spool in {workspace.home}: {why}.") from error
        return None
    made = answer_of(event, workspace, agent) if event else None
    if isinstance(event, SessionStarted):
        refresh_index(workspace)
    return made


def write_captures(workspace: Workspace) -> int:
    """Write what is in the spool, unless another process does; returns the number of events written."""
    from memoro.hooks.capture import write_captures

    return write_captures(workspace)

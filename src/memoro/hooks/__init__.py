"""Answering hosts at the moments they tell of: context when a session or a turn begins, notes when one ends.

A process is started for each event, so nothing is loaded here that an event may not need.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memoro.errors import StoreUnavailable

if TYPE_CHECKING:
    from memoro.workspace import Workspace


def answer(host: str, event: Mapping[str, object], workspace: Workspace) -> dict[str, object] | None:
    """What the host is to be told, in its own format; None for nothing.

    What is to be written when a turn, a session or a context ends is only noted down: see `work_off`.
    """
    from memoro.hooks import spool
    from memoro.hooks.answers import began, context
    from memoro.hooks.events import Capture, Start, as_output, understand

    told = understand(host, event, workspace.environment)
    if isinstance(told, Capture):
        try:
            spool.append(workspace.home, told)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise StoreUnavailable(f"What ended cannot be noted down in {workspace.home}: {why}.") from error
        return None
    block = context(told, workspace, host) if told else ""
    if isinstance(told, Start):
        began(workspace)
    return as_output(told.event, block) if told and block else None


def work_off(workspace: Workspace) -> int:
    """Write what was noted down, unless somebody else is at it; how much was done."""
    from memoro.hooks.capture import work_off

    return work_off(workspace)

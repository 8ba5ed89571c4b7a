"""The context that a session begins with, and that each prompt brings up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.hooks.events import Host, Prompt, Start
from memoro.model.fence import without_fenced

if TYPE_CHECKING:
    from memoro.workspace import Workspace

_HEAD, _TAIL = 3000, 1000  # characters of a long prompt that say what it is about


def context(told: Start | Prompt, workspace: Workspace, host: Host) -> str:
    """A block for the model, never longer than the host takes whole; empty where there is nothing to say."""
    raise NotImplementedError


def asked(prompt: str) -> str:
    """What a prompt is about, without what we have put into it before; of a long one its beginning and end."""
    said = without_fenced(prompt).strip()
    return said if len(said) <= _HEAD + _TAIL else f"{said[:_HEAD]}\n{said[-_TAIL:]}"

"""The context that a session begins with, and that each prompt brings up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.errors import SessionNotFound
from memoro.hooks.events import Host, Prompt, Start
from memoro.model.fence import without_fenced

if TYPE_CHECKING:
    from memoro.sessions.sessions import Sessions
    from memoro.workspace import Workspace

_HEAD, _TAIL = 3000, 1000  # characters of a long prompt that say what it is about


def context(told: Start | Prompt, workspace: Workspace, host: Host) -> str:
    """A block for the model, never longer than the host takes whole; empty where there is nothing to say."""
    if isinstance(told, Start):
        return _beginning(told, workspace, host)
    message = asked(told.text)
    if not message:
        return ""
    budget = min(workspace.settings.recall.budget, host.tokens)
    session = _part(workspace.sessions, told.session) if told.session else None
    return _fitting(workspace.recall(message, budget=budget, session=session).block, host)


def _beginning(told: Start, workspace: Workspace, host: Host) -> str:
    if told.session and told.anew and (known := parts(workspace.sessions, told.session)):
        workspace.sessions.start(_name(told.session, len(known) + 1))
    return _fitting(workspace.prompt(budget=host.tokens).block, host)


def _fitting(block: str, host: Host) -> str:
    """Nothing rather than a part: a host would cut it anywhere, and leave a fence open."""
    return block if len(block) <= host.tokens * 4 else ""


def asked(prompt: str) -> str:
    """What a prompt is about, without what we have put into it before; of a long one its beginning and end."""
    said = without_fenced(prompt).strip()
    return said if len(said) <= _HEAD + _TAIL else f"{said[:_HEAD]}\n{said[-_TAIL:]}"


def parts(sessions: Sessions, session: str) -> list[str]:
    """The records of one conversation: a new one begins where its context was compacted, and may repeat things."""
    found: list[str] = []
    while True:
        name = _name(session, len(found) + 1)
        try:
            sessions.get(name)
        except SessionNotFound:
            return found
        found.append(name)


def _part(sessions: Sessions, session: str) -> str:
    known = parts(sessions, session)
    return known[-1] if known else session


def _name(session: str, number: int) -> str:
    return session if number == 1 else f"{session} ({number})"

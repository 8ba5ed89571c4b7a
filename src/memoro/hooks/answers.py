"""The context that a session begins with, and that each prompt brings up."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import SessionNotFound
from memoro.hooks.events import Host, Prompt, Start
from memoro.model.fence import without_fenced

if TYPE_CHECKING:
    from memoro.model.sessions import Session
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
    known = parts(workspace.sessions, told.session) if told.session else []
    session = known[-1].id if known else told.session
    chosen = workspace.settings.recall
    budget = chosen.proactive.max_tokens if known and known[-1].recalls else chosen.budget
    return _fitting(workspace.recall(message, budget=min(budget, host.tokens), session=session).block, host)


def _beginning(told: Start, workspace: Workspace, host: Host) -> str:
    known = parts(workspace.sessions, told.session) if told.session else []
    if known and told.session and told.anew:
        workspace.sessions.start(_name(told.session, len(known) + 1))
    elif known and known[-1].archived_at:  # it had ended, and goes on
        workspace.sessions.unarchive(known[-1].id)
    return _fitting(workspace.prompt("", budget=host.tokens).block, host)


def _fitting(block: str, host: Host) -> str:
    """Nothing rather than a part: a host would cut it anywhere, and leave a fence open."""
    return block if len(block) <= host.tokens * 4 else ""


def asked(prompt: str) -> str:
    """What a prompt is about, without what we have put into it before; of a long one its beginning and end."""
    said = without_fenced(prompt).strip()
    return said if len(said) <= _HEAD + _TAIL else f"{said[:_HEAD]}\n{said[-_TAIL:]}"


def parts(sessions: Sessions, session: str) -> list[Session]:
    """The records of one conversation: a new one begins where its context was compacted, and may repeat things."""
    found: list[Session] = []
    with suppress(SessionNotFound):
        while True:
            found.append(sessions.get(_name(session, len(found) + 1)))
    return found


def _name(session: str, number: int) -> str:
    return session if number == 1 else f"{session} ({number})"

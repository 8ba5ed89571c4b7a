"""The context that a session begins with, and that each prompt brings up."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import MemoroError, SessionNotFound, StoreError
from memoro.hooks.events import HOSTS, Host, Prompt, Start
from memoro.model.fence import without_fenced
from memoro.model.sessions import Held
from memoro.recall.answer import ends
from memoro.recall.request import RecallRequest
from memoro.vault.hosts import log_path

if TYPE_CHECKING:
    from memoro.model.sessions import Session
    from memoro.sessions.history import Sessions
    from memoro.workspace import Workspace


def context(told: Start | Prompt, workspace: Workspace, host: str) -> str:
    """A block for the model, never longer than the host takes whole; empty where there is nothing to say."""
    if isinstance(told, Start):
        return _beginning(told, workspace, HOSTS[host])
    message = asked(told.text)
    if not message:
        return ""
    own = log_path(host, told.log, workspace.environment)  # what was said in this conversation, it holds already
    found = workspace.recaller.recall(
        RecallRequest(
            message,
            at_most=HOSTS[host].tokens,
            session=_current(workspace.sessions, told.session) if told.session is not None else None,
            held=Held(frozenset([own] if own else [])),
        )
    )
    return _fitting(found.block, HOSTS[host])


def _beginning(told: Start, workspace: Workspace, host: Host) -> str:
    """What is always known; nothing where a conversation goes on that holds it all already."""
    session = None
    if told.session is not None:
        session = _current(workspace.sessions, told.session, anew=told.anew)
    request = RecallRequest("", prompt=True, budget=host.tokens, proactive=False, session=session, unless_held=True)
    return _fitting(workspace.recaller.recall(request).block, host)


def began(workspace: Workspace) -> None:
    """After a session was answered: let the index say what the notes say, so that its first prompt finds it so."""
    with suppress(MemoroError):  # the search that misses something tells of it
        if workspace.session_started() is None and not workspace.has_index():
            workspace.sync()


def _current(sessions: Sessions, session: str, *, anew: bool = False) -> str:
    """The record that a conversation has now: another one where its context was emptied."""
    known = parts(sessions, session)
    if known and known[-1].archived_at:  # it had ended, and goes on
        with suppress(StoreError):
            sessions.unarchive(known[-1].id)
    return _name(session, max(1, len(known) + (1 if known and anew else 0)))


def _fitting(block: str, host: Host) -> str:
    """Nothing rather than a part: a host would cut it anywhere, and leave a fence open."""
    return block if len(block) <= host.tokens * 4 else ""


def asked(prompt: str) -> str:
    """What a prompt is about, without what we have put into it before; of a long one its beginning and end."""
    return ends(without_fenced(prompt).strip())


def parts(sessions: Sessions, session: str) -> list[Session]:
    """The records of one conversation: a new one begins where its context was compacted, and may repeat things."""
    found: list[Session] = []
    with suppress(SessionNotFound):
        while True:
            found.append(sessions.get(_name(session, len(found) + 1)))
    return found


def _name(session: str, number: int) -> str:
    return session if number == 1 else f"{session} ({number})"

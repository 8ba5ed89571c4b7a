"""The context that a session begins with, and that each prompt brings up."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import MemoroError, SessionNotFound, StoreError
from memoro.hooks.events import HOSTS, Host, Prompt, Start
from memoro.model.fence import without_fenced
from memoro.recall.answer import ends
from memoro.sessions.recording import Asked
from memoro.vault.hosts import log_path

if TYPE_CHECKING:
    from memoro.model.sessions import Session
    from memoro.sessions.recording import Sessions
    from memoro.workspace import Workspace

PROMPT = "prompt"  # the form of what a session begins with


def context(told: Start | Prompt, workspace: Workspace, host: str) -> str:
    """A block for the model, never longer than the host takes whole; empty where there is nothing to say."""
    if isinstance(told, Start):
        return _beginning(told, workspace, HOSTS[host])
    message = asked(told.text)
    if not message:
        return ""
    own = log_path(host, told.log, workspace.environment)  # what was said in this conversation, it holds already
    given, limits = [own] if own else [], HOSTS[host]
    if told.session is None:
        budget = _budget(workspace, limits, is_first=True)
        return _fitting(workspace.recall(message, budget=budget, given=given).block, limits)
    sessions = workspace.sessions
    turn = sessions.turn(_current(sessions, told.session))
    is_first = not {*turn.forms} - {PROMPT}  # what a session begins with answers nothing
    budget = _budget(workspace, limits, is_first=is_first)
    found = sessions.converse(turn, message, budget=budget, proactive=not is_first, given=given)
    return _fitting(found.block, limits)


def _budget(workspace: Workspace, host: Host, *, is_first: bool) -> int:
    chosen = workspace.settings.recall
    return min(chosen.budget if is_first else chosen.proactive.max_tokens, host.tokens)


def _beginning(told: Start, workspace: Workspace, host: Host) -> str:
    """What is always known; nothing where a conversation goes on that holds it all already."""
    found = workspace.prompt("", budget=host.tokens)
    block = _fitting(found.block, host)
    if not block or told.session is None:
        return block
    sessions = workspace.sessions
    turn = sessions.turn(_current(sessions, told.session, anew=told.anew))
    if all(item.text in turn.loaded.get(item.path, ()) for item in found.items):
        return ""
    with suppress(StoreError):  # what cannot be recorded is said all the same
        asked = Asked(turn.session.bound, prompt=True, budget=host.tokens)
        sessions.record(found, turn.session, asked=asked)
    return block


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

"""The context that a session begins with, and that each prompt brings up."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import SessionNotFound, StoreError
from memoro.hooks.events import HOSTS, Host, Prompt, Start
from memoro.model.answers import exactly
from memoro.model.fence import without_fenced
from memoro.recall.answer import ends
from memoro.sessions.sessions import Asked
from memoro.vault.hosts import log_path

if TYPE_CHECKING:
    from memoro.model.sessions import Recorded, Session
    from memoro.sessions.sessions import Sessions
    from memoro.workspace import Workspace

PROMPT = "prompt"  # the form of what a session begins with
_MOST = 100  # passages that the session holds already; a recall looks at fewer


def context(told: Start | Prompt, workspace: Workspace, host: str) -> str:
    """A block for the model, never longer than the host takes whole; empty where there is nothing to say."""
    if isinstance(told, Start):
        return _beginning(told, workspace, HOSTS[host])
    message = asked(told.text)
    if not message:
        return ""
    session = _current(workspace.sessions, told.session)
    before = _recorded(workspace.sessions, session) if session else ()
    is_first = all(one.recalled.form == PROMPT for one in before)  # what a session begins with answers nothing
    chosen = workspace.settings.recall
    budget = min(chosen.budget if is_first else chosen.proactive.max_tokens, HOSTS[host].tokens)
    own = log_path(host, told.log, workspace.environment)
    held = _held(workspace, message, before, own)
    found = workspace.recall(message, budget=budget, proactive=not is_first, session=session, given=held)
    return _fitting(found.block, HOSTS[host])


def _held(workspace: Workspace, message: str, before: Sequence[Recorded], own: str | None) -> set[str]:
    """Passages that would answer, and stand in what the session began with, or were said in this conversation."""
    there = {
        one.item.path: (one.item.start_line, one.item.end_line)
        for recorded in before
        for one in recorded.given
        if recorded.recalled.form == PROMPT and one.item.kind == "note"
    }
    if own:
        there[own] = (1, sys.maxsize)
    if not there:
        return set()
    hits = workspace.search(message, path=[exactly(path) for path in there], limit=_MOST).results
    return {
        hit.id
        for hit in hits
        if hit.path in there and there[hit.path][0] <= hit.start_line and hit.end_line <= there[hit.path][1]
    }


def _beginning(told: Start, workspace: Workspace, host: Host) -> str:
    """What is always known; nothing where a conversation goes on that holds it all already."""
    found, sessions = workspace.prompt("", budget=host.tokens), workspace.sessions
    block = _fitting(found.block, host)
    session = _current(sessions, told.session, anew=told.anew)
    if not block or session is None:
        return block
    before = {given.item.text for recorded in _recorded(sessions, session) for given in recorded.given}
    if all(item.text in before for item in found.items):
        return ""
    with suppress(StoreError):  # what cannot be recorded is said all the same
        bound = sessions.start(session).bound
        sessions.record(found, session, asked=Asked(bound, prompt=True, budget=host.tokens))
    return block


def _recorded(sessions: Sessions, session: str) -> tuple[Recorded, ...]:
    with suppress(SessionNotFound):
        return sessions.show(session).recalls
    return ()


def _current(sessions: Sessions, session: str | None, *, anew: bool = False) -> str | None:
    """The record that a conversation has now: another one where its context was emptied."""
    if session is None:
        return None
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

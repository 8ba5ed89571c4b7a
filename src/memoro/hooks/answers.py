"""The context for the start of a session and for each prompt."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from memoro.errors import (
    LedgerDamaged,
    LedgerNotRecognised,
    LedgerServerRefused,
    LedgerTooNew,
    LedgerUnreachable,
    MemoroError,
    SessionNotFound,
    StoreError,
)
from memoro.hooks.events import PromptSubmitted, SessionStarted, context_answer, hooks_of
from memoro.hooks.left_off import left_off
from memoro.hooks.scope import session_scope
from memoro.model.asked_message import asked, ends
from memoro.model.feedback import feedback_in
from memoro.model.ledger import tells_unrecorded
from memoro.model.output_filter import OutputFilter
from memoro.model.sessions import HeldContext
from memoro.recall.request import RecallRequest
from memoro.sessions.records import record_id
from memoro.vault.log_sources import log_path

if TYPE_CHECKING:
    from memoro.hosts.host import Hooks
    from memoro.model.sessions import Session
    from memoro.sessions.history import Sessions
    from memoro.workspace import Workspace


# Errors of a ledger that cannot be used for now. The notes can.
_LEDGER_ERRORS = (LedgerDamaged, LedgerNotRecognised, LedgerTooNew, LedgerUnreachable, LedgerServerRefused)

_NOT_RECORDED = "Memoro did not record this recall."


def answer_of(
    event: SessionStarted | PromptSubmitted, workspace: Workspace, agent: str, key: str | None = None
) -> dict[str, object] | None:
    """Return the host's answer with a block for its model, filtered; None where nothing is relevant.

    With the key of an event that was answered and recorded before, that very answer again. Where the ledger cannot be
    used, the notes answer.
    """
    try:
        block = _feedback(event, workspace, agent, key) if isinstance(event, PromptSubmitted) else None
        if block is None:
            block = context(event, workspace, agent, key)
    except _LEDGER_ERRORS as error:
        from memoro.hooks.without_ledger import context_of_notes

        block = context_of_notes(event, workspace, agent, error)
    return OutputFilter(workspace.secrets()).value(context_answer(event.event, block)) if block else None


def _feedback(event: PromptSubmitted, workspace: Workspace, agent: str, key: str | None) -> str | None:
    """Return the block for a prompt that gives feedback on the last answer; None for any other prompt."""
    given = feedback_in(event.text)
    if given is None:
        return None
    from memoro.hooks.feedback import note_feedback

    told = note_feedback(event, given, workspace, agent, key)
    if told is None or given.is_command:
        return told
    return told + context(event, workspace, agent, key)  # it is a message too


def context(event: SessionStarted | PromptSubmitted, workspace: Workspace, agent: str, key: str | None = None) -> str:
    """Return a block for the model that the host shows whole; empty where nothing is relevant."""
    limits = hooks_of(agent)
    request = request_for(event, workspace, agent)
    if request is None:
        return ""
    if isinstance(event, SessionStarted):
        _check_mutes(workspace)
    known = records_of(workspace.sessions, event.session) if event.session is not None else []
    if event.session is not None:
        emptied = isinstance(event, SessionStarted) and event.emptied
        record = _current_record(workspace.sessions, event.session, known, emptied=emptied)
        request = request._replace(session=record, key=key)
    scope = session_scope(workspace, agent, event.folder, known[-1] if known else None)
    if isinstance(event, SessionStarted) and (event.emptied or not known):
        request = request._replace(left_off=left_off(event, workspace, agent, scope))
    recalled = workspace.recaller_in(scope).recall(request)
    block = whole_or_nothing(recalled.block, limits)
    if block and (stale := workspace.staleness()):
        from memoro.recall.fence import draw, fenced

        told = f"{stale} {_NOT_RECORDED}" if tells_unrecorded(recalled.degraded) else stale
        block = whole_or_nothing(block + fenced("", draw(), told), limits) or block
    if isinstance(event, SessionStarted):
        from memoro.hooks.waiting import with_waiting_proposals

        longer = with_waiting_proposals(block, event, workspace, key)
        return whole_or_nothing(longer, limits) or block
    return block


def _check_mutes(workspace: Workspace) -> None:
    """Raise where the ledger cannot tell what is muted: the always-loaded notes would be given without asking it."""
    try:
        workspace.parts.ledger.muted()
    except _LEDGER_ERRORS:
        raise
    except StoreError:  # as when it could not be read just now
        pass


def request_for(event: SessionStarted | PromptSubmitted, workspace: Workspace, agent: str) -> RecallRequest | None:
    """Return what is asked of memory at an event, without a session; None where a prompt says nothing."""
    limits = hooks_of(agent)
    if isinstance(event, SessionStarted):
        # The always-loaded notes, and where the work was left; nothing where a resumed conversation holds them all.
        # An emptied context begins a new record even with nothing, so that what it lost may be given again.
        return RecallRequest("", prompt=True, budget=limits.tokens, proactive=False, unless_held=not event.emptied)
    message = message_of(event.text)
    if not message:
        return None
    held = HeldContext(_held_paths(event, workspace, agent))
    return RecallRequest(message, at_most=limits.tokens, proactive=True, held=held)


def _held_paths(event: PromptSubmitted, workspace: Workspace, agent: str) -> frozenset[str]:
    """The files that the model holds already: its own conversation, and what its host loads by itself."""
    own = log_path(agent, event.log, workspace.environment)
    found = {own} if own else set()
    if agent in workspace.settings.vault.memories:
        from memoro.vault.memory_sources import loaded_paths

        found.update(loaded_paths(agent, event.log))
    return frozenset(found)


def refresh_index(workspace: Workspace) -> None:
    """Sync once a session has its answer, so that its first prompt need not wait for a sync."""
    with suppress(MemoroError):  # the first search reports the error
        if workspace.session_started() is None and not workspace.has_index():
            workspace.sync()


def _current_record(sessions: Sessions, session: str, known: Sequence[Session], *, emptied: bool) -> str:
    """Return the id of the conversation's current record; an emptied context begins a new one."""
    if known and known[-1].archived_at:  # the session had ended and was resumed
        with suppress(StoreError):
            sessions.unarchive(known[-1].id)
    return record_id(session, max(1, len(known) + (1 if known and emptied else 0)))


def whole_or_nothing(block: str, limits: Hooks) -> str:
    """Drop a block that is too long: the host would cut it anywhere, and leave a fence open."""
    return block if len(block) <= limits.tokens * 4 else ""


def message_of(prompt: str) -> str:
    """Return the prompt without blocks that Memoro inserted; of a long prompt, its beginning and end."""
    return ends(asked(prompt))


def records_of(sessions: Sessions, session: str) -> list[Session]:
    """Return the records of one conversation. Each compaction begins a new record, in which items may repeat."""
    found: list[Session] = []
    with suppress(SessionNotFound):
        while True:
            found.append(sessions.get(record_id(session, len(found) + 1)))
    return found

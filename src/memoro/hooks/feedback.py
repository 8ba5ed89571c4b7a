"""Feedback that a person types as a prompt: noted at once, answered with one line, written down afterwards."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memoro.hooks import spool
from memoro.hooks.events import Capture, base_variable
from memoro.hosts import name_of
from memoro.model.feedback import GivenFeedback, feedback_in, shortened
from memoro.sessions.records import records_of

if TYPE_CHECKING:
    from memoro.hooks.events import PromptSubmitted
    from memoro.hooks.spool import SpooledCapture
    from memoro.vault.files import VaultFiles
    from memoro.workspace import Workspace

_PROMPT_CHARACTERS = 4000  # more than is kept of a note
_TOLD_CHARACTERS = 300  # of a note; the model has the prompt itself


def note_feedback(
    event: PromptSubmitted, given: GivenFeedback, workspace: Workspace, agent: str, key: str | None
) -> str | None:
    """Spool what a prompt says about the answer before it; return the block that tells the model.

    None where nothing was answered before: the prompt is like any other. Another process, or this one once the host
    has its answer, writes it down (`write_feedback`).
    """
    size = _size(event.log)
    if event.session is None or not (_was_answered(workspace, event.session) or (given.is_command and size)):
        return None
    from memoro.model.secrets import redact  # the spool is a file too

    runtime = workspace.home_context.runtime
    capture = Capture(
        host=agent,
        kind="feedback",
        session=event.session,
        log=event.log,
        folder=event.folder,
        base=workspace.environment.get(base_variable(agent), ""),
        agent=runtime.agent or "",
        project=runtime.project or "",
        prompt=redact(event.text.strip(), workspace.secrets()).text[:_PROMPT_CHARACTERS],
        size=size,
    )
    spool.note(workspace.home, capture, key=key)
    return _block(given)


def _was_answered(workspace: Workspace, session: str) -> bool:
    """Return whether a message of the conversation is on record."""
    if not workspace.has_ledger():
        return False
    with workspace.ledger.access.ledger.reading() as tx:
        rows = [row for record in records_of(tx, session) for row in tx.sessions.recalls(record.id)]
    return any(row.message.strip() for row in rows)


def _size(log: str) -> int:
    with suppress(OSError, ValueError):
        return os.path.getsize(os.path.expanduser(log)) if log else 0
    return 0


def _block(given: GivenFeedback) -> str:
    """Return one line for the model, between marks that keep it out of what is read from the log later."""
    from memoro.recall import fence

    told = f"The user marked your last answer as {given.kind}. Memoro has kept that; call no tool for it."
    body = f'{{"note":{fence.quoted(shortened(given.note, _TOLD_CHARACTERS))}}}\n' if given.note else ""
    return fence.fenced(body, fence.fresh_boundary(body), told)


def write_feedback(workspace: Workspace, line: SpooledCapture, log: tuple[VaultFiles, str] | None) -> None:
    """Mark the answer that a spooled prompt was about. Done twice, it is done once."""
    from memoro.curate.feedback.current_conversation import ConversationLog, CurrentConversation
    from memoro.curate.feedback.last_exchange import ExchangeBounds
    from memoro.curate.feedback.marking import Marking

    capture = line.capture
    given = feedback_in(capture.prompt)
    if given is None:  # a later version wrote it
        return
    conversation = CurrentConversation(
        session=capture.session,
        log=ConversationLog(*log) if log else None,
        project=capture.project or None,
        host=name_of(capture.host),
        choice="host",
    )
    marking = Marking(
        kind=given.kind,
        note=given.note,
        at=datetime.fromtimestamp(line.at, UTC),
        bounds=ExchangeBounds(given=given, size=capture.size or None),
    )
    workspace.feedback.mark(conversation, marking)

"""The context of an event while the ledger cannot be used: from the notes alone, with one line that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.errors import LedgerDamaged, MemoroError, StoreError
from memoro.hooks import spool
from memoro.hooks.answers import request_for, whole_or_nothing
from memoro.hooks.events import SessionStarted, hooks_of
from memoro.hooks.scope import session_scope
from memoro.model.answers import Where
from memoro.recall.fence import draw, fenced
from memoro.store.ports import MUTES

if TYPE_CHECKING:
    from memoro.hooks.events import PromptSubmitted
    from memoro.workspace import Workspace

_NOTES = Where(kinds=("note",))
_LINE_TOKENS = 80  # kept for the line, which must fit beside the notes
_REMEDY = "Tell the user once: `memoro doctor` says what to do."


def context_of_notes(
    event: SessionStarted | PromptSubmitted, workspace: Workspace, agent: str, error: StoreError
) -> str:
    """Return a block from the notes, and log why. A session starts with the line alone, where nothing may be given.

    Conversations, memories and experiences are left out: only the ledger says what of them was forgotten, replaced or
    put in quarantine. The project is that of the folder, because the record of the session cannot be read. Notes may
    be given again, for the same reason.
    """
    spool.log(workspace.home, f"hook {agent}: {type(error).__name__}: {error}")
    limits = hooks_of(agent)
    may_give = _is_nothing_muted(workspace)
    given = whole_or_nothing(_given(event, workspace, agent), limits) if may_give else ""
    if not given and not isinstance(event, SessionStarted):
        return ""
    line = fenced("", draw(), _sentence(error, may_give=may_give, is_given=bool(given)))
    return whole_or_nothing(given + line, limits) or line


def _given(event: SessionStarted | PromptSubmitted, workspace: Workspace, agent: str) -> str:
    request = request_for(event, workspace, agent)
    if request is None:
        return ""
    scope = session_scope(workspace, agent, event.folder, None)
    room = hooks_of(agent).tokens - _LINE_TOKENS
    if isinstance(event, SessionStarted):
        request = request._replace(budget=room)
    else:
        request = request._replace(at_most=room, alternatives=_NOTES)
    try:
        return workspace.recaller_of_notes(scope).recall(request).block
    except MemoroError as error:  # the line must be said all the same
        spool.log(workspace.home, f"hook {agent}: {type(error).__name__}: {error}")
        return ""


def _is_nothing_muted(workspace: Workspace) -> bool:
    """Return whether the index says that nothing was muted: else any note may be what must not be told."""
    try:
        return workspace.has_index() and workspace.indexing.current().get_meta(MUTES) == "no"
    except MemoroError:
        return False


def _sentence(error: StoreError, *, may_give: bool, is_given: bool) -> str:
    what = "is damaged" if isinstance(error, LedgerDamaged) else "cannot be used"
    if is_given:
        then = "this comes from the notes alone"
    else:  # at the start of a session: a later prompt may still get a note
        then = "it gives only notes unasked" if may_give else "it gives nothing unasked"
    return f"Memoro's ledger {what}, so {then}. {_REMEDY}"

"""The warning before an agent acts: one line from a table that `memoro serve` keeps ready. It decides nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from memoro.errors import MemoroError
from memoro.hooks.answers import records_of
from memoro.hooks.events import ActionAnnounced, context_answer
from memoro.hooks.scope import session_scope
from memoro.model.answers import Where
from memoro.model.notes import kind_of
from memoro.model.output_filter import OutputFilter
from memoro.model.recall import Recalled, RecalledItem, RecallOptions
from memoro.model.tokens import tokens
from memoro.recall import fence
from memoro.search.filters import where_of
from memoro.unasked.actions import ActionTables, ActionWarning, KnownActions, command_key
from memoro.vault.log_sources import log_path

if TYPE_CHECKING:
    from memoro.model.scope import Scope
    from memoro.serve.services import ServiceContext
    from memoro.workspace import Workspace

_FRESH_SECONDS = 30.0  # an older table is still used, and made anew
_MOST_TABLES = 32


class ActionWarnings:
    """The tables of the projects in use. Threads may share it: hooks read tables, one service makes them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._made: dict[Where, tuple[float, KnownActions]] = {}  # with the time at which each was made
        self._wanted: dict[Where, None] = {}

    def answer(self, event: ActionAnnounced, workspace: Workspace, agent: str) -> dict[str, object] | None:
        """Return the host's answer with a warning; None where nothing is known, or not yet."""
        target = event.target
        is_known_kind = command_key(target.command) if target.kind == "command" else target.files
        if not is_known_kind or not workspace.settings.recall.warnings:
            return None
        records = records_of(workspace.sessions, event.session) if event.session else []
        scope = session_scope(workspace, agent, event.folder, records[-1] if records else None)
        known = self.known(where_of(scope))
        own = log_path(agent, event.log, workspace.environment)
        warning = known.warning(target, event.folder, own) if known else None
        if warning is None:
            return None
        block = _given(workspace, scope, warning, event, records[-1].id if records else event.session)
        return OutputFilter(workspace.secrets()).value(context_answer(event.event, block)) if block else None

    def prepare(self, workspace: Workspace, agent: str, folder: str) -> None:
        """Have the table of a folder's project made: a session began there."""
        if workspace.settings.recall.warnings:
            self.known(where_of(session_scope(workspace, agent, folder, None)))

    def known(self, where: Where) -> KnownActions | None:
        """Return the table of a project; None before it was made. One that is missing or old is asked for."""
        with self._changed:
            at, found = self._made.get(where, (None, None))
            if at is None or self._clock() - at > _FRESH_SECONDS:
                self._wanted[where] = None
                self._changed.notify_all()
            return found

    def make_wanted(self, tables: ActionTables, seconds: float) -> None:
        """Make a table that is wanted; wait for one that long."""
        with self._changed:
            if not self._wanted:
                self._changed.wait(seconds)
            where = next(iter(self._wanted), None)
        if where is None:
            return
        try:
            made = tables.make(where)
        finally:
            with self._changed:
                self._wanted.pop(where, None)
        with self._changed:
            self._made.pop(where, None)
            self._made[where] = self._clock(), made
            while len(self._made) > _MOST_TABLES:
                del self._made[next(iter(self._made))]


class ActionService:
    """Makes the tables, in `memoro serve`."""

    name = "warnings"

    def __init__(self, warnings: ActionWarnings) -> None:
        self._warnings = warnings

    def run(self, context: ServiceContext) -> None:
        workspace = context.workspace
        if not workspace.settings.recall.warnings:
            return
        if workspace.settings.vault.path is None:  # the home of a team's server may have none
            return
        tables = ActionTables(workspace.parts.indexing, workspace.home_context.vault())
        reported = ""
        while not context.stop.is_set():
            try:
                self._warnings.make_wanted(tables, 0.5)
            except MemoroError as error:
                if str(error) != reported:
                    context.reports.failed(f"warnings: {error}")
                    reported = str(error)
                context.stop.wait(0.5)


def _given(
    workspace: Workspace, scope: Scope, warning: ActionWarning, event: ActionAnnounced, session: str | None
) -> str:
    """Return the block with the warning, and record it; empty if the session was given it before."""
    item = workspace.parts.ledger.muted().item_without(_item(warning))
    if item is None:
        return ""
    boundary = fence.fresh_boundary(fence.body([item]))
    block = fence.block([item], boundary)
    if session is None:
        return block
    recorder = workspace.parts.ledger.sessions
    turn = recorder.turn(session, scope)
    if item.id in turn.held.passages:
        return ""
    recalled = Recalled(
        message=f"before: {event.target.command or ', '.join(event.target.files)}",
        form="proactive",
        block=block,
        boundary=boundary,
        tokens=tokens(block),
        items=(item,),
        left_out=(),
        degraded=(),
        took_ms=0.0,
    )
    recorder.record_turn(turn, recalled, RecallOptions(scope=turn.scope, proactive=True), scope)
    return block


def _item(warning: ActionWarning) -> RecalledItem:
    item = RecalledItem(
        id=warning.source,
        kind=kind_of(warning.path),
        tier=warning.tier,
        path=warning.path,
        start_line=warning.line,
        end_line=warning.line,
        heading=(),
        date=warning.date,
        trust=None,
        score=1.0,
        tokens=0,
        text=warning.text,
        passages=(warning.source,),
    )
    return fence.weighed([item])[0]

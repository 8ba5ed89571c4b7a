"""The one way to context for a message: hooks, MCP, command line and library all come here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.model.answers import Where
from memoro.model.recall import Recalled, RecalledItem, RecallOptions
from memoro.model.sessions import HeldContext, SessionTurn
from memoro.recall.assemble import LEFT_OFF
from memoro.recall.block_request import BlockRequest
from memoro.recall.request import RecallRequest
from memoro.search.filters import bound_by, where_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from memoro.config import Settings
    from memoro.model.scope import Scope
    from memoro.recall.ports import RecallSources
    from memoro.sessions.recording import SessionRecorder

    class BlockSource(Protocol):
        def build(self, request: BlockRequest) -> Recalled: ...

        def note_given(self, experiences: Sequence[str]) -> list[str]: ...

        def sources(self, message: str = "") -> RecallSources: ...

    class SessionLedger(Protocol):
        @property
        def sessions(self) -> SessionRecorder: ...


class Recaller:
    """Recalls for a message; in a session, gives what is new to it and records that."""

    def __init__(self, settings: Settings, builder: BlockSource, ledger: SessionLedger, scope: Scope) -> None:
        self._scope = scope  # binds every recall that does not ask for more
        self._settings = settings.recall
        self._builder = builder
        self._ledger = ledger

    def recall(self, request: RecallRequest) -> Recalled:
        """The context for a message; with a key that was recorded, that very answer again."""
        request = self._bound(request)
        if request.session is not None:
            return self._recall_in_session(request, request.session)
        scope = _widened(request.scope) if request.reach == "all" else request.scope
        options = RecallOptions(
            scope=scope, prompt=request.prompt, proactive=bool(request.proactive), marks=request.reach == "all"
        )
        request = request._replace(scope=scope)
        options = options._replace(budget=self._budget(request, options))
        found = self._builder.build(
            BlockRequest(
                message=request.message,
                where=_where(request),
                options=options,
                held=request.held,
                abstain=request.abstain,
                left_off=request.left_off,
            )
        )
        return found if request.is_preview else self._with_uses_noted(found)

    def _bound(self, request: RecallRequest) -> RecallRequest:
        """The request within the scope of this connection; raises where it asks for more."""
        own, wanted = self._scope, request.scope
        if request.reach == "session":
            bound_by(own, _named(wanted))
            bound_by(own, request.alternatives)
        return request._replace(
            scope=wanted._replace(
                agent=own.agent or wanted.agent,
                project=own.project or wanted.project,
                known_as=own.known_as if own.project else wanted.known_as,
                allies=own.allies if own.agent else wanted.allies,
            ).with_privacy_of(own)
        )

    def repeat(self, then: Recalled, options: RecallOptions, held: HeldContext) -> Recalled:
        """The context that a message would get now, recorded nowhere. It tells where the work was left then."""
        return self._builder.build(
            BlockRequest(
                message=then.message,
                where=where_of(options.scope),
                options=options,
                held=held,
                left_off=_section(then, LEFT_OFF),
            )
        )

    def sources(self) -> RecallSources:
        """Sync, and return the sources of a recall."""
        return self._builder.sources()

    def _recall_in_session(self, request: RecallRequest, session: str) -> Recalled:
        recorder = self._ledger.sessions
        turn = recorder.turn(session, request.scope)
        if request.key is not None:
            asked = RecallOptions(prompt=request.prompt, budget=request.budget)
            known = recorder.answered(turn, request.message, request.key, asked)
            if known is not None:
                return known
        proactive = turn.form == "proactive" if request.proactive is None else request.proactive
        if request.reach == "all":
            turn = turn._replace(scope=_widened(turn.scope))
        options = RecallOptions(
            scope=turn.scope, prompt=request.prompt, proactive=proactive, marks=request.reach == "all"
        )
        options = options._replace(budget=self._budget(request, options))
        found = self._builder.build(
            BlockRequest(
                message=request.message,
                where=where_of(turn.scope),
                options=options,
                held=_held(request, turn),
                abstain=request.abstain,
                left_off=request.left_off,
            )
        )
        if request.unless_held and all(item.text in turn.held.loaded.get(item.path, ()) for item in found.items):
            return found._replace(block="", items=(), tokens=0)
        return recorder.record_turn(turn, self._with_uses_noted(found), options, self._scope, request.key)

    def _with_uses_noted(self, found: Recalled) -> Recalled:
        """Count a use of each experience in the block: it is fresh as long as agents are given it."""
        given = [item.id for item in found.items if item.kind == "experience"]
        notices = self._builder.note_given(given) if given else []
        return found._replace(degraded=(*found.degraded, *notices)) if notices else found

    def _budget(self, request: RecallRequest, options: RecallOptions) -> int | None:
        if request.at_most is None:
            return request.budget
        usual = self._settings.proactive.max_tokens if options.proactive else self._settings.budget
        budget = request.budget if request.budget is not None or options.prompt else usual
        return request.at_most if budget is None else min(budget, request.at_most)


def _where(request: RecallRequest) -> Where:
    where, several = where_of(request.scope), request.alternatives
    return where._replace(agents=several.agents, projects=several.projects, kinds=several.kinds)


def _section(recalled: Recalled, name: str) -> tuple[RecalledItem, ...]:
    """The items of one section of a prompt."""
    at = 0
    for section in recalled.sections:
        if section.name == name:
            return recalled.items[at : at + section.items]
        at += section.items
    return ()


def _named(scope: Scope) -> Where:
    """The agent and the project of a scope, as a filter names them."""
    return Where(agents=(scope.agent,) if scope.agent else (), projects=(scope.project,) if scope.project else ())


def _widened(scope: Scope) -> Scope:
    """The same paths, tiers and tags, of every project and agent."""
    return scope.recorded()._replace(agent=None, project=None).with_privacy_of(scope)


def _held(request: RecallRequest, turn: SessionTurn) -> HeldContext:
    """The context that the conversation holds by its record and by the request."""
    if request.repeat:
        return request.held
    return turn.held.joined(request.held)

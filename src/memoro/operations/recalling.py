"""Recall: what is relevant to a message, within a token budget, alone or with everything a prompt should hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.model.vocabulary import Reach
from memoro.operations.fields import Field
from memoro.operations.operation import KEY, REACH, SCOPE, SESSION, Argument, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.model.recall import Recalled
    from memoro.model.scope import Scope
    from memoro.model.sessions import Uses
    from memoro.workspace import Workspace

_MESSAGE = Field("The message, quoted or not; - reads standard input.", words=True)
_AGENT = Field("Leave out items of other agents.", "NAME")
_PROJECT = Field("Leave out items of other projects.", "NAME")
_OPTIONS = (
    SESSION._replace(
        metavar="ID",
        help="Record it for this session. Its first message gets everything relevant, later ones only new items.",
    ),
    KEY._replace(help="With --session: a repetition with the same key returns the same block."),
)


class RecallContext(NamedTuple):
    message: Annotated[str, _MESSAGE]
    budget: Annotated[int | None, Field("Use at most this many tokens for the block (3000).", "TOKENS")] = None
    proactive: Annotated[
        bool | None, Field("Print what a hook would give unasked in a session of this folder's project.")
    ] = None
    agent: Annotated[tuple[str, ...], _AGENT] = ()
    project: Annotated[tuple[str, ...], _PROJECT] = ()
    why: Annotated[bool, Field("Show which items were taken or left out, and why.")] = False
    scope: Annotated[Reach, REACH] = "session"
    repeat: Annotated[bool, Field("Give again what the session was given before.", internal=True)] = False


class PromptRequest(NamedTuple):
    message: Annotated[str, _MESSAGE]
    budget: Annotated[int | None, Field("Use at most this many tokens for all sections (6250).", "TOKENS")] = None
    agent: Annotated[tuple[str, ...], _AGENT] = ()
    project: Annotated[tuple[str, ...], _PROJECT] = ()
    why: Annotated[bool, Field("Show each section with its cap, and which items were left out.")] = False
    scope: Annotated[Reach, REACH] = "session"


class RecallResult(NamedTuple):
    recalled: "Recalled"
    uses: "Mapping[str, Uses] | None" = None  # by item: how often it was given before; None: not asked for
    project: str | None = None  # of the session that a hook would answer in the caller's folder


def recall(m: "Workspace", request: RecallContext, caller: Caller) -> RecallResult:
    if caller.session is None:
        m.indexing.check_searchable()
    scope = _hook_scope(m, request, caller)
    found = _recalled(m, request, caller) if scope is None else _preview(m, request, scope)
    if not m.home_context.runtime.private:
        from memoro.model.withheld import without_withheld

        found = without_withheld(found)
    return RecallResult(found, _uses(m, found) if request.why else None, scope.project if scope else None)


def _recalled(m: "Workspace", request: RecallContext, caller: Caller) -> "Recalled":
    if request.repeat and caller.session is not None:
        from memoro.recall.request import RecallRequest as SessionRecall

        return m.recaller.recall(
            SessionRecall(
                request.message, budget=request.budget, proactive=False, session=caller.session, key=caller.once,
                repeat=True, reach=request.scope,
            )
        )  # fmt: skip
    return m.recall(
        request.message, budget=request.budget, proactive=request.proactive, agent=request.agent,
        project=request.project, session=caller.session, key=caller.key, scope=request.scope,
    )  # fmt: skip


_HOST = "claude"  # hosts share what they keep, so a hook of each gives the same


def _hook_scope(m: "Workspace", request: RecallContext, caller: Caller) -> "Scope | None":
    """Return what a session that begins in the caller's folder sees; None where the request says what to look at."""
    chooses = request.project or caller.session is not None or request.scope == "all"
    if not request.proactive or chooses or not caller.folder:
        return None
    from memoro.hooks.scope import session_scope

    scope = session_scope(m, _HOST, caller.folder, None)
    is_named = request.agent and m.home_context.runtime.agent is None
    return scope._replace(agent=None, allies=()) if is_named else scope


def _preview(m: "Workspace", request: RecallContext, scope: "Scope") -> "Recalled":
    """Return what a hook would give in that scope; nothing is recorded."""
    from memoro.recall.request import recall_request

    wanted = recall_request(
        request.message,
        {"budget": request.budget, "proactive": True, "agent": request.agent},
        m.home_context,
        prompt=False,
    )
    return m.recaller_in(scope).recall(wanted._replace(is_preview=True))


def prompt(m: "Workspace", request: PromptRequest, caller: Caller) -> RecallResult:
    found = m.prompt(
        request.message, budget=request.budget, agent=request.agent, project=request.project,
        session=caller.session, key=caller.key, scope=request.scope,
    )  # fmt: skip
    return RecallResult(found, _uses(m, found) if request.why else None)


def _uses(m: "Workspace", found: "Recalled") -> "Mapping[str, Uses]":
    return m.sessions.uses([item.id for item in found.items])


def _document(found: RecallResult) -> documents.Document:
    document = documents.recalled(found.recalled)
    if found.project is not None:
        document = {**document, "project": found.project}
    return document if found.uses is None else {**document, "uses": documents.plain(found.uses)}


RECALL = Operation(
    name="recall",
    request=RecallContext,
    call=recall,
    encode=_document,
    access="read",
    options=_OPTIONS,
    tool=Tool(
        title="Recall what is relevant",
        about="Get notes, conversations and memories that are relevant to a message, as one block within a token "
        "budget. Call it once when a task begins, with the user's message; an empty block: nothing is relevant.",
        takes=(Argument("message"), Argument("budget", "tokens", least=100, most=20_000, default=3000), SCOPE),
        fixed=(("repeat", True),),
    ),
)
PROMPT = Operation(
    name="prompt", request=PromptRequest, call=prompt, encode=_document, access="read", options=_OPTIONS
)
OPERATIONS = (RECALL, PROMPT)

"""Recall: what is relevant to a message, within a token budget, alone or with everything a prompt should hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.model.vocabulary import Reach
from memoro.operations.fields import Field
from memoro.operations.operation import KEY, REACH, SCOPE, SESSION, Argument, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.model.recall import Recalled
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
        bool | None, Field("Print what a hook would give unasked: few items, and only sure ones.")
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


def recall(m: "Workspace", request: RecallContext, caller: Caller) -> RecallResult:
    if request.repeat and caller.session is not None:
        from memoro.recall.request import RecallRequest as SessionRecall

        found = m.recaller.recall(
            SessionRecall(
                request.message, budget=request.budget, proactive=False, session=caller.session, key=caller.once,
                repeat=True, reach=request.scope,
            )
        )  # fmt: skip
    else:
        found = m.recall(
            request.message, budget=request.budget, proactive=request.proactive, agent=request.agent,
            project=request.project, session=caller.session, key=caller.key, scope=request.scope,
        )  # fmt: skip
    return RecallResult(found, _uses(m, found) if request.why else None)


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

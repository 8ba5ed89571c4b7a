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

_MESSAGE = Field("What is being said: any words, quoted or not; -: from stdin.", words=True)
_AGENT = Field("Leave out what belongs to other agents.", "NAME")
_PROJECT = Field("Leave out what belongs to other projects.", "NAME")
_OPTIONS = (
    SESSION._replace(
        metavar="ID",
        help="The conversation. Its first message gets everything relevant, later ones only what is new; all of it "
        "is recorded.",
    ),
    KEY._replace(help="With --session: repeated with the same key, the answer is the same."),
)


class RecallContext(NamedTuple):
    message: Annotated[str, _MESSAGE]
    budget: Annotated[int | None, Field("How many tokens the block may take (3000).", "TOKENS")] = None
    proactive: Annotated[bool | None, Field("As before an agent's turn: few items, all of them certain.")] = None
    agent: Annotated[tuple[str, ...], _AGENT] = ()
    project: Annotated[tuple[str, ...], _PROJECT] = ()
    why: Annotated[bool, Field("Show what was taken and what was left out, and why.")] = False
    scope: Annotated[Reach, REACH] = "session"
    repeat: Annotated[bool, Field("Give again what the session was given before.", internal=True)] = False


class PromptRequest(NamedTuple):
    message: Annotated[str, _MESSAGE]
    budget: Annotated[int | None, Field("How many tokens all of it may take (6250).", "TOKENS")] = None
    agent: Annotated[tuple[str, ...], _AGENT] = ()
    project: Annotated[tuple[str, ...], _PROJECT] = ()
    why: Annotated[bool, Field("Show each block with its limit, and what was left out.")] = False
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

"""Narratives: where the work stands, one sentence after another."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.model.vocabulary import Reach
from memoro.operations.fields import Field
from memoro.operations.operation import ORIGIN, REACH, SCOPE, Argument, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.model.memories import Narrative
    from memoro.workspace import Workspace


class UpdateNarrative(NamedTuple):
    summary: Annotated[str, Field("One sentence; it continues the last one.", words=True)]
    memories: Annotated[
        tuple[int, ...], Field("The numbers of the memories that it is based on.", "N,N", comma_separated=True)
    ] = ()
    project: Annotated[str | None, Field("The project; each has its own chain.", "NAME")] = None


class NarrativeList(NamedTuple):
    results: "tuple[Narrative, ...]"
    scores: tuple[float, ...] = ()  # of a search: how well each fits, 0–1


def update(m: "Workspace", request: UpdateNarrative, caller: Caller) -> NarrativeList:
    made = m.narratives.update(
        request.summary, request.memories, session=caller.session, project=request.project, source=caller.source,
        key=caller.once,
    )  # fmt: skip
    return NarrativeList((made,))


class SearchNarratives(NamedTuple):
    query: Annotated[str | None, Field("Words to look for, or a number; without it, the latest.", words=True)] = None
    limit: Annotated[int, Field("Show at most N (5).", "N", ("-n", "--limit"))] = 5
    scope: Annotated[Reach, REACH] = "session"


def search(m: "Workspace", request: SearchNarratives, _caller: Caller) -> NarrativeList:
    found = m.narratives.search(request.query, request.limit, scope=request.scope)
    return NarrativeList(tuple(one.narrative for one in found), tuple(one.score for one in found))


class OneNarrative(NamedTuple):
    id: Annotated[int, Field("The number of the narrative.", "N", positional=True)]


def show(m: "Workspace", request: OneNarrative, _caller: Caller) -> NarrativeList:
    return NarrativeList(tuple(m.narratives.chain(request.id)))


def _document(found: NarrativeList) -> documents.Document:
    results = documents.plain(found.results)
    for document, score in zip(results, found.scores, strict=False):
        document["score"] = round(score, 6)
    return {"results": results}


UPDATE = Operation(
    name="narrative update",
    may_wait=True,
    request=UpdateNarrative,
    call=update,
    encode=_document,
    access="write",
    summary="Add one sentence about what is being worked on now.",
    options=ORIGIN,
    tool=Tool(
        title="Record current work",
        about="Record in one sentence what is being worked on now; it continues the last one. Use it when the "
        "direction changes and before you end.",
        takes=(Argument("summary"), Argument("memories", "numbers of the memories it is based on")),
        profile="full",
    ),
)
SEARCH = Operation(
    name="narrative search",
    request=SearchNarratives,
    call=search,
    encode=_document,
    access="read",
    summary="Show the latest sentences, or those that contain the words.",
    tool=Tool(
        title="Find earlier work",
        about="Find what was being worked on: the latest without a query, one by its number, or those that "
        "contain the words.",
        takes=(Argument("query", "words, a number, or nothing"), Argument("limit", least=1, most=50), SCOPE),
        profile="full",
    ),
)
SHOW = Operation(
    name="narrative show", request=OneNarrative, call=show, encode=_document, access="read",
    summary="Show one sentence with those before and after it.",
)  # fmt: skip
OPERATIONS = (UPDATE, SEARCH, SHOW)

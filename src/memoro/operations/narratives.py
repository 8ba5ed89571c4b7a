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
        tuple[int, ...], Field("The numbers of the memories it is based on.", "N,N", comma_separated=True)
    ] = ()
    project: Annotated[str | None, Field("The project; each has a chain of its own.", "NAME")] = None


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
    query: Annotated[str | None, Field("Nothing, a number, or words.", words=True)] = None
    limit: Annotated[int, Field("How many (5).", "N", ("-n", "--limit"))] = 5
    scope: Annotated[Reach, REACH] = "session"


def search(m: "Workspace", request: SearchNarratives, _caller: Caller) -> NarrativeList:
    found = m.narratives.search(request.query, request.limit, scope=request.scope)
    return NarrativeList(tuple(one.narrative for one in found), tuple(one.score for one in found))


class OneNarrative(NamedTuple):
    id: Annotated[int, Field("Its number.", "N", positional=True)]


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
    summary="Say in a sentence what is going on now.",
    options=ORIGIN,
    tool=Tool(
        title="Say what is going on",
        about="Say in one sentence where the work stands now; it continues the last one. Use it when the direction "
        "changes and before you end.",
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
    summary="Show the latest, one by its number, or those that contain the words.",
    tool=Tool(
        title="See what was going on",
        about="Where the work stood: the latest without a query, one by its number, or those that contain the words.",
        takes=(Argument("query", "words, a number, or nothing"), Argument("limit", least=1, most=50), SCOPE),
        profile="full",
    ),
)
SHOW = Operation(
    name="narrative show", request=OneNarrative, call=show, encode=_document, access="read",
    summary="Show one with what led to it and what followed.",
)  # fmt: skip
OPERATIONS = (UPDATE, SEARCH, SHOW)

"""Search for passages, and read the exact text behind an id or a path."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.errors import NoteNotFound
from memoro.model.answers import Answer
from memoro.model.vocabulary import PERSON, Group, Kind, Mode, NoteTier, Reach
from memoro.operations.fields import Field
from memoro.operations.operation import REACH, SCOPE, Argument, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.documents import Document
    from memoro.model.answers import Text
    from memoro.workspace import Workspace

AROUND = 2  # turns: the question before a hit, and the answer after it
_FILTERS = "filters (repeat one for alternatives; different ones add up)"


class FindPassages(NamedTuple):
    query: Annotated[str, Field("Words or a question, quoted or not.", words=True)]
    limit: Annotated[int | None, Field("Return at most N results (6).", "N", ("-n", "--limit"))] = None
    mode: Annotated[Mode | None, Field("Search by words, by meaning (vectors) or by both (hybrid).")] = None
    min_score: Annotated[
        float | None,
        Field(
            "Return results from this score on; 0 returns all. 0.3 is worth a look, 0.6 likely right, 0.9 nearly "
            "sure (the relevant ones).",
            "SCORE",
            least=0,
            most=1,
        ),
    ] = None
    explain: Annotated[bool, Field("Show the computation of each score, and how many results were left out.")] = False
    group: Annotated[Group | None, Field("Return only the best passage of each conversation.")] = None
    kind: Annotated[tuple[Kind, ...], Field("The kind of result.", group=_FILTERS)] = ()
    tier: Annotated[tuple[NoteTier, ...], Field("The tier of the note.", group=_FILTERS)] = ()
    path: Annotated[tuple[str, ...], Field("A note, a folder, or a pattern with *.", "PATH", group=_FILTERS)] = ()
    tag: Annotated[tuple[str, ...], Field("A tag, with the tags nested below it.", "TAG", group=_FILTERS)] = ()
    agent: Annotated[tuple[str, ...], Field("Notes and conversations of this agent.", "NAME", group=_FILTERS)] = ()
    project: Annotated[
        tuple[str, ...], Field("Notes and conversations of this project.", "NAME", group=_FILTERS)
    ] = ()
    since: Annotated[
        str | None, Field('From this day on: 2026-03-05, 2026-03, "last week", yesterday.', "WHEN", group=_FILTERS)
    ] = None
    until: Annotated[str | None, Field("Up to and including this day.", "WHEN", group=_FILTERS)] = None
    as_of: Annotated[
        str | None,
        Field(
            'The state of an earlier day, without anything said later: 2026-03-05, March, "last spring".',
            "WHEN",
            group=_FILTERS,
        ),
    ] = None
    used_in: Annotated[str | None, Field("Only items that this session was given.", "ID", group=_FILTERS)] = None
    scope: Annotated[Reach, REACH] = "session"
    unfinished: Annotated[
        bool, Field("Treat the last word as unfinished: if no passage contains it, find words that begin with it.")
    ] = False


class SearchResult(NamedTuple):
    """An answer, and how much of it the caller wants to see."""

    answer: Answer
    explain: bool
    grouped: bool


def search(m: "Workspace", request: FindPassages, caller: Caller) -> SearchResult:
    fields = request._asdict()
    query, explain = fields.pop("query"), fields.pop("explain")
    m.indexing.check_searchable()
    answer = m.search(query, **fields, progress=caller.progress, filter=caller.filter)
    if request.scope == "session":  # all of it belongs here, or to nobody
        hits = (hit if hit.kind == "transcript" else hit._replace(project=None) for hit in answer.results)
        answer = answer._replace(results=tuple(hits))
    return SearchResult(answer, explain, request.group is not None)


def _search_document(found: SearchResult) -> "Document":
    from memoro import documents

    return documents.answer(found.answer, explain=found.explain, grouped=found.grouped)


class GetRequest(NamedTuple):
    id: Annotated[
        str,
        Field(
            "An id that a search or `memoro entries` shows, memory:N, experience:N, PATH, PATH:LINE or PATH:FROM-TO.",
            "TARGET",
            positional=True,
        ),
    ]
    around: Annotated[
        int | None,
        Field("Print N turns before and after, in a conversation (2 for an id from a search, else 0).", "N"),
    ] = None
    scope: Annotated[Reach, REACH] = "session"


def get(m: "Workspace", request: GetRequest, caller: Caller) -> "Text":
    is_hit = request.id.startswith("transcript:") and "#" in request.id
    around = request.around if request.around is not None else AROUND if is_hit else 0
    try:
        return m.get(request.id, around=max(0, around), scope=request.scope, filter=caller.filter)
    except NoteNotFound as error:
        if caller.source != PERSON:  # an agent may not see every path
            raise
        raise NoteNotFound(f"{error}{_meant(m, request.id)}") from error


def _meant(m: "Workspace", target: str) -> str:
    """The note or log whose path is spelled most like the target, as a sentence."""
    from memoro.model.suggestion import closest

    path = target.removeprefix("note:").removeprefix("transcript:").partition(":")[0].partition("#")[0]
    known = {one.removesuffix(".md"): one for one in m.indexing.read(lambda index: list(index.files()))}
    found = closest(path.removesuffix(".md"), list(known))  # without the ending, which would make all paths alike
    return f" Did you mean '{known[found]}'?" if found and known[found] != path else ""


SEARCH = Operation(
    name="search",
    request=FindPassages,
    call=search,
    encode=_search_document,
    access="read",
    tool=Tool(
        title="Search notes, conversations and memories",
        about="Search the user's notes, conversations, memories and experiences. Use it when the answer may lie in "
        "what the user wrote, decided or said before. Returns passages with ids for `get`.",
        takes=(
            Argument("query", "keywords with synonyms, or a question"),
            Argument("limit", least=1, most=50, default=6),
            Argument("min_score", "0 shows weak matches too"),
            Argument("kind", single=True),
            Argument("since", "2026-03-05, 2026-03 or 'last week'"),
            Argument("until", "up to and including"),
            Argument("as_of", "what held then"),
            Argument("path", "a note, a folder or a pattern with *", single=True),
            Argument("tag", single=True),
            SCOPE,
        ),
    ),
)
GET = Operation(
    name="get",
    request=GetRequest,
    call=get,
    access="read",
    tool=Tool(
        title="Read exact text",
        about="Read the exact text behind an id from search or recall, of a note (PATH), of its lines "
        "(PATH:FROM-TO), or of memory:N.",
        takes=(
            Argument("id", "id or path", is_id=True),
            Argument(
                "around", "conversation turns before and after", least=0, most=20, default=AROUND, is_filled_in=False
            ),
            SCOPE,
        ),
    ),
)
OPERATIONS = (SEARCH, GET)

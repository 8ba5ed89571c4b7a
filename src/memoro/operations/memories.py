"""Single memories: store them, find them, rate them, archive and forget them."""

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from memoro import documents
from memoro.model.listing import MemorySort, MemoryState
from memoro.model.vocabulary import TRUSTS, Reach, Trust, Visibility
from memoro.operations.fields import Field
from memoro.operations.journal import Changes
from memoro.operations.operation import (
    KEY,
    ORIGIN,
    PRIVATE,
    REACH,
    SCOPE,
    SESSION,
    SHARED,
    VISIBILITY,
    Argument,
    Caller,
    CallerOption,
    NoArguments,
    Operation,
    Tool,
    asked_visibility,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memoro.ledger.archive import LedgerStats
    from memoro.ledger.forget import ForgottenMemories
    from memoro.ledger.visibility import ShownVisibility
    from memoro.memories.links import Neighbourhood
    from memoro.memories.results import ChangedMemory, MemoryDetails, Recollection, Stored
    from memoro.model.memories import Memory, PrunePlan
    from memoro.model.sessions import Use
    from memoro.sessions.history import Totals
    from memoro.workspace import Workspace

_ID = Field("The number of the memory, as in [id:N] and memory:N.", "N", positional=True, prefix="memory:")
_TAGS = Field("Tags, separated by commas.", "A,B")
_PROJECT = CallerOption(
    name="project",
    flag="--project",
    metavar="NAME",
    help="The project that it belongs to (MEMORO_PROJECT, else none).",
)
_VALID_FROM = Field("The first day on which it is true.", "WHEN")
_VALID_TO = Field("The last day on which it is true.", "WHEN")


class KeepMemory(NamedTuple):
    content: Annotated[str, Field("The fact or decision, in one sentence.", "TEXT", words=True)]
    tags: Annotated[str | None, _TAGS] = None
    trust: Annotated[Trust | None, Field("The trust level (that of its source).", choices=TRUSTS[::-1])] = None
    task: Annotated[str | None, Field("The task that it comes from.", "TASK")] = None
    narrative: Annotated[int | None, Field("The number of the narrative that it belongs to.", "N")] = None
    parents: Annotated[
        tuple[int, ...],
        Field("The number of a memory that it was made from; repeat for several.", "N", ("--from-memory",)),
    ] = ()
    valid_from: Annotated[str | None, _VALID_FROM] = None
    valid_to: Annotated[str | None, _VALID_TO] = None
    supersedes: Annotated[
        tuple[int, ...], Field("The number of a memory that it replaces; repeat for several.", "N")
    ] = ()
    private: Annotated[bool, PRIVATE] = False
    shared: Annotated[bool, SHARED] = False


def store(m: "Workspace", request: KeepMemory, caller: Caller) -> "Stored":
    return m.memories.store(
        request.content, request.tags or (), source=caller.source, trust=request.trust, session=caller.session,
        task=request.task, narrative=request.narrative, parents=request.parents, valid_from=request.valid_from,
        valid_to=request.valid_to, supersedes=request.supersedes, key=caller.key,
        visibility=asked_visibility(request.private, request.shared),
    )  # fmt: skip


class OneMemory(NamedTuple):
    id: Annotated[int, _ID]


def reinforce(m: "Workspace", request: OneMemory, caller: Caller) -> "Memory":
    return m.memories.reinforce(request.id, session=caller.session, source=caller.source, key=caller.once)


def demote(m: "Workspace", request: OneMemory, caller: Caller) -> "Memory":
    return m.memories.demote(request.id, session=caller.session, source=caller.source, key=caller.once)


class UpdateMemory(NamedTuple):
    id: Annotated[int, _ID]
    content: Annotated[str | None, Field("The new text; without it, the text stays.", "TEXT", words=True)] = None
    tags: Annotated[str | None, _TAGS] = None
    valid_from: Annotated[str | None, _VALID_FROM] = None
    valid_to: Annotated[str | None, _VALID_TO] = None
    expected: Annotated[str | None, Field("Write only if its text still has this digest.", "SHA256")] = None


def update(m: "Workspace", request: UpdateMemory, caller: Caller) -> "ChangedMemory":
    return _changed(m, lambda: m.memories.update(
        request.id, request.content, request.tags, valid_from=request.valid_from, valid_to=request.valid_to,
        session=caller.session, source=caller.source, key=caller.key, expected=request.expected,
    ))  # fmt: skip


def _changed(m: "Workspace", change: "Callable[[], Memory]") -> "ChangedMemory":
    """Return the memory after the change; where that waits as a proposal, the memory as it is."""
    from memoro.errors import ChangeProposed
    from memoro.memories.results import ChangedMemory

    try:
        return ChangedMemory(change())
    except ChangeProposed as waiting:
        memory = m.memories.get(waiting.memory, scope="all")
        return ChangedMemory(memory, waiting.proposal, waiting.why)


def _changed_document(found: "ChangedMemory") -> documents.Document:
    return {**documents.memory(found.memory), "proposal": found.proposal}


class ReplaceMemory(NamedTuple):
    old: Annotated[int, Field("The number of the memory that is no longer true.", "OLD", positional=True)]
    new: Annotated[int, Field("The number of the memory that is true now.", "NEW", positional=True)]


def supersede(m: "Workspace", request: ReplaceMemory, caller: Caller) -> "ChangedMemory":
    return _changed(m, lambda: m.memories.supersede(
        request.old, request.new, session=caller.session, source=caller.source, key=caller.once
    ))  # fmt: skip


class TrustMemory(NamedTuple):
    id: Annotated[int, _ID]
    level: Annotated[
        Trust, Field("The trust level, from the highest to the lowest.", positional=True, choices=TRUSTS[::-1])
    ]


def trust(m: "Workspace", request: TrustMemory, caller: Caller) -> "Memory":
    return m.memories.trust(request.id, request.level, key=caller.once)


class MemoryVisibility(NamedTuple):
    id: Annotated[int, _ID]
    visibility: Annotated[Visibility | None, VISIBILITY] = None


def visibility(m: "Workspace", request: MemoryVisibility, caller: Caller) -> "ShownVisibility":
    return m.memories.visibility(request.id, request.visibility, source=caller.source)


class QueryMemories(NamedTuple):
    query: Annotated[str, Field("A question, or keywords and synonyms.", "WORDS", words=True)]
    limit: Annotated[int, Field("Return at most N results (5).", "N", ("-n", "--limit"))] = 5
    mode: Annotated[
        Literal["words", "hybrid"] | None, Field("Search by words alone, or by words and meaning (hybrid).")
    ] = None
    links: Annotated[bool, Field("Add the memories that are linked with the results.")] = False
    as_of: Annotated[str | None, Field("The state of an earlier day: 2026-03-05, yesterday.", "WHEN")] = None
    archived: Annotated[bool, Field("Search the archive too.")] = False
    explain: Annotated[bool, Field("Show the computation of each position.")] = False
    tags: Annotated[str | None, _TAGS] = None
    agent: Annotated[str | None, Field("Only memories of this agent or of none.", "NAME")] = None
    project: Annotated[str | None, Field("Only of this project or of none.", "NAME")] = None
    scope: Annotated[Reach, REACH] = "session"


def query(m: "Workspace", request: QueryMemories, caller: Caller) -> "Recollection":
    found = m.memories.query(
        request.query, request.limit, mode=request.mode, session=caller.session, as_of=request.as_of,
        tags=request.tags or (), agent=request.agent, project=request.project, links=request.links,
        archived=request.archived, scope=request.scope,
    )  # fmt: skip
    return found if request.explain else found.without_explanations()


class ShowMemory(NamedTuple):
    id: Annotated[int, _ID]
    used: Annotated[bool, Field("Also list the sessions that were given it.")] = False
    scope: Annotated[Reach, REACH] = "session"


class ShownMemory(NamedTuple):
    shown: "MemoryDetails"
    used: "tuple[Use, ...] | None" = None  # None: not asked for


def show(m: "Workspace", request: ShowMemory, _caller: Caller) -> ShownMemory:
    shown = m.memories.show(request.id, scope=request.scope)
    return ShownMemory(shown, tuple(m.sessions.used(f"memory:{request.id}")) if request.used else None)


def _details(found: ShownMemory) -> documents.Document:
    document = documents.shown_memory(found.shown)
    return document if found.used is None else {**document, "used": documents.plain(found.used)}


class MemoryHistory(NamedTuple):
    id: Annotated[int, _ID]
    scope: Annotated[Reach, REACH] = "session"


def history(m: "Workspace", request: MemoryHistory, _caller: Caller) -> Changes:
    return Changes(tuple(m.memories.history(request.id, scope=request.scope)))


class MemoryLinks(NamedTuple):
    id: Annotated[int, _ID]
    depth: Annotated[int, Field("Follow links over N steps (2).", "N")] = 2
    scope: Annotated[Reach, REACH] = "session"


def links(m: "Workspace", request: MemoryLinks, _caller: Caller) -> "Neighbourhood":
    return m.memories.links(request.id, request.depth, scope=request.scope)


class ListMemories(NamedTuple):
    limit: Annotated[int, Field("Show at most N (20).", "N", ("-n", "--limit"))] = 20
    source: Annotated[str | None, Field("Only of this source: user, agent, …", "SOURCE")] = None
    session: Annotated[str | None, Field("Only of this session.", "ID")] = None
    tag: Annotated[str | None, Field("Only with this tag.", "TAG")] = None
    words: Annotated[str | None, Field("Only those that contain all of these words.", "WORDS")] = None
    agent: Annotated[str | None, Field("Only of this agent.", "NAME")] = None
    project: Annotated[str | None, Field("Only of this project, by its full name.", "NAME")] = None
    trust: Annotated[Trust | None, Field("Only those with this trust level.", choices=TRUSTS[::-1])] = None
    state: Annotated[
        MemoryState,
        Field(
            "Only in this state (current). invalid: not true today, by its first or last day; all: every "
            "state but archived."
        ),
    ] = "current"
    sort: Annotated[
        MemorySort,
        Field("The order (newest). used: last given to a session; uses: given most often."),
    ] = "newest"
    after: Annotated[str | None, Field("Show the next page, by the mark at the end of the page before.", "KEY")] = (
        None
    )
    scope: Annotated[Reach, REACH] = "session"


class MemoryList(NamedTuple):
    results: "tuple[Memory, ...]"
    next: str | None = None  # the key of the next page; None: these are the last
    seen: "Mapping[int, Visibility] | None" = None  # who sees each; None: nobody shares the ledger


def list_(m: "Workspace", request: ListMemories, _caller: Caller) -> MemoryList:
    from memoro.ledger.listing import filter_words
    from memoro.model.listing import MemoryFilter

    wanted = MemoryFilter(
        words=filter_words(request.words), tag=request.tag, agent=request.agent, project=request.project,
        source=request.source, session=request.session, trust=request.trust, state=request.state,
    )  # fmt: skip
    found = m.memories.page(wanted, request.sort, after=request.after, limit=request.limit, scope=request.scope)
    return MemoryList(found.memories, found.next, m.memories.visibilities([one.id for one in found.memories]))


def _listed(found: MemoryList) -> documents.Document:
    seen = found.seen
    results = [
        {**documents.memory(one), **({} if seen is None else {"visibility": seen[one.id]})} for one in found.results
    ]
    return {"results": results, "next": found.next}


class LedgerTotals(NamedTuple):
    memories: "LedgerStats"
    sessions: "Totals"


def stats(m: "Workspace", _request: NoArguments, _caller: Caller) -> LedgerTotals:
    return LedgerTotals(m.memories.stats(), m.sessions.totals())


def _totals(found: LedgerTotals) -> documents.Document:
    archived = {"archived": found.memories.archived, "archived_sessions": found.sessions.archived}
    return {**documents.plain(found.memories), **documents.plain(found.sessions), **archived}


def archive(m: "Workspace", request: OneMemory, caller: Caller) -> "Memory":
    return m.memories.archive(request.id, key=caller.once)


def unarchive(m: "Workspace", request: OneMemory, caller: Caller) -> "Memory":
    return m.memories.unarchive(request.id, key=caller.once)


class PruneMemories(NamedTuple):
    dry_run: Annotated[bool, Field("Only list what would be archived.")] = False


class PrunedMemories(NamedTuple):
    plan: "PrunePlan"
    done: bool


def prune(m: "Workspace", request: PruneMemories, _caller: Caller) -> PrunedMemories:
    return PrunedMemories(m.memories.prune(dry_run=request.dry_run), not request.dry_run)


def _pruned(found: PrunedMemories) -> documents.Document:
    return {**documents.plain(found.plan), "done": found.done}


def remove(m: "Workspace", request: OneMemory, caller: Caller) -> "ChangedMemory":
    return _changed(m, lambda: m.memories.remove(request.id, source=caller.source, key=caller.once))


class ForgetMemories(NamedTuple):
    numbers: Annotated[tuple[int, ...], Field("The numbers of the memories.", "N", positional=True)] = ()
    query: Annotated[
        str | None, Field("The memories that these words find; listed first, for you to confirm.", "WORDS")
    ] = None
    limit: Annotated[int, Field("With --query: at most N of them (5).", "N", ("-n", "--limit"))] = 5
    source: Annotated[str | None, Field("All memories of this source.", "SOURCE")] = None
    session: Annotated[str | None, Field("All memories of this session.", "ID")] = None
    since: Annotated[str | None, Field("Of those, only the ones stored on this day or later.", "WHEN")] = None
    until: Annotated[str | None, Field("Of those, only the ones stored up to and including this day.", "WHEN")] = None
    yes: Annotated[bool, Field("Erase without asking.", flags=("-y", "--yes"))] = False
    dry_run: Annotated[bool, Field("Only list what would be erased.")] = False
    only: Annotated[bool, Field("Keep the narratives and lines of notes that were made from them.")] = False


def forget(m: "Workspace", request: ForgetMemories, _caller: Caller) -> "ForgottenMemories":
    return m.memories.forget(
        request.numbers, query=request.query, limit=request.limit, source=request.source, session=request.session,
        since=request.since, until=request.until, yes=request.yes, dry_run=request.dry_run or not request.yes,
        only=request.only,
    )  # fmt: skip


_MODEL_ID = Argument("id", "N of [id:N]")
_MODEL_TAGS = Argument("tags", "comma-separated")

STORE = Operation(
    name="memory store",
    may_wait=True,
    request=KeepMemory,
    call=store,
    encode=documents.stored,
    access="write",
    summary="Store one fact, decision or piece of context.",
    options=(*ORIGIN, _PROJECT),
    is_repeatable=True,
    tool=Tool(
        title="Store a memory",
        about="Store one fact, decision, preference or correction for later sessions, as a self-contained "
        "sentence in clean spelling: what was hard to find out or the user would not say twice. Returns "
        "the 3 nearest memories; if it replaces any, store it again with supersedes.",
        takes=(
            Argument("content"),
            _MODEL_TAGS,
            Argument("supersedes", "ids it replaces"),
            Argument("task"),
            Argument("narrative"),
            Argument("private", "in a shared ledger: hide from teammates", profile="full"),
        ),
    ),
)
REINFORCE = Operation(
    name="memory reinforce",
    may_wait=True,
    request=OneMemory,
    call=reinforce,
    access="write",
    summary="Rank a memory higher (+3), because it helped.",
    help="It takes a memory. `memoro given good ID` and `memoro given wrong ID` rate any item that was given.",
    options=ORIGIN,
    tool=Tool(
        title="A memory helped", about="Mark a memory that helped you: it ranks higher (+3).", takes=(_MODEL_ID,)
    ),
)
DEMOTE = Operation(
    name="memory demote",
    may_wait=True,
    request=OneMemory,
    call=demote,
    access="write",
    summary="Rank a memory lower (−1): it was wrong, outdated or irrelevant.",
    help="It takes a memory. `memoro given good ID` and `memoro given wrong ID` rate any item that was given.",
    options=ORIGIN,
    tool=Tool(
        title="A memory did not help",
        about="A memory was wrong, outdated or irrelevant: it ranks lower (-1). Use memory_update if you know "
        "better.",
        takes=(_MODEL_ID,),
    ),
)
UPDATE = Operation(
    name="memory update",
    may_wait=True,
    request=UpdateMemory,
    call=update,
    encode=_changed_document,
    access="write",
    summary="Correct the text of a memory; its feedback and history stay.",
    options=ORIGIN,
    restores=("content",),
    is_repeatable=True,
    tool=Tool(
        title="Correct a memory",
        about="Correct a memory in place; rank and history stay. Give new content, tags or both.",
        takes=(_MODEL_ID, Argument("content"), _MODEL_TAGS),
    ),
)
SUPERSEDE = Operation(
    name="memory supersede", request=ReplaceMemory, call=supersede, encode=_changed_document, access="write",
    may_wait=True,
    summary="Replace an older memory by a newer one that is stored already.", options=ORIGIN,
)  # fmt: skip
TRUST = Operation(
    name="memory trust", may_wait=True, request=TrustMemory, call=trust, access="admin",
    summary="Set the trust level of a memory, as a person.", options=(KEY,),
)  # fmt: skip
VISIBILITY_OF = Operation(
    name="memory visibility", request=MemoryVisibility, call=visibility, access="admin",
    summary="Show or change who sees a memory in a shared ledger.",
)  # fmt: skip
QUERY = Operation(
    name="memory query",
    request=QueryMemories,
    call=query,
    encode=documents.recollection,
    access="read",
    summary="Find memories by words and meaning; feedback counts.",
    options=(SESSION._replace(help="Record that this session was given the results."),),
    tool=Tool(
        title="Query memories",
        about="Find memories by words and meaning: a question, or keywords and natural synonyms ('api auth signature "
        "hmac'). Not enough? Other words, 3 rounds at most; then continue without it. Reinforce those that helped.",
        takes=(
            Argument("query"),
            Argument("limit", least=1, most=50),
            Argument("links", "add linked memories"),
            SCOPE,
        ),
    ),
)
SHOW = Operation(
    name="memory show", request=ShowMemory, call=show, encode=_details, access="read",
    summary="Show one memory with its source, trust, feedback and history.",
)  # fmt: skip
HISTORY = Operation(
    name="memory history",
    request=MemoryHistory,
    call=history,
    access="read",
    summary="List the changes of one memory.",
)
LINKS = Operation(
    name="memory links", request=MemoryLinks, call=links, encode=documents.neighbourhood, access="read",
    summary="Show the memories that are linked with one, as a tree.",
)  # fmt: skip
LIST = Operation(
    name="memory list", request=ListMemories, call=list_, encode=_listed, access="read",
    summary="List memories with filters, page by page; newest first.",
)  # fmt: skip
STATS = Operation(
    name="memory stats", request=NoArguments, call=stats, encode=_totals, access="read",
    summary="Count memories, and show which ones take the most space.",
)  # fmt: skip
ARCHIVE = Operation(
    name="memory archive", request=OneMemory, call=archive, access="write", summary="Move one memory to the "
                                                                                    "archive; searches skip it.",
    may_wait=True,
    options=(KEY,),
)  # fmt: skip
UNARCHIVE = Operation(
    name="memory unarchive", may_wait=True, request=OneMemory, call=unarchive, access="write",
    summary="Move one memory back from the archive.", options=(KEY,),
)  # fmt: skip
PRUNE = Operation(
    name="memory prune", request=PruneMemories, call=prune, encode=_pruned, access="admin",
    summary="Archive the weakest memories while they exceed memory.max_size.",
)  # fmt: skip
REMOVE = Operation(
    name="memory remove", may_wait=True, request=OneMemory, call=remove, encode=_changed_document, access="write",
    summary="Remove one memory; `memoro undo` restores it.", options=ORIGIN, is_destructive=True,
)  # fmt: skip
FORGET = Operation(
    name="memory forget", request=ForgetMemories, call=forget, encode=documents.forgotten, access="admin",
    summary="Erase several memories for good; nothing restores them.", is_destructive=True,
)  # fmt: skip
OPERATIONS = (
    STORE, REINFORCE, DEMOTE, UPDATE, SUPERSEDE, TRUST, VISIBILITY_OF, QUERY, SHOW, HISTORY, LINKS, LIST, STATS,
    ARCHIVE, UNARCHIVE, PRUNE, REMOVE, FORGET,
)  # fmt: skip

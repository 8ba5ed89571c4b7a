"""Sessions: the record of each conversation, and of every context block it was given."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.errors import QueryError
from memoro.model.vocabulary import NoteTier
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.model.sessions import Session
    from memoro.sessions.history import GivenOnDay, ListedSession, Replay, ShownSession
    from memoro.unasked.project_ends import ProjectEnd
    from memoro.workspace import Workspace

_ID = Field("The id of the session, as `memoro session list` shows it.", "ID", positional=True)


class StartSession(NamedTuple):
    id: Annotated[
        str | None, Field("The id of the session, such as the host's (a new one).", "ID", positional=True)
    ] = None
    title: Annotated[str | None, Field("The title of the session.", "TEXT")] = None
    project: Annotated[str | None, Field("Show it only items of this project or of none.", "NAME")] = None
    agent: Annotated[str | None, Field("Show it only items of this agent or of none.", "NAME")] = None
    path: Annotated[
        tuple[str, ...], Field("Show it only this note, folder or pattern; repeat for several.", "PATH")
    ] = ()
    tier: Annotated[tuple[NoteTier, ...], Field("Show it only this tier; repeat for several.")] = ()
    tag: Annotated[tuple[str, ...], Field("Show it only this tag; repeat for several.", "TAG")] = ()


def start(m: "Workspace", request: StartSession, _caller: Caller) -> "Session":
    return m.sessions.start(
        request.id, title=request.title, project=request.project, agent=request.agent,
        paths=request.path, tiers=request.tier, tags=request.tag,
    )  # fmt: skip


class ListSessions(NamedTuple):
    limit: Annotated[int, Field("Show at most N (20).", "N", ("-n", "--limit"))] = 20
    archived: Annotated[bool, Field("List archived ones too.")] = False
    after: Annotated[str | None, Field("Show the next page, by the mark at the end of the page before.", "KEY")] = (
        None
    )


class SessionList(NamedTuple):
    results: "tuple[ListedSession, ...]"
    archived: int  # how many there are that are archived
    next: str | None = None  # the key of the next page; None: these are the last


def list_(m: "Workspace", request: ListSessions, _caller: Caller) -> SessionList:
    limit = max(0, request.limit)
    at, _, name = (request.after or "").partition(" ")
    found = m.sessions.listed(archived=request.archived, limit=limit + 1, after=(at, name) if at else None)
    shown = tuple(found[:limit])
    last = shown[-1].session if shown and len(found) > limit else None
    key = f"{last.last_at or last.started_at} {last.id}" if last else None
    return SessionList(shown, m.sessions.totals().archived, key)


class LastSessions(NamedTuple):
    limit: Annotated[int, Field("Show at most N projects (10).", "N", ("-n", "--limit"))] = 10


class ProjectEnds(NamedTuple):
    results: "tuple[ProjectEnd, ...]"


def last(m: "Workspace", request: LastSessions, _caller: Caller) -> ProjectEnds:
    return ProjectEnds(tuple(m.project_ends(max(0, request.limit))))


class OneSession(NamedTuple):
    id: Annotated[str, _ID]


class ShowSession(NamedTuple):
    id: Annotated[
        str | None, Field("The id of the session, as `memoro session list` shows it.", "ID", positional=True)
    ] = None
    today: Annotated[bool, Field("Show all sessions of today instead; `memoro given day` shows another day.")] = False
    all: Annotated[bool, Field("List all items that were left out, not only the nearest five.")] = False


class SessionsShown(NamedTuple):
    """One session, or what all of them were given today."""

    session: "ShownSession | None" = None
    today: "GivenOnDay | None" = None


def show(m: "Workspace", request: ShowSession, _caller: Caller) -> SessionsShown:
    if request.today:
        if request.id is not None:
            raise QueryError("Name a session, or say --today for all of them.")
        given = m.sessions.given_on(m.home_context.runtime.now().astimezone().date())
        return SessionsShown(today=given._replace(sessions=tuple(_with_origin(m, one) for one in given.sessions)))
    if request.id is None:
        raise QueryError("Name a session: `memoro session list` lists them. --today shows what was given today.")
    return SessionsShown(session=_with_origin(m, m.sessions.show(request.id)))


def _with_origin(m: "Workspace", shown: "ShownSession") -> "ShownSession":
    project = shown.session.scope.project
    return shown._replace(project_by=m.home_context.project_origin(project)) if project else shown


def _shown(found: SessionsShown) -> documents.Document:
    if found.session is not None:
        return documents.shown_session(found.session)
    return documents.given_on(found.today) if found.today else {}


class ReplayRecall(NamedTuple):
    id: Annotated[str, _ID]
    recall: Annotated[int | None, Field("The number of the recall (the last one).", "RECALL", positional=True)] = None
    now: Annotated[bool, Field("Recall again now, and show the differences.")] = False


def replay(m: "Workspace", request: ReplayRecall, _caller: Caller) -> "Replay":
    return m.sessions.replay(request.id, request.recall, now=request.now)


def archive(m: "Workspace", request: OneSession, _caller: Caller) -> "Session":
    return m.sessions.archive(request.id)


def unarchive(m: "Workspace", request: OneSession, _caller: Caller) -> "Session":
    return m.sessions.unarchive(request.id)


START = Operation(
    name="session start", request=StartSession, call=start, access="write",
    summary="Start the record of a session, and set what it may see.",
)  # fmt: skip
LIST = Operation(
    name="session list", request=ListSessions, call=list_, access="read",
    summary="List sessions, the last used first.",
)  # fmt: skip
LAST = Operation(
    name="session last", request=LastSessions, call=last, access="read",
    summary="Show the last session of each project, with its open items.",
)  # fmt: skip
SHOW = Operation(
    name="session show", request=ShowSession, call=show, encode=_shown, access="read",
    summary="Show each message of one session, and what it was given and why.",
)  # fmt: skip
REPLAY = Operation(
    name="session replay", request=ReplayRecall, call=replay, encode=documents.replay, access="read",
    summary="Print a block again, byte for byte, or compare it with a new one.",
)  # fmt: skip
ARCHIVE = Operation(
    name="session archive", request=OneSession, call=archive, access="write",
    summary="Hide a session from the list; nothing is deleted.",
)  # fmt: skip
UNARCHIVE = Operation(
    name="session unarchive",
    request=OneSession,
    call=unarchive,
    access="write",
    summary="Show an archived session in the list again.",
)
OPERATIONS = (START, LIST, LAST, SHOW, REPLAY, ARCHIVE, UNARCHIVE)

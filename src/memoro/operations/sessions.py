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

_ID = Field("The name of the session.", "ID", positional=True)


class StartSession(NamedTuple):
    id: Annotated[
        str | None, Field("Its name, such as the host gives it (one is made up).", "ID", positional=True)
    ] = None
    title: Annotated[str | None, Field("What it is about.", "TEXT")] = None
    project: Annotated[str | None, Field("It sees what belongs to this project or to none.", "NAME")] = None
    agent: Annotated[str | None, Field("It sees what belongs to this agent or to none.", "NAME")] = None
    path: Annotated[
        tuple[str, ...], Field("It sees only this note, folder or pattern; repeat for several.", "PATH")
    ] = ()
    tier: Annotated[tuple[NoteTier, ...], Field("It sees only this tier; repeat.")] = ()
    tag: Annotated[tuple[str, ...], Field("It sees only this tag; repeat.", "TAG")] = ()


def start(m: "Workspace", request: StartSession, _caller: Caller) -> "Session":
    return m.sessions.start(
        request.id, title=request.title, project=request.project, agent=request.agent,
        paths=request.path, tiers=request.tier, tags=request.tag,
    )  # fmt: skip


class ListSessions(NamedTuple):
    limit: Annotated[int, Field("How many (20).", "N", ("-n", "--limit"))] = 20
    archived: Annotated[bool, Field("Archived ones too.")] = False
    after: Annotated[str | None, Field("The key of the page to show, which the page before names.", "KEY")] = None


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
    limit: Annotated[int, Field("How many projects (10).", "N", ("-n", "--limit"))] = 10


class ProjectEnds(NamedTuple):
    results: "tuple[ProjectEnd, ...]"


def last(m: "Workspace", request: LastSessions, _caller: Caller) -> ProjectEnds:
    return ProjectEnds(tuple(m.project_ends(max(0, request.limit))))


class OneSession(NamedTuple):
    id: Annotated[str, _ID]


class ShowSession(NamedTuple):
    id: Annotated[str | None, Field("The name of the session.", "ID", positional=True)] = None
    today: Annotated[bool, Field("Everything that was given today instead, to every session.")] = False
    all: Annotated[bool, Field("Name all that was left out and is on record, not only the nearest five.")] = False


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
    recall: Annotated[int | None, Field("The number of the recall (the last).", "RECALL", positional=True)] = None
    now: Annotated[bool, Field("Ask again today, and show how the answer differs.")] = False


def replay(m: "Workspace", request: ReplayRecall, _caller: Caller) -> "Replay":
    return m.sessions.replay(request.id, request.recall, now=request.now)


def archive(m: "Workspace", request: OneSession, _caller: Caller) -> "Session":
    return m.sessions.archive(request.id)


def unarchive(m: "Workspace", request: OneSession, _caller: Caller) -> "Session":
    return m.sessions.unarchive(request.id)


START = Operation(
    name="session start", request=StartSession, call=start, access="write",
    summary="Begin the record of a conversation, and say what it may see.",
)  # fmt: skip
LIST = Operation(
    name="session list", request=ListSessions, call=list_, access="read",
    summary="List the sessions, the last used first.",
)  # fmt: skip
LAST = Operation(
    name="session last", request=LastSessions, call=last, access="read",
    summary="Show where each project was left: its last session, and what is open.",
)  # fmt: skip
SHOW = Operation(
    name="session show", request=ShowSession, call=show, encode=_shown, access="read",
    summary="Show what a session was given, what was left out and why it was silent; or all that was given today.",
)  # fmt: skip
REPLAY = Operation(
    name="session replay", request=ReplayRecall, call=replay, encode=documents.replay, access="read",
    summary="Print the block that was given, byte for byte; or how it would differ now.",
)  # fmt: skip
ARCHIVE = Operation(
    name="session archive", request=OneSession, call=archive, access="write",
    summary="Hide a session from the list; nothing is deleted.",
)  # fmt: skip
UNARCHIVE = Operation(
    name="session unarchive", request=OneSession, call=unarchive, access="write", summary="List a session again."
)
OPERATIONS = (START, LIST, LAST, SHOW, REPLAY, ARCHIVE, UNARCHIVE)

"""Where the work was left, for the owner: the last session of each project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.model.scope import Scope
from memoro.search.filters import where_of
from memoro.sessions.history import ListedSession
from memoro.unasked.past_sessions import PastSession, SessionSources, last_sessions


class ProjectEnd(NamedTuple):
    """A project with its last session."""

    project: str | None
    at: str  # when its last session was given something, else when it began
    title: str
    path: str = ""  # of the session's note or log; empty where it has none
    open: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def project_ends(last: Sequence[ListedSession], sources: SessionSources | None) -> list[ProjectEnd]:
    """Return where each project was left: by the note of its last session, or its log, else by its record alone.

    Without a vault there are no notes and logs to read.
    """
    return [_end(one, sources) if sources else _recorded(one) for one in last]


def _recorded(one: ListedSession) -> ProjectEnd:
    at = one.session.last_at or one.session.started_at
    return ProjectEnd(project=one.session.scope.project, at=at, title=one.about)


def _end(one: ListedSession, sources: SessionSources) -> ProjectEnd:
    project = one.session.scope.project
    where = where_of(Scope(project=project))._replace(private=True)  # the owner reads it
    found = last_sessions(sources._replace(where=where), 1)
    return _told(_recorded(one), found[0]) if found else _recorded(one)


def _told(recorded: ProjectEnd, session: PastSession) -> ProjectEnd:
    digest = session.digest
    return recorded._replace(
        title=digest.title or recorded.title,
        path=session.path,
        open=tuple(digest.open),
        decisions=tuple(digest.decisions),
        files=tuple(digest.files),
    )

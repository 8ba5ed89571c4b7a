"""Give session notes and items without a project that of the conversation in which they were written.

Version 0.1.0 wrote no project. The log of the session tells the folder in which the agent worked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memoro.model.notes import WITHIN
from memoro.store.changes import Assign, Change
from memoro.store.ports import Index

_SHORTEST = 8  # characters of an id that a log's name may end with: `rollout-2026-01-05T10-00-00-ID`


def assign_projects(index: Index, write: Callable[[Sequence[Change]], object]) -> None:
    """Assign the projects that logs tell."""
    sessions = index.without_project()
    if sessions and (changes := assignments(sessions, index.projects_of_logs())):
        write(changes)


def assignments(sessions: Mapping[str, str], projects: Mapping[str, str]) -> list[Change]:
    """Return a change for each path whose session is a log: by the log's name, or the end of it."""
    names = {_name_of(path): project for path, project in projects.items()}
    by_end: dict[str, str] = {}
    found: list[Change] = []
    for path, session in sessions.items():
        if not by_end:  # ids are the last part of a name, after a time
            by_end = {name[-36:]: project for name, project in names.items()}
        project = names.get(session) or (by_end.get(session) if len(session) >= _SHORTEST else None)
        if project is not None:
            found.append(Assign(path, project))
    return found


def _name_of(path: str) -> str:
    name = path.rpartition(WITHIN)[2] if WITHIN in path else path.rpartition("/")[2]
    return name if WITHIN in path else name.partition(".")[0]

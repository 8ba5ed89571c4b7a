"""Binds a session of a host: to its agent by set-up, to its project by the folder in which it began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.hosts import name_of
from memoro.model.agents import allies_of
from memoro.model.scope import Scope

if TYPE_CHECKING:
    from memoro.hooks.events import Capture
    from memoro.model.sessions import Session
    from memoro.workspace import Workspace


def session_scope(workspace: Workspace, host: str, folder: str, known: Session | None) -> Scope:
    """Return what a session sees. One that has begun stays bound to its project, wherever the agent goes."""
    runtime = workspace.home_context.runtime
    agent = runtime.agent or name_of(host)
    hidden = workspace.home_context.settings.privacy.private  # nobody asked for what a hook gives
    scope = runtime.scope._replace(agent=agent, allies=allies_of(agent), private=False, hidden=hidden)
    if scope.project is None and folder and (project := workspace.home_context.project_of(folder)):
        scope = scope._replace(project=project.name, known_as=project.known_as)
    if known is None or known.scope.project in (None, scope.project):
        return scope
    return scope._replace(project=known.scope.project, known_as=())


def with_owner(workspace: Workspace, capture: Capture) -> Capture:
    """Return a capture with the agent and the project that what is written of it carries.

    Whoever writes it may be bound to others, so the folder decides where the set-up named no project.
    """
    project = workspace.home_context.project_of(capture.folder) if capture.folder else None
    return capture._replace(
        agent=capture.agent or name_of(capture.host),
        project=capture.project or (project.name if project else ""),
    )

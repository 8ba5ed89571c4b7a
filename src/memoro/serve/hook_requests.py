"""Answers the requests of hooks, as each hook would answer its event by itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from memoro import hooks
from memoro.hooks.action import ActionWarnings
from memoro.hooks.events import ActionAnnounced, HookEvent, SessionStarted, read_event
from memoro.hosts import HOOK_AGENTS, name_of
from memoro.model.hook_message import decode_header
from memoro.serve.hook_workspaces import HookWorkspaces, WorkspaceKey, relevant_variables

# `~` and the local time are those of the process: for a hook with others, this one would answer differently.
_SHARED = ("HOME", "TZ")


class HookRequest(NamedTuple):
    """One event, with what the process of the hook knows about it."""

    host: str
    home: str
    event: bytes
    vault: str | None = None
    agent: str | None = None
    project: str | None = None
    folder: str = ""
    key: str | None = None
    environment: Mapping[str, str] = {}

    @staticmethod
    def decode(header: bytes, event: bytes) -> HookRequest:
        fields, environment = decode_header(header)
        return HookRequest(
            host=fields.get("host", ""),
            home=fields.get("home", ""),
            event=event,
            vault=fields.get("vault"),
            agent=fields.get("agent"),
            project=fields.get("project"),
            folder=fields.get("folder", ""),
            key=fields.get("key") or None,
            environment=environment,
        )

    @property
    def workspace_key(self) -> WorkspaceKey:
        agent = self.agent or self.environment.get("MEMORO_AGENT") or name_of(self.host)
        return WorkspaceKey(
            home=self.home,
            vault=self.vault,
            agent=agent,
            project=self.project,
            environment=relevant_variables(self.environment),
        )


class HookAnswers:
    """Answers requests for one home. Threads may share it."""

    def __init__(self, home: str, environment: Mapping[str, str], actions: ActionWarnings | None = None) -> None:
        """`environment` is that of this process."""
        self._actions = actions
        self._home = os.path.realpath(home)
        self._environment = environment
        self._workspaces = HookWorkspaces()

    def answer(self, request: HookRequest) -> bytes | None:
        """Return what the hook must print; None for a request that the hook must answer by itself.

        Raises MemoroError and ValueError where its answer would fail, too.
        """
        if not self._is_ours(request):
            return None
        event = _event(request)
        if event is None:
            return b""
        with self._workspaces.opened(request.workspace_key) as workspace:
            if not workspace.settings.enabled:
                return b""
            if isinstance(event, ActionAnnounced):
                made = self._actions.answer(event, workspace, request.host) if self._actions else None
            else:
                made = hooks.answer_event(request.host, event, workspace, request.key)
                if self._actions and isinstance(event, SessionStarted):
                    self._actions.prepare(workspace, request.host, event.folder)
        return json.dumps(made).encode() if made else b""

    def close(self) -> None:
        self._workspaces.close()

    def _is_ours(self, request: HookRequest) -> bool:
        """Return whether this process would open the same home with the same vault and the same clock."""
        if request.host not in HOOK_AGENTS or os.path.realpath(request.home) != self._home:
            return False
        if any(request.environment.get(name) != self._environment.get(name) for name in _SHARED):
            return False
        vault = request.vault or request.environment.get("MEMORO_VAULT")
        return not vault or os.path.isabs(os.path.expanduser(vault))


def _event(request: HookRequest) -> HookEvent | None:
    document = json.loads(request.event) if request.event.strip() else {}
    if not isinstance(document, dict):
        return None
    event = read_event(request.host, document, request.environment)
    return event._replace(folder=event.folder or request.folder) if event else None

"""Gemini CLI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memoro.hosts.host import (
    SERVER_NAME,
    Connection,
    Environment,
    Hooks,
    Host,
    HostEvent,
    LogLocation,
    Logs,
    folder_of,
)

if TYPE_CHECKING:
    from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots

AGENT = "gemini"
_VARIABLE = "GEMINI_CLI_HOME"
_HASH_DIGITS = 64  # older versions name a project's folder by a hash

_EVENTS = (
    HostEvent("SessionStart", "start", seconds=10),
    HostEvent("BeforeAgent", "prompt", seconds=5),
    HostEvent("AfterAgent", "turn", seconds=5),
    HostEvent("PreCompress", "compaction", seconds=5),
    HostEvent("SessionEnd", "end", seconds=5),
)


def _logs(environment: Environment) -> LogLocation:
    return LogLocation(os.path.join(folder_of(environment, _VARIABLE), ".gemini", "tmp"), ("*/chats/session-*",))


def project_of(path: str) -> str | None:
    """Return the project of a chat by its folder `PROJECT/chats`; None where that is a hash."""
    before, found, _ = path.partition("/chats/")
    name = before.rpartition("/")[2]
    return name if found and name and not name.startswith("@") and len(name) != _HASH_DIGITS else None


def _files(roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    from memoro.hosts.settings import hook_groups, server_file

    base = roots.project if roots.scope == "project" else roots.named(_VARIABLE)
    servers = server_file(os.path.join(base, ".gemini", "settings.json"), "jsonc", ["mcpServers"], registration)
    hooks = hook_groups(AGENT, _EVENTS, registration, {"name": SERVER_NAME}, units_a_second=1000)
    return [servers._replace(items=(*servers.items, *hooks))]


HOST = Host(
    name="gemini",
    title="Gemini CLI",
    agent=AGENT,
    logs=Logs(
        format="gemini",
        variables=(_VARIABLE,),
        locate=_logs,
        project_of=project_of,
    ),
    hooks=Hooks(_EVENTS, tokens=2_400),
    connection=Connection(scopes=("user", "project"), files=_files),
)

"""Codex CLI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memoro.hosts.host import Connection, Environment, Hooks, Host, HostEvent, LogLocation, Logs, folder_of

if TYPE_CHECKING:
    from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots

AGENT = "codex"
_VARIABLE, _FOLDER = "CODEX_HOME", ".codex"

_EVENTS = (
    HostEvent("SessionStart", "start", seconds=10, matcher="startup|resume|clear|compact"),
    HostEvent("UserPromptSubmit", "prompt", seconds=5),
    HostEvent("PreCompact", "compaction", seconds=5),
    HostEvent("PostCompact", "turn"),
    HostEvent("Stop", "turn", seconds=60, background=True),
    HostEvent("SessionEnd", "end", seconds=1),  # Codex waits no longer
)


def _logs(environment: Environment) -> LogLocation:
    return LogLocation(folder_of(environment, _VARIABLE, _FOLDER), ("sessions/*", "archived_sessions/*"))


def _files(roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    from memoro.hosts.settings import SettingsFile, hook_groups, server_file

    folder = roots.named(_VARIABLE, _FOLDER)
    return [
        server_file(os.path.join(folder, "config.toml"), "toml", ["mcp_servers"], registration),
        SettingsFile(os.path.join(folder, "hooks.json"), "json", hook_groups(AGENT, _EVENTS, registration)),
    ]


HOST = Host(
    name="codex",
    title="Codex",
    agent=AGENT,
    logs=Logs(
        format="codex",
        variables=(_VARIABLE,),
        locate=_logs,
    ),
    hooks=Hooks(
        _EVENTS, tokens=1_800
    ),  # it shows 2,500 of its own tokens, and code makes more of those than we count
    connection=Connection(
        scopes=("user",),
        files=_files,
        next_step="Restart it; it asks once whether it may trust the hooks",
    ),
)

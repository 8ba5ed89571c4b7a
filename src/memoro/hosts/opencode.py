"""OpenCode."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.hosts.host import Connection, Environment, Host, LogLocation, Logs, folder_of

if TYPE_CHECKING:
    from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots

_DATABASE, _DATA = "OPENCODE_DB", "XDG_DATA_HOME"


def _logs(environment: Environment) -> LogLocation:
    folder = os.path.join(folder_of(environment, _DATA, ".local", "share"), "opencode")
    database = environment.get(_DATABASE)
    if database:
        folder, name = os.path.split(os.path.join(folder, os.path.expanduser(database)))
        return LogLocation(folder, (name,))
    return LogLocation(folder, ("opencode*.db",))


def _files(roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    from memoro.hosts.settings import server_file

    def settings(file: str) -> SettingsFile:
        return server_file(file, "jsonc", ["mcp"], registration, _server)

    named = roots.environment.get("OPENCODE_CONFIG") if roots.scope == "user" else None
    if named:
        return [settings(named)]
    own = os.path.join(roots.named("XDG_CONFIG_HOME", ".config"), "opencode")
    folder = roots.project if roots.scope == "project" else own
    file = settings(os.path.join(folder, "opencode.json"))
    return [file._replace(preferred=os.path.join(folder, "opencode.jsonc"))]


def _server(command: Sequence[str]) -> dict[str, object]:
    return {"type": "local", "command": list(command), "enabled": True}


HOST = Host(
    name="opencode",
    title="OpenCode",
    agent="opencode",
    logs=Logs(format="opencode", variables=(_DATABASE, _DATA), locate=_logs),
    connection=Connection(scopes=("user", "project"), files=_files),
)

"""VS Code."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memoro.hosts.host import Connection, Host
from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots, server_file, stdio_server


def _files(roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    user = os.path.join(roots.desktop("Code"), "User")
    folder = os.path.join(roots.project, ".vscode") if roots.scope == "project" else user
    return [server_file(os.path.join(folder, "mcp.json"), "jsonc", ["servers"], registration, _server)]


def _server(command: Sequence[str]) -> dict[str, object]:
    return {"type": "stdio", **stdio_server(command)}


HOST = Host(
    name="vscode",
    title="VS Code",
    connection=Connection(
        scopes=("user", "project"), files=_files, next_step="Start the server with the command `MCP: List Servers`"
    ),
)

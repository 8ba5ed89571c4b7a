"""Cursor."""

from __future__ import annotations

import os

from memoro.hosts.host import Connection, Host
from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots, server_file


def _files(roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    base = roots.project if roots.scope == "project" else roots.home()
    return [server_file(os.path.join(base, ".cursor", "mcp.json"), "jsonc", ["mcpServers"], registration)]


HOST = Host(
    name="cursor",
    title="Cursor",
    connection=Connection(
        scopes=("user", "project"), files=_files, next_step="Switch it on in its settings, under MCP"
    ),
)

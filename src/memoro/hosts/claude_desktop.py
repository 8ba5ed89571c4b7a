"""Claude Desktop."""

from __future__ import annotations

import os

from memoro.hosts.host import Connection, Host
from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots, server_file


def _files(roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    file = os.path.join(roots.desktop("Claude"), "claude_desktop_config.json")
    return [server_file(file, "json", ["mcpServers"], registration)]


HOST = Host(
    name="claude-desktop",
    title="Claude Desktop",
    connection=Connection(scopes=("user",), files=_files, next_step="Quit it and start it again"),
)

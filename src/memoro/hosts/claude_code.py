"""Claude Code."""

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
    MemoryOwner,
    OwnMemory,
    ServerCommand,
    folder_of,
    home_of,
)

if TYPE_CHECKING:
    from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots

AGENT = "claude"
_VARIABLE, _FOLDER = "CLAUDE_CONFIG_DIR", ".claude"

# Answers get more time than a person would wait for, and end by themselves long before. The others only take a note.
_EVENTS = (
    HostEvent("SessionStart", "start", seconds=10, matcher="startup|resume|clear|compact|fork"),
    HostEvent("UserPromptSubmit", "prompt", seconds=5),
    HostEvent("PreToolUse", "action", seconds=2, matcher="Bash|Edit|Write|MultiEdit|NotebookEdit"),
    HostEvent("PreCompact", "compaction", seconds=5),
    HostEvent("PostCompact", "turn"),
    HostEvent("Stop", "turn", seconds=60, background=True),
    HostEvent("SessionEnd", "end", seconds=5),
)


def _memory(environment: Environment) -> LogLocation:
    return LogLocation(folder_of(environment, _VARIABLE, _FOLDER), ("CLAUDE.md", "projects/*/memory/*.md"))


def _owner(path: str, _data: bytes) -> MemoryOwner:
    """A project's memory lies beside its logs; the name of their folder does not tell which project that is."""
    parts = path.split("/")
    return MemoryOwner(logs="/".join(parts[:2]) if parts[0] == "projects" else "")


def _loaded(log: str) -> tuple[str, ...]:
    project = os.path.basename(os.path.dirname(log))
    return ("CLAUDE.md", *((f"projects/{project}/memory/MEMORY.md",) if project else ()))


def _logs(environment: Environment) -> LogLocation:
    return LogLocation(os.path.join(folder_of(environment, _VARIABLE, _FOLDER), "projects"))


def _server_list(environment: Environment) -> str:
    return os.path.join(environment.get(_VARIABLE) or home_of(environment), ".claude.json")


def _files(roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    from memoro.hosts.settings import SettingsFile, hook_groups, server_file

    hooks = hook_groups(AGENT, _EVENTS, registration)
    if roots.scope == "user":  # Claude Code's own command registers the server
        return [SettingsFile(os.path.join(roots.named(_VARIABLE, _FOLDER), "settings.json"), "json", hooks)]
    servers = os.path.join(roots.project, ".mcp.json")
    # The hooks name a program of this machine, so they go into the file that is not shared.
    local = os.path.join(roots.project, ".claude", "settings.local.json")
    return [server_file(servers, "json", ["mcpServers"], registration), SettingsFile(local, "json", hooks)]


HOST = Host(
    name="claude-code",
    title="Claude Code",
    agent=AGENT,
    logs=Logs(
        format="claude",
        variables=(_VARIABLE,),
        locate=_logs,
    ),
    memory=OwnMemory(
        locate=_memory,
        about="CLAUDE.md and projects/*/memory/*.md",
        owner=_owner,
        loaded=_loaded,
    ),
    hooks=Hooks(_EVENTS, tokens=2_400),  # it shows 10,000 characters whole
    connection=Connection(
        scopes=("user", "project"),
        files=_files,
        command=ServerCommand(
            program="claude",
            scope="user",
            show=("mcp", "get", SERVER_NAME),
            remove=("mcp", "remove", "--scope", "user", SERVER_NAME),
            add=("mcp", "add", "--scope", "user", SERVER_NAME, "--"),
            kept_in=_server_list,
        ),
    ),
)

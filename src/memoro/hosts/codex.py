"""Codex CLI."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from memoro.hosts.host import (
    Connection,
    Environment,
    Hooks,
    Host,
    HostEvent,
    LogLocation,
    Logs,
    MemoryOwner,
    OwnMemory,
    folder_of,
)

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


_SUMMARIES = "rollout_summaries"
_CWD = re.compile(rb"^[-*\s]*cwd:\s*`?([^`\r\n]{1,4096}?)`?\s*$", re.MULTILINE)
_HEAD = 4096  # bytes of a summary that are looked at


def _memory(environment: Environment) -> LogLocation:
    folder = os.path.join(folder_of(environment, _VARIABLE, _FOLDER), "memories")
    # Not raw_memories.md: the other files hold the same, put in order.
    return LogLocation(folder, ("MEMORY.md", "memory_summary.md", f"{_SUMMARIES}/*.md"))


def _owner(path: str, data: bytes) -> MemoryOwner:
    """A summary of one session names its folder; the other files are about all projects."""
    found = _CWD.search(data[:_HEAD]) if path.startswith(f"{_SUMMARIES}/") else None
    return MemoryOwner(found[1].decode("utf-8", "replace")) if found else MemoryOwner(is_mixed=True)


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
    memory=OwnMemory(
        locate=_memory,
        about="MEMORY.md, memory_summary.md and rollout_summaries/*.md",
        owner=_owner,
        loaded=lambda _log: ("memory_summary.md",),
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

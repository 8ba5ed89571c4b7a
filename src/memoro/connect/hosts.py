"""The programs that can be connected: where their files are, and what goes into each of them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memoro.connect.edits import NAME, Hook, Item, Member
from memoro.connect.json_file import JsonFile
from memoro.connect.toml_file import TomlFile
from memoro.errors import ConfigError

USER, PROJECT = "user", "project"
PROFILES = ("default", "recall", "full")  # sets of tools of the MCP server
JSON, JSONC, TOML = JsonFile(), JsonFile(comments=True), TomlFile()


class Place(NamedTuple):
    """Whose files are meant, and where they stand."""

    environment: Mapping[str, str]
    project: str  # the folder that is worked in
    scope: str = USER

    def home(self, *names: str) -> str:
        return os.path.join(self.environment.get("HOME") or os.path.expanduser("~"), *names)

    def named(self, variable: str, *otherwise: str) -> str:
        """The folder that a variable names, else one in the home of the user."""
        found = self.environment.get(variable)
        return os.path.expanduser(found) if found else self.home(*otherwise)

    def settings(self, name: str) -> str:
        """The folder in which a program with windows keeps its settings."""
        if sys.platform == "darwin":
            return self.home("Library", "Application Support", name)
        return os.path.join(self.named("XDG_CONFIG_HOME", ".config"), name)


class Wanted(NamedTuple):
    """What is to be connected: the command that is Memoro, and which of its parts."""

    program: tuple[str, ...]
    mcp: bool = True
    hooks: bool = True
    profile: str = "default"

    @property
    def server(self) -> list[str]:
        chosen = [] if self.profile == "default" else ["--profile", self.profile]
        return [*self.program, "mcp", *chosen]

    def hook(self, host: str) -> str:
        return shlex.join([*self.program, "hook", host])


class Target(NamedTuple):
    """One file of a host with what belongs into it, and where in it anything of ours may stand."""

    file: str
    syntax: JsonFile | TomlFile
    items: tuple[Item, ...]
    members: tuple[tuple[str, ...], ...] = ()


class Host(NamedTuple):
    title: str
    scopes: tuple[str, ...]  # the first is meant where none is named
    targets: Callable[[Place, Wanted], list[Target]]
    logs: str | None = None  # what `transcripts add` calls it
    after: str = "Start it anew"  # what a person has to do then


def targets(host: str, place: Place, wanted: Wanted) -> list[Target]:
    found = HOSTS[host]
    if place.scope not in found.scopes:
        raise ConfigError(f"{found.title} is connected for {' or '.join(found.scopes)}, not for {place.scope}.")
    return found.targets(place, wanted)


def _server(path: Sequence[str], wanted: Wanted, value: Callable[[list[str]], dict[str, object]]) -> tuple[Item, ...]:
    return (Member((*path, NAME), value(wanted.server)),) if wanted.mcp else ()


def _plain(command: list[str]) -> dict[str, object]:
    return {"command": command[0], "args": command[1:]}


def _stdio(command: list[str]) -> dict[str, object]:
    return {"type": "stdio", **_plain(command)}


def _opencode_server(command: list[str]) -> dict[str, object]:
    return {"type": "local", "command": command, "enabled": True}


class _Event(NamedTuple):
    name: str
    seconds: int  # after which the host goes on without us
    matcher: str | None = None
    background: bool = False


# Answers get more time than a person would wait for, and end by themselves long before; the rest only notes down.
_CLAUDE_EVENTS = (
    _Event("SessionStart", 10, "startup|resume|clear|compact|fork"),
    _Event("UserPromptSubmit", 5),
    _Event("PreCompact", 5),
    _Event("Stop", 60, background=True),
    _Event("SessionEnd", 5),
)
_CODEX_EVENTS = (
    _Event("SessionStart", 10, "startup|resume|clear|compact"),
    _Event("UserPromptSubmit", 5),
    _Event("PreCompact", 5),
    _Event("Stop", 60, background=True),
    _Event("SessionEnd", 1),
)
_GEMINI_EVENTS = (
    _Event("SessionStart", 10),
    _Event("BeforeAgent", 5),
    _Event("AfterAgent", 5),
    _Event("PreCompress", 5),
    _Event("SessionEnd", 5),
)


def _hooks(
    host: str, events: Sequence[_Event], wanted: Wanted, extra: Mapping[str, object] | None = None, *, unit: int = 1
) -> tuple[Item, ...]:
    """A group for each event; `unit` is how many of the host's units make a second."""
    found: list[Item] = []
    for event in events if wanted.hooks else ():
        handler: dict[str, object] = {"type": "command", **(extra or {}), "command": wanted.hook(host)}
        handler["timeout"] = event.seconds * unit
        if event.background:
            handler["async"] = True
        matcher: dict[str, object] = {"matcher": event.matcher} if event.matcher else {}
        found.append(Hook(event.name, {**matcher, "hooks": [handler]}))
    return tuple(found)


def _claude_code(place: Place, wanted: Wanted) -> list[Target]:
    hooks = _hooks("claude", _CLAUDE_EVENTS, wanted)
    if place.scope == USER:  # its server is told by `claude mcp add`: see claude.py
        return [Target(os.path.join(place.named("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), JSON, hooks)]
    servers = os.path.join(place.project, ".mcp.json")
    # Its hooks name a program of this machine, so they go where nobody else gets them.
    settings = os.path.join(place.project, ".claude", "settings.local.json")
    return [
        Target(servers, JSON, _server(["mcpServers"], wanted, _plain), (("mcpServers", NAME),)),
        Target(settings, JSON, hooks),
    ]


def _claude_desktop(place: Place, wanted: Wanted) -> list[Target]:
    file = os.path.join(place.settings("Claude"), "claude_desktop_config.json")
    return [Target(file, JSON, _server(["mcpServers"], wanted, _plain), (("mcpServers", NAME),))]


def _codex(place: Place, wanted: Wanted) -> list[Target]:
    folder = place.named("CODEX_HOME", ".codex")
    return [
        Target(
            os.path.join(folder, "config.toml"),
            TOML,
            _server(["mcp_servers"], wanted, _plain),
            (("mcp_servers", NAME),),
        ),
        Target(os.path.join(folder, "hooks.json"), JSON, _hooks("codex", _CODEX_EVENTS, wanted)),
    ]


def _gemini(place: Place, wanted: Wanted) -> list[Target]:
    base = place.project if place.scope == PROJECT else place.named("GEMINI_CLI_HOME")
    hooks = _hooks("gemini", _GEMINI_EVENTS, wanted, {"name": NAME}, unit=1000)
    items = (*_server(["mcpServers"], wanted, _plain), *hooks)
    return [Target(os.path.join(base, ".gemini", "settings.json"), JSONC, items, (("mcpServers", NAME),))]


def _cursor(place: Place, wanted: Wanted) -> list[Target]:
    base = place.project if place.scope == PROJECT else place.home()
    items = _server(["mcpServers"], wanted, _plain)
    return [Target(os.path.join(base, ".cursor", "mcp.json"), JSONC, items, (("mcpServers", NAME),))]


def _vscode(place: Place, wanted: Wanted) -> list[Target]:
    folder = (
        os.path.join(place.project, ".vscode")
        if place.scope == PROJECT
        else os.path.join(place.settings("Code"), "User")
    )
    items = _server(["servers"], wanted, _stdio)
    return [Target(os.path.join(folder, "mcp.json"), JSONC, items, (("servers", NAME),))]


def _opencode(place: Place, wanted: Wanted) -> list[Target]:
    if place.scope == PROJECT:
        folder = place.project
    else:
        folder = os.path.join(place.named("XDG_CONFIG_HOME", ".config"), "opencode")
    named = place.environment.get("OPENCODE_CONFIG") if place.scope == USER else None
    plain, commented = os.path.join(folder, "opencode.json"), os.path.join(folder, "opencode.jsonc")
    file = named or (commented if os.path.exists(commented) else plain)
    return [Target(file, JSONC, _server(["mcp"], wanted, _opencode_server), (("mcp", NAME),))]


HOSTS: dict[str, Host] = {
    "claude-code": Host("Claude Code", (USER, PROJECT), _claude_code, "claude"),
    "claude-desktop": Host("Claude Desktop", (USER,), _claude_desktop, after="Quit it and start it anew"),
    "codex": Host("Codex", (USER,), _codex, "codex", "Start it anew; it asks once whether it may trust the hooks"),
    "gemini": Host("Gemini CLI", (USER, PROJECT), _gemini, "gemini"),
    "cursor": Host("Cursor", (USER, PROJECT), _cursor, after="Switch it on in its settings, under MCP"),
    "vscode": Host("VS Code", (USER, PROJECT), _vscode, after="Start it with the command `MCP: List Servers`"),
    "opencode": Host("OpenCode", (USER, PROJECT), _opencode, "opencode"),
}

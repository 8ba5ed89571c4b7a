"""The settings that `memoro connect` writes for a host, as values; `connect/` edits the files."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from memoro.hosts import name_of
from memoro.hosts.host import SERVER_NAME, ConnectScope, Environment, HostEvent, Moment, folder_of, home_of
from memoro.model.vocabulary import ToolProfile

# "jsonc": JSON with comments and trailing commas.
Syntax = Literal["json", "jsonc", "toml"]


class SettingsRoots(NamedTuple):
    """The folders below which a host's settings files are, for one scope."""

    environment: Environment
    project: str  # the folder of the project
    scope: ConnectScope = "user"

    def home(self, *names: str) -> str:
        return os.path.join(home_of(self.environment), *names)

    def named(self, variable: str, *otherwise: str) -> str:
        """Return the folder that a variable names, else one below the person's home."""
        return folder_of(self.environment, variable, *otherwise)

    def desktop(self, program: str) -> str:
        """Return the folder in which a desktop program keeps its settings."""
        if sys.platform == "darwin":
            return self.home("Library", "Application Support", program)
        return os.path.join(self.named("XDG_CONFIG_HOME", ".config"), program)


class Registration(NamedTuple):
    """The command that runs Memoro, and which of its parts a host is to use."""

    program: tuple[str, ...]
    mcp: bool = True
    hooks: bool = True
    profile: ToolProfile = "default"
    agent: str | None = None  # its settings and rights are those of this name, and of no name that a client gives
    project: str | None = None  # None: that of the folder in which the host runs
    warnings: bool = True  # also before a tool acts

    @property
    def server(self) -> list[str]:
        """The command that starts the MCP server."""
        options = [] if self.profile == "default" else ["--profile", self.profile]
        return [*self.program, "mcp", *self._owner(self.agent), *options]

    def hook(self, agent: str, moment: Moment = "prompt") -> str:
        """Return the shell command that answers an event of this agent. It needs no name but another than its own.

        Before a tool acts, only `memoro serve` answers: without it the command ends at once.
        """
        named = self.agent if self.agent != name_of(agent) else None
        only_served = ["--only-served"] if moment == "action" else []
        return shlex.join([*self.program, "hook", agent, *self._owner(named), *only_served])

    def _owner(self, agent: str | None) -> list[str]:
        named = (("--agent", agent), ("--project", self.project))
        return [part for option, value in named if value for part in (option, value)]


class Member(NamedTuple):
    """A value under a path of keys."""

    path: tuple[str, ...]
    value: object


class HookGroup(NamedTuple):
    """One group of hooks in the list of its event."""

    event: str
    group: dict[str, object]

    @property
    def path(self) -> tuple[str, ...]:
        return ("hooks", self.event)


SettingsItem = Member | HookGroup


class SettingsFile(NamedTuple):
    """One settings file of a host and the items that belong into it."""

    file: str
    syntax: Syntax
    items: tuple[SettingsItem, ...]
    members: tuple[tuple[str, ...], ...] = ()  # the paths at which anything of Memoro can be
    preferred: str | None = None  # a file that the host reads instead, where it exists


def server_file(
    file: str,
    syntax: Syntax,
    path: Sequence[str],
    registration: Registration,
    describe: Callable[[Sequence[str]], dict[str, object]] | None = None,
) -> SettingsFile:
    """A file that lists MCP servers under `path`. `describe` makes the host's description of a command."""
    member = (*path, SERVER_NAME)
    describe = describe or stdio_server
    items = (Member(member, describe(registration.server)),) if registration.mcp else ()
    return SettingsFile(file, syntax, items=items, members=(member,))


def stdio_server(command: Sequence[str]) -> dict[str, object]:
    """Describe a server that a host starts and talks to on standard input and output."""
    return {"command": command[0], "args": list(command[1:])}


def hook_groups(
    agent: str,
    events: Sequence[HostEvent],
    registration: Registration,
    extra: dict[str, object] | None = None,
    *,
    units_a_second: int = 1,
) -> tuple[SettingsItem, ...]:
    """A group for each event that `connect` registers. Hosts count timeouts in seconds or in milliseconds."""
    groups: list[SettingsItem] = []
    for event in events if registration.hooks else ():
        if event.seconds is None or (event.moment == "action" and not registration.warnings):
            continue
        handler: dict[str, object] = {
            "type": "command",
            **(extra or {}),
            "command": registration.hook(agent, event.moment),
        }
        handler["timeout"] = event.seconds * units_a_second
        if event.background:
            handler["async"] = True
        matcher: dict[str, object] = {"matcher": event.matcher} if event.matcher else {}
        groups.append(HookGroup(event.name, {**matcher, "hooks": [handler]}))
    return tuple(groups)

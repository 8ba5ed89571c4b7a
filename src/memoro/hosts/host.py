"""The values that describe a host: its logs, its hooks, and what `memoro connect` writes for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots

SERVER_NAME = "memoro"  # of our MCP server, in every host

Environment = Mapping[str, str]

# The reader in `transcripts/` that understands a host's logs.
LogFormat = Literal["claude", "codex", "gemini", "openclaw", "opencode"]

# When a host calls: at the start of a session, before a prompt is sent, before a tool acts, and when something has
# ended.
CaptureKind = Literal["turn", "compaction", "end"]
CAPTURE_KINDS: tuple[CaptureKind, ...] = get_args(CaptureKind)
# What waits in the spool: what has ended, the facts of a conversation whose note is written, and what the owner
# thinks of an answer.
SpooledKind = Literal[CaptureKind, "facts", "feedback"]
SPOOLED_KINDS: tuple[SpooledKind, ...] = get_args(SpooledKind)
Moment = Literal["start", "prompt", "action", CaptureKind]

# For everything that a person does, or for one project folder.
ConnectScope = Literal["user", "project"]


class LogLocation(NamedTuple):
    """A folder of conversation logs, and the patterns of paths below it that are logs; no pattern: all."""

    folder: str
    patterns: tuple[str, ...] = ()


class Logs(NamedTuple):
    """The conversation logs of a host: their format and their folder."""

    format: LogFormat
    variables: tuple[str, ...]  # of the environment, that move the folder; the first names it
    locate: Callable[[Environment], LogLocation]
    project_of: Callable[[str], str | None] | None = None  # by the path of a log, where that names a project


class MemoryOwner(NamedTuple):
    """Whom a memory file of a host is about."""

    folder: str | None = None  # in which the agent worked; None: no one folder
    logs: str = ""  # a folder of logs beside it, which name the folder in which the agent worked
    is_mixed: bool = False  # it is about several projects


class OwnMemory(NamedTuple):
    """The Markdown files in which a host keeps its own memory. Memoro only reads them."""

    locate: Callable[[Environment], LogLocation]  # every pattern names each part of a path
    about: str  # the files in words, for people
    owner: Callable[[str, bytes], MemoryOwner]  # by a path below the folder, and the content
    loaded: Callable[[str], tuple[str, ...]]  # by the log of a session: paths of what the host loads by itself


class HostEvent(NamedTuple):
    """One event of a host that Memoro answers, and how `connect` registers it."""

    name: str
    moment: Moment
    seconds: int | None = None  # after which the host continues without us; None: `connect` does not register it
    matcher: str | None = None
    background: bool = False  # the host does not wait for the answer


class Hooks(NamedTuple):
    """The hooks of a host: its events, and how much context it accepts."""

    events: tuple[HostEvent, ...]
    tokens: int  # of context that always arrives whole, at four characters a token

    def event(self, name: str) -> HostEvent | None:
        return next((event for event in self.events if event.name == name), None)


class ServerCommand(NamedTuple):
    """A host's own command that registers MCP servers, and the scope for which it must be used."""

    program: str
    scope: ConnectScope
    show: tuple[str, ...]
    remove: tuple[str, ...]
    add: tuple[str, ...]  # the server's command follows
    kept_in: Callable[[Environment], str] | None = None  # the file where the host keeps the list, which we only read


class Connection(NamedTuple):
    """The settings files that `memoro connect` edits for a host, and the command that it runs."""

    scopes: tuple[ConnectScope, ...]  # the first is the default
    files: Callable[[SettingsRoots, Registration], list[SettingsFile]]
    next_step: str = "Restart it"  # what the person must do afterwards
    command: ServerCommand | None = None


class Host(NamedTuple):
    name: str
    title: str  # the name for people
    agent: str | None = None  # the name of its logs and hooks
    logs: Logs | None = None
    hooks: Hooks | None = None
    connection: Connection | None = None
    memory: OwnMemory | None = None


def home_of(environment: Environment) -> str:
    return environment.get("HOME") or os.path.expanduser("~")


def folder_of(environment: Environment, variable: str, *otherwise: str) -> str:
    """Return the folder that a variable names, else one below the person's home."""
    named = environment.get(variable)
    return os.path.expanduser(named) if named else os.path.join(home_of(environment), *otherwise)

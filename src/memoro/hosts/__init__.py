"""The table of hosts: the programs in which people run agents. Each has a module here and a line in the table.

Reading the table loads no host module: hooks and searches start often, and need one host or none.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoro.hosts.host import Host


class HostEntry(NamedTuple):
    """One line of the table: enough to name a host and to know what it offers, before its module is loaded."""

    name: str  # for `memoro connect`; the module has the same name, with underscores
    agent: str | None = None  # for its logs and hooks; None: Memoro reads no logs of it
    hooks: bool = False
    connects: bool = True  # whether `memoro connect` can set it up
    session: str = ""  # the variable in which it tells the programs that it starts the id of the conversation
    mark: str = ""  # a variable that all of them have


TABLE = (
    HostEntry("claude-code", agent="claude", hooks=True, session="CLAUDE_CODE_SESSION_ID", mark="CLAUDECODE"),
    HostEntry("claude-desktop"),
    HostEntry("codex", agent="codex", hooks=True),
    HostEntry("gemini", agent="gemini", hooks=True),
    HostEntry("cursor"),
    HostEntry("vscode"),
    HostEntry("openclaw", agent="openclaw", connects=False),
    HostEntry("opencode", agent="opencode"),
)

CONNECTABLE = tuple(entry.name for entry in TABLE if entry.connects)
LOG_AGENTS = tuple(entry.agent for entry in TABLE if entry.agent)
HOOK_AGENTS = tuple(entry.agent for entry in TABLE if entry.agent and entry.hooks)


def load(name: str) -> "Host":
    """Return the host that `connect` calls by this name. Raises KeyError for a name outside the table."""
    from importlib import import_module

    if all(entry.name != name for entry in TABLE):
        raise KeyError(name)
    host: Host = import_module(f"memoro.hosts.{name.replace('-', '_')}").HOST
    return host


def of_agent(agent: str) -> "Host":
    """Return the host whose logs and hooks go by this name. Raises KeyError for an unknown one."""
    name = next((entry.name for entry in TABLE if entry.agent == agent), agent)
    host = load(name)
    if host.agent != agent:
        raise KeyError(agent)
    return host


def name_of(agent: str) -> str:
    """Return the name of an agent that no set-up names: that by which `connect` calls its host."""
    return next((entry.name for entry in TABLE if entry.agent == agent), agent)


def agent_of(name: str) -> str:
    """Return the name of a host's logs and hooks, for that name and for the one that `connect` uses."""
    return next((entry.agent for entry in TABLE if entry.name == name and entry.agent), name)


def session_of(environment: "Mapping[str, str]") -> str | None:
    """Return the id of the conversation in which a host started this program; None where no host says so."""
    return next((environment[one.session] for one in TABLE if one.session and environment.get(one.session)), None)


def is_started_by_agent(environment: "Mapping[str, str]") -> bool:
    """Return whether an agent runs this program in the midst of its answer, as far as its host says so."""
    return session_of(environment) is not None or any(environment.get(one.mark) for one in TABLE if one.mark)


def project_of(agent: str | None, path: str) -> str | None:
    """Return the project that the path of a log names; None where the agent's paths name none."""
    if agent not in LOG_AGENTS:
        return None
    logs = of_agent(agent).logs
    return logs.project_of(path) if logs and logs.project_of else None

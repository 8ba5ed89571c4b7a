"""The check of connections in `memoro doctor`: servers and hooks as an earlier version wrote them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from memoro import hosts
from memoro.connect import file_edits, files
from memoro.connect.editors import EDITORS
from memoro.connect.edits import UneditableSettings, is_our_hook
from memoro.connect.plan import connection_of, settings_files
from memoro.health import Check
from memoro.hosts.host import SERVER_NAME, ConnectScope, Environment, Host
from memoro.hosts.settings import HookGroup, Registration, SettingsFile, SettingsRoots

_NO_TOOLS = "has the hooks, but not the tools of Memoro"


class FoundConnection(NamedTuple):
    """What of Memoro one settings file of a host holds."""

    host: Host
    scope: ConnectScope
    has_server: bool = False  # with the tools; else it holds hooks
    is_nameless: bool = False  # its server starts without the name of an agent
    missing: tuple[str, ...] = ()  # events for which it has no hook, though it has one for others

    @property
    def renewal(self) -> str:
        """The command that writes it as this version does."""
        is_default = self.scope == connection_of(self.host).scopes[0]
        return f"memoro connect {self.host.name}" + ("" if is_default else f" --scope {self.scope}")


def check_record(home: str) -> list[Check]:
    """Name a record of the connections that cannot be read; there is nothing to say of one that can."""
    why = file_edits.damage(home)
    if why is None:
        return []
    return [
        Check(
            name="record of connections",
            state="warning",
            found=f"{os.path.join(home, file_edits.RECORD)} cannot be read: {why}",
            remedy="Connections work, and `memoro disconnect` recognises Memoro's lines by their content. The "
            "next `connect` or `disconnect` that changes something writes it anew.",
        )
    ]


def checkup(environment: Environment, folder: str, *, warnings: bool = True) -> list[Check]:
    """Check that every connection is as this version writes it; no check where no host is connected.

    `folder` is that of the project whose connections are looked at; `warnings` says whether hooks before a tool acts
    are wanted.
    """
    found = list(_connections(environment, folder, warnings=warnings))
    if not found:
        return []
    nameless = [] if environment.get("MEMORO_AGENT") else [one for one in found if one.is_nameless]
    incomplete = [one for one in found if one.missing]
    served = {one.host.name for one in found if one.has_server}
    without_tools = [one for one in found if one.host.name not in served]
    if not nameless and not incomplete:
        return [_sound(found, without_tools)]
    said = []
    if nameless:
        said.append(
            f"{_names(nameless)}: connected by an earlier version, without the name of an agent; the settings and "
            "rights of [agents.NAME] do not apply"
        )
    if incomplete:
        events = ", ".join(dict.fromkeys(event for one in incomplete for event in one.missing))
        said.append(f"{_names(incomplete)}: the hooks are of an earlier version, without {events}")
    if without_tools:
        said.append(f"{_names(without_tools)}: {_NO_TOOLS}")
    renewals = dict.fromkeys(one.renewal for one in (*nameless, *incomplete, *without_tools))
    return [
        Check(
            name="connections",
            state="warning",
            found="; ".join(said),
            remedy=" ".join(f"Run `{renewal}` again." for renewal in renewals),
        )
    ]


def _sound(found: list[FoundConnection], without_tools: list[FoundConnection]) -> Check:
    """Name the connected hosts, and say which of them lack the tools: their owner may have wanted hooks alone."""
    lacking = {one.host.name for one in without_tools}
    hosts_found = {one.host.title: one.host.name in lacking for one in found}
    titles = (f"{title} ({_NO_TOOLS})" if lacks else title for title, lacks in hosts_found.items())
    commands = " and ".join(dict.fromkeys(f"`{one.renewal}`" for one in without_tools))
    verb = "add" if " and " in commands else "adds"
    remedy = f"{commands} {verb} the tools, unless you left them out with --no-mcp." if commands else ""
    return Check(name="connections", state="ok", found=", ".join(titles), remedy=remedy)


def _names(found: list[FoundConnection]) -> str:
    return ", ".join(dict.fromkeys(one.host.name for one in found))


def _connections(environment: Environment, folder: str, *, warnings: bool) -> Iterator[FoundConnection]:
    for host in map(hosts.load, hosts.CONNECTABLE):
        connection = connection_of(host)
        for scope in connection.scopes:
            roots = SettingsRoots(environment, folder, scope)
            listed = settings_files(host, roots, Registration(("memoro",), warnings=warnings))
            command = connection.command
            if command and command.scope == scope and command.kept_in:
                member = ("mcpServers", SERVER_NAME)
                listed.append(SettingsFile(command.kept_in(environment), "json", items=(), members=(member,)))
            for file in listed:
                yield from _in_file(file, FoundConnection(host, scope))


def _in_file(file: SettingsFile, connection: FoundConnection) -> Iterator[FoundConnection]:
    try:
        value = EDITORS[file.syntax].value(files.read(file.file) or "")
    except UneditableSettings:  # `connect` reports it
        return
    for member in file.members:
        words = list(_words(_at(value, member)))
        if "mcp" in words:
            yield connection._replace(has_server=True, is_nameless="--agent" not in words)
    wanted = [item.event for item in file.items if isinstance(item, HookGroup)]
    present = [event for event in wanted if _has_our_hook(_at(value, ("hooks", event)))]
    if present:
        yield connection._replace(missing=tuple(event for event in wanted if event not in present))


def _has_our_hook(groups: object) -> bool:
    return isinstance(groups, list) and any(
        is_our_hook(handler)
        for group in groups
        if isinstance(group, dict) and isinstance(handlers := group.get("hooks"), list)
        for handler in handlers
    )


def _at(value: object, path: tuple[str, ...]) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _words(server: object) -> Iterator[str]:
    """Yield the words of a server's command, in whichever form the host keeps it."""
    if isinstance(server, dict):
        for key in ("command", "args"):
            yield from _words(server.get(key))
    elif isinstance(server, list):
        yield from (one for one in server if isinstance(one, str))
    elif isinstance(server, str):
        yield server

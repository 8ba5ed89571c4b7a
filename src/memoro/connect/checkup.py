"""The check of connections in `memoro doctor`: servers that hosts start without the name of an agent."""

from __future__ import annotations

from collections.abc import Iterator

from memoro import hosts
from memoro.connect import files
from memoro.connect.editors import EDITORS
from memoro.connect.edits import UneditableSettings
from memoro.connect.plan import connection_of, settings_files
from memoro.health import Check
from memoro.hosts.host import SERVER_NAME, Environment, Host
from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots


def checkup(environment: Environment, folder: str) -> list[Check]:
    """Check that every connected host names its agent; no check where none is connected."""
    loaded = map(hosts.load, hosts.CONNECTABLE)
    found = [(host, is_named) for host in loaded for is_named in _servers(host, environment, folder)]
    nameless = list(dict.fromkeys(host.name for host, is_named in found if not is_named))
    if not found:
        return []
    if not nameless or environment.get("MEMORO_AGENT"):
        return [Check("connections", "ok", ", ".join(dict.fromkeys(host.title for host, _ in found)))]
    return [
        Check(
            name="connections",
            state="warning",
            found=f"{', '.join(nameless)}: connected by an earlier version, without the name of an agent; the "
            "settings and rights of [agents.NAME] do not apply",
            remedy=" ".join(f"Run `memoro connect {name}` again." for name in nameless),
        )
    ]


def _servers(host: Host, environment: Environment, folder: str) -> Iterator[bool]:
    """Yield for each server of ours that the host starts whether its command names an agent."""
    connection = connection_of(host)
    for scope in connection.scopes:
        roots = SettingsRoots(environment, folder, scope)
        listed = settings_files(host, roots, Registration(("memoro",)))
        command = connection.command
        if command and command.scope == scope and command.kept_in:
            member = ("mcpServers", SERVER_NAME)
            listed.append(SettingsFile(command.kept_in(environment), "json", items=(), members=(member,)))
        for file in listed:
            yield from _named(file)


def _named(file: SettingsFile) -> Iterator[bool]:
    try:
        value = EDITORS[file.syntax].value(files.read(file.file) or "")
    except UneditableSettings:  # `connect` reports it
        return
    for member in file.members:
        words = list(_words(_at(value, member)))
        if "mcp" in words:
            yield "--agent" in words


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

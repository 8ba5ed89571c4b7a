"""Plans what connecting or disconnecting a host would do, as a value to show, and carries it out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import NamedTuple

from memoro.connect import commands, file_edits
from memoro.connect.commands import CommandRun
from memoro.connect.editors import EDITORS
from memoro.connect.file_edits import FileEdit
from memoro.errors import ConfigError
from memoro.hosts.host import Connection, Host, ServerCommand
from memoro.hosts.settings import Registration, SettingsFile, SettingsRoots


class ConnectionPlan(NamedTuple):
    """The edits and the commands that connect or disconnect a host."""

    edits: tuple[FileEdit, ...] = ()
    runs: tuple[CommandRun, ...] = ()
    notices: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()  # a line for each change of Memoro's own settings
    lacks_tools: bool = False  # the server cannot be registered: the host's own command is missing

    @property
    def changes_anything(self) -> bool:
        return bool(self.edits or self.runs or self.settings)


class ManualSteps(NamedTuple):
    """The same as a plan, for a person to do by hand: texts by file, and commands."""

    files: tuple[tuple[str, str], ...]
    runs: tuple[CommandRun, ...]


def settings_files(host: Host, roots: SettingsRoots, registration: Registration) -> list[SettingsFile]:
    """Return the host's settings files for a scope. Raises ConfigError for a scope that the host lacks."""
    connection = connection_of(host)
    if roots.scope not in connection.scopes:
        scopes = " or ".join(connection.scopes)
        raise ConfigError(f"{host.title} can be connected for {scopes}, not for {roots.scope}.")
    return [_with_preferred(file) for file in connection.files(roots, registration)]


def connection_of(host: Host) -> Connection:
    if host.connection is None:
        raise ConfigError(f"{host.title} cannot be connected.")
    return host.connection


def plan_connecting(host: Host, roots: SettingsRoots, registration: Registration, home: str) -> ConnectionPlan:
    """Plan to register Memoro with the host, in place of an earlier registration."""
    files = settings_files(host, roots, registration)
    known = file_edits.insertions(home)
    found = (file_edits.connecting_edit(file, known.get(file.file)) for file in files)
    command = _command_for(host, roots)
    runs, lacking = _connecting_runs(command, roots.environment, registration) if command else ([], [])
    return ConnectionPlan(
        edits=tuple(edit for edit in found if edit),
        runs=tuple(runs),
        notices=(*lacking, *_about_record(home)),
        lacks_tools=bool(lacking),
    )


def plan_disconnecting(host: Host, scopes: tuple[SettingsRoots, ...], home: str) -> ConnectionPlan:
    """Plan to remove Memoro from the host, in each of these scopes."""
    known = file_edits.insertions(home)
    runs: list[CommandRun] = []
    edits: dict[str, FileEdit] = {}  # by real path: in the home folder both scopes share a file
    for roots in scopes:
        for file in settings_files(host, roots, Registration(("memoro",))):
            if edit := file_edits.disconnecting_edit(file, known.get(file.file)):
                edits.setdefault(os.path.realpath(file.file), edit)
        command = _command_for(host, roots)
        program = shutil.which(command.program) if command and _keeps_servers(command, roots.environment) else None
        if command and program and commands.is_registered(program, command, roots.environment):
            runs += commands.runs_to_remove(program, command)
    return ConnectionPlan(tuple(edits.values()), tuple(runs), _about_record(home))


def _about_record(home: str) -> tuple[str, ...]:
    notice = file_edits.damage_notice(home)
    return (notice,) if notice else ()


def manual_steps(host: Host, roots: SettingsRoots, registration: Registration) -> ManualSteps:
    """Return the texts and commands with which a person connects the host by hand."""
    files = settings_files(host, roots, registration)
    texts = [(file.file, EDITORS[file.syntax].insert("", file.items).text) for file in files if file.items]
    command = _command_for(host, roots)
    runs = [_manual_run(command, registration)] if command and registration.mcp else []
    return ManualSteps(tuple(texts), tuple(runs))


def carry_out(plan: ConnectionPlan, home: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Do it; return a sentence if all is done, but the record of it could not be written."""
    unrecorded = file_edits.carry_out(home, plan.edits)
    commands.carry_out(plan.runs, environment)
    return unrecorded


def _with_preferred(file: SettingsFile) -> SettingsFile:
    if file.preferred and os.path.exists(file.preferred):
        return file._replace(file=file.preferred)
    return file


def _command_for(host: Host, roots: SettingsRoots) -> ServerCommand | None:
    """Return the host's own command if this scope needs it."""
    command = connection_of(host).command
    return command if command and command.scope == roots.scope else None


def _keeps_servers(command: ServerCommand, environment: Mapping[str, str]) -> bool:
    """Return whether the host has a list of servers. Without one its command is not run: it would make files."""
    return command.kept_in is None or os.path.exists(command.kept_in(environment))


def _connecting_runs(
    command: ServerCommand, environment: Mapping[str, str], registration: Registration
) -> tuple[list[CommandRun], list[str]]:
    program = shutil.which(command.program)
    if program is None:
        if not registration.mcp:
            return [], []
        return [], [
            f"The command `{command.program}` is not on the PATH, so the MCP server with the tools is not connected. "
            f"Run `{_manual_run(command, registration)}` where it is, or use --scope project."
        ]
    if not registration.mcp:
        is_there = commands.is_registered(program, command, environment)
        return commands.runs_to_remove(program, command) if is_there else [], []
    is_current = commands.is_registered(program, command, environment, registration)
    return [] if is_current else commands.runs_to_add(program, command, registration), []


def _manual_run(command: ServerCommand, registration: Registration) -> CommandRun:
    return commands.runs_to_add(command.program, command, registration)[-1]

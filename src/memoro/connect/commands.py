"""Runs a host's own command for MCP servers, where the host keeps its list of servers to itself."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoro.errors import ConfigError
from memoro.hosts.host import ServerCommand
from memoro.hosts.settings import Registration

_SECONDS = 60  # such a command may start a runtime of its own, and check that servers answer


class CommandRun(NamedTuple):
    """One run of a host's command."""

    arguments: tuple[str, ...]
    may_fail: bool = False

    def __str__(self) -> str:
        return shlex.join(self.arguments)


def runs_to_add(program: str, command: ServerCommand, registration: Registration) -> list[CommandRun]:
    """Return the runs that register the server, in place of an earlier registration."""
    add = CommandRun((program, *command.add, *registration.server))
    return [*runs_to_remove(program, command), add]


def runs_to_remove(program: str, command: ServerCommand) -> list[CommandRun]:
    return [CommandRun((program, *command.remove), may_fail=True)]


def is_registered(
    program: str, command: ServerCommand, environment: Mapping[str, str], registration: Registration | None = None
) -> bool:
    """Return whether the host knows our server; with a registration, whether by exactly that command."""
    result = _run((program, *command.show), environment)
    words = set(result.stdout.split()) if result.returncode == 0 else set()
    wanted = {word for part in (registration.server if registration else ()) for word in part.split()}
    return bool(words) and words >= wanted


def carry_out(runs: Sequence[CommandRun], environment: Mapping[str, str]) -> None:
    for run in runs:
        result = _run(run.arguments, environment)
        if result.returncode and not run.may_fail:
            output = (result.stderr or result.stdout).strip().splitlines()
            why = output[-1] if output else f"it ended with {result.returncode}"
            raise ConfigError(f"`{run}` failed: {why}. Run it yourself, or connect with --scope project.")


def _run(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            errors="replace",
            env=dict(environment),
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(list(arguments), 1, "", str(error))

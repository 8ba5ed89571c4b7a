"""The server of Claude Code for all projects of a user: told by its own command, which keeps that file."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoro.connect.edits import NAME
from memoro.connect.hosts import Wanted
from memoro.errors import ConfigError

_SECONDS = 60  # it starts a runtime of its own, and looks whether servers answer


class Run(NamedTuple):
    """A command of Claude Code to run."""

    arguments: tuple[str, ...]
    may_fail: bool = False

    def __str__(self) -> str:
        return shlex.join(self.arguments)


def adding(program: str, wanted: Wanted) -> list[Run]:
    return [*removing(program), Run((program, "mcp", "add", "--scope", "user", NAME, "--", *wanted.server))]


def removing(program: str) -> list[Run]:
    return [Run((program, "mcp", "remove", "--scope", "user", NAME), may_fail=True)]


def knows(program: str, environment: Mapping[str, str], wanted: Wanted | None = None) -> bool:
    """Whether it knows our server, with just the command that is wanted."""
    done = _run((program, "mcp", "get", NAME), environment)
    said = set(done.stdout.split()) if done.returncode == 0 else set()
    return bool(said) and (wanted is None or said >= {word for part in wanted.server for word in part.split()})


def carry_out(runs: Sequence[Run], environment: Mapping[str, str]) -> None:
    for run in runs:
        done = _run(run.arguments, environment)
        if done.returncode and not run.may_fail:
            why = (done.stderr or done.stdout).strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
            raise ConfigError(f"`{run}` failed: {why[0]}. Run it yourself, or connect with --scope project.")


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

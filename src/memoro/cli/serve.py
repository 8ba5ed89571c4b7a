"""`memoro serve`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from memoro.cli.options import number, opened
from memoro.errors import ConfigError
from memoro.model.vocabulary import TOOL_PROFILES

if TYPE_CHECKING:
    from memoro.serve.services import Service
    from memoro.workspace import Workspace


_MISSING = (
    "`--http` needs packages that are not installed: `pip install 'memoro[ui]'` for the page and the API, "
    "`pip install 'memoro[mcp]'` for agents over MCP. Then try again."
)


def configure_serve(parser: argparse.ArgumentParser) -> None:
    from memoro.serve.units import UNIT_KINDS

    parser.add_argument(
        "--idle-exit",
        type=number,
        metavar="MINUTES",
        help="End after so many minutes without a change or a request (never).",
    )
    parser.add_argument(
        "--print-unit",
        choices=UNIT_KINDS,
        metavar="KIND",
        help="Print a unit file that runs this in the background, and do nothing else.",
    )
    parser.add_argument(
        "--http",
        action="store_true",
        help="Answer the HTTP API, MCP, hooks and the page on this machine, to clients that send a token.",
    )
    parser.add_argument("--port", type=number, metavar="N", help="The port for --http (7391); 0: any free one.")
    parser.add_argument(
        "--profile", choices=TOOL_PROFILES, default="default", help="Which tools MCP offers there (default)."
    )
    parser.add_argument(
        "--agent", metavar="NAME", help="The agent that the token stands for: settings, rights, and what it sees."
    )
    parser.add_argument("--project", metavar="NAME", help="The project that binds what clients with the token see.")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.print_unit:
        return _print_unit(chosen)
    if chosen.idle_exit is not None and chosen.idle_exit < 1:
        raise ConfigError("--idle-exit takes a number of minutes from 1 on.")
    from memoro.serve.process import ServeOptions, serve
    from memoro.serve.signals import Signals

    with Signals() as signals:
        options = ServeOptions(
            wait=signals.wait,
            print_line=_print_line,
            print_error=print_error,
            idle_exit=None if chosen.idle_exit is None else chosen.idle_exit * 60.0,
        )
        why = serve(lambda: opened(chosen), [*background_services(), *_http(chosen)], options)
    _print_line(f"stopped: {why}")
    return 0


def background_services() -> list[Service]:
    """All services but HTTP."""
    from memoro.hooks.action import ActionService, ActionWarnings
    from memoro.hooks.service import CaptureService
    from memoro.serve.batch_jobs import BatchJobService
    from memoro.serve.curating import CurationService
    from memoro.serve.hook_service import HookSocketService
    from memoro.serve.housekeeping import HousekeepingService
    from memoro.serve.outbox import OutboxService
    from memoro.serve.syncing import SyncService

    warnings = ActionWarnings()
    background: list[Service] = [SyncService(), HousekeepingService(), CaptureService(), ActionService(warnings)]
    background.append(CurationService())
    background.append(BatchJobService())
    background.append(OutboxService())
    return [*background, HookSocketService(os.environ, warnings)]


def _print_unit(chosen: argparse.Namespace) -> int:
    from memoro.serve.units import unit

    with opened(chosen) as m:
        command = [sys.executable, "-m", "memoro", "--home", m.home]
        origin = next(setting.origin for setting in m.origins if setting.key == "vault.path")
        if m.settings.vault.path and origin.startswith(("argument", "environment")):
            command += ["--vault", os.path.abspath(os.path.expanduser(m.settings.vault.path))]
    command += ["serve"]
    if chosen.http:
        command += ["--http", "--profile", chosen.profile]
        command += [] if chosen.port is None else ["--port", str(chosen.port)]
        command += [] if chosen.agent is None else ["--agent", chosen.agent]
        command += [] if chosen.project is None else ["--project", chosen.project]
    print(unit(chosen.print_unit, command, os.environ), end="")
    return 0


def _http(chosen: argparse.Namespace) -> list[Service]:
    """Return the HTTP service if the person asked for it."""
    if not chosen.http:
        if chosen.port is not None:
            raise ConfigError("--port is for --http: add that too.")
        return []
    from memoro import hooks, opening
    from memoro.serve.http import PORT, HttpService, has_packages

    if not has_packages("uvicorn", "anyio"):
        raise ConfigError(_MISSING)

    def open_for(client: str | None) -> Workspace:
        return opening.open(
            chosen.home, chosen.vault, agent=chosen.agent, project=chosen.project, client=client or ""
        )

    port = PORT if chosen.port is None else chosen.port
    return [HttpService(port, open_for, profile=chosen.profile, answer_hook=hooks.answer)]


def _print_line(line: str) -> None:
    print(time.strftime("%H:%M:%S"), _for_log(line), flush=True)


def print_error(line: str) -> None:
    print(f"memoro: {_for_log(line)}", file=sys.stderr, flush=True)


def _for_log(line: str) -> str:
    """A line for a log that others may read: without secrets, and without what would command a terminal."""
    from memoro.cli.show import printable
    from memoro.model.secrets import redact

    return printable(redact(line).text)

"""`memoro serve`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from memoro.cli.mcp import need_sdk
from memoro.cli.options import number, opened
from memoro.errors import ConfigError
from memoro.model.vocabulary import TOOL_PROFILES

if TYPE_CHECKING:
    from memoro.serve.parts import Part

_UNITS = ("systemd", "launchd")


def configure_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--idle-exit",
        type=number,
        metavar="MINUTES",
        help="End after so many minutes without a change or a request (never).",
    )
    parser.add_argument(
        "--print-unit",
        choices=_UNITS,
        metavar="KIND",
        help="Print a unit file that runs this for you in the background, and do nothing else.",
    )
    parser.add_argument(
        "--http", action="store_true", help="Answer MCP and hooks on this machine, to whoever has the token."
    )
    parser.add_argument("--port", type=number, metavar="N", help="The port for that (7391); 0: any that is free.")
    parser.add_argument(
        "--profile", choices=TOOL_PROFILES, default="default", help="Which tools MCP offers there (default)."
    )
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.print_unit:
        return _print_unit(chosen)
    if chosen.idle_exit is not None and chosen.idle_exit < 1:
        raise ConfigError("--idle-exit takes a number of minutes from 1 on.")
    from memoro.serve.process import Manner, serve
    from memoro.serve.signals import Signals

    with Signals() as signals:
        idle = None if chosen.idle_exit is None else chosen.idle_exit * 60.0
        why = serve(lambda: opened(chosen), _parts(chosen), Manner(signals.wait, _tell, _complain, idle))
    _tell(f"stopped: {why}")
    return 0


def _parts(chosen: argparse.Namespace) -> list[Part]:
    """What is done by the process; each in a thread of its own."""
    from memoro.hooks.serving import Writing
    from memoro.serve.freshness import Freshness
    from memoro.serve.housekeeping import Housekeeping

    return [Freshness(), Housekeeping(), Writing(), *_http(chosen)]


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
    print(unit(chosen.print_unit, command, os.environ), end="")
    return 0


def _http(chosen: argparse.Namespace) -> list[Part]:
    """HTTP is off until somebody asks for it."""
    if not chosen.http:
        if chosen.port is not None:
            raise ConfigError("--port is for --http: add that too.")
        return []
    need_sdk()
    from memoro import workspace
    from memoro.hooks import answer
    from memoro.serve.http import PORT, Http

    def for_agent(agent: str | None) -> workspace.Workspace:
        return workspace.open(chosen.home, chosen.vault, agent=agent)

    port = PORT if chosen.port is None else chosen.port
    return [Http(port, for_agent, profile=chosen.profile, hook=answer)]


def _tell(line: str) -> None:
    from memoro.cli.show import printable

    print(time.strftime("%H:%M:%S"), printable(line), flush=True)


def _complain(line: str) -> None:
    from memoro.cli.show import printable

    print(f"memoro: {printable(line)}", file=sys.stderr, flush=True)

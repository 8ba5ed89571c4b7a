"""`memoro serve`."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from memoro.cli.mcp import PROFILES, need_sdk
from memoro.cli.options import number, opened
from memoro.errors import ConfigError

if TYPE_CHECKING:
    from memoro.serve.parts import Part

UNITS = ("systemd", "launchd")


def configure_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--idle-exit",
        type=number,
        metavar="MINUTES",
        help="End after so many minutes without a change or a request.",
    )
    parser.add_argument(
        "--http", action="store_true", help="Answer MCP and hooks on this machine, to whoever has the token."
    )
    parser.add_argument("--port", type=number, metavar="N", help="The port for that (7391); 0: any that is free.")
    parser.add_argument(
        "--profile", choices=PROFILES, default="default", help="Which tools MCP offers there (default)."
    )
    parser.set_defaults(run=_serve)


def _serve(chosen: argparse.Namespace) -> int:
    from memoro.serve.freshness import Freshness
    from memoro.serve.process import Manner, serve
    from memoro.serve.signals import Signals

    with Signals() as signals:
        idle = None if chosen.idle_exit is None else chosen.idle_exit * 60.0
        why = serve(
            lambda: opened(chosen), [Freshness(), *_http(chosen)], Manner(signals.wait, _tell, _complain, idle)
        )
    _tell(f"Stopped: {why}.")
    return 0


def _http(chosen: argparse.Namespace) -> list[Part]:
    """HTTP is off until somebody asks for it."""
    if not chosen.http:
        if chosen.port is not None:
            raise ConfigError("--port is for --http: add that too.")
        return []
    need_sdk()
    from memoro import workspace
    from memoro.serve.http import PORT, Http

    port = PORT if chosen.port is None else chosen.port
    return [Http(port, lambda agent: workspace.open(chosen.home, chosen.vault, agent=agent), profile=chosen.profile)]


def _tell(line: str) -> None:
    from memoro.cli.show import printable

    print(time.strftime("%H:%M:%S"), printable(line), flush=True)


def _complain(line: str) -> None:
    from memoro.cli.show import printable

    print(f"memoro: {printable(line)}", file=sys.stderr, flush=True)

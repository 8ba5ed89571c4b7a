"""`memoro serve`."""

from __future__ import annotations

import argparse
import sys
import time

from memoro.cli.options import number, opened

UNITS = ("systemd", "launchd")


def configure_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--idle-exit",
        type=number,
        metavar="MINUTES",
        help="End after so many minutes without a change or a request.",
    )
    parser.set_defaults(run=_serve)


def _serve(chosen: argparse.Namespace) -> int:
    from memoro.serve.freshness import Freshness
    from memoro.serve.process import Manner, serve
    from memoro.serve.signals import Signals

    with Signals() as signals:
        idle = None if chosen.idle_exit is None else chosen.idle_exit * 60.0
        why = serve(lambda: opened(chosen), [Freshness()], Manner(signals.wait, _tell, _complain, idle))
    _tell(f"Stopped: {why}.")
    return 0


def _tell(line: str) -> None:
    from memoro.cli.show import printable

    print(time.strftime("%H:%M:%S"), printable(line), flush=True)


def _complain(line: str) -> None:
    from memoro.cli.show import printable

    print(f"memoro: {printable(line)}", file=sys.stderr, flush=True)

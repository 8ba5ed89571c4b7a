"""`memoro get`."""

from __future__ import annotations

import argparse
import sys

from memoro.cli.options import add_json, opened


def configure_get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help="An id from a search, PATH, PATH:LINE or PATH:FROM-TO.")
    add_json(parser)
    parser.set_defaults(run=_get)


def _get(chosen: argparse.Namespace) -> int:
    from memoro import wire
    from memoro.cli import show

    with opened(chosen) as m:
        found = m.get(chosen.target)
    if chosen.json:
        print(wire.dumps(wire.text(found)))
    elif sys.stdout.isatty():
        print("\n".join(show.printable(line) for line in found.text.split("\n")))
    else:
        print(found.text)
    return 0

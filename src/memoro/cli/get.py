"""`memoro get`."""

from __future__ import annotations

import argparse
import sys

from memoro.cli.options import add_json, number, opened


def configure_get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help="An id from a search, PATH, PATH:LINE or PATH:FROM-TO.")
    parser.add_argument(
        "--around", type=number, metavar="N", default=2, help="Of a transcript: how many turns before and after (2)."
    )
    add_json(parser)
    parser.set_defaults(run=_get)


def _get(chosen: argparse.Namespace) -> int:
    from memoro import wire
    from memoro.cli import show

    with opened(chosen) as m:
        found = m.get(chosen.target, around=max(0, chosen.around))
    if chosen.json:
        print(wire.dumps(wire.text(found)))
    elif found.around:
        show.conversation(found)
    elif sys.stdout.isatty():
        print("\n".join(show.printable(line) for line in found.text.split("\n")))
    else:
        print(found.text)
    return 0

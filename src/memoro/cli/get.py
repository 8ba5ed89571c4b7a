"""`memoro get`."""

from __future__ import annotations

import argparse
import sys

from memoro.cli.options import add_json, number, opened

AROUND = 2  # turns: what was asked, and what came of it


def configure_get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help="An id from a search, PATH, PATH:LINE or PATH:FROM-TO.")
    parser.add_argument(
        "--around",
        type=number,
        metavar="N",
        help="Of a transcript: how many turns to show before and after (2 with an id from a search, else none).",
    )
    add_json(parser)
    parser.set_defaults(run=_get)


def _get(chosen: argparse.Namespace) -> int:
    from memoro import documents
    from memoro.cli import show

    by_id = chosen.target.startswith("transcript:") and "#" in chosen.target
    around = chosen.around if chosen.around is not None else AROUND if by_id else 0
    with opened(chosen) as m:
        found = m.get(chosen.target, around=max(0, around))
    if chosen.json:
        print(documents.dumps(documents.text(found)))
    elif found.around:
        show.conversation(found)
    elif sys.stdout.isatty():
        print("\n".join(show.printable(line) for line in found.text.split("\n")))
    else:
        print(found.text)
    return 0

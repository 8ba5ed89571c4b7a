"""What several commands share: `--json`, and opening the workspace that the arguments name."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from memoro import opening
from memoro.workspace import Workspace


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="Print one JSON document.")


Action = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]


def actions(parser: argparse.ArgumentParser) -> Action:
    """Gives the command actions: each is made with its name, what it does in a sentence, and what runs it."""
    found = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)

    def action(name: str, summary: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        one = found.add_parser(name, help=summary, description=summary)
        one.set_defaults(run=run)
        add_json(one)
        return one

    return action


def opened(chosen: argparse.Namespace) -> Workspace:
    return opening.open(chosen.home, chosen.vault)


def number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None

"""Shared by commands: `--json`, numbers, and the workspace that the arguments name."""

from __future__ import annotations

import argparse

from memoro import opening
from memoro.workspace import Workspace


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`. Its default is set before parsing, so that it may stand before and after an action."""
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="Print one JSON document.")


def opened(chosen: argparse.Namespace) -> Workspace:
    return opening.open(chosen.home, chosen.vault)


def number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None

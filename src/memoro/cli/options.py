"""Shared by commands: `--json`, numbers, and the workspace that the arguments name."""

from __future__ import annotations

import argparse
import sys

from memoro import opening
from memoro.errors import ConfigError
from memoro.workspace import Workspace


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`. Its default is set before parsing, so that it may stand before and after an action."""
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="Print one JSON document.")


def opened(chosen: argparse.Namespace) -> Workspace:
    return opening.open(chosen.home, chosen.vault)


def read_stdin() -> str:
    """Return the text on standard input; raise ConfigError if it is not UTF-8."""
    data = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else sys.stdin.read().encode()
    try:
        return data.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"Standard input is not text in UTF-8 (byte {error.start + 1}). Convert it with iconv."
        ) from error


def number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None

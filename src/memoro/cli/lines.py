"""Lines for people: at a terminal they are wrapped between words and keep their indentation; in a pipe never."""

from __future__ import annotations

import os
import sys
from typing import TextIO

NARROWEST = 20  # columns: in a terminal with fewer, lines are left to the terminal
HELP_WIDTH = 80  # of help in a pipe
_MARKS = ("- ", "* ", "+ ", "> ", "? ", "✓ ", "✗ ", "! ", "│ ")


def columns(stream: TextIO) -> int | None:
    """The width of the terminal that a stream writes to; None in a pipe."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else None
    except (OSError, ValueError):
        return None


def help_columns() -> int:
    """The width for help: that of the terminal, at most 100, or 80 in a pipe."""
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdigit() and int(given) >= NARROWEST else min(columns(sys.stdout) or HELP_WIDTH, 100)


def say(text: str = "", *, hang: int | None = None, file: TextIO | None = None) -> None:
    """Print lines for a person. Continuations begin at column `hang`, or below the text of the line itself."""
    stream = file or sys.stdout
    width = columns(stream)
    lines = text if width is None else "\n".join(wrapped(line, width, hang) for line in text.split("\n"))
    print(lines, file=stream)


def wrapped(line: str, width: int, hang: int | None = None) -> str:
    """Break a line between words so that no part is wider than `width`; a longer word is broken where it must be.

    Later parts are indented as the first one is, and below the text of a list item.
    """
    if width < NARROWEST or cells(line) <= width:
        return line
    indent = hang if hang is not None else _hanging(line)
    indent = indent if indent <= width // 2 else 2
    done: list[str] = []
    rest, lead = line, ""
    while cells(lead + rest) > width:
        cut = _cut(rest, width - len(lead), 0 if lead else indent)
        done.append(lead + rest[:cut].rstrip(" "))
        rest, lead = rest[cut:].lstrip(" "), " " * indent
    return "\n".join([*done, lead + rest] if rest else done)


def cells(text: str) -> int:
    """Return how many columns a terminal gives to a text: two for each wide character."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if character < "\u0300":
        return 1
    from unicodedata import combining, east_asian_width

    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def _hanging(line: str) -> int:
    """The column of the text in a line: behind its indentation and the mark of a list."""
    text = line.lstrip(" ")
    indent = len(line) - len(text)
    number, dot, _ = text.partition(". ")
    if dot and number.isdigit():
        return indent + len(number) + 2
    return indent + (2 if text.startswith(_MARKS) else 0)


def _cut(text: str, width: int, least: int) -> int:
    """The position after which to break: behind the last space that fits, or where the width is used up."""
    used, space, position = 0, 0, 0
    for position, character in enumerate(text):
        used += _cells_of(character)
        if used > width:
            break
        if character == " " and position > least:
            space = position
    if text[position : position + 1] == " ":  # the word ends exactly at the edge
        return position
    return space or max(position, 1)

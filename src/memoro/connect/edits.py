"""What an edit of a configuration file is made of, whatever the file is written in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.errors import ConfigError

NAME = "memoro"  # of our server, in every host


class Member(NamedTuple):
    """A value that stands under a path of keys."""

    path: tuple[str, ...]
    value: object


class Hook(NamedTuple):
    """One group of hooks in the list of its event."""

    event: str
    group: dict[str, object]

    @property
    def path(self) -> tuple[str, ...]:
        return ("hooks", self.event)


Item = Member | Hook


class Edited(NamedTuple):
    """A text with what was put into it: taking the pieces out, the last one first, gives the text as it was."""

    text: str
    pieces: tuple[str, ...] = ()


class Refused(ConfigError):
    """The file cannot be edited, and has not been; the reason alone, to stand behind its name."""


def without_pieces(text: str, pieces: Sequence[str]) -> str | None:
    """The text as it was before they were put in, also where others have written elsewhere in it since.

    None where one of them is not there any more as it was, or several times.
    """
    for piece in reversed(pieces):
        if text.count(piece) != 1:
            return None
        text = text.replace(piece, "")
    return text


def line_end(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def is_our_hook(handler: object) -> bool:
    """Whether a command calls `memoro hook`, by whichever path."""
    if not isinstance(handler, dict):
        return False
    arguments = handler.get("args")
    words = [handler.get("command"), *(arguments if isinstance(arguments, list) else ())]
    said = " ".join(word for word in words if isinstance(word, str)).split()
    return said[-2:-1] == ["hook"] and any(word.strip("'\"").rpartition("/")[2] == NAME for word in said[:-2])


def where(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"

"""The parts of an edit of a settings file that every syntax shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.errors import ConfigError
from memoro.hosts.host import SERVER_NAME


class EditedText(NamedTuple):
    """A text and the pieces that were inserted: removing them, the last one first, restores the original."""

    text: str
    pieces: tuple[str, ...] = ()


class UneditableSettings(ConfigError):
    """A settings file cannot be edited, and was not. The message follows the name of the file."""


def without_pieces(text: str, pieces: Sequence[str]) -> str | None:
    """Remove inserted pieces from a text, even if others have edited other parts of it since.

    Returns None if a piece is missing, changed or there several times.
    """
    for piece in reversed(pieces):
        if text.count(piece) != 1:
            return None
        text = text.replace(piece, "")
    return text


_HOOK_OPTIONS = ("--agent", "--project", "--only-served")


def line_end(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def is_our_hook(handler: object) -> bool:
    """Return whether a hook's command calls `memoro hook`, by any path."""
    if not isinstance(handler, dict):
        return False
    arguments = handler.get("args")
    parts = [handler.get("command"), *(arguments if isinstance(arguments, list) else ())]
    words = " ".join(part for part in parts if isinstance(part, str)).split()
    if "hook" not in words:
        return False
    place = words.index("hook")
    programs = [word.strip("'\"").rpartition("/")[2] for word in words[:place]]
    host, options = words[place + 1 : place + 2], words[place + 2 :]
    return SERVER_NAME in programs and bool(host) and options[:1] in ([], *([name] for name in _HOOK_OPTIONS))


def line_and_column(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    return f"line {line}, column {position - text.rfind(chr(10), 0, position)}"

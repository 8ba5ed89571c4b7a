"""What a reader of conversation logs must do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol


class Turn(NamedTuple):
    """One message of a conversation."""

    speaker: str  # "User", "Assistant", or a name
    text: str
    line: int  # of the log, from 1
    date: str | None = None  # the day it was said, as YYYY-MM-DD


class Reader(Protocol):
    """Turns from the lines of a log. Whatever the bytes were, it never fails."""

    name: str

    def recognises(self, lines: Sequence[str]) -> bool:
        """Whether the first lines of a log look like this reader's format."""

    def turns(self, lines: Sequence[str]) -> Iterator[Turn]:
        """Every message with words in it, in the log's order. Lines that are no messages are passed over."""

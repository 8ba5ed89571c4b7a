"""What one session was about, as its note tells it."""

from __future__ import annotations

from typing import NamedTuple


class SessionDigest(NamedTuple):
    """The lines of a session's note. Each carries a fact; a session without any has an empty digest."""

    title: str = ""  # what was done
    decisions: tuple[str, ...] = ()  # each with its reason, where one was given
    files: tuple[str, ...] = ()  # that were changed, relative to the project's folder
    commands: tuple[str, ...] = ()  # that mattered
    errors: tuple[str, ...] = ()  # each with what solved it
    open: tuple[str, ...] = ()  # what is left to do or to decide

    def __bool__(self) -> bool:
        return any(self[1:])

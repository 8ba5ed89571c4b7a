"""Ids and paths, parsed once where they come in."""

from __future__ import annotations

from typing import Literal, NamedTuple

from memoro.errors import NoteNotFound

MEMORY_PREFIX, EXPERIENCE_PREFIX = "memory:", "experience:"
MAX_TARGET = 8192  # the longest path that a system opens has 4,096 bytes; an id adds little to it
_MOST_DIGITS = 18  # SQLite and Postgres store 64-bit numbers


class MemoryId(NamedTuple):
    number: int

    def __str__(self) -> str:
        return f"{MEMORY_PREFIX}{self.number}"


class ExperienceId(NamedTuple):
    number: int

    def __str__(self) -> str:
        return f"{EXPERIENCE_PREFIX}{self.number}"


class PassageId(NamedTuple):
    """A passage of a note or a conversation, by its text: `note:PATH#HASH8.N` or `transcript:PATH#HASH8.N`."""

    kind: Literal["note", "transcript"]
    path: str
    digest: str  # the first eight hexadecimal digits
    number: int = 1  # counts the file's passages with the same text, from 1

    def __str__(self) -> str:
        return f"{self.kind}:{self.path}#{self.digest}.{self.number}"


class FilePath(NamedTuple):
    """A file of the vault or a log, perhaps with line numbers; or the id of an entry."""

    text: str

    def __str__(self) -> str:
        return self.text


Target = MemoryId | ExperienceId | PassageId | FilePath


def parse_target(text: str) -> Target:
    """Parse any string: text that is no id is a path. A number too large to store is no id."""
    kind, colon, rest = text.partition(":")
    if not colon:
        return FilePath(text)
    if kind in ("memory", "experience") and _is_number(rest):
        return MemoryId(int(rest)) if kind == "memory" else ExperienceId(int(rest))
    if kind in ("note", "transcript") and "#" in rest:
        return _passage("note" if kind == "note" else "transcript", rest) or FilePath(text)
    return FilePath(text)


def parse_given_target(text: str) -> Target:
    """Parse an id or a path that a caller gave. Raises `NoteNotFound` for one that is too long to name anything."""
    if len(text) > MAX_TARGET:
        raise NoteNotFound(
            f"An id or a path has at most {MAX_TARGET:,} characters; this one has {len(text):,} "
            f"(it begins with {text[:40]!r})."
        )
    return parse_target(text)


def _passage(kind: Literal["note", "transcript"], rest: str) -> PassageId | None:
    path, _, place = rest.rpartition("#")
    digest, _, number = place.partition(".")
    if not path or len(digest) != 8 or set(digest) - set("0123456789abcdef") or (number and not _is_number(number)):
        return None
    return PassageId(kind=kind, path=path, digest=digest, number=int(number or 1))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS

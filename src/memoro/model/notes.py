"""Notes, their chunks, and what is remembered about the files they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from memoro.model.vocabulary import BOTH as BOTH
from memoro.model.vocabulary import KINDS as KINDS
from memoro.model.vocabulary import LEDGER_KINDS, Kind, LedgerKind, Locator, Severity, Tier
from memoro.model.vocabulary import LOGS as LOGS
from memoro.model.vocabulary import NOTE_TIERS as TIERS
from memoro.model.vocabulary import VAULT as VAULT

__all__ = ["TIERS"]

# What begins the path of a memory, or of an experience, in the index, before its number.
MEMORY, EXPERIENCE = "memory:", "experience:"
KEPT = LEDGER_KINDS
WITHIN = "//"  # in a path: between a file that holds several conversations and the name of one
# Tiers of files that are no conversations themselves.
CONTAINER: Literal["container"] = "container"  # holds several: each has a path of its own
UNKNOWN: Literal["unknown"] = "unknown"  # stands among logs and is none


class Chunk(NamedTuple):
    """A passage of a note. Its identity is its text; where it stands is not part of it."""

    text: str
    start_line: int
    end_line: int
    headings: tuple[str, ...]
    digest: str
    partial: bool = False  # cut inside a line: the text is less than its lines say
    speaker: str | None = None  # of a transcript: who said it
    date: str | None = None  # of a transcript: the day it was said
    context: str = ""  # what stands beside it and helps to find it, without being part of it


class Note(NamedTuple):
    """What a note says about itself."""

    title: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    date: str | None = None  # when it happened, as YYYY-MM-DD; never when it was written
    agent: str | None = None
    project: str | None = None


class Stamp(NamedTuple):
    """What the file system says about a file. A hint that saves reading it, never a proof."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


def kind_of(path: str) -> Kind:
    """What stands at a path: a note or a conversation log, by how its name ends, a memory or an experience."""
    if path[-3:].lower() == ".md":
        return "note"
    if path.startswith(MEMORY):
        return "memory"
    if path.startswith(EXPERIENCE):
        return "experience"
    return "transcript"


def number_of(path: str) -> int:
    """The number of a memory or an experience."""
    return int(path.partition(":")[2])


def kept_at(target: str) -> tuple[LedgerKind, int] | None:
    """The kind and number of what stands in the ledger under a name such as `memory:7`; None for any other name."""
    kind, _, digits = target.partition(":")
    numbered = digits.isascii() and digits.isdigit() and len(digits) < 20
    kept = next((one for one in LEDGER_KINDS if one == kind), None)
    return (kept, int(digits)) if kept and numbered else None


def file_of(path: str) -> str:
    """The file on the disk that a path leads to."""
    return path.partition(WITHIN)[0]


def locator_of(path: str) -> Locator:
    """What the numbers of a hit count: the lines of a file, or, where a conversation has none, its messages."""
    return "message" if WITHIN in path else "line"


class FileEntry(NamedTuple):
    """What the index knows about one file."""

    path: str
    tier: Tier
    digest: str
    stamp: Stamp | None  # None: too young to be trusted, so that it is read again
    gone_at: str | None = None  # hidden since then
    emptied: bool = False  # it was found empty once, and was not believed
    cursor: str | None = None  # of a log that grows: what is needed to read on from where it was left


class Said(NamedTuple):
    """A message that can be told again wherever a copy of it stands."""

    id: int  # 64 bits of the hash of its name
    line: int


class Hidden(NamedTuple):
    """What its owner has forgotten of conversations, so that it is not read from a log again."""

    total: int  # of what was ever forgotten: when it rises, logs are read again
    holds: Callable[[str], bool]  # whether this turn, `SPEAKER: TEXT`, was


NOTHING_HIDDEN = Hidden(0, lambda _said: False)


class Indexed(NamedTuple):
    """All that the index is to say about one file."""

    entry: FileEntry
    note: Note
    day: str  # the date that filters go by: when it happened, else when it was written
    chunks: tuple[Chunk, ...]
    said: tuple[Said, ...] = ()  # of a transcript: every message that has a name, also those left to another file


class Problem(NamedTuple):
    """Something about a file that its owner should know."""

    path: str
    severity: Severity
    sentence: str


class Rules(NamedTuple):
    """The settings that decide what the index says; a change of any of them rebuilds it."""

    tokens: int
    overlap: int
    daily_folder: str
    daily_pattern: str = "YYYY-MM-DD"


def files_said(files: int, transcripts: int) -> str:
    """How many files there are, such as "40 notes, 6 logs"."""
    logs = f", {transcripts} {'log' if transcripts == 1 else 'logs'}" if transcripts else ""
    return f"{files - transcripts} notes{logs}"

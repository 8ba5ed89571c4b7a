"""Values that the ledger keeps beside memories, experiences and narratives, and what its queries return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

# Kinds of rows whose numbers people and exports refer to: a number is never given twice.
Numbered = Literal["journal", "memories", "narratives", "experiences"]
NUMBERED: tuple[Numbered, ...] = ("journal", "memories", "narratives", "experiences")


class LedgerMarks(NamedTuple):
    """How far a ledger has come: whoever has seen these marks sees by other ones that something is new."""

    changes: int = 0  # the position of the last entry of the journal
    recalls: int = 0  # the number of the last recall
    proposals: int = 0  # how many wait


class SharedLineage(NamedTuple):
    """A shared ledger, by its tenant and every identity that it has had. A restore gives it a new one."""

    tenant: str
    identities: frozenset[str]


class GivenMemory(NamedTuple):
    """A memory that a session was given in one of its answers."""

    session: str
    answer: int
    memory: int
    at: str
    reinforced: bool


class KeptResult(NamedTuple):
    """An idempotency key with the request and the result of its write. Digests are hexadecimal."""

    key: str
    request: str
    result: Mapping[str, Any]
    at: str


class ForgottenDigest(NamedTuple):
    """The keyed digest, in hexadecimal, of a text that was forgotten."""

    digest: str
    at: str


class ItemFit(NamedTuple):
    """How well the words of an item fit a query, 0–1. Neither it nor any later one fits better than `most`."""

    number: int
    fit: float
    most: float


class LedgerSizes(NamedTuple):
    """The bytes that a ledger or archive takes."""

    live: int  # memories with their word index; without journal, sessions and free space
    tables: Mapping[str, int]  # by table, as the store names them


class WatchedLine(NamedTuple):
    """A line that was appended to a note that others save too: a save of an older version may drop it once."""

    entry: int
    path: str
    line: str
    seen: bytes  # `note_state` of the note when it was last seen to hold the line; DROPPED: it was dropped
    returned: bool  # it was dropped once, and put back


DROPPED = b""
LEFT_BEHIND = "notes_left_behind"  # of the meta values: up to this entry, changes to notes stayed with another home


def note_state(data: bytes) -> bytes:
    """A digest that tells one state of a note from another."""
    import hashlib

    return hashlib.sha256(data).digest()[:16]


STALENESS = "ledger: "  # begins a notice that says why what was read may be old
UNRECORDED = "session: this was not recorded. "  # begins a notice of an answer that is on no record


def tells_unrecorded(notices: Iterable[str]) -> bool:
    return any(notice.startswith(UNRECORDED) for notice in notices)


def tells_staleness(notices: Iterable[str]) -> bool:
    return any(notice.startswith(STALENESS) for notice in notices)

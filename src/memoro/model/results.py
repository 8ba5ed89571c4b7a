"""Results of writes that are kept under an idempotency key: a retry gets the first result again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from memoro.model.from_json import build


class AddResult(NamedTuple):
    """A memory or an experience was added, or the same was there already."""

    id: int
    new: bool


class ChangeResult(NamedTuple):
    """A memory, an experience or a narrative was changed, removed, moved or added, or that was proposed."""

    id: int
    proposal: int | None = None


class NumbersResult(NamedTuple):
    """Several items were put, in this order; None stands for one that was deleted."""

    ids: tuple[int | None, ...]


class UndoResult(NamedTuple):
    """The journal entry that was chosen to be undone."""

    entry: int


class DailyResult(NamedTuple):
    """A line was added to a daily note."""

    path: str
    at: str  # HH:MM
    change: int


class NoteResult(NamedTuple):
    """A note was written, moved or deleted."""

    path: str
    change: int  # of the journal; 0: it was so already


class EntryResult(NamedTuple):
    """An entry of a note was added, edited or removed, or that was proposed."""

    id: str | None
    path: str
    line: int | None
    new: bool
    change: int  # of the journal; 0: it was so already, or is only proposed
    proposal: int | None = None


class PathsResult(NamedTuple):
    """The notes that a command was about, each written under a key of its own."""

    paths: tuple[str, ...]


class FlushResult(NamedTuple):
    """The note that keeps what a compaction dropped; empty where it dropped nothing."""

    note: str


class ExtractedResult(NamedTuple):
    """Facts were taken out of a conversation."""

    line: int  # of its log, up to which it was read


class RepetitionResult(NamedTuple):
    """A message was found to say again what a memory holds."""

    memory: int


class RatingResult(NamedTuple):
    """An item that was given was rated, or its rating was lifted."""

    item: str
    session: str
    recall: int
    change: int
    new: bool


R = TypeVar(
    "R",
    AddResult,
    ChangeResult,
    NumbersResult,
    UndoResult,
    DailyResult,
    NoteResult,
    EntryResult,
    PathsResult,
    FlushResult,
    ExtractedResult,
    RepetitionResult,
    RatingResult,
)
N = TypeVar("N", DailyResult, NoteResult, EntryResult)  # each names its entry in the journal


def encode_result(result: R) -> Mapping[str, Any]:
    """Returns a result as the JSON object that is kept; version 0.1.0 wrote the same."""
    return result._asdict()


def decode_result(kind: type[R], kept: Mapping[str, Any]) -> R:
    """Returns the result that was kept; ValueError where it is none of this kind."""
    return build(kind, kept)

"""The history of a fact as a line in time: what happened to it, and the facts before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from memoro.model.changes import (
    Blanked,
    ContentForgotten,
    ItemRemoved,
    ItemWritten,
    MemoryAdded,
    MemoryArchived,
    MemoryChanged,
    MemoryFields,
    MemoryRemoved,
    MemoryUnarchived,
)
from memoro.model.journal import JournalEntry, StoredWords
from memoro.model.memories import Memory, held_until, holds_since, moment
from memoro.model.vocabulary import Trust

EventKind = Literal[
    "said", "confirmed", "demoted", "edited", "trusted", "superseded", "until", "holds", "archived", "unarchived",
    "removed", "restored", "promoted", "forgotten", "changed",
]  # fmt: skip
_EDITS: dict[str, EventKind] = {
    "reinforce": "confirmed",
    "demote": "demoted",
    "update": "edited",
    "supersede": "superseded",
    "trust": "trusted",
    "promote": "promoted",
}
_FOLDED: tuple[EventKind, ...] = ("confirmed", "demoted")
_LATER = 0.2  # of the line is left for what is to come, however far off it is


class FactEvent(NamedTuple):
    """Something that happened to a fact, or will."""

    at: str
    kind: EventKind
    by: str = ""
    change: int | None = None  # its number in the journal; None: the fact itself says it
    text: str = ""  # of "said": its words; of "edited": its new words, where those changed
    before: str = ""  # of "edited": the words before
    fields: tuple[str, ...] = ()  # of "edited": what else changed
    other: int | None = None  # of "superseded": the fact that took its place
    trust: Trust | None = None
    is_undone: bool = False
    times: int = 1  # of several in a row that are told as one, since `at`
    last: str = ""  # when the last of those was


class FactSpan(NamedTuple):
    """A fact on the line in time, in seconds since 1970; without an end, it still holds."""

    number: int
    first: float
    last: float | None = None


class SpanBar(NamedTuple):
    """Where a fact stands on the line, from 0 to 100."""

    number: int
    x: float
    width: float
    ticks: tuple[float, ...] = ()  # of its events


def fact_events(memory: Memory, history: Iterable[JournalEntry]) -> tuple[FactEvent, ...]:
    """All that happened to a memory, oldest first; last what is to come."""
    told = [_event(entry) for entry in history]
    if memory.valid_from and memory.valid_from not in (memory.created_at, *(one.at for one in told)):
        told.append(FactEvent(memory.valid_from, "holds"))
    if memory.valid_to and memory.valid_to != memory.superseded_at:
        told.append(FactEvent(memory.valid_to, "until"))
    return tuple(sorted(told, key=lambda one: (one.at, one.change or 0)))


def folded(events: Iterable[FactEvent]) -> tuple[FactEvent, ...]:
    """The events, with a row of confirmations by the same hand told as one: a useful fact has hundreds."""
    made: list[FactEvent] = []
    for one in events:
        before = made[-1] if made else None
        if before and one.kind in _FOLDED and _is_alike(one, before):
            made[-1] = before._replace(times=before.times + 1, last=one.at)
        else:
            made.append(one)
    return tuple(made)


def _is_alike(one: FactEvent, before: FactEvent) -> bool:
    return (one.kind, one.by) == (before.kind, before.by) and not (one.is_undone or before.is_undone)


def _event(entry: JournalEntry) -> FactEvent:
    base = FactEvent(
        at=entry.at, kind="changed", by=entry.actor, change=entry.id, is_undone=entry.undone_by is not None
    )
    match entry.change:
        case MemoryAdded(operation="undo") | MemoryUnarchived(operation="undo"):
            return base._replace(kind="restored")
        case MemoryAdded() | ItemWritten(before=None):
            words = entry.words.content if isinstance(entry.words, StoredWords) else ""
            return base._replace(kind="said", text=words)
        case MemoryChanged(operation=operation, before=before, after=after):
            return base._replace(
                kind=_EDITS.get(operation, "restored"),
                text=after.get("content", ""),
                before=before.get("content", ""),
                fields=_changed(after, entry.at),
                other=after.get("superseded_by"),
                trust=after.get("trust") if operation == "trust" else None,
            )
        case MemoryRemoved() | ItemRemoved():
            return base._replace(kind="removed")
        case MemoryArchived():
            return base._replace(kind="archived")
        case MemoryUnarchived():
            return base._replace(kind="unarchived")
        case ContentForgotten() | Blanked():
            return base._replace(kind="forgotten")
        case _:
            return base


def _changed(after: MemoryFields, at: str) -> tuple[str, ...]:
    """What somebody changed. That a new text holds from then on goes without saying."""
    named = [name for name in ("content", "tags", "valid_from", "valid_to") if name in after]
    return tuple(name for name in named if name != "valid_from" or after.get("valid_from") != at)


def span_of(memory: Memory) -> FactSpan:
    """The time in which a memory holds."""
    until = held_until(memory)
    return FactSpan(memory.id, seconds(holds_since(memory)), seconds(until) if until else None)


def seconds(stamp: str) -> float:
    """Seconds since 1970; of years that have none on every machine, the nearest."""
    return moment(stamp).timestamp()


def span_bars(spans: Sequence[FactSpan], events: Sequence[float], now: float) -> tuple[SpanBar, ...]:
    """Facts as bars on one line in time. The events are those of the last fact, and stand within the line.

    What lies beyond now has the last fifth of the line, so that a far end does not press the past together.
    """
    if not spans:
        return ()
    starts = [one.first for one in spans]
    ends = [now if one.last is None else one.last for one in spans]
    low = min((*starts, *ends, now))
    later = max((*starts, *ends, *events))

    def place(at: float) -> float:
        past = 100.0 * (1 - _LATER) if later > now else 100.0
        if at <= now:
            return past * (at - low) / (now - low) if at > low and now > low else 0.0
        return past + (100.0 - past) * (at - now) / (later - now)

    bars = []
    for number, (one, end) in enumerate(zip(spans, ends, strict=True)):
        left, right = sorted((place(one.first), place(end)))
        ticks = tuple(round(place(at), 2) for at in events) if number == len(spans) - 1 else ()
        x = min(round(left, 2), 99.0)  # a fact that held for a moment is visible too
        bars.append(SpanBar(number=one.number, x=x, width=round(max(1.0, min(right, 100.0) - x), 2), ticks=ticks))
    return tuple(bars)

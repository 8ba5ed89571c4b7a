"""Figures about a home: counts as the stores return them, and their sums by week. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from math import ceil
from typing import NamedTuple

from memoro.model.vocabulary import Feedback, IndexedKind, RecallForm, Tier


class IndexedCount(NamedTuple):
    """How many files, memories, experiences or narratives the index has of one kind."""

    kind: IndexedKind
    tier: Tier
    project: str | None
    day: str  # that they are about, else on which they were written, as YYYY-MM-DD
    total: int


class HourCount(NamedTuple):
    hour: str  # the beginning of a stamp, in UTC: 2026-03-05T14
    total: int


class ChangeCount(NamedTuple):
    """How many changes of one kind were made in an hour, undone ones left out."""

    hour: str
    kind: str  # memory, experience, note, …
    operation: str
    total: int


class RecallFigures(NamedTuple):
    """The items of one recall, and its duration."""

    at: str
    form: RecallForm
    is_prompt: bool  # it answered a message; False: a session began with it
    items: int
    tokens: int
    took_ms: float
    feedback: tuple[Feedback, ...]  # on all of its items together


class Durations(NamedTuple):
    """Durations, in milliseconds."""

    measured: int = 0
    median: float = 0.0
    p95: float = 0.0
    most: float = 0.0


def durations(milliseconds: Iterable[float]) -> Durations:
    """The median and the 95th percentile, each a value that was measured."""
    found = sorted(milliseconds)
    if not found:
        return Durations()
    median, p95 = (found[max(0, ceil(len(found) * share) - 1)] for share in (0.5, 0.95))
    return Durations(measured=len(found), median=median, p95=p95, most=found[-1])


def weeks_until(today: date, count: int) -> tuple[str, ...]:
    """The Mondays of the last weeks, that of today last."""
    monday = today - timedelta(days=today.weekday())
    return tuple((monday - timedelta(weeks=back)).isoformat() for back in range(count - 1, -1, -1))


def week_of(day: str) -> str:
    """The Monday of the week that a day is in; "" for a text that is no day."""
    try:
        read = date.fromisoformat(day[:10])
        return (read - timedelta(days=read.weekday())).isoformat()
    except (ValueError, OverflowError):
        return ""


def local_day_of_hour(hour: str) -> str:
    """The day that an hour of UTC falls on where this machine is; "" for a text that is no hour."""
    try:
        return datetime.fromisoformat(f"{hour}:00").replace(tzinfo=UTC).astimezone().date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def sums_by_week(weeks: Sequence[str], counts: Iterable[tuple[str, int]]) -> tuple[int, ...]:
    """Add up counts by day, for each of these weeks."""
    found = dict.fromkeys(weeks, 0)
    for day, count in counts:
        week = week_of(day)
        if week in found:
            found[week] += count
    return tuple(found.values())


def running_totals(weeks: Sequence[str], counts: Iterable[tuple[str, int]]) -> tuple[int, ...]:
    """How many there were at the end of each of these weeks, by the days on which they came. A day without a date
    counts as before all of them.
    """
    each = list(counts)
    before = sum(count for day, count in each if not weeks or (week_of(day) or "") < weeks[0])
    found, total = [], before
    for count in sums_by_week(weeks, each):
        total += count
        found.append(total)
    return tuple(found)


def by_day(counts: Iterable[HourCount]) -> list[tuple[str, int]]:
    """Hours of UTC as days of this machine's calendar."""
    return [(local_day_of_hour(one.hour), one.total) for one in counts]


def grouped_by_week(
    weeks: Sequence[str], recalls: Iterable[RecallFigures], day_of: Callable[[str], str]
) -> dict[str, list[RecallFigures]]:
    """The recalls of each of these weeks; `day_of` says on which day a stamp falls."""
    found: dict[str, list[RecallFigures]] = {week: [] for week in weeks}
    for recall in recalls:
        found.get(week_of(day_of(recall.at)), []).append(recall)
    return found

"""Points in time as people write them: a day, a moment, "last week"."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from memoro.errors import QueryError
from memoro.model.memories import stamp

if TYPE_CHECKING:
    from memoro.model.calendar_words import Span

_FIRST, _LAST = datetime(1, 1, 3), datetime(9999, 12, 29)


def beginning(text: str, now: datetime) -> str:
    """The moment that is meant, or the first of the days."""
    return stamp(_exact(text) or _midnight(_days(text, now).first))


def end(text: str, now: datetime) -> str:
    """The moment that is meant, or the one after the last of the days."""
    return stamp(_exact(text) or _day_after(_days(text, now).last))


def span_of(first: str | None, final: str | None, now: datetime) -> tuple[str | None, str | None]:
    """From when to when something is true, each None where it is open. Raises QueryError where it ends too early."""
    begins = beginning(first, now) if first is not None else None
    ends = end(final, now) if final is not None else None
    if begins and ends and ends <= begins:
        raise QueryError(f"It would end ({final}) before it begins ({first}). Exchange the two, or leave one out.")
    return begins, ends


def last(text: str, now: datetime) -> datetime:
    """The moment that is meant, or the last of the days: what `--as-of` a day shows."""
    return _exact(text) or _day_after(_days(text, now).last) - timedelta(milliseconds=1)


def _days(text: str, now: datetime) -> Span:
    from memoro.model.time_phrases import span  # patterns and all: seldom needed

    return span(text, today=_today(now))


def _exact(text: str) -> datetime | None:
    """A moment with its time of day; without a zone it is the owner's own."""
    if not re.search(r"\d[Tt]\d|:", text):
        return None
    try:
        return _within(datetime.fromisoformat(text.strip()))
    except ValueError:
        raise QueryError(
            f"{text!r} is not a time. Write 2026-03-05, 2026-03-05T14:30, or words such as yesterday."
        ) from None


def _midnight(day: date) -> datetime:
    """Where the owner is: a day begins for a person, not for Greenwich."""
    return _within(datetime.combine(day, time()))


def _day_after(day: date) -> datetime:
    return _midnight(min(day, _LAST.date()) + timedelta(days=1))


def _within(moment: datetime) -> datetime:
    """With its zone. The first and last days of the calendar stand for always, and are not in every zone."""
    if not _FIRST < moment.replace(tzinfo=None) < _LAST:
        return (_FIRST if moment.year < _LAST.year else _LAST).replace(tzinfo=UTC)
    return moment.astimezone()


def _today(now: datetime) -> date:
    return now.astimezone().date()

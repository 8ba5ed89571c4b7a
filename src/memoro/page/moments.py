"""A moment in words: the nearer it is, the more exactly it is told."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import NamedTuple, TypeAlias

from memoro.page.texts import Texts

Instant: TypeAlias = datetime | date | str | float  # a text is ISO 8601; a number is seconds since 1970


class TimeWords(NamedTuple):
    machine: str  # for the attribute `datetime`
    short: str  # "today 14:05", "yesterday 09:12", "3 Nov", "3 Nov 2025"
    full: str  # "Monday 3 November 2025, 14:05"


def time_words(instant: Instant, now: datetime, t: Texts) -> TimeWords:
    """The words for a moment, in the time zone of `now`. A time without a zone is of this machine's clock.

    A text that is no time is shown as it is.
    """
    if isinstance(instant, str):
        read = _read(instant)
        if read is None:
            return TimeWords("", instant, instant)
        instant = read
    elif isinstance(instant, int | float):
        instant = datetime.fromtimestamp(instant, UTC)
    if not isinstance(instant, datetime):
        return TimeWords(instant.isoformat(), _day(instant, now.date(), t), _full_day(instant, t))
    local = instant.astimezone(now.tzinfo)
    day, clock = local.date(), f"{local:%H:%M}"
    is_near = 0 <= (now.date() - day).days < 7
    short = f"{_day(day, now.date(), t)} {clock}" if is_near else _day(day, now.date(), t)
    return TimeWords(local.isoformat(timespec="seconds"), short, f"{_full_day(day, t)}, {clock}")


def clock_words(at: str) -> str:
    """The time of day of a moment on this machine: "14:05". A text that is no moment gives none."""
    read = _read(at)
    return f"{read.astimezone():%H:%M}" if isinstance(read, datetime) else ""


def _read(text: str) -> datetime | date | None:
    try:
        return datetime.fromisoformat(text) if len(text) > 10 else date.fromisoformat(text)
    except ValueError:
        return None


def _day(day: date, today: date, t: Texts) -> str:
    ago = (today - day).days
    if ago == 0:
        return t("components.today")
    if ago == 1:
        return t("components.yesterday")
    if 1 < ago < 7:
        return t(f"components.weekday_{day.isoweekday()}")
    month = t(f"components.month_{day.month}")
    return f"{day.day} {month}" if day.year == today.year else f"{day.day} {month} {day.year}"


def _full_day(day: date, t: Texts) -> str:
    return f"{t(f'components.weekday_{day.isoweekday()}')} {day.day} {t(f'components.month_{day.month}')} {day.year}"

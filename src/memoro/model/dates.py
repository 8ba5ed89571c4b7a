"""Dates that people write: in file names, in frontmatter, and in words such as "last week"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from memoro.errors import QueryError

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_iso = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_month = re.compile(r"(\d{4})-(\d{2})")
_ago = re.compile(r"(?:(?:the )?(?:last|past) )?(\d{1,4}) (day|week|month|year)s?( ago)?")
_named = re.compile(r"(?:in )?([a-z]+)\.?(?: (\d{4}))?")
# Places in a sentence that may name a time; `span` decides.
TIMES = re.compile(
    r"(?i)\b(?:yesterday|today|(?:this|last) (?:week|month|year)"
    r"|(?:the )?(?:last|past) \d{1,3} (?:day|week|month|year)s?"
    r"|\d{1,3} (?:day|week|month|year)s? ago|last (?:" + "|".join(WEEKDAYS) + r")|\d{4}-\d{2}(?:-\d{2})?"
    r"|(?:in )?(?:" + "|".join(MONTHS) + r") \d{4})\b"
)
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}


class Span(NamedTuple):
    """A range of whole days, both ends included."""

    first: date
    last: date


def find_date(text: str) -> str | None:
    """Return the first real YYYY-MM-DD in the text; skip impossible ones (2026-02-31)."""
    for found in _iso.finditer(text):
        try:
            return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
        except ValueError:
            continue
    return None


def in_words(day: str) -> str:
    """Return a date as people ask for it: "2026-03-03" gives "2026 03 03 march tuesday"."""
    when = date.fromisoformat(day)
    return f"{when:%Y %m %d} {MONTHS[when.month - 1]} {WEEKDAYS[when.weekday()]}"


def span(text: str, *, today: date) -> Span:
    """Return the days that a word for a time means, seen from `today`."""
    words = " ".join(text.lower().replace(",", " ").split())
    for read in (_calendar, _relative, _counted, _named_time):
        try:
            found = read(words, today)
        except (ValueError, OverflowError):
            found = None
        if found:
            return found
    raise QueryError(
        f"{text!r} is not a date that Memoro knows. Write 2026-03-05, 2026-03, 2026, today, yesterday, "
        '"last week", "3 days ago", "May 2026" or a weekday.'
    )


def named_in(text: str, *, today: date) -> tuple[Span, str] | None:
    """Return the days that a text names, such as "last week" or "in May 2023", and the text without them."""
    for found in TIMES.finditer(text):
        try:
            return span(found[0], today=today), text[: found.start()] + text[found.end() :]
        except QueryError:  # not a time after all
            continue
    return None


def _calendar(words: str, _today: date) -> Span | None:
    if _iso.fullmatch(words[:10]) and (len(words) == 10 or words[10] in "t "):
        day = date.fromisoformat(words[:10])
        return Span(day, day)
    if found := _month.fullmatch(words):
        return _month_span(int(found[1]), int(found[2]))
    if re.fullmatch(r"\d{4}", words):
        return Span(date(int(words), 1, 1), date(int(words), 12, 31))
    return None


def _relative(words: str, today: date) -> Span | None:
    monday = today - timedelta(days=today.weekday())
    day = timedelta(days=1)
    first = today.replace(day=1)
    match words:
        case "today" | "now":
            return Span(today, today)
        case "yesterday":
            return Span(today - day, today - day)
        case "this week":
            return Span(monday, today)
        case "last week":
            return Span(monday - 7 * day, monday - day)
        case "this month":
            return Span(first, today)
        case "last month":
            return _month_span((first - day).year, (first - day).month)
        case "this year":
            return Span(today.replace(month=1, day=1), today)
        case "last year":
            return Span(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
    return None


def _counted(words: str, today: date) -> Span | None:
    found = _ago.fullmatch(words)
    if not found:
        return None
    then = today - timedelta(days=int(found[1]) * _UNITS[found[2]])
    return Span(then, then) if found[3] else Span(then, today)


def _named_time(words: str, today: date) -> Span | None:
    weekday = words.removeprefix("last ").removeprefix("on ")
    if weekday in WEEKDAYS:
        back = (today.weekday() - WEEKDAYS.index(weekday)) % 7 or 7
        day = today - timedelta(days=back)
        return Span(day, day)
    found = _named.fullmatch(words)
    if not found or len(found[1]) < 3:
        return None
    month = next((i + 1 for i, name in enumerate(MONTHS) if name.startswith(found[1])), None)
    if month is None:
        return None
    year = int(found[2]) if found[2] else today.year - (month > today.month)
    return _month_span(year, month)


def _month_span(year: int, month: int) -> Span:
    first = date(year, month, 1)
    last = date(year, 12, 31) if month == 12 else date(year, month + 1, 1) - timedelta(days=1)
    return Span(first, last)

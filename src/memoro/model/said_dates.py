"""The dates that a text says: "on 3 May", "3.5.2025", "in March 2024". Cheap enough to read every candidate."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from memoro.model.calendar_words import MONTH_NUMBERS, Span, any_of, months_span

_YEARS = r"(?:19|20)\d{2}"


@cache
def _pattern() -> re.Pattern[str]:
    """One pattern for all forms that name a calendar day or month; relative ones would cost too much."""
    months = any_of(MONTH_NUMBERS)
    return re.compile(
        rf"(?i)\b(?:(?P<iso>{_YEARS}-\d\d)(?P<iso_day>-\d\d)?(?![-\d])"
        rf"|(?P<number>\d{{1,2}})\.(?P<number_month>\d{{1,2}})\.(?P<number_year>{_YEARS})(?!\d)"
        rf"|(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?)?\b(?P<month>{months})\b\.?"
        rf"(?: (?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?(?:,? (?P<year>{_YEARS}))?)"
    )


def said_dates(text: str, seen: date) -> list[Span]:
    """Return the days and months that a text says. Without a year, the last ones up to the day it was said."""
    return [span for found in _pattern().finditer(text) if (span := _read(found, seen))]


def _read(found: re.Match[str], seen: date) -> Span | None:
    told = found.groupdict()
    try:
        if told["iso"]:
            year, month = map(int, told["iso"].split("-"))
            return _days(year, month, told["iso_day"] and told["iso_day"][1:])
        if told["number"]:
            return _days(int(told["number_year"]), int(told["number_month"]), told["number"])
        if told["month"] in ("may", "march", "mar", "mai") and not (told["day"] or told["after"] or told["year"]):
            return None
        month, day = MONTH_NUMBERS[told["month"].lower()], told["day"] or told["after"]
        year = int(told["year"]) if told["year"] else seen.year - ((month, int(day or 1)) > (seen.month, seen.day))
        return _days(year, month, day)
    except ValueError:  # 31 February
        return None


def _days(year: int, month: int, day: str | None) -> Span:
    if not day:
        return months_span(year, month)
    when = date(year, month, int(day))
    return Span(when, when)

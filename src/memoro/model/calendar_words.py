"""Words of the calendar, in English and German, and the days that months, seasons and quarters are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from memoro.model.dates import MONTHS, WEEKDAYS

ENGLISH_MONTHS = {name: number for number, name in enumerate(MONTHS, 1)}
_GERMAN_MONTHS = {
    "januar": 1, "jänner": 1, "februar": 2, "märz": 3, "maerz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10,
    "dezember": 12,
}  # fmt: skip
_SHORT = {name[:3]: number for name, number in ENGLISH_MONTHS.items()} | {"sept": 9, "okt": 10, "dez": 12, "mrz": 3}
LONG_MONTHS = {**ENGLISH_MONTHS, **_GERMAN_MONTHS}
MONTH_NUMBERS = {**_SHORT, **LONG_MONTHS}
WEEKDAY_NUMBERS = {name: number for number, name in enumerate(WEEKDAYS)} | {
    "montag": 0, "dienstag": 1, "mittwoch": 2, "donnerstag": 3, "freitag": 4, "samstag": 5, "sonnabend": 5,
    "sonntag": 6,
}  # fmt: skip
# By its first month. Seasons are those of the northern hemisphere, in whole months as weather services count them.
SEASONS = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9,
}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
    "erste": 1, "zweite": 2, "dritte": 3, "vierte": 4, "1.": 1, "2.": 2, "3.": 3, "4.": 4,
}  # fmt: skip


class Span(NamedTuple):
    """A range of whole days, both ends included."""

    first: date
    last: date


def any_of(names: Iterable[str]) -> str:
    """Return a pattern for any of the names, the longer ones first."""
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def months_span(year: int, month: int, count: int = 1) -> Span:
    """Return the days of so many months, from this one on."""
    end = month - 1 + count
    after_year, after_month = year + end // 12, end % 12 + 1
    last = date.max if after_year > date.max.year else date(after_year, after_month, 1) - timedelta(days=1)
    return Span(date(year, month, 1), last)


def last_begun(month: int, today: date) -> int:
    """Return the year of the last such month that has begun."""
    return today.year - (month > today.month)

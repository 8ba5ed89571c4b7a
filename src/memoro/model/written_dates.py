"""Dates as people write them beside plain days and months: 3.5.2025, Q2, KW 12, mid-March, last spring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from memoro.model.calendar_words import (
    LONG_MONTHS,
    MONTH_NUMBERS,
    ORDINALS,
    SEASONS,
    Span,
    any_of,
    last_begun,
    months_span,
)

Told = Mapping[str, str]  # the named groups of a pattern that took part, in small letters
Reader = Callable[[str, Told, date], Span]

_year = r"(?P<year>(?:19|20)\d{2})"
_long_month = rf"(?P<month>{any_of(LONG_MONTHS)})"
_part = (
    r"(?P<part>(?:the )?(?:beginning|start|middle|end) of|early|mid|late|anfang|mitte|ende)"
    r"(?: (?:in |von |des )?|-)"
)
_year_of = rf"(?:(?:,? (?:of |in |von )?|/){_year}|/(?P<short_year>\d{{2}})(?!\d))"
_season = rf"(?P<season>{any_of(SEASONS)})s?"

# Ways to write a time within a sentence.
FORMS = {
    # In both orders at once only where one of the two can be no month; with dots the day always comes first.
    "slashes": r"(?P<one>\d{1,2})/(?P<two>\d{1,2})/(?P<year>(?:19|20)\d{2})",
    "year_first": r"(?P<year>(?:19|20)\d{2})/(?P<month_number>\d{1,2})/(?P<day>\d{1,2})",
    "dots": r"(?:am |vom |den )?(?P<day>\d{1,2})\. ?(?P<month_number>\d{1,2})\. ?(?P<year>(?:19|20)\d{2})",
    # Without a year it may be a version or a number: only words before it make it a date.
    "short_dots": (
        r"(?:am|vom|zum|den|dem|ab|seit|bis) "
        r"(?P<day>\d{1,2})\.(?P<month_number>\d{1,2})\.(?P<short_year>\d{2})?(?!\d)"
    ),
    "part_of_month": rf"(?:in |im )?{_part}{_long_month}(?:,? {_year})?",
    "part_of_year": rf"{_part}(?P<whole_year>(?:19|20)\d{{2}})",
    "quarter": rf"(?:in |im )?q(?P<quarter>[1-4])(?!\w)(?:{_year_of})?",
    "quarter_in_words": (
        rf"(?:(?:in|im|in the|the) )?(?P<ordinal>{any_of(ORDINALS)})[snm]? quart(?:er|al)s?(?:{_year_of})?"
    ),
    "week": rf"(?:in )?(?:kw|kalenderwoche|calendar week|cw) ?(?P<week>\d{{1,2}})(?!\d)(?:{_year_of})?",
    "iso_week": r"(?P<year>\d{4})-w(?P<week>\d{2})",
    "season_of_year": rf"(?:(?:in the|in|im|during) )?{_season}(?: of)?,? {_year}(?:/\d{{2,4}})?",
    "season": (
        rf"(?P<which>in the|in|im|during the|during|over the|this|diese[nrsm]?|last|past|letzte[nrsm]?"
        rf"|vergangene[nrsm]?|vorige[nrsm]?) {_season}(?! (?:boot|framework|cleaning|back|apart|asleep|short|for))"
    ),
}
# What only a date field may hold.
ALONE = {"season": _season}


def _slashes(_text: str, told: Told, _today: date) -> Span:
    """The order of day and month differs between countries: what could be either is not read."""
    one, two, year = int(told["one"]), int(told["two"]), int(told["year"])
    if one <= 12 and two <= 12 and one != two:
        raise ValueError("day and month cannot be told apart")
    day, month = (one, two) if one > 12 else (two, one)
    return _one_day(date(year, month, day))


def _numbers(_text: str, told: Told, today: date) -> Span:
    day, month = int(told["day"]), int(told["month_number"])
    year = _told_year(told)
    if year is not None:
        return _one_day(date(year, month, day))
    this = date(today.year, month, day)
    return _one_day(this if this <= today else date(today.year - 1, month, day))


def _part_of_month(_text: str, told: Told, today: date) -> Span:
    month = MONTH_NUMBERS[told["month"]]
    whole = months_span(_told_year(told) or last_begun(month, today), month)
    begin = whole.first
    match _which_part(told["part"]):
        case "early":
            return Span(begin, begin + timedelta(days=9))
        case "mid":
            return Span(begin + timedelta(days=9), begin + timedelta(days=19))
    return Span(begin + timedelta(days=19), whole.last)


def _part_of_year(_text: str, told: Told, _today: date) -> Span:
    first = {"early": 1, "mid": 5, "late": 9}[_which_part(told["part"])]
    return months_span(int(told["whole_year"]), first, 4)


def _which_part(word: str) -> str:
    if any(begins in word for begins in ("beginning", "start", "early", "anfang")):
        return "early"
    return "mid" if "mid" in word or "mitte" in word else "late"


def _quarter(_text: str, told: Told, today: date) -> Span:
    number = int(told["quarter"]) if "quarter" in told else ORDINALS[told["ordinal"]]
    month = 3 * number - 2
    return months_span(_told_year(told) or last_begun(month, today), month, 3)


def _week(_text: str, told: Told, today: date) -> Span:
    number, year = int(told["week"]), _told_year(told)
    monday = date.fromisocalendar(today.year if year is None else year, number, 1)
    if year is None and monday > today:
        monday = date.fromisocalendar(today.year - 1, number, 1)
    return Span(monday, monday + timedelta(days=6))


def _season_of_year(_text: str, told: Told, _today: date) -> Span:
    """Winter 2024 begins in December 2024."""
    return months_span(int(told["year"]), SEASONS[told["season"]], 3)


def _season_without_year(_text: str, told: Told, today: date) -> Span:
    """The last one that has begun; of "last summer", the last one that is over."""
    month, which = SEASONS[told["season"]], told.get("which", "")
    found = months_span(last_begun(month, today), month, 3)
    is_over = which.startswith(("last", "past", "letzt", "vergang", "vorig"))
    return months_span(found.first.year - 1, month, 3) if is_over and found.last >= today else found


def _told_year(told: Told) -> int | None:
    if "year" in told:
        return int(told["year"])
    return 2000 + int(told["short_year"]) if "short_year" in told else None


def _one_day(day: date) -> Span:
    return Span(day, day)


READERS: dict[str, Reader] = {
    "slashes": _slashes,
    "year_first": _numbers,
    "dots": _numbers,
    "short_dots": _numbers,
    "part_of_month": _part_of_month,
    "part_of_year": _part_of_year,
    "quarter": _quarter,
    "quarter_in_words": _quarter,
    "week": _week,
    "iso_week": _week,
    "season_of_year": _season_of_year,
    "season": _season_without_year,
}

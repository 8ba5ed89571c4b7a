"""Times that people write in words: "last week", "3 July 2023", "vor zwei Tagen"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from memoro.errors import QueryError
from memoro.model.dates import MONTHS, WEEKDAYS

_ENGLISH = {name: number for number, name in enumerate(MONTHS, 1)}
_GERMAN = {
    "januar": 1, "jänner": 1, "februar": 2, "märz": 3, "maerz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10,
    "dezember": 12,
}  # fmt: skip
_SHORT = {name[:3]: number for name, number in _ENGLISH.items()} | {"sept": 9, "okt": 10, "dez": 12, "mrz": 3}
_MONTHS = {**_SHORT, **_ENGLISH, **_GERMAN}
_DAYS = {name: number for number, name in enumerate(WEEKDAYS)} | {
    "montag": 0, "dienstag": 1, "mittwoch": 2, "donnerstag": 3, "freitag": 4, "samstag": 5, "sonnabend": 5,
    "sonntag": 6,
}  # fmt: skip
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
    "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
}  # fmt: skip
_UNITS = {
    "day": 1, "days": 1, "tag": 1, "tage": 1, "tagen": 1, "week": 7, "weeks": 7, "woche": 7, "wochen": 7, "month": 30,
    "months": 30, "monat": 30, "monate": 30, "monaten": 30, "year": 365, "years": 365, "jahr": 365, "jahre": 365,
    "jahren": 365,
}  # fmt: skip
_WORDS = {
    "today": "today", "now": "today", "heute": "today", "this morning": "today", "yesterday": "yesterday",
    "gestern": "yesterday", "last night": "yesterday", "the day before yesterday": "before", "vorgestern": "before",
}  # fmt: skip
_PERIODS = {"week": "week", "woche": "week", "month": "month", "monat": "month", "year": "year", "jahr": "year",
            "weekend": "weekend", "wochenende": "weekend"}  # fmt: skip


def _any(names: object) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))  # type: ignore[call-overload]


_day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_month = rf"(?P<month>{_any(_MONTHS)})\b\.?"
_year = r"(?P<year>\d{4})"
_last = r"(?:last|past|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)"
_this = r"(?:this|diese[nrsm]?)"
_number = rf"(?P<number>\d{{1,4}}|{_any(_NUMBERS)})"
_unit = rf"(?P<unit>{_any(_UNITS)})"
# Every way to write a time, as it may stand within a sentence.
_FORMS = {
    "iso": r"\d{4}-\d{2}-\d{2}",
    "iso_month": r"\d{4}-\d{2}",
    "day_month": rf"(?P<on>(?:on |the |am |den |der )*){_day} (?P<of>of )?{_month}(?:,? {_year})?",
    "month_day": rf"(?P<on>(?:on )?){_month} {_day}(?:,? {_year})?",
    "month_year": rf"(?:in |im |during )?{_month},? {_year}",
    "month": rf"(?:in|im|during|last|letzten|vergangenen) (?P<month>{_any({**_ENGLISH, **_GERMAN})})",
    "year": r"(?:in|im jahr) (?P<year>(?:19|20)\d{2})(?= ?(?:$|[.,;:!?]))",
    "word": rf"(?P<word>{_any(_WORDS)})",
    "counted": rf"(?:{_number} {_unit} ago|vor (?P<vor>\d{{1,4}}|{_any(_NUMBERS)}) (?P<vor_unit>{_any(_UNITS)}))",
    "lasting": rf"(?:(?:the|die|in den|in the) )?{_last} {_number} {_unit}",
    "last": rf"(?:(?:the|die|der|das|den) )?{_last} (?P<period>{_any(_PERIODS)})",
    "this": rf"{_this} (?P<period>{_any(_PERIODS)})",
    "weekday": rf"{_last} (?P<weekday>{_any(_DAYS)})",
}
# What only a date field may hold; in a sentence, these words mean other things.
_ALONE = {
    "year": r"(?:in |im jahr )?(?P<year>\d{4})",
    "month": r"(?:in |im |last )?(?P<month>\w{3,})\.?",
    "weekday": rf"(?:on |am |{_last} )?(?P<weekday>{_any(_DAYS)})",
    "since": rf"(?:{_last} )?{_number} {_unit}",
}
_CLOCK = re.compile(r"(\d{4}-\d{2}-\d{2})[t ].*")


@cache
def _within() -> list[tuple[str, re.Pattern[str]]]:
    """The forms as they stand within a sentence. Compiling takes some milliseconds."""
    return [(name, re.compile(rf"\b{form}(?!\w)", re.IGNORECASE)) for name, form in _FORMS.items()]


@cache
def _alone() -> list[tuple[str, re.Pattern[str]]]:
    return [(name, re.compile(form, re.IGNORECASE)) for name, form in (_FORMS | _ALONE).items()]


class Span(NamedTuple):
    """A range of whole days, both ends included."""

    first: date
    last: date


class NamedTime(NamedTuple):
    """A time that a text names: as it was written, what it means, and the text without it."""

    phrase: str
    span: Span
    rest: str


def span(text: str, *, today: date) -> Span:
    """Return the days that a word for a time means, seen from `today`."""
    words = " ".join(text.lower().split())
    if clock := _CLOCK.fullmatch(words):
        words = clock[1]
    for name, pattern in _alone():
        found = pattern.fullmatch(words)
        meant = _meant(name, found, today) if found else None
        if meant:
            return meant
    raise QueryError(
        f"{text!r} is not a date that Memoro knows. Write 2026-03-05, 2026-03, 2026, today, yesterday, "
        '"last week", "3 days ago", "5 March 2026", "May 2026" or a weekday.'
    )


def named_in(text: str, *, today: date) -> NamedTime | None:
    """Return the first time that a text names, such as "last week"; of two that begin alike, the longer."""
    best: tuple[int, int, NamedTime] | None = None
    for name, pattern in _within():
        for found in pattern.finditer(text):
            if _is_other_word(name, found):
                continue
            meant = _meant(name, found, today)
            if meant is None:
                continue
            place = (found.start(), -len(found[0]))
            if best is None or place < best[:2]:
                rest = text[: found.start()] + text[found.end() :]
                best = (*place, NamedTime(found[0], meant, rest))
            break
    return best[2] if best else None


def _is_other_word(name: str, found: re.Match[str]) -> bool:
    """Return whether "may" or "march" is a verb here: written small, with neither a year nor "on" or "of"."""
    if name not in ("day_month", "month_day") or found["month"] not in ("may", "march", "mar"):
        return False
    told = found.groupdict()
    return not (told["year"] or told["on"] or told.get("of"))


def _meant(name: str, found: re.Match[str], today: date) -> Span | None:
    told = found.groupdict()
    try:
        return _READ[name](found[0].lower(), {key: value.lower() for key, value in told.items() if value}, today)
    except (ValueError, OverflowError, KeyError, StopIteration):  # 31 February, or a word that is no month
        return None


def _iso(text: str, _told: dict[str, str], _today: date) -> Span:
    day = date.fromisoformat(text)
    return Span(day, day)


def _iso_month(text: str, _told: dict[str, str], _today: date) -> Span:
    year, _, month = text.partition("-")
    return _month_span(int(year), int(month))


def _calendar_day(_text: str, told: dict[str, str], today: date) -> Span:
    """A day; without a year, the last time that it was."""
    day, month = int(told["day"]), _MONTHS[told["month"]]
    if "year" in told:
        when = date(int(told["year"]), month, day)
        return Span(when, when)
    years = range(today.year, max(0, today.year - 8), -1)  # 29 February may be that far back
    when = next(d for year in years if (d := _real(year, month, day)) and d <= today)
    return Span(when, when)


def _real(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _calendar_month(_text: str, told: dict[str, str], today: date) -> Span:
    """A month; without a year, the last one that has begun."""
    name = told["month"]
    month = _MONTHS.get(name) or next(number for full, number in _ENGLISH.items() if full.startswith(name))
    year = int(told["year"]) if "year" in told else today.year - (month > today.month)
    return _month_span(year, month)


def _calendar_year(_text: str, told: dict[str, str], _today: date) -> Span:
    year = int(told["year"])
    return Span(date(year, 1, 1), date(year, 12, 31))


def _word(_text: str, told: dict[str, str], today: date) -> Span:
    back = {"today": 0, "yesterday": 1, "before": 2}[_WORDS[told["word"]]]
    day = today - timedelta(days=back)
    return Span(day, day)


def _counted(_text: str, told: dict[str, str], today: date) -> Span:
    number, unit = told.get("number") or told["vor"], told.get("unit") or told["vor_unit"]
    then = today - timedelta(days=_count(number) * _UNITS[unit])
    return Span(then, then)


def _lasting(_text: str, told: dict[str, str], today: date) -> Span:
    return Span(today - timedelta(days=_count(told["number"]) * _UNITS[told["unit"]]), today)


def _count(number: str) -> int:
    return int(number) if number.isdigit() else _NUMBERS[number]


def _this_period(_text: str, told: dict[str, str], today: date) -> Span:
    match _PERIODS[told["period"]]:
        case "week":
            return Span(today - timedelta(days=today.weekday()), today)
        case "month":
            return Span(today.replace(day=1), today)
        case "year":
            return Span(today.replace(month=1, day=1), today)
    saturday = today - timedelta(days=today.weekday()) + timedelta(days=5)
    return Span(saturday, saturday + timedelta(days=1))


def _last_period(text: str, told: dict[str, str], today: date) -> Span:
    monday, day = today - timedelta(days=today.weekday()), timedelta(days=1)
    period = _PERIODS[told["period"]]
    if "past" in text.split():
        return Span(today - timedelta(days={"week": 7, "month": 30, "year": 365, "weekend": 7}[period]), today)
    match period:
        case "week":
            return Span(monday - 7 * day, monday - day)
        case "month":
            before = today.replace(day=1) - day
            return _month_span(before.year, before.month)
        case "year":
            return Span(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
    return Span(monday - 2 * day, monday - day)


def _weekday(_text: str, told: dict[str, str], today: date) -> Span:
    back = (today.weekday() - _DAYS[told["weekday"]]) % 7 or 7
    day = today - timedelta(days=back)
    return Span(day, day)


def _month_span(year: int, month: int) -> Span:
    first = date(year, month, 1)
    last = date(year, 12, 31) if month == 12 else date(year, month + 1, 1) - timedelta(days=1)
    return Span(first, last)


_READ = {
    "iso": _iso,
    "iso_month": _iso_month,
    "day_month": _calendar_day,
    "month_day": _calendar_day,
    "month_year": _calendar_month,
    "month": _calendar_month,
    "year": _calendar_year,
    "word": _word,
    "counted": _counted,
    "lasting": _lasting,
    "since": _lasting,
    "last": _last_period,
    "this": _this_period,
    "weekday": _weekday,
}

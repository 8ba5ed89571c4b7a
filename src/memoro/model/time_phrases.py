"""Times that people write in words: "last week", "3 July 2023", "vor zwei Tagen"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from memoro.errors import QueryError
from memoro.model.calendar_words import (
    ENGLISH_MONTHS,
    LONG_MONTHS,
    MONTH_NUMBERS,
    WEEKDAY_NUMBERS,
    Span,
    any_of,
    last_begun,
    months_span,
)
from memoro.model.written_dates import ALONE as _WRITTEN_ALONE
from memoro.model.written_dates import FORMS as _WRITTEN
from memoro.model.written_dates import READERS as _WRITTEN_READERS
from memoro.model.written_dates import Told

NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
    "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "a couple of": 2, "a few": 3, "few": 3, "several": 4,
    "ein paar": 3, "einigen": 3,
}  # fmt: skip
UNIT_DAYS = {
    "day": 1, "days": 1, "tag": 1, "tage": 1, "tagen": 1, "week": 7, "weeks": 7, "woche": 7, "wochen": 7, "month": 30,
    "months": 30, "monat": 30, "monate": 30, "monaten": 30, "year": 365, "years": 365, "jahr": 365, "jahre": 365,
    "jahren": 365,
}  # fmt: skip
_WORDS = {
    "today": "today", "now": "today", "heute": "today", "this morning": "today", "yesterday": "yesterday",
    "gestern": "yesterday", "last night": "yesterday", "the day before yesterday": "before", "vorgestern": "before",
}  # fmt: skip
_PERIODS = {"week": "week", "woche": "week", "month": "month", "monat": "month", "year": "year", "jahr": "year",
            "weekend": "weekend", "wochenende": "weekend", "quarter": "quarter", "quartal": "quarter"}  # fmt: skip


_day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_month = rf"(?P<month>{any_of(MONTH_NUMBERS)})\b\.?"
_year = r"(?P<year>\d{4})"
_last = r"(?:last|past|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)"
_this = r"(?:this|diese[nrsm]?)"
_number = rf"(?P<number>\d{{1,4}}|{any_of(NUMBERS)})"
_unit = rf"(?P<unit>{any_of(UNIT_DAYS)})"
# A month or a year after one of these words is a time: "before June", "seit März", "between May and July".
_RELATED = ("since", "before", "after", "until", "till", "by", "from", "between", "seit", "vor", "nach", "bis", "ab",
            "von", "zwischen")  # fmt: skip
_after = "(?:" + "|".join(rf"(?<=\b{word} )" for word in _RELATED) + ")"
# Every way to write a time, as it may stand within a sentence.
_FORMS = {
    "iso": r"\d{4}-\d{2}-\d{2}",
    "iso_month": r"\d{4}-\d{2}",
    "day_month": rf"(?P<on>(?:on |the |am |den |der )*){_day} (?P<of>of )?{_month}(?:,? {_year})?",
    "month_day": rf"(?P<on>(?:on )?){_month} {_day}(?:,? {_year})?",
    "month_year": rf"(?:in |im |during )?{_month},? {_year}",
    "month": rf"(?:in|im|during|last|letzten|vergangenen) (?P<month>{any_of(LONG_MONTHS)})",
    "month_after": rf"{_after}(?P<month>{any_of(LONG_MONTHS)})",
    "year_after": rf"{_after}(?P<year>(?:19|20)\d{{2}})(?![-/.]?\d)",
    "year": r"(?:in|im jahr) (?P<year>(?:19|20)\d{2})(?= ?(?:$|[.,;:!?]))",
    "word": rf"(?P<word>{any_of(_WORDS)})",
    "counted": (
        rf"(?:{_number} {_unit} ago|vor (?P<vor>\d{{1,4}}|{any_of(NUMBERS)}) (?P<vor_unit>{any_of(UNIT_DAYS)}))"
    ),
    "lasting": rf"(?:(?:the|die|in den|in the) )?{_last} {_number} {_unit}",
    "last": rf"(?:(?:the|die|der|das|den) )?{_last} (?P<period>{any_of(_PERIODS)})",
    "this": rf"{_this} (?P<period>{any_of(_PERIODS)})",
    "weekday": rf"{_last} (?P<weekday>{any_of(WEEKDAY_NUMBERS)})",
    "past_weekday": rf"(?:on |am |(?<=\bsince )|(?<=\bseit ))(?P<weekday>{any_of(WEEKDAY_NUMBERS)})",
    **_WRITTEN,
}
_JOINED = re.compile(r"(?i)(?:\s*[-–]\s*|\s+(?:to|and|until|till|through|bis|und)\s+)")
_FROM = re.compile(r"(?i)\b(?:from|between|von|vom|zwischen) $")
# A weekday by itself may be any: in a question about the past, it is the last one.
_PAST_QUESTION = re.compile(
    r"(?i)\b(?:did|was|were|had|(?:what|who) (?:happened|said|told|wrote|decided|changed)|what's (?:happened|changed)"
    r"|habe?n? (?:ich|wir|sie)|hat(?:te|ten)?|hast du|waren?|wurden?|ist \w+ passiert|passiert)\b"
)
# What only a date field may hold; in a sentence, these words mean other things.
_ALONE = {
    "year": r"(?:in |im jahr )?(?P<year>\d{4})",
    "month": r"(?:in |im |last )?(?P<month>\w{3,})\.?",
    "weekday": rf"(?:on |am |{_last} )?(?P<weekday>{any_of(WEEKDAY_NUMBERS)})",
    "since": rf"(?:{_last} )?{_number} {_unit}",
    "season_alone": _WRITTEN_ALONE["season"],
}
_CLOCK = re.compile(r"(\d{4}-\d{2}-\d{2})[t ].*")


@cache
def _within() -> list[tuple[str, re.Pattern[str]]]:
    """The forms as they stand within a sentence. Compiling takes some milliseconds."""
    return [(name, re.compile(rf"\b{form}(?!\w)", re.IGNORECASE)) for name, form in _FORMS.items()]


@cache
def _alone() -> list[tuple[str, re.Pattern[str]]]:
    return [(name, re.compile(form, re.IGNORECASE)) for name, form in (_FORMS | _ALONE).items()]


class NamedTime(NamedTuple):
    """A time that a text names: as it was written, what it means, and the text without it."""

    phrase: str
    span: Span
    rest: str
    about: int = 0  # days by which it may be off: "three weeks ago" is seldom that very day


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
    best: tuple[int, int, str, re.Match[str], Span] | None = None
    for name, pattern in _within():
        for found in pattern.finditer(text):
            if _is_other_word(name, found):
                continue
            meant = _meant(name, found, today)
            if meant is None:
                continue
            if best is None or (found.start(), -len(found[0])) < best[:2]:
                best = (found.start(), -len(found[0]), name, found, meant)
            break
    return _named(text, best[2], best[3], best[4], today) if best else None


def _named(text: str, name: str, found: re.Match[str], meant: Span, today: date) -> NamedTime:
    start, end = found.span()
    joined = _FROM.search(text[:start]) and _JOINED.match(text, end)
    second = _at(text, joined.end(), today) if joined else None
    if second:
        meant, end = _through(meant, second[0]), second[1]
    rest = text[:start] + text[end:]
    return NamedTime(phrase=text[start:end], span=meant, rest=rest, about=_tolerance(name, found))


def _at(text: str, start: int, today: date) -> tuple[Span, int] | None:
    """Return the days that the words from here on mean, as many of them as can be, and where they end."""
    words = list(re.finditer(r"[^\s?!,;:()]+", text[start:]))[:4]
    for last in reversed(words):
        try:
            return span(text[start : start + last.end()].rstrip("."), today=today), start + last.end()
        except QueryError:
            continue
    return None


def _through(first: Span, last: Span) -> Span:
    """Return the days from the one to the other. Of "March to May 2024", the year stands with the second alone."""
    begin = first.first
    if begin > last.last:
        begin = _real(last.last.year, begin.month, begin.day) or last.first
    return Span(min(begin, last.first), last.last)


def _tolerance(name: str, found: re.Match[str]) -> int:
    if name != "counted":
        return 0
    unit = (found["unit"] or found["vor_unit"]).lower()
    return UNIT_DAYS[unit] // 2 if UNIT_DAYS[unit] > 1 else 0


def _is_other_word(name: str, found: re.Match[str]) -> bool:
    """Return whether this names no time: "may" and "march" are verbs if written small, with neither a year nor "on".

    A weekday names a day of the past only in a question about the past.
    """
    if name == "season":
        return found[0].endswith("in Spring")  # written large, it is mostly a framework
    if name == "month_after":
        return found["month"] in ("may", "march")
    if name == "past_weekday":
        return not _PAST_QUESTION.search(found.string)
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


def _iso(text: str, _told: Told, _today: date) -> Span:
    day = date.fromisoformat(text)
    return Span(day, day)


def _iso_month(text: str, _told: Told, _today: date) -> Span:
    year, _, month = text.partition("-")
    return months_span(int(year), int(month))


def _calendar_day(_text: str, told: Told, today: date) -> Span:
    """A day; without a year, the last time that it was."""
    day, month = int(told["day"]), MONTH_NUMBERS[told["month"]]
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


def _calendar_month(_text: str, told: Told, today: date) -> Span:
    """A month; without a year, the last one that has begun."""
    name = told["month"]
    month = MONTH_NUMBERS.get(name) or next(
        number for full, number in ENGLISH_MONTHS.items() if full.startswith(name)
    )
    year = int(told["year"]) if "year" in told else last_begun(month, today)
    return months_span(year, month)


def _calendar_year(_text: str, told: Told, _today: date) -> Span:
    year = int(told["year"])
    return Span(date(year, 1, 1), date(year, 12, 31))


def _word(_text: str, told: Told, today: date) -> Span:
    back = {"today": 0, "yesterday": 1, "before": 2}[_WORDS[told["word"]]]
    day = today - timedelta(days=back)
    return Span(day, day)


def _counted(_text: str, told: Told, today: date) -> Span:
    number, unit = told.get("number") or told["vor"], told.get("unit") or told["vor_unit"]
    then = today - timedelta(days=count(number) * UNIT_DAYS[unit])
    return Span(then, then)


def _lasting(_text: str, told: Told, today: date) -> Span:
    return Span(today - timedelta(days=count(told["number"]) * UNIT_DAYS[told["unit"]]), today)


def count(number: str) -> int:
    return int(number) if number.isdigit() else NUMBERS[number]


def _this_period(_text: str, told: Told, today: date) -> Span:
    match _PERIODS[told["period"]]:
        case "week":
            return Span(today - timedelta(days=today.weekday()), today)
        case "month":
            return Span(today.replace(day=1), today)
        case "year":
            return Span(today.replace(month=1, day=1), today)
        case "quarter":
            return Span(_quarter(today).first, today)
    saturday = today - timedelta(days=today.weekday()) + timedelta(days=5)
    return Span(saturday, saturday + timedelta(days=1))


def _last_period(text: str, told: Told, today: date) -> Span:
    monday, day = today - timedelta(days=today.weekday()), timedelta(days=1)
    period = _PERIODS[told["period"]]
    if "past" in text.split():
        return Span(
            today - timedelta(days={"week": 7, "month": 30, "year": 365, "weekend": 7, "quarter": 91}[period]), today
        )
    match period:
        case "week":
            return Span(monday - 7 * day, monday - day)
        case "month":
            before = today.replace(day=1) - day
            return months_span(before.year, before.month)
        case "year":
            return Span(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
        case "quarter":
            return _quarter(_quarter(today).first - day)
    return Span(monday - 2 * day, monday - day)


def _weekday(_text: str, told: Told, today: date) -> Span:
    back = (today.weekday() - WEEKDAY_NUMBERS[told["weekday"]]) % 7 or 7
    day = today - timedelta(days=back)
    return Span(day, day)


def _quarter(day: date) -> Span:
    return months_span(day.year, (day.month - 1) // 3 * 3 + 1, 3)


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
    "month_after": _calendar_month,
    "year_after": _calendar_year,
    "weekday": _weekday,
    "past_weekday": _weekday,
    **_WRITTEN_READERS,
    "season_alone": _WRITTEN_READERS["season"],
}

"""The last day on which a statement holds by its own words: "until 3 May 2026", "bis Freitag", "this week". Pure."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from memoro.model.calendar_words import MONTH_NUMBERS, WEEKDAY_NUMBERS, any_of, months_span

_UNTIL = (
    r"\b(?:until|till|through|up to|valid (?:to|until)|expires?(?: on)?|ends?(?: on)?|bis(?: zum| einschließlich)?"
    r"|gültig bis|läuft bis)"
)
_DAY = (
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)(?!\d)"
    rf"|(?P<dots_day>\d{{1,2}})\.(?P<dots_month>\d{{1,2}})\.(?P<dots_year>(?:19|20)\d\d)?(?!\d)"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th"
    rf"|\.)? (?:of )?(?P<month>{any_of(MONTH_NUMBERS)})\b\.?(?:,? (?P<year>(?:19|20)\d\d))?"
    rf"|(?P<month_first>{any_of(MONTH_NUMBERS)})\b\.? (?P<day_after>\d{{1,2}})(?:st|nd|rd"
    rf"|th)?(?!\d)(?:,? (?P<year_after>(?:19|20)\d\d))?"
    rf"|(?:the end of |ende )?(?P<only_month>{any_of(MONTH_NUMBERS)})\b(?: (?P<only_year>(?:19|20)\d\d))?"
    rf"|(?:next |nächsten? |kommenden? )?(?P<weekday>{any_of(WEEKDAY_NUMBERS)})\b"
    r"|(?P<word>tomorrow|tonight|today|heute|morgen|the end of the (?:week|month|year)|next (?:week|month|year)"
    r"|ende (?:der woche|des monats|des jahres)|nächste woche|nächsten monat)\b)"
)
_ENDS = re.compile(rf"(?i){_UNTIL} (?:the |on |den |zum |including )?{_DAY}")
_CHINESE_END = re.compile(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号](?:之?前|为止|止)")
# Times that pass by themselves. "This week" tells nothing in a rule that speaks of every week.
_PASSING = re.compile(
    r"(?i)\b(?:(?P<day>today|tonight|this (?:morning|afternoon|evening)|heute(?: abend| morgen)?)"
    r"|(?P<next_day>tomorrow)"
    r"|(?P<week>this week|diese woche)|(?P<next_week>next week|nächste woche)"
    r"|(?P<month>this month|diesen monat)|(?P<next_month>next month|nächsten monat)"
    r"|(?P<year>this year|dieses jahr))\b"
    r"|(?P<zh_day>今天|今晚)|(?P<zh_next>明天)|(?P<zh_week>这周|本周)|(?P<zh_next_week>下周)"
)
_HABIT = re.compile(
    r"(?i)\b(?:always|never|every|each|whenever|usually|must|should|immer|nie|niemals|jede[nrsm]?|stets|wenn)\b"
    r"|每|总是|一律"
)


class SaidEnd(NamedTuple):
    """The words that limit a statement, and the last day that they name."""

    words: str
    last: date


def said_end(text: str, said: date) -> SaidEnd | None:
    """Return the last day on which a statement from that day holds by its own words; None where it has no end.

    Without a year, the first such day from then on is meant. A rule that speaks of every week has no end.
    """
    found = _ENDS.search(text)
    if found and (last := _named_day(found, said)):
        return SaidEnd(found[0], last)
    chinese = _CHINESE_END.search(text)
    if chinese and (last := _day_of(chinese["y"], int(chinese["m"]), int(chinese["d"]), said)):
        return SaidEnd(chinese[0], last)
    passing = None if _HABIT.search(text) else _PASSING.search(text)
    if passing and passing.lastgroup:
        return SaidEnd(passing[0], _end_of(passing.lastgroup.replace("zh_", ""), said))
    return None


def _named_day(found: re.Match[str], said: date) -> date | None:
    told = found.groupdict()
    if told["iso"]:
        return _iso(told["iso"])
    if told["dots_day"]:
        return _day_of(told["dots_year"], int(told["dots_month"]), int(told["dots_day"]), said)
    if told["month"]:
        return _day_of(told["year"], MONTH_NUMBERS[told["month"].lower()], int(told["day"]), said)
    if told["month_first"]:
        month = MONTH_NUMBERS[told["month_first"].lower()]
        return _day_of(told["year_after"], month, int(told["day_after"]), said)
    if told["only_month"]:
        month = MONTH_NUMBERS[told["only_month"].lower()]
        year = int(told["only_year"]) if told["only_year"] else said.year + (month < said.month)
        return months_span(year, month).last
    if told["weekday"]:
        days = (WEEKDAY_NUMBERS[told["weekday"].lower()] - said.weekday()) % 7
        return said + timedelta(days=days or 7)
    return _end_of(_WORDS.get(told["word"].lower(), "day"), said)


_WORDS = {
    "tomorrow": "next_day", "morgen": "next_day", "the end of the week": "week", "ende der woche": "week",
    "the end of the month": "month", "ende des monats": "month", "the end of the year": "year",
    "ende des jahres": "year", "next week": "next_week", "nächste woche": "next_week", "next month": "next_month",
    "nächsten monat": "next_month", "next year": "next_year",
}  # fmt: skip


def _end_of(period: str, said: date) -> date:
    """Return the last day of a period that is named from a day on."""
    sunday = said + timedelta(days=6 - said.weekday())
    match period:
        case "next_day" | "next":
            return said + timedelta(days=1)
        case "week":
            return sunday
        case "next_week":
            return sunday + timedelta(days=7)
        case "month":
            return months_span(said.year, said.month).last
        case "next_month":
            return months_span(said.year, said.month, 2).last
        case "year":
            return date(said.year, 12, 31)
        case "next_year":
            return date(min(said.year + 1, 9999), 12, 31)
    return said


def _day_of(year: str | None, month: int, day: int, said: date) -> date | None:
    try:
        if year:
            return date(int(year), month, day)
        this = date(said.year, month, day)
        return this if this >= said else date(said.year + 1, month, day)
    except ValueError:  # 31 February
        return None


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None

"""Dates that people write are read as the days they mean, or refused by a sentence."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.errors import QueryError
from memoro.model.calendar_words import Span
from memoro.model.dates import MONTHS, WEEKDAYS, find_date, in_words
from memoro.model.time_hints import may_name_time
from memoro.model.time_phrases import named_in, span

THURSDAY = date(2026, 3, 5)
days = st.dates()


def on(year: int, month: int, day: int) -> date:
    return date(year, month, day)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-03-05", "2026-03-05"),
        ("meeting 2026-03-05 with Ana.md", "2026-03-05"),
        ("2026-03-05T10-30-00-telegram.md", "2026-03-05"),
        ("2024-02-29", "2024-02-29"),
        ("2026-02-31 or 2026-03-01", "2026-03-01"),
        ("2026-02-29", None),
        ("2026-02-31", None),
        ("2026-13-01", None),
        ("0000-01-01", None),
        ("12026-03-05", None),
        ("2026-03-051", None),
        ("2026-3-5", None),
        ("", None),
    ],
)
def test_the_first_real_date_is_found_and_an_impossible_one_is_none(text: str, found: str | None) -> None:
    assert find_date(text) == found


@given(day=days, before=st.text("a -_.", max_size=5), after=st.text("a -_.T", max_size=5))
def test_any_date_is_found_in_any_name(day: date, before: str, after: str) -> None:
    assert find_date(f"{before}{day.isoformat()}{after}") == day.isoformat()


@given(text=st.text(max_size=60) | st.text("0123456789-", max_size=30) | st.from_regex(r"\d{4}-\d{2}-\d{2}"))
@example("٢٠٢٦-٠٣-٠٥")
def test_what_is_found_in_any_text_is_a_real_date(text: str) -> None:
    found = find_date(text)
    assert found is None or date.fromisoformat(found).isoformat() == found


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-03-05", on(2026, 3, 5), on(2026, 3, 5)),
        ("2026-03-05T10:30", on(2026, 3, 5), on(2026, 3, 5)),
        ("2026-03-05 10:30", on(2026, 3, 5), on(2026, 3, 5)),
        ("2024-02", on(2024, 2, 1), on(2024, 2, 29)),
        ("2026-02", on(2026, 2, 1), on(2026, 2, 28)),
        ("2026-12", on(2026, 12, 1), on(2026, 12, 31)),
        ("9999-12", on(9999, 12, 1), on(9999, 12, 31)),
        ("2026", on(2026, 1, 1), on(2026, 12, 31)),
        ("today", THURSDAY, THURSDAY),
        ("Now", THURSDAY, THURSDAY),
        ("yesterday", on(2026, 3, 4), on(2026, 3, 4)),
        ("this week", on(2026, 3, 2), THURSDAY),
        ("last week", on(2026, 2, 23), on(2026, 3, 1)),
        ("  Last   WEEK ", on(2026, 2, 23), on(2026, 3, 1)),
        ("this month", on(2026, 3, 1), THURSDAY),
        ("last month", on(2026, 2, 1), on(2026, 2, 28)),
        ("this year", on(2026, 1, 1), THURSDAY),
        ("last year", on(2025, 1, 1), on(2025, 12, 31)),
        ("3 days ago", on(2026, 3, 2), on(2026, 3, 2)),
        ("1 day ago", on(2026, 3, 4), on(2026, 3, 4)),
        ("0 days ago", THURSDAY, THURSDAY),
        ("2 weeks ago", on(2026, 2, 19), on(2026, 2, 19)),
        ("last 7 days", on(2026, 2, 26), THURSDAY),
        ("the past 2 weeks", on(2026, 2, 19), THURSDAY),
        ("3 months", on(2025, 12, 5), THURSDAY),
        ("May 2026", on(2026, 5, 1), on(2026, 5, 31)),
        ("may, 2026", on(2026, 5, 1), on(2026, 5, 31)),
        ("in Sept. 2025", on(2025, 9, 1), on(2025, 9, 30)),
        ("december 2025", on(2025, 12, 1), on(2025, 12, 31)),
        ("february", on(2026, 2, 1), on(2026, 2, 28)),
        ("march", on(2026, 3, 1), on(2026, 3, 31)),
        ("april", on(2025, 4, 1), on(2025, 4, 30)),
        ("monday", on(2026, 3, 2), on(2026, 3, 2)),
        ("last friday", on(2026, 2, 27), on(2026, 2, 27)),
        ("on Wednesday", on(2026, 3, 4), on(2026, 3, 4)),
        ("thursday", on(2026, 2, 26), on(2026, 2, 26)),
    ],
)
def test_a_word_for_a_time_means_whole_days(text: str, first: date, last: date) -> None:
    assert span(text, today=THURSDAY) == Span(first, last)


@pytest.mark.parametrize(
    ("text", "today", "first", "last"),
    [
        ("yesterday", on(2026, 1, 1), on(2025, 12, 31), on(2025, 12, 31)),
        ("last week", on(2026, 1, 1), on(2025, 12, 22), on(2025, 12, 28)),
        ("this week", on(2026, 1, 1), on(2025, 12, 29), on(2026, 1, 1)),
        ("last month", on(2026, 1, 31), on(2025, 12, 1), on(2025, 12, 31)),
        ("december", on(2026, 1, 1), on(2025, 12, 1), on(2025, 12, 31)),
        ("3 days ago", on(2026, 1, 2), on(2025, 12, 30), on(2025, 12, 30)),
        ("sunday", on(2026, 1, 1), on(2025, 12, 28), on(2025, 12, 28)),
    ],
)
def test_the_year_may_end_in_between(text: str, today: date, first: date, last: date) -> None:
    assert span(text, today=today) == Span(first, last)


@pytest.mark.parametrize(
    ("text", "today", "first", "last"),
    [
        ("yesterday", on(2024, 3, 1), on(2024, 2, 29), on(2024, 2, 29)),
        ("last month", on(2024, 3, 31), on(2024, 2, 1), on(2024, 2, 29)),
        ("last year", on(2024, 2, 29), on(2023, 1, 1), on(2023, 12, 31)),
        ("this year", on(2024, 2, 29), on(2024, 1, 1), on(2024, 2, 29)),
        ("february", on(2024, 2, 29), on(2024, 2, 1), on(2024, 2, 29)),
    ],
)
def test_a_leap_day_is_a_day_like_any_other(text: str, today: date, first: date, last: date) -> None:
    assert span(text, today=today) == Span(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "", "soon", "2026-02-30", "2026-13", "0000", "20260305", "2026-03-05x", "last", "ma", "99999 days ago",
        "9999 years ago", "mayday", "32 may", "-3 days ago", "3 fortnights ago", "monday 2026", "２０２６-02-30",
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused_with_examples_of_what_is(text: str) -> None:
    with pytest.raises(QueryError, match="last week"):
        span(text, today=THURSDAY)


PIECES = (
    *MONTHS,
    *WEEKDAYS,
    *("last", "this", "ago", "day", "weeks", "month", "years", "the", "in", "on", "today", "T10", ","),
    *("2026", "2026-02-", "02", "-", "31", "0", "9999", "1", "-12", "-00", "٣"),
)
like_dates = st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join) | st.from_regex(
    r"\A\d{4}(-\d{2}(-\d{2})?)?\Z"
)


@given(text=st.text(max_size=40) | like_dates, today=days)
@example("last week", date.min)
@example("yesterday", date.min)
@example("this week", date.min)
@example("last year", date.min)
@example("9999-12-31", date.max)
@example("december 9999", date.max)
def test_any_string_gives_days_in_their_order_or_a_query_error(text: str, today: date) -> None:
    try:
        found = span(text, today=today)
    except QueryError:
        return
    assert found.first <= found.last


@given(today=days)
def test_a_weekday_is_that_day_of_the_week_before_today(today: date) -> None:
    today = max(today, date.min + timedelta(days=7))
    for index, name in enumerate(WEEKDAYS):
        day = span(name, today=today).first
        assert day.weekday() == index
        assert 1 <= (today - day).days <= 7


@given(today=st.dates(min_value=date(2, 1, 1)))
def test_last_week_is_the_seven_days_before_this_week(today: date) -> None:
    last, this = span("last week", today=today), span("this week", today=today)
    assert (last.last - last.first).days == 6
    assert last.last + timedelta(days=1) == this.first
    assert last.first.weekday() == 0


@given(day=days)
def test_every_day_is_within_its_month_and_its_year(day: date) -> None:
    for text in (f"{day:%Y-%m-%d}".zfill(10), f"{day.year:04}-{day.month:02}", f"{day.year:04}"):
        found = span(text, today=THURSDAY)
        assert found.first <= day <= found.last


def test_a_date_in_words_has_what_people_ask_for() -> None:
    assert in_words("2026-03-03") == "2026 03 03 march tuesday"


@given(day=days)
def test_a_date_in_words_names_its_month_and_weekday(day: date) -> None:
    words = in_words(day.isoformat()).split()
    assert [int(number) for number in words[:3]] == [day.year, day.month, day.day]
    assert words[3:] == [MONTHS[day.month - 1], WEEKDAYS[day.weekday()]]


# --- times in sentences ---------------------------------------------------------------------------------

MONTHS_DE = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
             "November", "Dezember")  # fmt: skip
recent = st.dates(date(1000, 1, 1), date(9000, 12, 31))


def ways_to_write(day: date) -> list[str]:
    name = MONTHS[day.month - 1].capitalize()
    return [
        f"{day.day} {name} {day.year}", f"{day.day} {name[:3]} {day.year}", f"{name} {day.day}, {day.year}",
        f"{day.day} {name}, {day.year}", f"the {day.day}th of {name} {day.year}", f"{name[:3]} {day.day} {day.year}",
        f"{day.day} {name.lower()} {day.year}", f"am {day.day}. {MONTHS_DE[day.month - 1]} {day.year}",
        f"{day.day}. {MONTHS_DE[day.month - 1]} {day.year}", day.isoformat(),
        *([f"{day.day}.{day.month}.{day.year}", f"am {day.day:02}.{day.month:02}.{day.year}",
           f"{day.year}/{day.month:02}/{day.day:02}"] if 1900 <= day.year < 2100 else []),
    ]  # fmt: skip


@given(day=recent, today=recent)
def test_every_way_to_write_a_day_means_that_day_alone_and_in_a_sentence(day: date, today: date) -> None:
    for text in ways_to_write(day):
        assert span(text, today=today) == Span(day, day), text
        found = named_in(f"what did we decide {text}?", today=today)
        assert found is not None and found.span == Span(day, day), text
        assert found.rest.strip() in ("what did we decide ?", "what did we decide the ?"), text


@given(day=recent, today=recent)
def test_a_day_or_a_month_without_a_year_is_the_last_one(day: date, today: date) -> None:
    name = MONTHS[day.month - 1].capitalize()
    found = named_in(f"on {day.day} {name}", today=today)
    assert found is not None
    assert (found.span.last.month, found.span.last.day) == (day.month, day.day)
    assert found.span.last <= today and today.year - found.span.last.year <= 8
    for text in (f"in {name}", f"im {MONTHS_DE[day.month - 1]}", f"last {name}"):
        month = named_in(f"what happened {text}", today=today)
        assert month is not None and month.span.first.month == day.month
        assert month.span.first <= today and (today - month.span.first).days < 366


@given(month=st.integers(1, 12), today=recent)
def test_a_part_of_a_month_lies_within_it_and_the_parts_follow_each_other(month: int, today: date) -> None:
    name = MONTHS[month - 1].capitalize()
    whole = span(f"{name}", today=today)
    early, mid, late = (span(f"{part} {name}", today=today) for part in ("early", "mid", "end of"))
    assert early.first == whole.first and late.last == whole.last
    assert early.last + timedelta(days=1) > mid.first and mid.last >= late.first - timedelta(days=1)


@given(today=recent, season=st.sampled_from(["spring", "summer", "autumn", "winter"]))
def test_a_season_has_begun_and_the_last_one_is_over(today: date, season: str) -> None:
    this, last = span(season, today=today), span(f"last {season}", today=today)
    assert this.first <= today and (today - this.first).days <= 366
    assert last.last < today and (today - last.last).days <= 366
    assert (this.first.month, this.first.day) == (last.first.month, 1)


@given(text=st.text(max_size=80) | st.lists(st.sampled_from(
    ["may", "march", "5", "2023", "on", "in", "last", "week", "the", "second", "of", "June", "31", "ago", "vor",
     "Tagen", "spring", "Q2", "KW", "12", "mid", "between", "and", "bis", "3.5.2025", "quarter"]
)).map(" ".join), today=st.dates())  # fmt: skip
def test_any_text_names_a_time_or_none_and_the_rest_is_the_text_without_it(text: str, today: date) -> None:
    found = named_in(text, today=today)
    if found is not None:
        assert may_name_time(text), "a quick look never misses one"
        assert found.span.first <= found.span.last
        assert found.phrase in text and len(found.rest) + len(found.phrase) == len(text)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did I do last week", on(2026, 2, 23), on(2026, 3, 1)),
        ("was habe ich letzte Woche gemacht", on(2026, 2, 23), on(2026, 3, 1)),
        ("which database this month", on(2026, 3, 1), THURSDAY),
        ("welche Datenbank diesen Monat", on(2026, 3, 1), THURSDAY),
        ("was gab es diese Woche", on(2026, 3, 2), THURSDAY),
        ("in diesem Jahr", on(2026, 1, 1), THURSDAY),
        ("notes of the past week", on(2026, 2, 26), THURSDAY),
        ("gestern", on(2026, 3, 4), on(2026, 3, 4)),
        ("vorgestern Abend", on(2026, 3, 3), on(2026, 3, 3)),
        ("the day before yesterday", on(2026, 3, 3), on(2026, 3, 3)),
        ("two weeks ago", on(2026, 2, 19), on(2026, 2, 19)),
        ("vor zwei Wochen", on(2026, 2, 19), on(2026, 2, 19)),
        ("in the last 10 days", on(2026, 2, 23), THURSDAY),
        ("letzten Montag", on(2026, 3, 2), on(2026, 3, 2)),
        ("letzten Monat", on(2026, 2, 1), on(2026, 2, 28)),
        ("last weekend", on(2026, 2, 28), on(2026, 3, 1)),
        ("in June", on(2025, 6, 1), on(2025, 6, 30)),
        ("in may", on(2025, 5, 1), on(2025, 5, 31)),
        ("March 4", on(2026, 3, 4), on(2026, 3, 4)),
        ("on the 3rd of may", on(2025, 5, 3), on(2025, 5, 3)),
        ("what happened in 2023?", on(2023, 1, 1), on(2023, 12, 31)),
        ("29 February", on(2024, 2, 29), on(2024, 2, 29)),
        ("last spring", on(2025, 3, 1), on(2025, 5, 31)),
        ("what did we drink in the summer", on(2025, 6, 1), on(2025, 8, 31)),
        ("im Sommer 2024", on(2024, 6, 1), on(2024, 8, 31)),
        ("letzten Herbst", on(2025, 9, 1), on(2025, 11, 30)),
        ("winter 2024/25", on(2024, 12, 1), on(2025, 2, 28)),
        ("this fall", on(2025, 9, 1), on(2025, 11, 30)),
        ("the plan for Q2", on(2025, 4, 1), on(2025, 6, 30)),
        ("in Q1 2026", on(2026, 1, 1), on(2026, 3, 31)),
        ("im 2. Quartal 2025", on(2025, 4, 1), on(2025, 6, 30)),
        ("the second quarter of 2025", on(2025, 4, 1), on(2025, 6, 30)),
        ("last quarter", on(2025, 10, 1), on(2025, 12, 31)),
        ("in KW 12", on(2025, 3, 17), on(2025, 3, 23)),
        ("KW 3/2026", on(2026, 1, 12), on(2026, 1, 18)),
        ("calendar week 7", on(2026, 2, 9), on(2026, 2, 15)),
        ("2025-W12", on(2025, 3, 17), on(2025, 3, 23)),
        ("Mitte März", on(2026, 3, 10), on(2026, 3, 20)),
        ("by the end of April", on(2025, 4, 20), on(2025, 4, 30)),
        ("mid-January 2026", on(2026, 1, 10), on(2026, 1, 20)),
        ("Anfang 2025", on(2025, 1, 1), on(2025, 4, 30)),
        ("since May", on(2025, 5, 1), on(2025, 5, 31)),
        ("before 2020?", on(2020, 1, 1), on(2020, 12, 31)),
        ("between March and May 2024", on(2024, 3, 1), on(2024, 5, 31)),
        ("von Mai bis Juli", on(2025, 5, 1), on(2025, 7, 31)),
        ("am 3.5.", on(2025, 5, 3), on(2025, 5, 3)),
        ("bis 3.5.25", on(2025, 5, 3), on(2025, 5, 3)),
        ("on 13/05/2025", on(2025, 5, 13), on(2025, 5, 13)),
        ("on 05/13/2025", on(2025, 5, 13), on(2025, 5, 13)),
        ("May 3rd", on(2025, 5, 3), on(2025, 5, 3)),
        ("a few weeks ago", on(2026, 2, 12), on(2026, 2, 12)),
    ],
)
def test_a_time_is_read_in_a_sentence(text: str, first: date, last: date) -> None:
    found = named_in(text, today=THURSDAY)
    assert found is not None and found.span == Span(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "what may we decide", "this may be it", "you may 5 times", "march 10 miles", "a second march",
        "the second one", "August wrote to April", "in 2000 notes", "31 april", "marching band", "decimal 5",
        "03/05/2025", "version 3.5.2", "in Spring we use beans", "spring cleaning", "since may", "a fall from grace",
        "mayday 3", "monthly cost", "the week has days", "chess on Tuesdays", "a long time ago",
    ],
)  # fmt: skip
def test_words_that_only_look_like_a_time_name_none(text: str) -> None:
    assert named_in(text, today=THURSDAY) is None

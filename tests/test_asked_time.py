"""The time that a question asks about: named by a date, by an event, or by words such as "used to"."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.model.asked_time import AskedTime, TimeRelation, asked_time, dated
from memoro.model.calendar_words import Span
from memoro.model.said_dates import said_dates

TODAY = date(2026, 3, 5)


def asked(question: str) -> AskedTime:
    found = asked_time(question, TODAY)
    assert found is not None, question
    return found


@pytest.mark.parametrize(
    ("question", "relation", "last"),
    [
        ("In February: who leads harbor?", "in", date(2026, 2, 28)),
        ("who led harbor (as it was in February)", "in", date(2026, 2, 28)),
        ("which database did we use before June?", "before", date(2025, 5, 31)),
        ("what did we use until February?", "before", date(2026, 1, 31)),
        ("what happened after 3 March 2026", "after", TODAY),
        ("was nutzen wir seit Februar?", "after", TODAY),
        ("was haben wir vor dem 3. Mai genutzt?", "before", date(2025, 5, 2)),
        ("what did we do two weeks before 2026-03-01?", "in", date(2026, 2, 18)),
        ("where were we the week before 1 March?", "in", date(2026, 2, 28)),
        ("what did I buy on the Sunday before 5 March?", "in", date(2026, 3, 1)),
    ],
)
def test_a_question_names_days_or_what_lies_before_or_after_them(
    question: str, relation: TimeRelation, last: date
) -> None:
    found = asked(question)
    assert (found.relation, found.span.last) == (relation, last)


@pytest.mark.parametrize(
    ("question", "phrase", "rest"),
    [
        ("In February: who leads harbor?", "In February", ": who leads harbor?"),
        ("Who leads harbor? I mean in February.", "in February", "Who leads harbor? ."),
        ("which database did we use before June?", "before June", "which database did we use ?"),
    ],
)
def test_the_rest_of_a_question_is_what_it_asks_for(question: str, phrase: str, rest: str) -> None:
    assert (asked(question).phrase, asked(question).rest) == (phrase, rest)


@pytest.mark.parametrize(
    ("question", "relation", "event"),
    [
        ("Where did I live before the move to Porto?", "before", "the move to Porto"),
        ("Before the move to Porto, where did I live?", "before", "the move to Porto"),
        ("Which database did we use before we moved to Postgres?", "before", "we moved to Postgres"),
        ("What happened after the launch?", "after", "the launch"),
        ("Wo habe ich vor dem Umzug nach Porto gewohnt?", "before", "dem Umzug nach Porto"),
    ],
)
def test_an_event_is_named_and_has_to_be_dated(question: str, relation: TimeRelation, event: str) -> None:
    found = asked(question)
    assert (found.relation, found.event) == (relation, event)
    told = dated(found, date(2025, 6, 9), TODAY)
    assert told.as_of(TODAY) == (date(2025, 6, 8) if relation == "before" else TODAY)


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("when did we stop using MySQL?", "ended"),
        ("until when did I rent the studio", "ended"),
        ("bis wann haben wir MySQL genutzt?", "ended"),
        ("how long did we use MySQL?", "ended"),
        ("what did I use to drink?", "earlier"),
        ("where did I previously work?", "earlier"),
        ("my old phone number", "earlier"),
        ("what did harbor use before?", "earlier"),
        ("Wo habe ich früher gewohnt?", "earlier"),
        ("who originally led harbor?", "first"),
        ("what did we use at first", "first"),
        ("Wer hat harbor ursprünglich geleitet?", "first"),
    ],
)
def test_a_question_asks_for_what_no_longer_holds(question: str, relation: TimeRelation) -> None:
    assert asked(question).relation == relation
    assert asked(question).as_of(TODAY) == TODAY


@pytest.mark.parametrize(
    "question",
    [
        "What should I do before deploying the app?",
        "who leads harbor?",
        "What did we decide in our previous conversation?",
        "which version came after 3.5.2",
        "how does the cache stop",
        "when is the release?",
        "",
    ],
)
def test_other_questions_ask_about_no_time(question: str) -> None:
    assert asked_time(question, TODAY) is None


pieces = st.sampled_from(
    ["before", "after", "since", "until", "the", "move", "to", "Porto", "did", "we", "use", "in", "March", "June",
     "2025", "two", "weeks", "vor", "dem", "3.", "Mai", "used to", "originally", "?", "spring", "last", "Q2"]
)  # fmt: skip


@given(question=st.lists(pieces, max_size=9).map(" ".join) | st.text(max_size=60), today=st.dates())
@example("two weeks before 0001-01-01", date.min)
@example("after 9999-12-31", date.max)
@example("the week after 31 December 9999", date.max)
def test_any_question_asks_about_days_in_their_order_or_about_none(question: str, today: date) -> None:
    found = asked_time(question, today)
    if found is not None:
        assert found.span.first <= found.span.last
        assert found.phrase in question
        assert found.as_of(today) <= today


recent = st.dates(date(1990, 1, 1), date(2090, 12, 31))
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip


@given(day=recent, later=st.integers(0, 300))
def test_a_text_says_a_day_in_any_common_form(day: date, later: int) -> None:
    month = MONTHS[day.month - 1]
    for text in (
        day.isoformat(),
        f"{day.day}.{day.month}.{day.year}",
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month}",
        f"{month} {day.day}th",
    ):
        assert said_dates(f"We met on {text} in town.", day + timedelta(days=later)) == [Span(day, day)], text


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("In March we moved.", [Span(date(2025, 3, 1), date(2025, 3, 31))]),
        ("Seit Mai 2024 in Porto", [Span(date(2024, 5, 1), date(2024, 5, 31))]),
        ("we may march on", []),
        ("31 February 2025", []),
        ("version 3.5.2", []),
    ],
)
def test_a_text_says_months_and_no_other_words(text: str, spans: list[Span]) -> None:
    assert said_dates(text, date(2025, 9, 1)) == spans


@given(text=st.text(max_size=80), seen=st.dates())
def test_any_text_says_days_in_their_order(text: str, seen: date) -> None:
    assert all(span.first <= span.last for span in said_dates(text, seen))

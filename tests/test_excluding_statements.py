"""When two statements exclude each other: one ends, denies or changes what the other says about the same thing."""

from __future__ import annotations

import pytest

from memoro.curate.planners.contradictions import is_over_by, tells_no_new_value, why_excluded

ENDED, DENIED, CHANGED = (
    "one says that the other has ceased to hold",
    "one denies what the other says",
    "both tell the same thing with another value",
)


@pytest.mark.parametrize(
    ("newer", "older", "why"),
    [
        ("The harbor proxy listens on port 81", "The harbor proxy listens on port 80", CHANGED),
        ("The harbor database is MySQL", "The harbor database is Postgres", CHANGED),
        ("Lena does not lead the harbor team any more", "Lena leads the harbor team", DENIED),
        ("Noor leads the harbor team now, not Lena", "Lena leads the harbor team", ENDED),
        ("The proxy listens on port 80", "The proxy does not listen on port 80", DENIED),
        ("The red crane is safe", "The red crane is not safe", DENIED),
    ],
)
def test_statements_about_one_thing_exclude_each_other(newer: str, older: str, why: str) -> None:
    assert why_excluded(newer, older, 0.0) == why


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The proxy listens on port 80", "The proxy listens on port 80."),
        ("The red crane is not safe today", "The red crane is never safe today"),  # both deny it
        ("We don't use Redis for the queue", "We do not use Redis in the queue"),
        ("The harbor proxy listens on a socket", "The harbor proxy listens on port 80"),  # a number beside none
        ("The harbor database is slow", "The harbor database is Postgres"),  # no other name
        ("The harbor API uses port 80 and port 81", "The harbor API uses port 80"),  # the other one is within it
        ("Room 4 is painted blue", "Room 5 is painted red"),
        ("Room 4 is painted blue", "Room 5 is painted blue"),
        ("Crane 4", "Crane 5"),  # no subject
        ("The harbor proxy moved to port 81 yesterday", "The harbor proxy listens on port 80"),  # it tells an event
        ("Does the harbor proxy listen on port 81?", "The harbor proxy listens on port 80"),
        ("The proxy is on port 81", "The kettle is on port 80"),  # a single word in common
    ],
)
def test_statements_that_may_both_hold_do_not(newer: str, older: str) -> None:
    assert why_excluded(newer, older, 0.0) is None


@pytest.mark.parametrize("place", ["newer", "older"])
@pytest.mark.parametrize(("length", "is_compared"), [(300, True), (301, False)])
def test_a_statement_of_more_than_300_characters_is_not_compared(place: str, length: int, is_compared: bool) -> None:
    newer, older = "The harbor proxy listens on port 81", "The harbor proxy listens on port 80"
    if place == "newer":
        newer = newer.ljust(length)
    else:
        older = older.ljust(length)
    assert (why_excluded(newer, older, 0.0) is not None) == is_compared


@pytest.mark.parametrize(
    ("newer", "older", "is_over"),
    [
        ("Noor leads the harbor team now, not Lena", "Lena leads the harbor team", True),
        ("Lena leads the harbor team", "Noor leads the harbor team now, not Lena", False),
        ("The harbor proxy listens on port 81, not 80", "The harbor proxy listens on port 80", True),
        ("The harbor proxy listens on port 81", "The harbor proxy listens on port 80", False),  # it ends nothing
        ("Is it port 81 of the harbor proxy, not 80?", "The harbor proxy listens on port 80", False),
        ("Noor leads the harbor team now, not Lena", "Lena likes figs", False),
        ("81, not 80", "The harbor proxy listens on port 80", False),  # nothing says of what
    ],
)
def test_a_statement_is_over_where_another_names_its_value_as_past(newer: str, older: str, is_over: bool) -> None:
    assert is_over_by(newer, older) == is_over


def test_what_only_ends_something_tells_no_new_value() -> None:
    assert tells_no_new_value("The harbor team is not led by Lena any more")
    assert not tells_no_new_value("The harbor team is led by Noor, not Lena")

"""Two statements say the same only if nothing that matters differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.curate.judging.same_statements import normalised, say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploys happen on Fridays at 16:00.", "deploys happen on fridays at 16:00"),
        ("The dog is called Rufus!", "The dog is called “Rufus”."),
        ("We use Postgres in production", "In production we use Postgres."),
        ("Ich wohne in Lissabon.", "ich wohne in  Lissabon"),
        ("我住在里斯本。", "我住在里斯本"),
    ],
)
def test_the_same_in_other_spelling_or_order_is_the_same(one: str, other: str) -> None:
    assert say_the_same(one, other)
    assert say_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploys happen on Fridays at 16:00.", "Deploys happen on Fridays at 17:00."),
        ("The budget is 30,000 euros.", "The budget is 300,000 euros."),
        ("Deploy on Mondays and Tuesdays.", "Never deploy on Mondays and Tuesdays."),
        ("I eat fish on Fridays.", "I eat fish only on Fridays."),
        ("We use Redis for the cache of lantern.", "We use Redis for the cache of quarry-2."),
        ("Anna Berg owns the billing service.", "Anna Keller owns the billing service."),
        ("We use Jenkins for builds.", "We no longer use Jenkins for builds."),
        ("Call me before lunch.", "Call me after lunch."),
        ("Ich esse Fleisch.", "Ich esse kein Fleisch."),
        ("我喝咖啡。", "我不喝咖啡。"),
        ("The backup runs on 2025-03-01.", "The backup runs on 2025-04-01."),
    ],
)
def test_a_number_a_name_a_denial_or_a_condition_makes_another_statement(one: str, other: str) -> None:
    assert not say_the_same(one, other, cosine=0.999)
    assert not say_the_same(other, one, cosine=0.999)


def test_vectors_decide_only_where_the_words_leave_nothing_to_differ() -> None:
    one, other = "The kettle in the kitchen is blue.", "The kitchen kettle has a blue colour."
    assert not say_the_same(one, other)
    assert not say_the_same(one, other, cosine=0.96)
    assert say_the_same(one, other, cosine=0.98)


@given(st.text(max_size=60), st.text(max_size=60), st.none() | st.floats(-1, 1))
def test_it_is_the_same_from_both_sides_and_every_text_says_what_it_says(
    one: str, other: str, cosine: float | None
) -> None:
    assert say_the_same(one, other, cosine) == say_the_same(other, one, cosine)
    assert say_the_same(one, one, cosine)
    assert normalised(normalised(one)) == normalised(one)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_two_numbers_never_make_one_statement(one: int, other: int) -> None:
    assert say_the_same(f"The port is {one}.", f"The port is {other}.", 1.0) == (one == other)

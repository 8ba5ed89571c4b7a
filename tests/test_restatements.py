"""Two statements say the same only if nothing that matters differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.curate.judging.restatements import normalised, restates


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
    assert restates(one, other)
    assert restates(other, one)


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
        ("We use Jenkins for builds.", "We mostly use Jenkins for builds."),
    ],
)
def test_a_number_a_name_a_denial_or_a_condition_makes_another_statement(one: str, other: str) -> None:
    assert not restates(one, other, cosine=0.999)
    assert not restates(other, one, cosine=0.999)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana reports to Ben.", "Ben reports to Ana."),
        ("Ana is above Ben.", "Ben is above Ana."),
        ("Tea is better than coffee.", "Coffee is better than tea."),
        ("Ana lives in Porto and Ben lives in Rome.", "Ana lives in Rome and Ben lives in Porto."),
        ("Anna leitet das Team von Peter.", "Peter leitet das Team von Anna."),
        ("安娜向王芳汇报。", "王芳向安娜汇报。"),
    ],
)
def test_the_same_words_in_another_order_make_another_statement(one: str, other: str) -> None:
    assert not restates(one, other, cosine=1.0)
    assert not restates(other, one, cosine=1.0)


def test_vectors_decide_only_where_the_words_leave_nothing_to_differ() -> None:
    one, other = "The kettle in the kitchen is blue.", "Our kettle in that kitchen has a blue colour."
    assert not restates(one, other)
    assert not restates(one, other, cosine=0.96)
    assert restates(one, other, cosine=0.98)


@given(st.text(max_size=60), st.text(max_size=60), st.none() | st.floats(-1, 1))
def test_it_is_the_same_from_both_sides_and_every_text_says_what_it_says(
    one: str, other: str, cosine: float | None
) -> None:
    assert restates(one, other, cosine) == restates(other, one, cosine)
    assert restates(one, one, cosine)
    assert normalised(normalised(one)) == normalised(one)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_two_numbers_never_make_one_statement(one: int, other: int) -> None:
    assert restates(f"The port is {one}.", f"The port is {other}.", 1.0) == (one == other)


def test_statements_without_a_word_of_content_are_the_same_only_by_their_vectors() -> None:
    assert not restates("It is so.", "So is it.")
    assert not restates("It is so.", "So is it.", cosine=0.96)
    assert restates("It is so.", "So is it.", cosine=0.97)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("The crane pump valve gear", "The crane pump valve gear rope", True),  # four words of five
        ("The crane pump valve", "The crane pump valve gear", False),  # three of four
        ("我们的数据库很大", "我们的数据库很大了", False),  # in a script without spaces, vectors must agree, too
    ],
)
def test_statements_that_share_four_words_in_five_are_the_same(one: str, other: str, is_same: bool) -> None:
    assert restates(one, other) is is_same
    assert restates(other, one, 0.5) is is_same


@pytest.mark.parametrize(("cosine", "is_same"), [(0.96, False), (0.97, True)])
def test_in_a_script_without_spaces_words_and_vectors_must_agree(cosine: float, is_same: bool) -> None:
    assert restates("我们的数据库很大", "我们的数据库很大了", cosine) is is_same
    assert not restates("我们的数据库很大", "我们的数据库在里斯本的房间里很大", cosine)

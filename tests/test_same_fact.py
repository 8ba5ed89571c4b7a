"""A statement repeats another only where numbers, dates, names, negations, limits and the order of words agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.same_fact import is_contained, is_same_text, repeats
from memoro.providers.registry import builtin_model


def cosine(one: str, other: str) -> float:
    rows = builtin_model(256).embed([one, other], "document")
    return float(rows[0] @ rows[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The staging server is called heron.", "Our staging server is called heron"),
        ("Pia likes **green** tea", "Pia likes green tea."),
        ("Jonas drinks coffee without milk", "Jonas drinks his coffee without milk"),
        ("See [[people/pia|Pia]] for food", "see Pia for food"),
        ("我的猫叫团团。", "我的猫叫团团"),
        ("Das Büro ist in Porto", "Unser Büro ist in Porto"),
    ],
)
def test_the_same_in_other_words_repeats(one: str, other: str):
    assert repeats(one, other, cosine(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tea is at four", "Tea is at five"),
        ("The port is 8443", "The port is 8080"),
        ("Never deploy on a Friday", "Deploy on a Friday"),
        ("We don't use Redis", "We use Redis"),
        ("Bins go out on Tuesday", "Bins go out on Wednesday"),
        ("Invoices go to Anna", "Invoices go to Hannah"),
        ("Ana reports to Ben", "Ben reports to Ana"),
        ("Tea is better than coffee", "Coffee is better than tea"),
        ("The red door is locked", "The blue door is locked"),
        ("Deploys are allowed", "Deploys are allowed only on Monday"),
        ("We use Jenkins", "We used Jenkins"),
        ("We use Redis", "We mostly use Redis"),
        ("团团吃鱼", "团团只吃鱼"),
        ("我的猫叫团团", "我的猫叫圆圆"),
        ("Ich esse Fleisch", "Ich esse kein Fleisch"),
    ],
)
def test_another_value_never_repeats_however_near_it_is(one: str, other: str):
    assert not repeats(one, other, 1.0)
    assert not is_contained(one, other, 1.0)
    assert not is_contained(other, one, 1.0)


def test_a_statement_may_be_contained_in_one_with_a_detail_more():
    short, long = "The staging server is heron", "The staging server is heron, a small virtual machine"

    assert is_contained(short, long, 0.9)
    assert not is_contained(long, short, 0.9)
    assert not is_contained(short, f"{long}, only for tests", 0.9)


@given(st.text(max_size=80), st.text(max_size=80), st.floats(0, 1))
def test_repeating_works_both_ways_and_containing_one_way(one: str, other: str, near: float):
    assert repeats(one, other, near) == repeats(other, one, near)
    assert not (is_contained(one, other, near) and is_contained(other, one, near))
    assert repeats(one, one, near)
    assert is_same_text(one, one)

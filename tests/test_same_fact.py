"""A statement repeats another only where numbers, dates, names, negations, limits and the order of words agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.same_fact import bare, fact_words, has_moved_phrase, is_contained, is_same_text, repeats
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


@pytest.mark.parametrize(
    ("one", "other", "near", "is_repeated"),
    [
        ("The crane is red", "Our crane is red", 0.75, True),
        ("The crane is red", "Our crane is red", 0.74, False),
        ("The crane is red", "the crane is RED!", 0.0, True),  # the same text
        ("is it", "it is", 1.0, False),  # no word of content
        ("The crane is red", "The red crane", 1.0, False),  # another order
    ],
)
def test_vectors_decide_only_about_the_little_words(one: str, other: str, near: float, is_repeated: bool):
    assert repeats(one, other, near) is is_repeated


@pytest.mark.parametrize(
    ("shorter", "longer", "near", "is_within"),
    [
        ("crane pump", "The crane pump valve gear", 0.65, True),  # half of its words
        ("crane pump", "The crane pump valve gear", 0.64, False),
        ("crane pump", "crane pump valve gear rope", 1.0, False),  # less than half
        ("crane pump", "crane pump", 1.0, False),  # nothing more
        ("crane pump", "pump crane valve", 1.0, False),
        ("crane pump", "crane valve pump", 1.0, True),
        ("is it", "it is the crane", 1.0, False),
        ("crane 5 pump", "crane 5 pump valve 6", 1.0, True),
        ("crane 5 pump", "crane 7 pump valve 6", 1.0, False),
        ("the crane of Ida", "the crane of Ida and Ben", 1.0, True),
        ("the crane of Ida", "the crane of Eva and Ben", 1.0, False),
        ("crane pump", "crane pump only valve", 1.0, False),
        ("crane pump", "crane pump often valve", 1.0, False),
        ("crane pump", "crane pump not valve", 1.0, False),
        ("团团吃鱼", "团团吃鱼和虾", 1.0, True),
        ("团团吃鱼", "团团常吃鱼和虾", 1.0, False),
    ],
)
def test_a_statement_within_another_has_half_of_its_words_in_their_order(
    shorter: str, longer: str, near: float, is_within: bool
):
    assert is_contained(shorter, longer, near) is is_within
    assert not is_contained(longer, shorter, near)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [[people/pia|Pia]] and [it](a.md) **now**. ^abc", "See Pia and it now"),
        ("The `crane`!", "The crane"),
        ("[[Pier]];", "Pier"),
        ("  a   b \n c。", "a b c"),
        ("2 * 3 is 6", "2 3 is 6"),
        ("", ""),
    ],
)
def test_marks_for_the_eye_are_no_part_of_a_statement(text: str, shown: str):
    assert bare(text) == shown


def test_what_must_agree_is_read_from_a_statement():
    found = fact_words("We never use Redis 7.2 on heron-2 without Ida, mostly before 5:30")
    assert found.numbers == {"7.2", "2", "5:30"}
    assert found.names == {"redis", "7.2", "heron-2", "ida", "5", "30"}
    assert found.limits == {"on", "before"}
    assert (found.qualifiers, found.denials) == (("mostly",), 2)
    assert {"we", "use", "redis", "heron", "heron-2"} <= found.all
    chinese = fact_words("团团只吃鱼")
    assert (chinese.topics, chinese.qualifiers) == (("团团", "团只", "只吃", "吃鱼"), ("只",))


@pytest.mark.parametrize(
    ("words", "others", "has_moved"),
    [
        ("on mondays i swim", "i swim on mondays", True),
        ("i swim on mondays", "on mondays i swim", True),
        ("i swim", "i swim", True),
        ("ana reports to ben", "ben reports to ana", False),
        ("i swim", "i swim far", False),
        ("", "", False),
    ],
)
def test_a_phrase_moves_from_one_end_to_the_other(words: str, others: str, has_moved: bool):
    assert has_moved_phrase(words.split(), others.split()) is has_moved


def test_names_agree_where_the_other_has_them_in_any_case():
    assert repeats("I met Ida at the crane", "I met ida at the crane", 1.0)
    assert repeats("The proxy uses redis there", "The proxy uses Redis there", 1.0)
    assert not repeats("We met Ida at the crane", "We met at the crane", 1.0)

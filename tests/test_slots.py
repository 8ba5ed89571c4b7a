"""Where two sentences of one pattern differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.search.slots import differing_slots


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Eva owns the billing service", "Marek now owns the search service", [{"eva"}, {"bill"}]),
        ("I like coffee", "I like tea", [{"coffee"}]),
        ("The rent is 900 euros from January", "The rent is 950 euros from July", [{"900"}]),
        ("Anna lives in Ghent", "Anna moved to Porto", []),
        ("Requests time out after 45 seconds", "The timeout is 30 seconds", []),
    ],
)
def test_the_words_of_a_slot_stand_in_one_place(old: str, new: str, words: list[set[str]]) -> None:
    assert [set(slot.old) for slot in differing_slots(old, new)] == words


@given(st.text())
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert differing_slots(text, text) == ()


@given(st.text(), st.text())
def test_a_slot_has_other_words_on_each_side(old: str, new: str) -> None:
    assert all(slot.old and slot.new and slot.old != slot.new for slot in differing_slots(old, new))

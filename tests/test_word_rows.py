"""The fast way to the words of many texts finds what the plain way finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memoro.model.content_words import content_words
from memoro.providers.builtin.word_rows import WordRows

# Words of one letter to two times sixteen, stop words, digits, punctuation, control characters and other scripts.
words = st.one_of(
    st.sampled_from(
        ["the", "tea", "Tea", "don't", "eight888", "ninechars", "a" * 16, "a" * 17, "b" * 17, "_x_", "x"]
    ),
    st.text("ab1", max_size=40),
    st.text(max_size=6),
)
texts = st.lists(st.lists(words, max_size=12).map(" ".join), max_size=6)


@given(meetings=st.lists(texts, max_size=3))
def test_the_rows_of_texts_are_those_of_their_content_words(meetings: list[list[str]]) -> None:
    rows, named = WordRows(), list[str]()
    for found in meetings:
        numbers, sizes = rows.in_texts(found)
        named += rows.take_new()
        plain = [content_words(text) for text in found]
        assert sizes.tolist() == [len(own) for own in plain]
        start = 0
        for own in plain:
            assert {named[row] for row in numbers[start : start + len(own)].tolist()} == own
            start += len(own)
        assert start == len(numbers)


@given(some=st.lists(words, max_size=30), text=st.lists(words, max_size=12).map(" ".join))
def test_a_word_has_one_row_however_it_is_met(some: list[str], text: str) -> None:
    rows = WordRows()
    before = rows.of_words(some).tolist()
    rows.in_texts([text, *some])
    assert rows.of_words(some).tolist() == before
    named = rows.take_new()
    assert [named[row] for row in before] == some
    assert len(named) == len(set(named)) == len(rows)


def test_many_words_are_found_again_after_the_table_has_grown() -> None:
    rows = WordRows()
    text = " ".join(f"word{number}" for number in range(30_000))
    first, sizes = rows.in_texts([text])
    assert sizes.tolist() == [30_000]
    again, _ = rows.in_texts([text])
    assert again.tolist() == first.tolist()
    assert rows.take_new()[first[0]] == "word0"

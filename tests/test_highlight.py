"""The words of a query, marked where they stand in a text."""

from __future__ import annotations

from itertools import pairwise

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.answers import Term
from memoro.model.words import searchable_query
from memoro.search.highlight import SoughtWords, highlight, sought
from memoro.store import terms as stored

_TOKENIZE = stored.tokenizer(apsw.Connection(":memory:"))


def _terms(text: str) -> list[Term]:
    return stored.terms(text, _TOKENIZE)


def _marked(text: str, query: str) -> list[str]:
    words = sought([term.word for term in _terms(searchable_query(query))], query, _terms)
    return [part.text for part in highlight([text], words, _terms)[0] if part.is_match]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("We drink green tea.", "tea", ["tea"]),
        ("Teas, TEA and teapot", "tea ", ["Teas", "TEA"]),
        ("Teas, TEA and teapot", "tea", ["Teas", "TEA", "teapot"]),  # it may be the beginning of a word
        ("We met in Kanazawa.", "kanaz", ["Kanazawa"]),
        ("Run the migrations", "migration", ["migrations"]),
        ("call parseConfig() first", "config", ["parseConfig"]),
        ("set max_open_files here", "files", ["max_open_files"]),
        ("家族風呂は予約が必要です", "家族風呂", ["家族風呂"]),
        ("家族の風呂", "家族風呂", ["家族", "風呂"]),
        ("Café Zürich", "cafe zurich ", ["Café", "Zürich"]),
        ("nothing here", "tea", []),
        ("<b>tea</b>", "tea ", ["tea"]),
    ],
)
def test_words_are_marked_in_every_form(text, query, marked):
    assert _marked(text, query) == marked


def test_without_words_nothing_is_marked():
    assert [part.is_match for part in highlight(["some text"], SoughtWords(), _terms)[0]] == [False]
    assert highlight([""], SoughtWords(), _terms) == [()]


@given(
    texts=st.lists(st.text(max_size=80), max_size=4),
    query=st.one_of(st.text(max_size=20), st.sampled_from(["tea", "家族", "a b c"])),
)
def test_the_parts_of_a_text_are_the_text_and_take_turns(texts, query):
    words = sought([term.word for term in _terms(searchable_query(query))], query, _terms)

    for text, parts in zip(texts, highlight(texts, words, _terms), strict=True):
        assert "".join(part.text for part in parts) == text
        assert all(part.text for part in parts)
        assert all(one.is_match != other.is_match for one, other in pairwise(parts))

"""A query that somebody is still typing: its last word finds the words that begin with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.model.answers import Statistics, Term, Where
from memoro.search import retrieve
from memoro.search.query import POSTINGS
from memoro.search.retrieve import IndexQuery
from memoro.search.unfinished import TOO_FREQUENT
from memoro.store.changes import Write
from memoro.store.plain.index import PlainIndex
from tests.test_index_contract import note

WORDS = ("kanazawa", "kana", "migration", "database", "running", "tea", "東京都")


def _index(*texts: str) -> PlainIndex:
    made = PlainIndex()
    made.apply([Write(note(f"n{number}.md", text)) for number, text in enumerate(texts)])
    return made


def _found(index: PlainIndex, query: str, *, unfinished: bool = True) -> list[str]:
    question = IndexQuery(query, Where(), 10, "words")._replace(unfinished=unfinished)
    return [one.match.passage.path for one in retrieve.by_words(index, question, multiplier=4).ranked]


def test_the_beginning_of_a_word_finds_it_only_while_it_is_being_typed():
    index = _index("We met in Kanazawa.", "We drink tea.")

    assert _found(index, "kanaz") == ["n0.md"]
    assert _found(index, "tea kanaz") == ["n0.md", "n1.md"] or _found(index, "tea kanaz") == ["n1.md", "n0.md"]
    assert _found(index, "kanaz", unfinished=False) == []


def test_a_word_that_is_held_as_it_is_stays_a_whole_word():
    index = _index("the data is here", "a database")

    assert _found(index, "data") == _found(index, "data", unfinished=False) == ["n0.md"]


@pytest.mark.parametrize("typed", ["migr", "migra", "migrat", "migrati", "migratio", "migration", "migrations"])
def test_results_stay_while_the_ending_of_a_word_is_typed(typed):
    assert _found(_index("We run the migration tonight.", "Tea."), typed) == ["n0.md"]


@pytest.mark.parametrize("typed", ["kanaz ", "kanaz.", "ka", "kanaz tea"])
def test_a_word_that_is_over_or_too_short_is_no_beginning(typed):
    assert "n0.md" not in _found(_index("We met in Kanazawa.", "Tea."), typed)


def test_a_beginning_of_far_too_many_words_is_not_looked_up():
    class Crowded(PlainIndex):
        def count_beginning(self, stem: str, most: int) -> int:  # noqa: ARG002
            return POSTINGS + 1

    index = Crowded()
    index.apply([Write(note("n0.md", "We met in Kanazawa."))])

    assert _found(index, "kanaz") == []


def test_function_words_alone_are_not_looked_up_where_nearly_every_passage_holds_them():
    class Large(PlainIndex):
        def statistics(self, terms: Sequence[Term]) -> Statistics:
            found = super().statistics(terms)
            return found._replace(frequencies=dict.fromkeys(found.frequencies, 2 * POSTINGS))

    index = Large()
    index.apply([Write(note("n0.md", "how do we drink tea"))])
    question = IndexQuery("how do we", Where(), 10, "words")

    assert retrieve.by_words(index, question._replace(unfinished=True), multiplier=4).notices == (TOO_FREQUENT,)
    assert _found(index, "how do we", unfinished=False) == ["n0.md"]
    assert _found(index, "how do we drink") == ["n0.md"]


@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=5),
    query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
)
def test_a_query_of_words_that_are_held_is_answered_as_ever(texts, query):
    index = _index(*texts)
    held = {word for text in texts for word in text.split()}
    if set(query.split()) <= held:
        assert _found(index, query) == _found(index, query, unfinished=False)


@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=5),
    word=st.sampled_from(["kanazawa", "migration", "database", "running"]),
    length=st.integers(3, 9),
)
def test_every_passage_with_the_word_is_found_by_its_beginning_unless_that_is_a_word_itself(texts, word, length):
    index, typed = _index(*texts), word[:length]
    found = _found(index, typed)
    if typed not in " ".join(texts).split():
        assert {f"n{number}.md" for number, text in enumerate(texts) if word in text.split()} <= set(found)


def test_words_and_meaning_together_find_an_unfinished_word(tmp_path: Path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "trip.md").write_text("# Trip\n\nWe met Haruka in Kanazawa.\n")
    (tmp_path / "vault" / "tea.md").write_text("# Tea\n\nGreen tea in the morning.\n")
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        assert [hit.path for hit in m.search("haruka kanaz", unfinished=True, mode="hybrid").results][:1] == [
            "trip.md"
        ]
        assert [hit.path for hit in m.search("kanaz", unfinished=True, mode="hybrid").results][:1] == ["trip.md"]
        assert m.search("kanaz", mode="hybrid").results == ()

"""Any string is a query: its words, each once, without what says nothing; and the plan of looking them up."""

from __future__ import annotations

import time

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoro.model.answers import Term
from memoro.model.words import STOP_WORDS
from memoro.search.query import MAX_CHARACTERS, MAX_TERMS, Query, parse, plan
from memoro.store.terms import terms, tokenizer

TOKENIZE = tokenizer(apsw.Connection(":memory:"))


def query(text: str) -> Query:
    return parse(text, lambda given: terms(given, TOKENIZE))


def words(text: str) -> list[str]:
    return [term.word for term in query(text).terms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user's", ["user"]),
        ("foo-bar", ["foo", "bar"]),
        ("what is this?", ["what", "is", "this"]),
        ("what is green tea?", ["green", "tea"]),
        ("NOT", ["NOT"]),
        ("tea NOT coffee", ["tea", "coffee"]),
        ("tea AND (coffee OR NEAR(milk sugar, 3))", ["tea", "coffee", "NEAR", "milk", "sugar"]),
        ('"', []),
        ("'", []),
        ('"green tea', ["green", "tea"]),
        ("text:tea* ^cup +pot -lid {a b}", ["text", "tea", "cup", "pot", "lid"]),
        ("", []),
        (" \t\n", []),
        ("🙂", ["🙂"]),
        ("🙂 tea", ["tea"]),
        ("❤️", []),
        ("❤️ tea ´", ["tea"]),
        ("a", ["a"]),
        ("x y z", ["x", "y", "z"]),
        ("vitamin c", ["vitamin"]),
        ("plan 9 tea", ["plan", "tea"]),
        ("the tea of the day", ["tea", "day"]),
        ("tea Tea TEA teas", ["tea"]),
        ("https://example.org/tea", ["https", "example", "org", "tea"]),
        ("see https://example.org/tea pot", ["see", "pot"]),
        ("path/to/file.py", ["path", "file", "py"]),
        ("getUserName", ["getUserName", "User", "Name"]),
        ("绿茶", ["绿茶"]),
        ("茶", ["茶"]),
        ("café", ["café"]),
        ("\x00tea\ud800cup", ["tea", "cup"]),
    ],
)
def test_the_words_of_a_query(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_only_a_single_unspaced_character_may_go_on() -> None:
    assert [(term.word, term.prefix) for term in query("茶 tea 绿茶").terms] == [
        ("茶", True),
        ("tea", False),
        ("绿茶", False),
    ]


@given(chosen=st.lists(st.sampled_from(sorted(STOP_WORDS)), min_size=1))
def test_a_query_of_stop_words_alone_is_still_a_query(chosen: list[str]) -> None:
    assert query(" ".join(chosen)).terms


@given(chosen=st.lists(st.sampled_from([*sorted(STOP_WORDS), "x", "5"])))
def test_stop_words_and_letters_beside_a_real_word_are_left_out(chosen: list[str]) -> None:
    middle = len(chosen) // 2
    assert words(" ".join([*chosen[:middle], "tea", *chosen[middle:]])) == ["tea"]


def test_a_hundred_thousand_characters_are_cut_and_it_is_said() -> None:
    started = time.process_time()
    found = query("tea " + "cup " * 25_000 + "pot")
    assert [term.word for term in found.terms] == ["tea", "cup"]
    [notice] = found.notices
    assert "4,096 characters" in notice
    assert time.process_time() - started < 1


@pytest.mark.parametrize("character", ["a", "A", "\u33c2", "\ufdfa", ".", "a.", "://", "_", "茶", '"', "\u0301"])
def test_a_hundred_thousand_of_anything_take_no_time(character: str) -> None:
    started = time.process_time()
    assert len(query(character * 100_000).terms) <= MAX_TERMS
    assert time.process_time() - started < 1


def test_of_more_than_64_words_the_first_are_taken_and_it_is_said() -> None:
    text = " ".join(f"word{n}" for n in range(MAX_TERMS))
    assert query(text).notices == ()
    found = query(f"{text} tea")
    assert [term.word for term in found.terms] == text.split()
    assert "64 words" in found.notices[0]


def test_a_word_that_is_said_again_at_the_end_is_still_the_first() -> None:
    text = " ".join(["tea", *(f"word{n}" for n in range(MAX_TERMS)), "teas"])
    assert words(text)[0] == "tea"


@given(text=st.text(st.characters(), max_size=300) | st.text("\"'*^:(){}+-ANDORT NEAR茶a.", max_size=60))
@example('"" OR ""')
@example("a\x00b")
@example("\ud800")
@example("://" * 100)
def test_any_string_is_a_valid_query(text: str) -> None:
    found = query(text)
    stems = [term.stem for term in found.terms]
    assert len(stems) == len(set(stems)) <= MAX_TERMS
    assert all(term.word and term.stem for term in found.terms)


@pytest.mark.parametrize(("length", "said"), [(MAX_CHARACTERS, False), (MAX_CHARACTERS + 1, True)])
def test_only_a_query_that_is_too_long_is_said_to_be(length: int, said: bool) -> None:
    assert bool(query("x" * length).notices) is said


frequencies = st.lists(st.integers(0, 30), max_size=8).map(lambda counts: {f"w{i}": n for i, n in enumerate(counts)})


@given(counts=frequencies, postings=st.integers(0, 60))
def test_looking_words_up_stays_within_the_budget_and_the_rarest_is_always_taken(
    counts: dict[str, int], postings: int
) -> None:
    asked = [Term(stem, stem) for stem in counts]
    made = plan(asked, counts, postings=postings)
    taken = [counts[term.stem] for term in made.looked_up if counts[term.stem]]
    left = [counts[term.stem] for term in made.ignored]
    assert sum(taken) <= postings or len(taken) == 1
    assert all(one <= other for one in taken for other in left)
    present = [n for n in counts.values() if n]
    assert not present or min(present) in taken
    if left:
        assert sum(taken) + min(left) > postings, "it would have fitted"


@given(counts=frequencies, postings=st.integers(0, 60))
def test_a_plan_keeps_every_word_once_and_in_its_order(counts: dict[str, int], postings: int) -> None:
    asked = [Term(stem, stem) for stem in counts]
    made = plan(asked, counts, postings=postings)
    for part in (made.looked_up, made.ignored):
        assert list(part) == [term for term in asked if term in part]
    assert sorted((*made.looked_up, *made.ignored)) == sorted(asked)


@given(counts=frequencies, postings=st.integers(0, 60))
def test_a_word_that_is_nowhere_is_kept_to_count_against_all(counts: dict[str, int], postings: int) -> None:
    made = plan([Term(stem, stem) for stem in counts], counts, postings=postings)
    assert all(counts[term.stem] for term in made.ignored)


@given(counts=frequencies, postings=st.integers(0, 60), leading=st.integers(0, 60))
def test_the_rarest_of_the_words_that_are_looked_up_lead(counts: dict[str, int], postings: int, leading: int) -> None:
    made = plan([Term(stem, stem) for stem in counts], counts, postings=postings, leading=leading)
    leads = [counts[term.stem] for term in made.leading]
    follows = [counts[term.stem] for term in made.looked_up if term not in made.leading]
    assert set(made.leading) <= set(made.looked_up)
    assert all(one <= other for one in leads for other in follows)
    assert sum(leads) <= leading or len([n for n in leads if n]) == 1
    assert any(leads) or not any(counts[term.stem] for term in made.looked_up)


def test_a_frequent_word_is_ignored_only_beside_a_rarer_one() -> None:
    the, tea = Term("the", "the"), Term("tea", "tea")
    counts = {"the": 50_000, "tea": 3}
    assert plan([the, tea], counts).ignored == (the,)
    assert plan([the], counts).looked_up == (the,)


@pytest.mark.parametrize(
    ("frequent", "looked_up", "leads"), [(1_990, 2, 2), (1_991, 2, 1), (19_990, 2, 1), (19_991, 1, 1)]
)
def test_a_query_walks_through_so_many_occurrences_and_fewer_bring_passages_in(
    frequent: int, looked_up: int, leads: int
) -> None:
    made = plan([Term("tea", "tea"), Term("the", "the")], {"tea": 10, "the": frequent})

    assert (len(made.looked_up), len(made.leading)) == (looked_up, leads)

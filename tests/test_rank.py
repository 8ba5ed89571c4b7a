"""Scores lie between 0 and 1, a better match has the higher one, and the explanation is the computation."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.model.answers import Match, Passage, Statistics, Term, Where
from memoro.providers.calibration import OF_BUILTIN
from memoro.search.query import WordPlan
from memoro.search.rank import Ranked, fit, rank
from memoro.search.retrieve import IndexQuery, by_words
from memoro.search.weights import by_length
from memoro.store.changes import Write
from memoro.store.plain.index import PlainIndex
from memoro.store.ports import COLUMNS
from tests.conftest import write_vault
from tests.test_index_contract import note

WORDS = ("tea", "cup", "pot")

Counts = dict[tuple[str, str], int]
counts = st.dictionaries(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(list(COLUMNS))), st.integers(1, 2000), max_size=6
)
statistics = st.builds(
    lambda chunks, average, shares: Statistics(
        chunks, average, {word: round(share * chunks) for word, share in zip(WORDS, shares, strict=True)}
    ),
    st.integers(1, 100_000),
    st.floats(1, 2000),
    st.lists(st.floats(0, 1), min_size=3, max_size=3),
)


def match(
    held: Counts, *, length: int = 10, path: str = "a.md", line: int = 1, digest: str = "0", number: int = 1
) -> Match:
    passage = Passage(path, "note", "a", None, line, line, (), "text", digest, number)
    return Match(passage, tuple((word, column, n) for (word, column), n in held.items()), length)


def ranked(matches: list[Match], known: Statistics, words: tuple[str, ...] = WORDS) -> list[Ranked]:
    return rank(matches, WordPlan(tuple(Term(word, word) for word in words), ()), known, COLUMNS)


def score(held: Counts, known: Statistics, length: int = 10) -> float:
    return ranked([match(held, length=length)], known)[0].score


def known(chunks: int, **frequencies: int) -> Statistics:
    return Statistics(chunks, 10.0, {**dict.fromkeys(WORDS, 0), **frequencies})


@given(held=st.lists(counts, max_size=5), known=statistics, length=st.integers(1, 5000))
def test_scores_lie_between_0_and_1_and_the_best_comes_first(
    held: list[Counts], known: Statistics, length: int
) -> None:
    scores = [one.score for one in ranked([match(one, length=length) for one in held], known)]
    assert all(0 <= one <= 1 for one in scores)
    assert scores == sorted(scores, reverse=True)


@given(held=counts, known=statistics, length=st.integers(1, 5000))
def test_the_shares_of_the_words_add_up_to_the_score_exactly(held: Counts, known: Statistics, length: int) -> None:
    [one] = ranked([match(held, length=length)], known)
    assert sum(term.share for term in one.explanation.terms) == one.score
    assert {term.word for term in one.explanation.terms} == {word for word, _ in held}
    for term in one.explanation.terms:
        assert term.columns == {column: n for (word, column), n in held.items() if word == term.word}
        assert term.share == term.weight * term.fullness


@given(held=counts, more=counts, known=statistics, length=st.integers(1, 5000))
def test_more_matched_words_are_never_worse(held: Counts, more: Counts, known: Statistics, length: int) -> None:
    both = {key: held.get(key, 0) + more.get(key, 0) for key in {**held, **more}}
    less, greater = score(held, known, length), score(both, known, length)
    assert greater >= less or greater == pytest.approx(less)


@given(
    chunks=st.integers(3, 100_000),
    length=st.integers(1, 500),
    n=st.integers(1, 9),
    column=st.sampled_from(list(COLUMNS)),
)
def test_a_rarer_word_counts_more(chunks: int, length: int, n: int, column: str) -> None:
    places = known(chunks, tea=1, cup=chunks // 2 + 1, pot=chunks)
    rare, common, everywhere = (score({(word, column): n}, places, length) for word in WORDS)
    assert rare > common > everywhere > 0


@given(known=statistics, length=st.integers(1, 500))
def test_a_word_in_a_heading_counts_more_than_one_in_passing(known: Statistics, length: int) -> None:
    assert score({("tea", "heading"): 1}, known, length) > score({("tea", "text"): 1}, known, length)
    assert score({("tea", "text"): 1}, known, length) > score({("tea", "date"): 1}, known, length)


@given(known=statistics, length=st.integers(1, 500))
def test_a_short_passage_says_more_with_the_same_words(known: Statistics, length: int) -> None:
    assert score({("tea", "text"): 2}, known, length) > score({("tea", "text"): 2}, known, length + 50)


def test_a_word_that_no_passage_holds_counts_against_them_all() -> None:
    places = known(10, tea=1)
    [alone] = ranked([match({("tea", "text"): 1})], places, ("tea",))
    [beside] = ranked([match({("tea", "text"): 1})], places, ("tea", "cup"))
    assert beside.score < alone.score


def test_ignored_words_are_told_and_count_for_nothing() -> None:
    plan = WordPlan((Term("tea", "tea"),), (Term("The", "the"),))
    [one] = rank([match({("tea", "text"): 1})], plan, known(5, tea=1), COLUMNS)
    assert one.explanation.ignored == ("The",)
    assert one.score == ranked([match({("tea", "text"): 1})], known(5, tea=1), ("tea",))[0].score


def test_no_matches_and_no_words_are_no_results() -> None:
    assert ranked([], known(0)) == []
    assert ranked([], known(0), ()) == []


def test_ties_are_broken_by_path_and_then_by_line() -> None:
    held: Counts = {("tea", "text"): 1}
    matches = [
        match(held, path="b.md", line=1),
        match(held, path="a.md", line=10, digest="0"),
        match(held, path="a.md", line=9, digest="1"),
    ]
    order = [(one.match.passage.path, one.match.passage.start_line) for one in ranked(matches, known(3, tea=3))]
    assert order == [("a.md", 9), ("a.md", 10), ("b.md", 1)]


@given(
    held=st.lists(
        st.tuples(
            counts, st.sampled_from(["a.md", "b.md"]), st.integers(1, 2), st.sampled_from("01"), st.integers(1, 2)
        ),
        max_size=8,
        unique_by=lambda one: one[1:],  # what tells one passage from another
    ),
    known=statistics,
    seed=st.randoms(use_true_random=False),
)
def test_the_order_does_not_depend_on_the_order_of_the_matches(
    held: list[tuple[Counts, str, int, str, int]], known: Statistics, seed: random.Random
) -> None:
    matches = [
        match(one, path=path, line=line, digest=digest, number=number) for one, path, line, digest, number in held
    ]
    shuffled = seed.sample(matches, len(matches))
    assert ranked(matches, known) == ranked(shuffled, known)


def test_positions_are_counted_from_1() -> None:
    held: list[Counts] = [{("tea", "text"): 3}, {("tea", "text"): 1}]
    assert [one.explanation.word_rank for one in ranked([match(h) for h in held], known(9, tea=2))] == [1, 2]


def search(folder: Path, home: str, notes: dict[str, str], query: str) -> dict[str, float]:
    with memoro.open(home, write_vault(folder, notes)) as m:
        return {hit.path: hit.score for hit in m.search(query, mode="words").results}


@pytest.fixture(params=[":memory:", "home"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return ":memory:" if request.param == ":memory:" else str(tmp_path / "home")


def test_better_matches_score_higher_not_lower(tmp_path: Path, place: str) -> None:
    notes = {
        "best.md": "Green tea. We drink green tea, and green tea again.",
        "good.md": "Green tea once, beside much about other things that nobody asked for.",
        "weak.md": "A green door, beside much about other things that nobody asked for.",
        "none.md": "Nothing of it.",
    }
    scores = search(tmp_path / "vault", place, notes, "green tea")
    assert list(scores) == ["best.md", "good.md", "weak.md"]
    assert 1 > scores["best.md"] > scores["good.md"] > scores["weak.md"] > 0


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_vault_of_one_to_three_notes_has_sane_scores(others: int, tmp_path: Path, place: str) -> None:
    notes = {"tea.md": "Green tea is steeped at eighty degrees."}
    notes |= {f"{n}.md": f"Note {n} is about something else altogether." for n in range(others)}
    folder = tmp_path / "vault"
    assert search(folder, place, notes, "xyzzy") == {}
    found = search(folder, place, notes, "green tea")
    assert list(found) == ["tea.md"]
    assert 0.3 < found["tea.md"] <= 1
    partly = search(folder, place, notes, "green xyzzy")
    assert 0 < partly["tea.md"] < found["tea.md"]


def test_notes_that_all_hold_the_word_all_have_a_score(tmp_path: Path, place: str) -> None:
    notes = {f"{n}.md": "tea " * n for n in (1, 2, 3)}
    found = search(tmp_path / "vault", place, notes, "tea")
    assert list(found) == ["3.md", "2.md", "1.md"]
    assert all(one > 0.2 for one in found.values())


def test_an_index_of_less_than_200_passages_weighs_words_as_one_of_200() -> None:
    def score_among(chunks: int) -> float:
        return score({("tea", "text"): 1}, known(chunks, tea=3, cup=9, pot=1))

    assert score_among(20) == score_among(199) == score_among(200) != score_among(201)


def test_a_word_that_nobody_asked_for_adds_nothing_to_the_fit_of_an_item() -> None:
    shares = {"tea": 0.75, "cup": 0.25}

    assert fit([("tea", 2), ("pot", 9)], 10, shares, 10.0) == fit([("tea", 2)], 10, shares, 10.0) > 0
    assert fit([("pot", 9)], 10, shares, 10.0) == 0


def test_weights_go_over_between_passages_of_150_and_of_600_characters() -> None:
    short, long = by_length(0, OF_BUILTIN), by_length(5000, OF_BUILTIN)

    assert short == by_length(150, OF_BUILTIN) != by_length(151, OF_BUILTIN)
    assert long == by_length(600, OF_BUILTIN) != by_length(599, OF_BUILTIN)
    half = by_length(375, OF_BUILTIN)
    assert all(half[name] == pytest.approx((short[name] + long[name]) / 2) for name in short)


@pytest.mark.parametrize(("limit", "candidates"), [(5, 15), (66, 198), (67, 200), (200, 200), (300, 300)])
def test_some_times_as_many_passages_are_ranked_as_are_wanted_up_to_200(limit: int, candidates: int) -> None:
    asked: list[int] = []

    class Counting(PlainIndex):
        def match(
            self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
        ) -> list[Match]:
            asked.append(limit)
            return super().match(terms, where, limit, leading=leading)

    index = Counting()
    index.apply([Write(note("tea.md", "green tea"))])
    assert by_words(index, IndexQuery("tea", Where(), limit, "words"), 3).ranked
    assert asked == [candidates]

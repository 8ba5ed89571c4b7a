"""Which attribute a question asks for, which a text states, and what kind of answer a question wants."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.demo import copy_vault
from memoro.model.answers import Passage
from memoro.model.attributes import asked_attributes, find_asked, find_stated, names, split, stated_attributes
from memoro.search import signals
from memoro.search.answer_kind import asks_for_fact, kind_asked
from memoro.search.attribute import attribute
from memoro.workspace import Workspace

PAIRS = tomllib.loads(
    (Path(__file__).parent.parent / "benchmarks" / "data" / "attributes.toml").read_text(encoding="utf-8")
)


def passage(text: str, tier: str = "memory") -> Passage:
    return Passage(
        path="p",
        tier=tier,  # type: ignore[arg-type]
        title="",
        date=None,
        start_line=1,
        end_line=1,
        headings=(),
        text=text,
        digest="",
        number=1,
    )


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Where does Anna live?", "home"),
        ("where did she move", "home"),
        ("Which company does she work for?", "employer"),
        ("Who is in charge of harbor?", "lead"),
        ("what do I install dependencies with", "package manager"),
        ("which database is it?", "database"),
        ("Do we still use Jenkins?", "ci"),
        ("Wo wohnt Jonas?", "home"),
        ("Wer ist verantwortlich?", "lead"),
        ("How old is Anna?", "birthday"),
    ],
)
def test_a_question_asks_for_an_attribute(query: str, name: str) -> None:
    assert name in asked_attributes(query)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Anna moved to Porto", "home"),
        ("Anna found a flat near the station", "home"),
        ("Marek takes over harbor", "lead"),
        ("Deniz handed it over to Farah", "lead"),
        ("we use pnpm", "package manager"),
        ("We moved to Postgres", "database"),
        ("rewritten in Rust", "programming language"),
        ("it went from Jenkins to GitHub Actions", "ci"),
        ("it runs in eu-west-1", "region"),
        ("you reach her under +48 601 555 220", "phone"),
        ("write to nora@example.org", "email"),
        ("She turned 40", "birthday"),
        ("Anna ist nach Leipzig gezogen", "home"),
        ("Svenja übernimmt das Projekt", "lead"),
    ],
)
def test_a_text_states_an_attribute(text: str, name: str) -> None:
    assert name in stated_attributes(text)


def test_a_value_alone_is_asked_for_only_by_a_question() -> None:
    assert "database" in asked_attributes("Do we use Postgres?")
    assert asked_attributes("Postgres vacuum") == frozenset()


def test_a_longer_cue_leaves_out_the_shorter_one_within_it() -> None:
    assert asked_attributes("which language model do we call?") == {"llm"}
    assert "programming language" in asked_attributes("what programming language is it?")
    assert "spoken language" not in asked_attributes("what programming language is it?")


def test_moving_to_a_product_is_no_change_of_home() -> None:
    assert "home" in stated_attributes("We moved to Lisbon")
    assert "home" not in stated_attributes("We moved to Postgres")


def test_an_everyday_word_is_a_product_only_where_something_is_used() -> None:
    assert "programming language" in stated_attributes("we switched to Go")
    assert "programming language" not in stated_attributes("we go home")
    assert "shell" not in stated_attributes("fish for dinner")


def test_the_table_has_a_hundred_attributes_with_different_names() -> None:
    assert len(names()) == len(set(names())) > 100


@given(st.text(max_size=200))
def test_any_text_has_attributes_and_case_does_not_matter_for_them(text: str) -> None:
    assert asked_attributes(text) == asked_attributes(text) <= set(names())
    assert stated_attributes(text) == stated_attributes(text) <= set(names())
    if text.isascii():
        assert stated_attributes(text) == stated_attributes(text.lower()) == stated_attributes(text.upper())
        assert asked_attributes(text) == asked_attributes(text.lower()) == asked_attributes(text.upper())


WORDS = sorted(
    {
        word
        for half in PAIRS.values()
        for subject in half.values()
        for pair in subject.values()
        for word in " ".join(pair).split()
    }
)


@settings(max_examples=50)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_words_of_statements_in_any_order_have_attributes_in_any_case(words: list[str]) -> None:
    text = " ".join(words)

    assert stated_attributes(text) == stated_attributes(text.lower())
    assert {cue.name for cue in find_stated(text)} == stated_attributes(text)
    assert all(cue.words <= set(split(text)) for cue in (*find_stated(text), *find_asked(text)))


@pytest.mark.parametrize("part", ["moved ", "take ", "a.", "/a", "Anna ", "#a ", "in ", "1 "])
def test_a_long_text_is_read_to_its_end(part: str) -> None:
    text = part * 20_000 + " we use Postgres"

    assert "database" in stated_attributes(text)
    for question in ("who is it?", "where is it?", "when is it?", "how many?", "how much?"):
        assert signals.cue(question)(text) in (0.0, 1.0)


def test_a_passage_that_states_what_is_asked_for_comes_before_one_that_states_something_else() -> None:
    home, tea, nothing = attribute(
        "Where does Anna live?", [passage("Anna moved to Porto"), passage("Anna likes tea"), passage("Anna smiled")]
    )

    assert home == 1
    assert tea < nothing == 0


def test_a_turn_of_a_conversation_counts_less_and_is_never_held_against() -> None:
    home, tea = attribute(
        "Where does Anna live?",
        [passage("Anna moved to Porto", "transcript"), passage("Anna likes tea", "transcript")],
    )

    assert (home, tea) == (0.4, 0)


def test_the_words_of_the_question_count_elsewhere() -> None:
    assert attribute("Which database is it?", [passage("the database is slow")]) == [0]
    assert attribute("Which database is it?", [passage("the database is MySQL")]) == [1]
    assert attribute("Which database is it?", [passage("- the database is slow\n- Anna likes tea")]) == [0]


def test_a_question_with_many_other_words_asks_for_more_than_an_attribute() -> None:
    simple, special = "Where does Anna live?", "Where does the woman live who sold broken clocks beside old ferries?"

    assert attribute(simple, [passage("she moved to Porto")]) == [1]
    assert attribute(special, [passage("she moved to Porto")]) == [0]


def test_a_passage_that_states_many_attributes_tells_less() -> None:
    many = "Anna moved to Porto, has two dogs, likes tea, plays chess, drives a Volvo and works for Siemens"

    assert 0 < attribute("Where does Anna live?", [passage(many)])[0] < 0.5


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("Who leads it?", "person"),
        ("Where is it?", "place"),
        ("In which city is it?", "place"),
        ("When is it?", "time"),
        ("At what time is it?", "time"),
        ("How many are there?", "number"),
        ("How much is it?", "money"),
        ("What did he do when it rained?", None),
        ("Why?", None),
        ("Wer leitet es?", "person"),
        ("Wie alt ist er?", "number"),
    ],
)
def test_the_first_question_word_tells_the_kind_of_answer(query: str, kind: str | None) -> None:
    assert kind_asked(query) == kind


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        ("Who leads it?", True),
        ("What is the port?", True),
        ("How many are there?", True),
        ("How do I restart it?", False),
        ("What did we do about the outage?", False),
        ("What worked last time?", False),
        ("restart the server", False),
    ],
)
def test_a_question_for_a_fact_is_no_question_for_a_way(query: str, fact: bool) -> None:
    assert asks_for_fact(query) is fact


def test_an_experience_steps_back_where_a_fact_is_asked_for() -> None:
    found = [passage("restarted the server", "experience"), passage("the server is in Porto")]

    assert signals.experience("Where is the server?", found) == [-1, 0]
    assert signals.experience("How do I restart the server?", found) == [0, 0]


def opened(tmp_path: Path, statements: Sequence[str]) -> Workspace:
    (tmp_path / "vault").mkdir()
    m = memoro.open(tmp_path / "home", tmp_path / "vault")
    for statement in statements:
        m.memories.store(statement)
    m.sync()
    return m


STATEMENTS = (
    "Anna likes tea",
    "Anna moved to Porto",
    "Anna has two dogs",
    "Marek takes over harbor",
    "harbor sends its metrics to Grafana",
    "we use pnpm",
    "harbor ships every Tuesday after lunch",
)


@pytest.mark.parametrize(
    ("query", "statement"),
    [
        ("Where does Anna live?", "Anna moved to Porto"),
        ("who is in charge of harbor?", "Marek takes over harbor"),
        ("what do I install dependencies with", "we use pnpm"),
        ("when do we deploy harbor", "harbor ships every Tuesday after lunch"),
    ],
)
def test_the_statement_that_answers_comes_first_without_a_common_word(
    tmp_path: Path, query: str, statement: str
) -> None:
    with opened(tmp_path, STATEMENTS) as m:
        first = m.search(query).results[0]

    assert first.snippet == statement
    assert {part.name: part.value for part in first.explanation.parts}["attribute"] == 1


def test_a_passage_that_is_not_near_in_meaning_is_found_by_what_it_states(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", copy_vault(str(tmp_path))) as m:
        m.memories.store("we use pnpm")
        m.sync()
        found = m.search("what do I install dependencies with", limit=6, min_score=0.0)

    assert "we use pnpm" in [hit.snippet for hit in found.results]


def test_a_statement_about_somebody_else_is_no_surer_for_its_attribute(tmp_path: Path) -> None:
    with opened(tmp_path, STATEMENTS) as m:
        right = m.search("Where does Anna live?", min_score=0.0).results[0]
        wrong = m.search("Where does Bob live?", min_score=0.0).results[0]

    assert right.score > 0.9
    assert wrong.score < 0.33


def test_a_fact_comes_before_an_experience_that_holds_more_of_the_question(tmp_path: Path) -> None:
    with opened(tmp_path, ["the staging server is hosted in Porto"]) as m:
        m.experiences.record("task_solution", "the staging server is stuck", "restart the staging server")
        m.sync()
        fact, way = m.search("Where is the staging server?"), m.search("How do I restart the staging server?")

    assert fact.results[0].kind == "memory"
    assert way.results[0].kind == "experience"

"""What is said: who only asks, what the turns around a turn hold, and which side a question is about."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.model.answers import Hit, Match, Passage, Term
from memoro.model.standing_rules import states_rule
from memoro.model.statements import only_asks, told_and_asked
from memoro.providers.builtin.model import builtin
from memoro.search import phrasing, signals, turns
from memoro.search.past import time_asked
from memoro.workspace import Workspace
from tests.conftest import write_vault


def turn(text: str, line: int = 1, speaker: str | None = "Ann", path: str = "@logs/a.jsonl") -> Passage:
    said = f"{speaker}: {text}" if speaker else text
    return Passage(path, "transcript", "a", None, line, line, (), said, f"{path}{line}", 1, speaker)


def opened(tmp_path: Path, *conversations: list[tuple[str, str]]) -> Workspace:
    """A home with these conversations: the role or the name of the speaker, and what was said."""
    home, logs = tmp_path / "home", tmp_path / "logs"
    home.mkdir(mode=0o700)
    logs.mkdir()
    for number, said in enumerate(conversations):
        lines = [
            {"role": who, "content": text} if who in ("user", "assistant") else {"speaker": who, "content": text}
            for who, text in said
        ]
        file = logs / f"{number}.jsonl"
        file.write_text("".join(json.dumps({"role": "user", **line}) + "\n" for line in lines), encoding="utf-8")
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n')
    return memoro.open(home, write_vault(tmp_path / "vault", {}))


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "which port do we use",
        "who holds my money",
        "how often and when do we ship the beta",
        "Hi! Quick question: where is the key?",
        "Thanks, that's helpful. Which database does the shop use?",
        "Remind me which database we picked.",
        "I was wondering, where do you live?",
        "Wow, that sounds great! What happened then?",
        "Wo wohne ich?",
        "Wann ist die Abgabe",
        "Which port does api.example.com use?",
    ],
)
def test_what_only_asks_tells_nothing(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Oslo. And you?",
        "I moved to Oslo, and you?",
        "When I was in Oslo it rained",
        "What I learned today is how to bake",
        "The API listens on 8080",
        "Als ich in Oslo war, hat es geregnet",
        "Deploy with uv. Why? Because it is fast.",
        "# Which port?\n\nThe port is 8080 since May.",
        "How do I fix the login of my shop, which runs Flask 2.3.1 with Postgres 16 behind nginx on a small rented "
        "server in Helsinki, after the upgrade last Monday broke the sessions?",
        "",
        "?",
    ],
)
def test_what_tells_something_does_not_only_ask(text: str) -> None:
    assert not only_asks(text)


@given(st.text(max_size=200))
def test_a_text_is_its_statements_and_its_questions(text: str) -> None:
    told, asked = told_and_asked(text)
    assert sorted((told + asked).replace(" ", "")) == sorted(text.replace(" ", "").replace("?", ""))
    assert "?" in text or told == text


def test_a_word_of_a_question_counts_half() -> None:
    texts = ["I got a dog.", "Do you have a dog? I got a cat.", "Do you have a dog? I got a dog."]
    held = (("dog", "text", 1),)
    found = signals.nearest_words([Term("dog", "dog")], [Match(turn(text), held, 0) for text in texts], builtin())
    assert found.values.tolist() == [[1.0, 1.0, 1.0]]
    assert found.told[0, 0] == found.told[0, 2] == 1.0
    assert 0.5 <= found.told[0, 1] < 1.0


def parts(hit: Hit) -> dict[str, float]:
    return {part.name: part.value for part in hit.explanation.parts}


def test_a_question_is_not_the_answer(tmp_path: Path) -> None:
    said = [
        ("user", "Which database does the web shop use?"),
        ("assistant", "The web shop stores its orders in Postgres."),
    ]
    noise = [("user", "The web shop got a new logo."), ("assistant", "Fine, the web shop looks better now.")]
    with opened(tmp_path, said, noise) as m:
        found = m.search("what database is behind the web shop").results
        advice = m.search("any advice on the database of the web shop").results
    asks = {hit.snippet: parts(hit).get("asks") for hit in found}
    assert asks == {hit.snippet: -1 if "Which" in hit.snippet else None for hit in found}
    assert "Postgres" in found[0].snippet
    assert all("asks" not in parts(hit) for hit in advice), "what somebody asked tells what he cares about"


def test_a_turn_that_repeats_the_query_is_no_answer() -> None:
    said = [turn("my pets", 1), turn("my pets are cats", 2), turn("my pets", 3, None, "pets.md")]
    assert turns.asks("which pets do I have: my pets", said) == [-1, 0, 0]


def test_a_memory_and_a_note_that_only_ask_are_no_answers() -> None:
    said = [
        turn("Which database does the shop use?", 1, None, "memory:1"),
        turn("The shop uses Redis.", 1, None, "a.md"),
    ]
    assert turns.asks("the shop's database", said) == [-1, 0]


def test_a_turn_near_a_fitting_one_is_helped() -> None:
    said = [turn("x", 1), turn("x", 2), turn("x", 9), turn("x", 1, path="@logs/b.jsonl"), turn("x", 1, None, "a.md")]
    chunks = [11, 12, 19, 13, 14]
    values = turns.nearby(chunks, said, numpy.asarray([4.0, 0, 0, 0, 0]))
    assert values == [0, pytest.approx(2), 0, 0, 0], "two deviations above the mean"


def test_the_parts_of_one_turn_do_not_help_each_other() -> None:
    assert turns.nearby([1, 2], [turn("x"), turn("x")], numpy.asarray([1.0, 0])) == [0, 0]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 30), st.floats(-5, 5)), min_size=1, max_size=30))
def test_what_is_nearby_is_the_best_within_reach(said: list[tuple[int, int, float]]) -> None:
    passages = [turn("x", line, path=f"@logs/{name}.jsonl") for name, line, _ in said]
    chunks = [100 * name + line for name, line, _ in said]
    sums = numpy.asarray([value for *_, value in said])
    above = (sums - sums.mean()) / sums.std() if sums.std() > 1e-9 else sums * 0
    plain = [
        max(
            [0.0]
            + [
                float(above[j])
                for j, other in enumerate(passages)
                if other.path == one.path
                and other.start_line != one.start_line
                and abs(chunks[i] - chunks[j]) <= turns.NEARBY
            ]
        )
        for i, one in enumerate(passages)
    ]
    assert len(set(chunks)) < len(chunks) or turns.nearby(chunks, passages, sums) == pytest.approx(plain)


def test_the_reply_to_a_fitting_question_is_found(tmp_path: Path) -> None:
    said = [("Ann", "How is your sister Mia doing in the new flat?"), ("Bob", "Oh, much better since May.")]
    noise = [[("Ann", f"We had soup number {n}."), ("Bob", "Oh, better than last time.")] for n in range(9)]
    with opened(tmp_path, said, *noise) as m:
        found = m.search("how is Bob's sister Mia").results
    assert "since May" in found[0].snippet
    assert parts(found[0])["nearby"] > 0


@pytest.mark.parametrize(
    ("query", "several"),
    [
        ("how many museums did I visit", True),
        ("in what order did I visit the museums", True),
        ("summarise my visits", True),
        ("wie viele Museen habe ich besucht", True),
        ("where is the museum", False),
        ("in order to visit the museum, which bus", False),
    ],
)
def test_a_question_is_about_several_occasions(query: str, several: bool) -> None:
    assert phrasing.is_about_several(query) == several


def test_of_several_occasions_those_of_different_conversations_come_first(tmp_path: Path) -> None:
    said = [turn("x", 1), turn("x", 2), turn("x", 3), turn("x", 1, path="@logs/b.jsonl"), turn("x", 1, None, "a.md")]
    assert turns.before(said, numpy.asarray([5.0, 4, 3, 2, 1])) == [0, -1, -2, 0, 0]
    assert turns.before([said[0], said[0], said[1]], numpy.asarray([5.0, 4, 3])) == [0, 0, -1], "parts of one turn"
    with opened(tmp_path, [("user", "I saw the art museum."), ("user", "The museum was big.")]) as m:
        found = m.search("how many museums did I see").results
    assert [parts(hit).get("spread") for hit in found] == [None, -1]


@pytest.mark.parametrize(
    "text",
    [
        "Always use type hints.",
        "Never commit to the main branch.",
        "You should always show me the command first.",
        "From now on, answer in three sentences.",
        "I prefer aisle seats.",
        "The user prefers metric units.",
        "Please remember that I am left-handed.",
        "I'm allergic to peanuts.",
        "We only use Postgres here.",
        "Whenever I ask about a library, name its licence.",
        "Every release needs a line in the changelog.",
        "Bitte antworte immer auf Deutsch.",
        "Ich bevorzuge kurze Listen.",
        "Verwende nie Tabulatoren.",
        "Merk dir, dass ich freitags frei habe.",
    ],
)
def test_a_standing_rule_is_known_by_its_words(text: str) -> None:
    assert states_rule(text)


@pytest.mark.parametrize(
    "text",
    [
        "I have never been to Oslo.",
        "It's always good to see you.",
        "I've always dreamed of a boat.",
        "I'll make sure to bring it.",
        "It must be exciting to live there.",
        "I'd like to know more about boats.",
        "The rule of law is old.",
        "Use the blue door today.",
        "Er war nie dort.",
        "",
    ],
)
def test_what_is_told_is_no_rule(text: str) -> None:
    assert not states_rule(text)


@pytest.mark.parametrize(
    ("query", "task"),
    [
        ("Write a function that parses the export", True),
        ("can you recommend a film", True),
        ("What should I cook on Sunday?", True),
        ("Plane meine Reise nach Mailand", True),
        ("how do I deploy the shop", True),
        ("Which database does the shop use?", False),
        ("remind me which film I should see", False),
        ("which film did you recommend", False),
        ("shop database port", False),
    ],
)
def test_a_task_wants_something_done(query: str, task: bool) -> None:
    assert phrasing.is_task(query) == task


def test_a_rule_is_preferred_where_a_task_touches_it() -> None:
    rule, answered = turn("I prefer window seats."), turn("Always book early.", speaker="Assistant")
    for_questions = turn("Whenever I ask about flights, name the price.")
    said = [rule, answered, for_questions, turn("The flight was late."), turn("Always pack light. " * 40)]
    assert turns.rules("Book me a flight to Lisbon", said) == [1, 0, 1, 0, 0]
    assert turns.rules("which flights go to Lisbon", said) == [0, 0, 1, 0, 0], "a fact is asked for"
    assert turns.rules("where do I buy batteries", said) == [0] * 5, "a fact that the rule has nothing to do with"


def test_a_task_finds_the_rule_for_it(tmp_path: Path) -> None:
    rule = [("user", "I prefer window seats when I fly."), ("assistant", "Noted.")]
    told = ("window", "The seats", "fly", "flight", "Lisbon", "May")
    noise = [[("user", f"{word} was on the list."), ("assistant", "A pity.")] for word in told]
    with opened(tmp_path, rule, *noise) as m:
        found = m.search("Book me a seat on the flight", limit=9).results
    assert "window seats" in found[0].snippet
    assert parts(found[0])["rule"] == 1


def test_lines_without_a_mark_stay_apart_beside_a_question() -> None:
    told, asked = told_and_asked("Tea?\nDog\nCar")
    assert (told.split(), asked.split()) == (["Dog", "Car"], ["Tea"])


@pytest.mark.parametrize("measured", ["How many days", "How long", "wie viele Tage"])
def test_a_stretch_between_two_events_is_no_time_to_look_in(measured: str) -> None:
    today = date(2026, 5, 1)
    assert time_asked(f"{measured} before the move to Oslo did I sell the car?", today) is None
    named = time_asked("Where did I live before the move to Oslo?", today)
    assert named is not None
    assert named.event

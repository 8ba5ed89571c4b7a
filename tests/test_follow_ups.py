"""What was said later about an answer is found by the names and numbers of the answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.answers import Where
from memoro.store.plain.index import PlainIndex
from memoro.unasked.exchanges import Exchange, exchanges_of
from memoro.unasked.follow_ups import corrections, follow_ups, forms_of, marks_of
from tests.talks import PATH, index_of, talk

QUESTION = "which port does the gateway listen on?"
ANSWER = "The gateway listens on 8443."


def exchange_at(index: PlainIndex, path: str = PATH, place: int = 0) -> Exchange:
    """The exchange of the chunk at a place of a conversation."""
    [one] = index.look_up([index.chunks_of([path])[place]], [])
    return exchanges_of(index, {one.chunk: one.passage})[one.chunk]


def information(index: PlainIndex, message: str = "port gateway") -> dict[str, float]:
    return dict.fromkeys(index.stems(message), 1.0)


def later(*said: str, day: str = "2026-01-09", path: str = "@claude/s2.jsonl") -> list[tuple[str, bool]]:
    """What was said first in each follow-up of ANSWER, and whether it replaces it."""
    turns = [(n, ("User", "Assistant")[(n + 1) % 2], text) for n, text in enumerate(said, 1)]
    index = index_of(talk([(1, "User", QUESTION), (2, "Assistant", ANSWER)]), talk(turns, path=path, day=day))
    found = follow_ups(index, exchange_at(index), QUESTION, Where(), information(index))
    return [(one.exchange.turns[0].text, one.replaces) for one in found]


def test_a_later_exchange_that_names_the_old_value_and_changes_it_is_found() -> None:
    said = "8443 clashes with the metrics, move it to 9443"
    assert [text for text, _ in later(said, "Done.")] == [said]


def test_a_value_that_is_called_past_is_replaced() -> None:
    assert later("We use 9443 instead of 8443 now.", "Changed.") == [("We use 9443 instead of 8443 now.", True)]


@pytest.mark.parametrize(
    "said", ["Is 8443 open in the firewall?", "The tests for 8443 pass.", "18443 moves to the other rack"]
)
def test_what_only_mentions_the_value_or_asks_about_it_changes_nothing(said: str) -> None:
    assert later(said, "Yes.") == []


def test_what_was_said_before_an_answer_cannot_change_it() -> None:
    assert later("Move 8443 to 9443", "Done.", day="2025-12-01") == []


def test_the_newest_follow_up_comes_first() -> None:
    turns = [(1, "User", "Move the port from 8443 to 9443"), (2, "Assistant", "Done.")]
    again = [(1, "User", "Move the port back to 8443"), (2, "Assistant", "Done.")]
    index = index_of(
        talk([(1, "User", QUESTION), (2, "Assistant", ANSWER)]),
        talk(turns, path="@claude/s2.jsonl", day="2026-01-09"),
        talk(again, path="@claude/s3.jsonl", day="2026-01-12"),
    )
    found = follow_ups(index, exchange_at(index), QUESTION, Where(), information(index))
    assert found[0].exchange.turns[0].text == "Move the port back to 8443"


def corrected(said: Sequence[str], message: str) -> list[str]:
    turns = [(n, ("User", "Assistant")[(n + 1) % 2], text) for n, text in enumerate(said, 1)]
    index = index_of(talk(turns))
    found = corrections(index, exchange_at(index), message, information(index, message))
    return [one.exchange.turns[0].text for one in found]


def test_a_correction_right_behind_an_answer_needs_no_word_of_the_question() -> None:
    said = ["does go-live stay on Friday?", "Yes, Friday.", "Hm, move it to the 24th", "Noted."]
    assert corrected(said, "when is go-live?") == ["Hm, move it to the 24th"]


def test_what_comes_next_and_changes_something_else_is_no_correction() -> None:
    said = ["does go-live stay on Friday?", "Yes, Friday.", "move the logo to the left", "Done."]
    assert corrected(said, "when is go-live?") == []
    paste = "move it to the 24th. " + "And here is the whole text of the contract. " * 9
    assert corrected(["go-live on Friday?", "Yes.", paste, "Noted."], "when is go-live?") == []


def test_a_value_of_the_same_form_right_behind_an_answer_corrects_it() -> None:
    said = [
        "which relay do we use?",
        "It points to relay.example.org, port 25.",
        "let's move to our own: mx.hof.net",
        "OK.",
    ]
    assert corrected(said, "which relay serves our mail?") == ["let's move to our own: mx.hof.net"]
    said[2] = "now move the logo to the left"
    assert corrected(said, "which relay serves our mail?") == []


def test_values_have_the_form_of_a_dotted_name_or_of_the_words_beside_a_number() -> None:
    assert forms_of("relay.example.org, port 25") == {"a dotted name", "port"}
    assert forms_of("the alarm is at 3.4 V now") == {"v"}
    assert forms_of("nothing of note. Is here") == frozenset()


def test_marks_are_names_numbers_and_code() -> None:
    found = {mark.text: mark.is_name for mark in marks_of("Run `make seed` on 10.0.0.7 with retryCount, says Marta.")}
    assert found == {"make seed": False, "10.0.0.7": False, "retrycount": False, "marta": True}
    assert marks_of("nothing of note is here") == ()


@given(st.text(max_size=300))
def test_marks_are_few_and_from_the_text(text: str) -> None:
    found = marks_of(text)
    assert len(found) <= 8
    assert all(mark.text in text.lower() for mark in found)


@pytest.mark.parametrize(
    ("mark", "held_by", "is_found"), [("Heron", 8, True), ("Heron", 9, False), ("8443", 6, True), ("8443", 7, False)]
)
def test_what_many_passages_name_leads_to_no_change(mark: str, held_by: int, is_found: bool) -> None:
    answer = [(1, "User", "who runs the gateway?"), (2, "Assistant", f"The gateway is run by {mark} alone.")]
    change = [(1, "User", f"Not by {mark} any more, we replaced that."), (2, "Assistant", "Fine.")]
    others = [
        talk([(1, "User", f"The roof of {mark} is green.")], path=f"@claude/o{n}.jsonl", day="2025-01-01")
        for n in range(held_by - 2)
    ]
    index = index_of(talk(answer), talk(change, path="@claude/s2.jsonl", day="2026-01-09"), *others)
    found = follow_ups(index, exchange_at(index), "who runs the gateway?", Where(), information(index, "gateway"))
    assert bool(found) is is_found

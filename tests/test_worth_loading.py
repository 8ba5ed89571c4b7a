"""Chat, questions, passing states, fragments and empty words are never worth a place in an always-loaded file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.worth_loading import LONGEST, is_worth_loading, why_not_loading

DATA = Path(__file__).parent.parent / "benchmarks" / "data"


def labelled(part: str) -> list[tuple[bool, str]]:
    lines = (DATA / f"worth-loading-{part}.txt").read_text().splitlines()
    return [(line[0] == "+", line[2:]) for line in lines if line[:1] in "+-" and line]


@pytest.mark.parametrize(("part", "recall"), [("dev", 0.95), ("check", 0.85)])
def test_no_junk_of_the_labelled_lines_passes_and_most_facts_do(part: str, recall: float):
    lines = labelled(part)
    kept = [(worth, text) for worth, text in lines if is_worth_loading(text)]

    assert [text for worth, text in kept if not worth] == []
    assert len(kept) >= recall * sum(worth for worth, _ in lines)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("…", "empty"),
        ("x" * (LONGEST + 1), "too long"),
        ("The token is ghp_0123456789abcdefghijABCDEFGHIJ012345", "secret"),
        ("Which port does staging use?", "question"),
        ("thanks, perfect", "chat"),
        ("The build is currently red.", "passing"),
        ("and the second one too", "fragment"),
        ("The user asked about the code.", "vacuous"),
        ('{"a": 1}', "output"),
    ],
)
def test_the_reason_is_named(text: str, why: str):
    assert why_not_loading(text) == why


def test_an_order_is_worth_loading_where_it_is_meant_as_a_rule():
    assert not is_worth_loading("Use British spelling in customer letters.")
    assert is_worth_loading("Use British spelling in customer letters.", as_rule=True)
    assert not is_worth_loading("Can you use British spelling?", as_rule=True)


@given(st.text(max_size=500))
def test_any_text_gets_an_answer_and_no_question_passes(text: str):
    why_not_loading(text)
    assert not is_worth_loading(f"{text}?")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("From 8am until 9pm", "fragment"),
        ("Every 15 minutes.", "fragment"),
        ("Tea", "fragment"),
        ("Tea time", None),
        ("tea at 8pm", None),
        ("喝茶时间", "fragment"),
        ("喝茶时间到", None),
        ("x" * LONGEST, "fragment"),
    ],
)
def test_a_line_must_say_what_and_not_only_when(text: str, why: str | None) -> None:
    assert why_not_loading(text) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("When does a test fail?", "question"),
        ("If a test fails, what do we do?", "question"),
        ("Before a release, always run all tests", None),
        ("Always name the file", None),
        ("Thanks, that is perfect", "chat"),
        ("I think the staging server is heron", "chat"),
        ("Maybe the staging server is heron", "chat"),
        ("let me look at the staging server", "chat"),
        ("Never deploy today", None),  # a rule may name a day
        ("The staging server is red today", "passing"),
        ("TODO: rename the staging server", "passing"),
        ("We talked about the staging server", "vacuous"),
        ("Various notes about the harbor", "vacuous"),
        ("It runs on the staging server", "fragment"),
        ("This project uses tabs", None),
        ("This is the staging server", "fragment"),
        ("The staging server is heron and", "fragment"),
        ("The staging server is heron:", "fragment"),
        ("We went to Porto in May", "passing"),  # it tells an event
        ("Rename the staging server", "chat"),
        ("https://heron.example/a", "output"),
        ("$ make test", "output"),
        ("2026-01-01T10:00 started", "output"),
        ("src/heron/main.py", "output"),
        ("我的猫叫团团。", None),
        ("我的猫", "fragment"),
    ],
)
def test_each_reason_has_its_words(text: str, why: str | None) -> None:
    assert why_not_loading(text) == why


@pytest.mark.parametrize(
    ("text", "as_rule", "worth"),
    [
        ("Use British spelling in letters", True, True),
        ("Use British spelling in letters", False, False),
        ("Use British spelling today", True, True),
        ("The harbor team prefers tea", True, True),
        ("The harbor team prefers tea", False, True),
        ("Thanks for the tea", True, False),
    ],
)
def test_what_is_meant_as_a_rule_may_be_an_order(text: str, as_rule: bool, worth: bool) -> None:
    assert is_worth_loading(text, as_rule=as_rule) is worth


def test_spaces_and_bullets_do_not_count() -> None:
    assert why_not_loading("-  The   staging server\nis heron ") is None
    assert why_not_loading("- " + "x" * LONGEST + " ") == "fragment"
    assert why_not_loading("* • -") == "empty"

"""What was found is given without marks of answers and muted words, and what is left out is told."""

from __future__ import annotations

from typing import Any, cast

import pytest

from memoro.model.answers import Where
from memoro.model.ratings import WHY_MUTED, MutedWords
from memoro.model.recall import LeftOut
from memoro.model.sessions import HeldContext
from memoro.model.vocabulary import Tier
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.held import is_held
from memoro.unasked.judged import Finding, Judged, told_item, without_marks, without_muted
from tests.test_fence import make
from tests.test_weighing import passage

DAY = "- 10:00 the gate runs\n- 11:00 [good] “Is it red?”"


def found(text: str, tier: Tier = "note", id: str = "a") -> Finding:
    return Finding(make(text, tier=tier, id=id), 0.5, "near in meaning")


def test_marks_of_answers_are_left_out_of_lines_of_a_day_alone() -> None:
    told = told_item(make(DAY, tier="daily"))
    assert told.text == "- 10:00 the gate runs"
    note = make(DAY, tier="note")
    assert told_item(note) == note


def test_a_day_that_holds_marks_alone_is_not_given() -> None:
    judged = Judged((found(DAY, "daily"), found("- 11:00 [good] “Is it red?”", "daily", "b"), found(DAY, id="c")))
    assert [(one.item.id, one.item.text) for one in without_marks(judged).findings] == [
        ("a", "- 10:00 the gate runs"),
        ("c", DAY),
    ]


def test_muted_words_are_not_given_and_what_says_nothing_else_is_left_out() -> None:
    muted = MutedWords(said=frozenset({"the port is 8080."}), digest=lambda text: text.casefold())
    judged = Judged(
        (found("The port is 8080."), found("It is blue. The port is 8080.", id="b")), (LeftOut("c", "weak"),)
    )
    rest = without_muted(judged, muted)
    assert [(one.item.id, one.item.text) for one in rest.findings] == [("b", "It is blue.")]
    assert rest.left_out == (LeftOut("a", WHY_MUTED), LeftOut("c", "weak"))


SAID = "- 10:00 [extracted] I live in Kiel. (fact, claude s1:3)"
TOLD = "- 11:00 [extracted] I like figs. (fact, claude s9:4)"


@pytest.mark.parametrize(
    ("text", "tier", "held", "loaded", "is_there"),
    [
        ("a\nb", "note", (), {}, False),
        ("a\nb", "note", ("a.md",), {}, True),
        ("a\nb", "note", ("b.md",), {}, False),
        ("a\n\nb", "note", (), {"a.md": ["x\n a", "b "]}, True),
        ("a\nb", "note", (), {"a.md": ["a"]}, False),
        ("a\nb", "note", (), {"b.md": ["a\nb"]}, False),
        (f"# 2026-11-02\n\n{SAID}", "daily", ("@claude/s1.jsonl",), {}, True),
        (f"{SAID}\n{TOLD}", "daily", ("@claude/s1.jsonl",), {}, False),
        (f"{SAID}\n- 12:00 rain", "daily", ("@claude/s1.jsonl",), {}, False),
        (SAID, "daily", (), {}, False),
        (SAID, "note", ("@claude/s1.jsonl",), {}, False),
        ("# 2026-11-02", "daily", ("s1.jsonl",), {}, False),
    ],
)
def test_a_conversation_holds_passages_files_lines_and_what_was_said_in_it(
    text: str, tier: Tier, held: tuple[str, ...], loaded: dict[str, list[str]], is_there: bool
) -> None:
    request = UnaskedRequest("m", cast(Any, None), Where(), held=HeldContext(frozenset(held), loaded))
    assert is_held(passage(text)._replace(tier=tier), request) is is_there

"""Hostile answers about what review and tidy suggest."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from benchmarks.answers.hostile import Question
from memoro.curate.rounds.choosing import ChosenSuggestions, choose
from memoro.model.proposals import AddRule, Evidence, RetireEntry, RetireMemory, Suggestion, SupersedeMemory
from memoro.providers.language.ports import LanguageModel

_SUGGESTIONS = (
    Suggestion(RetireEntry("office", "MEMORY.md", "The office opens at 8:30."), origin="tidy", score=0.9),
    Suggestion(RetireEntry("coffee", "MEMORY.md", "I take my coffee black."), origin="tidy", score=0.8),
    Suggestion(SupersedeMemory(1, 2), (Evidence("The port is 81."),), origin="tidy", score=0.7),
    Suggestion(RetireMemory(4), origin="tidy", score=0.6),
    Suggestion(AddRule("Answer in two sentences.", "PROCEDURAL.md"), origin="review", score=0.5),
    Suggestion(AddRule("Keep answers short.", "PROCEDURAL.md"), origin="review", score=0.4),
)
_OFFERED = {1: "retire", 2: "retire", 3: "supersede", 4: "retire", 5: "add", 6: "add"}  # by their scores
_RULES = (5, 6)


def choose_among(model: LanguageModel) -> ChosenSuggestions:
    return choose(_SUGGESTIONS, (), {}, model)


def question(_records: Sequence[dict[str, Any]], seed: int) -> Question:
    rng = random.Random(f"review {seed}")
    rows = [
        {"reason": "So it is.", "number": number, "step": rng.choice((step, "keep")), "target": 0}
        for number, step in _OFFERED.items()
    ]
    return Question("choices", {"reason": "As asked.", "choices": rows}, tuple(_OFFERED))


def allowed_changes(answer: Any) -> set[Any] | None:
    """Return the changes that an answer confirms; None where anything in it is wrong."""
    try:
        assert type(answer) is dict and sorted(answer) == ["choices", "reason"] and type(answer["reason"]) is str
        rows = answer["choices"]
        "".join(row["reason"] for row in rows).encode()  # no file holds half a character
        answer["reason"].encode()
        assert type(rows) is list and all(type(row) is dict for row in rows)
        for row in rows:
            assert sorted(row) == ["number", "reason", "step", "target"]
            assert type(row["number"]) is int and type(row["target"]) is int and type(row["step"]) is str
            assert type(row["reason"]) is str and row["reason"].strip() and len(row["reason"]) <= 300
        steps = {row["number"]: (row["step"], row["target"]) for row in rows}
        assert len(rows) == len(steps) and sorted(steps) == sorted(_OFFERED)
        for number, (step, target) in steps.items():
            if step == "merge" and number in _RULES:
                assert target in _RULES and target != number and steps[target][0] == "add"
            else:
                assert step in ("keep", _OFFERED[number]) and target == 0
    except (AssertionError, KeyError, TypeError, UnicodeError):
        return None
    return {_SUGGESTIONS[number - 1].change for number, (step, _) in steps.items() if step == _OFFERED[number]}


def wrong_choice(chosen: ChosenSuggestions, answer: Any) -> list[str]:
    """What should not be: a change that nobody suggested or confirmed, a wrong answer that was used or not told."""
    allowed = allowed_changes(answer)
    found = {one.change for one in chosen.suggestions}
    wrong = (
        [] if found == ({one.change for one in _SUGGESTIONS} if allowed is None else allowed) else ["other changes"]
    )
    if chosen.by_model is (allowed is None):
        wrong.append("a wrong answer was used, or a right one was not")
    if allowed is None and not chosen.notices:
        wrong.append("a wrong answer was not reported")
    return wrong

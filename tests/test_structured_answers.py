"""Answers of language models are read out of what they wrote, and checked by their schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from memoro.errors import AnswerUnusable
from memoro.providers.language.structured import check_schema, closed, problem, read_answer, without_bounds
from tests.conftest import times

SCHEMA = closed(
    {
        "reason": {"type": "string", "maxLength": 200},
        "steps": {
            "type": "array",
            "maxItems": 3,
            "items": closed(
                {
                    "number": {"type": "integer", "minimum": 1, "maximum": 10},
                    "step": {"type": "string", "enum": ["add", "keep"]},
                    "other": {"type": ["integer", "null"]},
                }
            ),
        },
    }
)
GOOD = {"reason": "It is new.", "steps": [{"number": 1, "step": "add", "other": None}]}

scalars = (
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats() | st.sampled_from(["add", "keep", "x", "x" * 201])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["reason", "steps", "number", "step", "other", "more"]), inner, max_size=5)
    ),
    max_leaves=12,
)
steps = st.fixed_dictionaries({"number": scalars, "step": scalars, "other": scalars}, optional={"more": scalars})
nearly_right = st.fixed_dictionaries({"reason": scalars, "steps": st.lists(steps, max_size=4)})


@given(values | nearly_right)
def test_nothing_is_accepted_that_the_reference_validator_refuses(value: Any) -> None:
    if problem(value, SCHEMA) is None:
        assert Draft202012Validator(SCHEMA).is_valid(value)


@given(nearly_right)
def test_whatever_the_reference_validator_accepts_is_accepted_but_for_whole_numbers_with_a_point(value: Any) -> None:
    if Draft202012Validator(SCHEMA).is_valid(value) and ".0" not in json.dumps(value):
        assert problem(value, SCHEMA) is None


@settings(max_examples=times(300, 300, quick=15))
@given(st.text() | st.text(alphabet='{}[]",:<>/think`json 12\n'))
def test_any_text_is_an_answer_by_the_schema_or_refused(text: str) -> None:
    try:
        value = read_answer(text, SCHEMA)
    except AnswerUnusable as error:
        assert str(error).endswith(".")
    else:
        assert Draft202012Validator(SCHEMA).is_valid(value)


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "```json\n{}\n```",
        "```\n{}\n```",
        "<think>Is it {{new}}? I would say so.</think>{}",
        "I think so.\n</think>\n\n{}",
        "<think>a</think><think>b</think>\n```json\n{}\n```",
        "Here is the answer:\n\n{}\n\nI hope that helps.",
        "Sure!\n```json\n{}\n```\nAnything else?",
    ],
)
def test_an_answer_is_found_in_what_models_write_around_it(around: str) -> None:
    assert read_answer(around.format(json.dumps(GOOD)), SCHEMA) == GOOD


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "The answer is empty."),
        ("<think>I will never come to an end", "The answer is empty."),
        ("No.", "The answer has no JSON object where one is wanted."),
        (json.dumps(GOOD)[:-4], "The answer is no JSON that can be read."),
        (json.dumps(GOOD) * 2, "The answer has 2 JSON objects where one is wanted."),
        ('{"reason": "a", "reason": "b", "steps": []}', "The answer is no JSON that can be read."),
        ('{"reason": "a", "steps": [NaN]}', "The answer is no JSON that can be read."),
        ('{"reason": "a"}', "The answer has no `steps`."),
        ('{"reason": "a", "steps": [], "path": "/etc"}', "The answer has a field that nobody asked for."),
        ('{"reason": 1, "steps": []}', "`reason` must be a string."),
        ('{"reason": "\\ud800", "steps": []}', "`reason` has a character that no file can hold."),
        ('{"reason": "a", "steps": [[]]}', "`steps[0]` must be an object."),
        (
            '{"reason": "a", "steps": [{"number": 0, "step": "add", "other": 1}]}',
            "`steps[0].number` is 0, less than 1.",
        ),
        (
            '{"reason": "a", "steps": [{"number": true, "step": "add", "other": 1}]}',
            "`steps[0].number` must be a whole number.",
        ),
        (
            '{"reason": "a", "steps": [{"number": 1, "step": "drop", "other": 1}]}',
            '`steps[0].step` must be one of "add", "keep".',
        ),
        ("[" * 100_000, "The answer is a list where an object is wanted."),
        (json.dumps([GOOD]), "The answer is a list where an object is wanted."),
        ("{" * 100_000, "The answer is no JSON that can be read."),
        ('{"reason":' * 20_000, "The answer is no JSON that can be read."),
        ("<think>" * 28_000, "The answer is empty."),
        ("x" * 200_001, "The answer has 200,001 characters, far more than was asked for."),
    ],
)
def test_what_is_no_answer_is_refused_with_a_sentence(text: str, why: str) -> None:
    with pytest.raises(AnswerUnusable) as refused:
        read_answer(text, SCHEMA)
    assert str(refused.value) == why


def test_the_error_repeats_no_text_of_the_answer() -> None:
    wrong = problem(
        {"reason": "sk-secret", "steps": [{"number": "sk-secret", "step": "sk-secret", "other": 1}]}, SCHEMA
    )
    assert wrong is not None
    assert "secret" not in wrong


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": [], "additionalProperties": False},
        closed({"a": {"type": "string", "pattern": "a"}}),
        closed({"a": {"type": "array"}}),
        closed({"a": {}}),
        closed({"a": {"type": "text"}}),
    ],
)
def test_a_schema_that_not_every_provider_takes_is_a_mistake_of_the_programmer(schema: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        check_schema(schema)


def test_bounds_are_not_sent_because_some_providers_refuse_them() -> None:
    check_schema(SCHEMA)
    sent = json.dumps(without_bounds(SCHEMA))
    assert "max" not in sent
    assert "minimum" not in sent
    assert "enum" in sent

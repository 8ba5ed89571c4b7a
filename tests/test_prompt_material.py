"""Material for language models: nothing in it closes its fence, and no secret leaves with it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import AnswerUnusable, ProviderUnavailable
from memoro.model.prompt_material import fenced_material, mapped_material, record_lines, records_in
from memoro.providers.language.checked_model import CheckedModel
from memoro.providers.language.ports import LanguageModelInfo, ModelAnswer, Prompt
from memoro.providers.language.structured import closed
from memoro.testing import ScriptedModel, records_of

SCHEMA = closed({"reason": {"type": "string"}})
texts = st.text() | st.text(alphabet='</memoro-material>"\\ \n\u2028\x85{}')
records = st.lists(st.dictionaries(st.sampled_from(["n", "text", "day"]), texts | st.integers(), min_size=1))


def asked(material: str, instructions: str = "Choose.") -> Prompt:
    return Prompt(purpose="judge", instructions=instructions, material=material, schema=SCHEMA)


@given(records)
def test_records_come_back_as_they_were_fenced_or_not(given_records: list[dict[str, Any]]) -> None:
    lines = record_lines(given_records)
    assert records_in(lines) == given_records
    assert records_in(fenced_material(lines, lambda: "a-boundary")) == given_records


@given(records)
def test_no_text_begins_a_line_or_a_tag(given_records: list[dict[str, Any]]) -> None:
    lines = record_lines(given_records)
    assert "<" not in lines
    assert len(lines.splitlines()) == len(given_records)


def test_a_boundary_that_the_material_holds_is_drawn_again() -> None:
    drawn = iter(["taken", "free"])
    fenced = fenced_material(record_lines([{"text": "taken"}]), lambda: next(drawn))
    assert fenced.endswith("\nfree</memoro-material>")


@given(records)
def test_every_text_of_every_record_is_changed(given_records: list[dict[str, Any]]) -> None:
    changed = records_in(mapped_material(record_lines(given_records), lambda _: "x"))
    assert all(value == "x" or isinstance(value, int) for record in changed for value in record.values())


def test_secrets_and_invisible_characters_are_taken_out_before_the_model_is_asked() -> None:
    inner = ScriptedModel([{"reason": "ok"}])
    key = "sk-proj-" + "Ab1" * 14
    lines = record_lines(
        [{"n": 1, "text": f"my key is {key} and\u200b the pin"}, {"n": 2, "text": "door code hunter-2-hunter"}]
    )

    CheckedModel(inner, ["hunter-2-hunter"]).answer(asked(lines, f"Choose. {key}"))

    sent = inner.prompts[0]
    assert key not in sent.material + sent.instructions
    assert "hunter-2" not in sent.material
    assert "\u200b" not in sent.material
    assert [record["n"] for record in records_of(sent)] == [1, 2]
    assert "[redacted:" not in sent.material


def test_each_request_has_its_own_boundary() -> None:
    inner = ScriptedModel([{"reason": "ok"}, {"reason": "ok"}])
    model = CheckedModel(inner)
    for _ in range(2):
        model.answer(asked(record_lines([{"n": 1}])))
    assert inner.prompts[0].material != inner.prompts[1].material


class Careless:
    """A model of an application that keeps to nothing."""

    info = LanguageModelInfo(provider="own", model="careless")

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def answer(self, prompt: Prompt) -> ModelAnswer:  # noqa: ARG002
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    "answer",
    [None, "text", ModelAnswer({"reason": 1}, "m"), ModelAnswer({}, "m"), ModelAnswer([], "m")],  # type: ignore[arg-type]
)
def test_what_an_applications_own_model_answers_is_checked_too(answer: object) -> None:
    with pytest.raises(AnswerUnusable):
        CheckedModel(Careless(answer)).answer(asked(""))


def test_an_exception_of_an_applications_own_model_says_nothing_of_its_text() -> None:
    with pytest.raises(ProviderUnavailable) as failed:
        CheckedModel(Careless(RuntimeError("sk-secret"))).answer(asked(""))
    assert str(failed.value) == "careless failed: RuntimeError."

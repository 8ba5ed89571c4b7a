"""A model's judgement counts as a whole or not at all."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from benchmarks.answers.oracle import KnownFact, allowed_proposals
from hypothesis import given
from hypothesis import strategies as st

from memoro.curate.judging.facts import Candidate, CurrentFact, EntryPlace, FactDecision, NewFact
from memoro.curate.judging.prompt import judge_prompt
from memoro.curate.judging.validation import InvalidAnswer, validate
from memoro.model.facts import Fact
from memoro.model.proposals import Evidence
from memoro.model.targets import MemoryId
from memoro.model.vocabulary import CURATION_STEPS, Trust


def new(text: str, project: str | None = "lantern", trust: Trust = "agent_inferred") -> NewFact:
    return NewFact(Fact(text, "fact", Evidence(text, date="2025-06-02")), project=project, trust=trust)


def memory(number: int, text: str, project: str | None = "lantern", trust: Trust = "agent_inferred") -> CurrentFact:
    return CurrentFact(place=MemoryId(number), text=text, project=project, trust=trust)


CURRENT = {
    101: memory(1, "The port is 80."),
    102: memory(2, "The port of the office is 80.", project=None),
    103: memory(3, "The port is 90.", project="quarry"),
    104: CurrentFact(place=EntryPlace("portxx", "MEMORY.md", 3), text="The port is 70."),
    105: memory(5, "The name is moth.", trust="user_confirmed"),
}
CANDIDATES = [
    Candidate(1, new("The port is 81 now."), (101, 102, 103, 104)),
    Candidate(2, new("The name is owl now."), (105, 101)),
]


def row(candidate: Any, step: Any, *targets: Any) -> dict[str, Any]:
    return {"reason": "so it is", "candidate": candidate, "step": step, "targets": list(targets)}


def answer(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"reason": "all in all", "decisions": list(rows)}


def problems(found: object) -> str:
    assert isinstance(found, InvalidAnswer), found
    return str(found)


def test_an_answer_in_order_has_one_decision_for_each_candidate() -> None:
    found = validate(answer(row(2, "merge", 105), row(1, "supersede", 101, 104)), CANDIDATES, CURRENT)
    assert not isinstance(found, InvalidAnswer)
    assert [(one.candidate, one.step, one.targets) for one in found] == [
        (1, "supersede", (101, 104)),
        (2, "merge", (105,)),
    ]


def test_it_is_less_sure_where_the_older_fact_is_trusted_more() -> None:
    found = validate(answer(row(1, "supersede", 101), row(2, "supersede", 105)), CANDIDATES, CURRENT)
    assert isinstance(found, tuple)
    assert isinstance(found[0], FactDecision)
    assert found[1].score < found[0].score < 1


GOOD = row(2, "keep")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "no object"),
        ([], "no object"),
        ("supersede all", "no object"),
        ({"decisions": []}, "the keys are"),
        ({**answer(row(1, "add"), GOOD), "memory": "# Memory"}, "the keys are"),
        ({"reason": 7, "decisions": []}, "the reason"),
        ({"reason": "x" * 4001, "decisions": []}, "the reason"),
        ({"reason": "", "decisions": {}}, "no list"),
        (answer(row(1, "add")), "candidate 2 has 0 decisions"),
        (answer(row(1, "add"), row(1, "add"), GOOD), "3 decisions about 2 candidates"),
        (answer(row(1, "add"), row(1, "add")), "candidate 1 has 2 decisions"),
        (answer(row(1, "add"), row(3, "add")), "no candidate 3"),
        (answer(row(True, "add"), GOOD), "True, which is no number"),
        (answer(row(1.0, "add"), GOOD), "1.0, which is no number"),
        (answer(row("1", "add"), GOOD), "no number"),
        (answer(row(1, "delete"), GOOD), "no step 'delete'"),
        (answer(row(1, ["add"]), GOOD), "no step"),
        (answer({**row(1, "add"), "text": "new words"}, GOOD), "has the keys"),
        (answer({**row(1, "add"), "reason": " "}, GOOD), "no reason"),
        (answer({**row(1, "add"), "reason": "x" * 401}, GOOD), "401 characters"),
        (answer({**row(1, "add"), "targets": "101"}, GOOD), "no list of numbers"),
        (answer({**row(1, "add"), "targets": [True]}, GOOD), "no list of numbers"),
        (answer(row(1, "add", 101), GOOD), "takes no target"),
        (answer(row(1, "keep", 101), GOOD), "takes no target"),
        (answer(row(1, "merge"), GOOD), "from 1 to 1"),
        (answer(row(1, "merge", 101, 104), GOOD), "from 1 to 1"),
        (answer(row(1, "supersede"), GOOD), "from 1 to 3"),
        (answer(row(1, "supersede", 101, 101), GOOD), "different targets"),
        (answer(row(1, "supersede", 105), GOOD), "fact 105 was not shown for candidate 1"),
        (answer(row(1, "supersede", 1), GOOD), "fact 1 was not shown"),
        (answer(row(1, "supersede", 10**50), GOOD), "a huge number"),
        (answer(row(1, "supersede", 103), GOOD), "may not replace fact 103"),
        (answer(row(1, "retire", 102), GOOD), "may not replace fact 102"),
        (answer(row(1, "merge", 103), GOOD), "no repetition of fact 103"),
        (answer(row(1, "supersede", 101), row(2, "retire", 101)), "fact 101 would be replaced 2 times"),
        (answer(row(1, "supersede", 101), row(2, "merge", 101)), "said to hold, and to hold no more"),
    ],
)
def test_one_wrong_part_makes_the_whole_answer_void(given: object, said: str) -> None:
    assert said in problems(validate(given, CANDIDATES, CURRENT))


def test_a_fact_of_an_untrusted_source_replaces_nothing() -> None:
    heard = [Candidate(1, new("The port is 99.", trust="tool_or_web"), (101, 104))]
    for target in (101, 104):
        assert "may not replace" in problems(validate(answer(row(1, "supersede", target)), heard, CURRENT))
    assert validate(answer(row(1, "add")), heard, CURRENT)


numbers = st.sampled_from([1, 2, 3, 101, 102, 103, 104, 105, 106]) | st.integers() | st.booleans() | st.none()
rows = st.fixed_dictionaries(
    {
        "reason": st.text(max_size=5) | st.just("so it is"),
        "candidate": numbers,
        "step": st.sampled_from(CURATION_STEPS) | st.text(max_size=3),
        "targets": st.lists(numbers, max_size=4),
    }
)
nonsense = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
good = st.builds(
    answer,
    st.sampled_from([row(1, "add"), row(1, "supersede", 101), row(1, "retire", 104), row(1, "merge", 102)]),
    st.sampled_from([row(2, "keep"), row(2, "supersede", 105), row(2, "merge", 101)]),
)
answers = st.one_of(
    good, nonsense, st.builds(lambda listed: {"reason": "", "decisions": listed}, st.lists(rows, max_size=3))
)


@given(answers)
def test_exactly_those_answers_count_that_an_oracle_of_its_own_allows(given: Any) -> None:
    records: list[dict[str, Any]] = [
        *({"candidate": one.number, "nearest": list(one.nearest), "text": one.new.fact.text} for one in CANDIDATES),
        *({"fact": number, "text": one.text} for number, one in CURRENT.items()),
    ]
    known = {
        one.text: KnownFact(str(one.place), one.project, isinstance(one.place, EntryPlace))
        for one in CURRENT.values()
    }
    before = copy.deepcopy(given)
    found = validate(given, CANDIDATES, CURRENT)
    allowed = allowed_proposals(given, records, known, "lantern")
    assert isinstance(found, InvalidAnswer) == (allowed is None), found
    if isinstance(found, InvalidAnswer):
        assert found.problems
        assert len(str(found)) < 1500
    else:
        ended = {str(CURRENT[t].place) for one in found if one.step in ("supersede", "retire") for t in one.targets}
        assert ended == {one.place for one in allowed or ()}
    assert repr(given) == repr(before)


@pytest.mark.parametrize(("length", "is_cut"), [(400, False), (401, True)])
def test_a_model_is_shown_the_first_four_hundred_characters_of_a_fact(length: int, is_cut: bool) -> None:
    fact = Fact("x" * length, "fact", Evidence("x"), 0.9)
    material = judge_prompt([Candidate(1, NewFact(fact), (7,))], {7: CurrentFact(MemoryId(1), "y" * length)}).material
    for letter in "xy":
        assert (letter * 400 + "…" in material) is is_cut and letter * 401 not in material
        assert letter * 400 in material

"""A round reads, plans, lets a model choose among numbers, and offers the rest. A model invents nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.curate.planners import contradictions
from memoro.curate.rounds.choosing import ChoiceCandidate, choice_prompt, choose, validated
from memoro.curate.rounds.planning import changed_item, one_for_each, planned
from memoro.curate.snapshot.state import CuratedState, FeedbackNote
from memoro.model.proposals import (
    AddRule,
    Evidence,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    Suggestion,
    SupersedeMemory,
)
from memoro.providers.language.ports import LanguageModelInfo, Prompt
from memoro.providers.language.structured import check_schema
from memoro.testing import ScriptedModel, records_of
from tests.conftest import run_memoro, write_vault
from tests.curated import SETTINGS, entry, memory, state

HERON, OURS = "The staging server is called heron", "Our staging server is called heron"
PORTS = ("The proxy listens on port 8080", "The proxy listens on port 8443")
AWAY = LanguageModelInfo(provider="openai", model="far", host="api.example", is_home=False)


def answering(steps: Callable[[dict[str, Any]], tuple[str, int]]) -> ScriptedModel:
    """A model that chooses by a function of each record."""

    def answer(prompt: Prompt) -> dict[str, object]:
        rows = []
        for record in records_of(prompt):
            step, target = steps(record)
            rows.append({"reason": "Because.", "number": record["number"], "step": step, "target": target})
        return {"reason": "All looked at.", "choices": rows}

    return ScriptedModel(answer)


def chosen(found: CuratedState, model: ScriptedModel, hidden: frozenset[str] = frozenset()) -> Any:
    memories = {one.memory.id: one.memory for one in found.memories}
    return choose(planned(found, SETTINGS, "review"), contradictions.find(found), memories, model, hidden)


def test_a_model_may_decline_and_confirm():
    found = state(entry(HERON, 1), entry(OURS, 2))

    assert chosen(found, answering(lambda _: ("keep", 0))).suggestions == ()
    kept = chosen(found, answering(lambda one: (one["steps"][0], 0)))
    assert [one.change for one in kept.suggestions] == [RetireEntry("e2", "MEMORY.md", OURS)]
    assert kept.by_model


def test_a_model_judges_a_contradiction_and_code_makes_the_change():
    found = state(memory(PORTS[0], 1), memory(PORTS[1], 2))
    assert planned(found, SETTINGS, "tidy") == []

    [one] = chosen(found, answering(lambda _: ("supersede", 2))).suggestions

    assert one.change == SupersedeMemory(old=1, new=2, was=PORTS[0])
    assert one.reason.startswith("A model judged")
    assert len(one.evidence) == 2


def test_a_model_cannot_let_a_less_trusted_memory_win():
    found = state(memory(PORTS[0], 1, trust="user_confirmed"), memory(PORTS[1], 2))

    assert chosen(found, answering(lambda _: ("supersede", 2))).suggestions == ()


def test_a_model_may_join_feedback_that_says_the_same():
    notes = tuple(
        FeedbackNote(id=f"f{n}", is_good=False, note=note, day=f"2026-11-0{n}")
        for n, note in enumerate(("Always answer in German", "Never reply in English"), 1)
    )
    found = state(feedback=notes)
    assert len(planned(found, SETTINGS, "review")) == 2

    [one] = chosen(found, answering(lambda one: ("add", 0) if one["number"] == 1 else ("merge", 1))).suggestions

    assert isinstance(one.change, AddRule)
    assert set(one.change.feedback) == {"f1", "f2"}


@pytest.mark.parametrize(
    "answer",
    [
        {"reason": "", "choices": []},
        "no JSON at all",
        {"reason": "x", "choices": [{"reason": "x", "number": 9, "step": "retire", "target": 0}]},
        {"reason": "x", "choices": [{"reason": "x", "number": 1, "step": "delete", "target": 0}]},
        {"reason": "x", "choices": [{"reason": "x", "number": 1, "step": "add", "target": 0}]},
        {"reason": "x", "choices": [{"reason": "x", "number": 1, "step": "retire", "target": 1}]},
        {"reason": "x", "choices": [{"reason": " ", "number": 1, "step": "retire", "target": 0}]},
        {"reason": "x", "choices": [{"reason": "x", "number": 1, "step": "retire", "target": 0}] * 2},
        {"reason": "x", "choices": [{"reason": "x", "number": 1, "step": "retire", "target": 0, "text": "y"}]},
        ValueError("broken"),
    ],
    ids=str,
)
def test_an_invalid_answer_leaves_what_the_rules_suggest_and_is_reported(answer: Any):
    found = state(entry(HERON, 1), entry(OURS, 2))

    done = chosen(found, ScriptedModel([answer]))

    assert list(done.suggestions) == planned(found, SETTINGS, "review")
    assert not done.by_model
    [notice] = done.notices
    assert "rules decided instead" in notice


rows = st.fixed_dictionaries(
    {
        "reason": st.text(max_size=20) | st.none(),
        "number": st.integers(-1, 5) | st.text(max_size=2),
        "step": st.sampled_from(["add", "merge", "supersede", "retire", "keep", "delete"]),
        "target": st.integers(-1, 4),
    }
)


@given(st.lists(rows, max_size=5))
def test_whatever_a_model_answers_nothing_is_suggested_that_was_not_a_candidate(some: list[dict[str, object]]):
    found = state(entry(HERON, 1), entry(OURS, 2), memory(PORTS[0], 1), memory(PORTS[1], 2), memory(HERON, 3))
    by_rules = planned(found, SETTINGS, "tidy")
    everything: list[Suggestion | contradictions.Contradiction] = [*contradictions.find(found), *by_rules]
    candidates = [ChoiceCandidate(number, one) for number, one in enumerate(everything, 1)]
    check_schema(choice_prompt(candidates).schema)

    checked = validated({"reason": "x", "choices": some}, candidates)
    if not isinstance(checked, str):
        assert [one.number for one in checked] == [one.number for one in candidates]
    done = choose(by_rules, contradictions.find(found), {}, ScriptedModel([{"reason": "x", "choices": some}]))
    assert set(done.suggestions) <= set(by_rules)


def test_no_private_text_is_shown_to_a_model_on_another_machine():
    secret = "Pia sees a doctor on Monday"
    found = state(
        entry(secret, 1, is_private=True), entry(f"{secret}.", 2, is_private=True), entry(HERON, 3), entry(OURS, 4)
    )
    model = answering(lambda _: ("keep", 0))
    model.info = AWAY

    done = chosen(found, model, frozenset((secret, f"{secret}.")))

    assert "doctor" not in repr(model.prompts)
    assert [one.change for one in done.suggestions] == [RetireEntry("e2", "MEMORY.md", f"{secret}.")]


def test_a_suggestion_about_a_private_item_is_shown_to_no_model_on_another_machine():
    quote = Evidence(quote="book a doctor", path="experience:7")
    private = Suggestion(change=RetireExperience(7), evidence=(quote,), reason="It never helped.")
    model = answering(lambda _: ("keep", 0))
    model.info = AWAY

    done = choose([private], (), {}, model, frozenset({"experience:7"}))

    assert (model.prompts, done.suggestions) == ([], (private,))


def test_one_item_gets_one_suggestion_the_surest():
    weak = Suggestion(change=RetireMemory(1), score=0.4)
    sure = Suggestion(change=SupersedeMemory(old=1, new=2), score=0.9)
    rule = Suggestion(change=AddRule(text="Always use tabs", path="PROCEDURAL.md"), score=0.5)

    assert one_for_each([weak, rule, rule, sure]) == [sure, rule, rule]
    assert changed_item(rule.change) is None


# The whole way, with the real parts


def test_tidy_proposes_and_changes_nothing_until_a_person_accepts(home: Path, vault: Path):
    before = f"- {HERON}\n- {OURS}\n- {PORTS[0]}\n- Bins go out on Tuesday\n"
    write_vault(vault, {"MEMORY.md": before})
    with memoro.open(home=home, vault=vault) as m:
        m.memories.store(PORTS[1])
        dry = m.tidy(dry_run=True)
        assert len(dry.planned) == 1
        assert m.proposals.all() == []

        done = m.tidy()
        [one] = done.proposed
        assert one.origin == "tidy"
        assert one.reason
        assert (done.looked_at.entries, done.looked_at.memories) == (4, 1)
        assert len(done.contradictions) == 1
        assert (vault / "MEMORY.md").read_text() == before

        again = m.tidy()
        assert again.proposed == ()
        assert [each.reason for each in again.withheld] == ["waits"]

        m.proposals.accept(one.id)
        assert OURS not in (vault / "MEMORY.md").read_text()
        assert OURS in (vault / "archive" / "MEMORY.md").read_text()
        m.journal.undo(by="tidy")
        assert (vault / "MEMORY.md").read_text() == before


def test_tidy_asks_the_model_that_the_application_gives(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": f"- {HERON}\n- {OURS}\n"})
    model = answering(lambda _: ("keep", 0))
    with memoro.open(home=home, vault=vault, language_model=model) as m:
        done = m.tidy()

    assert done.proposed == ()
    assert done.model == "scripted-1"
    assert [one.purpose for one in model.prompts] == ["review"]


def test_tidy_works_without_a_vault(home: Path):
    with memoro.open(home=home) as m:
        m.memories.store(HERON)
        m.memories.store(f"{OURS}.")
        done = m.tidy()

    assert [one.operation for one in done.proposed] == ["supersede_memory"]


def test_a_memory_that_helped_becomes_an_entry_and_points_there(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "# Memory\n\n- Bins go out on Tuesday\n"})
    with memoro.open(home=home, vault=vault) as m:
        number = m.memories.store(HERON).memory.id
        for session in ("one", "two", "three"):
            m.memories.query("staging server", session=session)
        planning = m.parts.round_planning
        assert planning.plan("review").suggestions == (), "it was found three times, and nobody said that it helped"
        for session in ("one", "two", "three"):
            m.memories.reinforce(number, session=session)

        plan = planning.plan("review")
        [queued] = m.parts.notes.gate.offer(plan.suggestions, by="review").queued
        m.proposals.accept(queued.proposal.id)

        assert f"- {HERON} ^" in (vault / "MEMORY.md").read_text()
        assert str(m.memories.show(number).memory.origin).startswith("entry:")
        assert planning.plan("review").suggestions == ()


def test_a_rule_that_the_owner_gave_twice_is_proposed_and_its_feedback_archived(home: Path, vault: Path):
    corrections = (
        "# Corrections\n\n- 2026-11-14 10:00 [wrong] Always answer in German. ^wa1\n  - answer: Sure, in English.\n"
        "- 2026-11-15 10:00 [wrong] please, always answer in German ^wa2\n"
    )
    write_vault(vault, {"PROCEDURAL.md": "# Rules\n\n- Use tabs\n", "feedback/corrections.md": corrections})
    with memoro.open(home=home, vault=vault) as m:
        plan = m.parts.round_planning.plan("review")
        [queued] = m.parts.notes.gate.offer(plan.suggestions, by="review").queued
        assert queued.proposal.origin == "feedback"
        m.proposals.accept(queued.proposal.id)

    assert "always answer in German" in (vault / "PROCEDURAL.md").read_text()
    assert "^wa" not in (vault / "feedback" / "corrections.md").read_text()
    assert "^wa1" in (vault / "feedback" / "archive" / "2026.md").read_text()


def test_the_command_says_what_it_looked_at_found_and_withheld(home: Path, vault: Path):
    facts = (HERON, "The bins go out on Tuesday", "The cat eats twice a day", "The shed is locked at night")
    doubled = [line for fact in facts for line in (fact, fact.replace("The", "Our", 1))]
    write_vault(vault, {"MEMORY.md": "".join(f"- {line}\n" for line in (*doubled, *PORTS))})
    places = ("--home", str(home), "--vault", str(vault))

    done = run_memoro(*places, "tidy")

    assert done.code == 0
    assert "Looked at 10 entries, by rules" in done.out
    assert "1. Move the entry ^" in done.out
    assert "says the same in other words." in done.out
    assert "1 pair of statements may contradict each other" in done.out
    assert "Withheld: 1." in done.out
    assert "3 proposals wait for your decision: `memoro review`. Nothing has changed yet." in done.out
    again = json.loads(run_memoro(*places, "tidy", "--dry-run", "--json").out)
    assert again["dry_run"] is True
    assert again["planned"] == []
    assert {one["withheld_for"] for one in again["withheld"]} == {"waits", "loss"}

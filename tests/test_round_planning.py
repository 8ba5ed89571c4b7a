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
from memoro.curate.rounds.choosing import ChoiceCandidate, choice_prompt, choose, step_of, validated
from memoro.curate.rounds.planning import changed_item, one_for_each, planned
from memoro.curate.snapshot.state import CuratedState, FeedbackNote
from memoro.model.proposals import (
    AddRule,
    EditEntry,
    Evidence,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
    RememberEntry,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
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


# Limits and edges of choosing


def rule(number: int, score: float = 0.5) -> Suggestion:
    change = AddRule(f"Always name file {number}", "PROCEDURAL.md", None, (f"f{number}",))
    return Suggestion(change, (Evidence(f"said {number}", path="feedback/corrections.md"),), "feedback", score)


def retired(number: int, score: float = 0.5) -> Suggestion:
    return Suggestion(RetireMemory(number), (Evidence(f"Text {number}", path=f"memory:{number}"),), "tidy", score)


SIDES = contradictions.Contradiction(
    one=Evidence("The proxy listens on port 81", path="memory:2", date="2026-05-01"),
    other=Evidence("The proxy listens on port 80", path="MEMORY.md", line=4),
    why="both tell the same thing with another value",
    names=("memory:2", "entry:e4"),
)
BOTH = SIDES._replace(other=Evidence("The proxy listens on port 80", path="memory:1"), names=("memory:2", "memory:1"))


@pytest.mark.parametrize(
    ("change", "step", "steps"),
    [
        (AddRule("x", "PROCEDURAL.md"), "add", ("add", "merge", "keep")),
        (RememberEntry("x", "semantic", None, "MEMORY.md"), "add", ("add", "keep")),
        (PromoteMemory(1, "x", "semantic", None, "MEMORY.md"), "add", ("add", "keep")),
        (StoreMemory("x"), "add", ("add", "keep")),
        (RetireMemory(1), "retire", ("retire", "keep")),
        (RetireEntry("e1", "MEMORY.md", "x"), "retire", ("retire", "keep")),
        (RetireNote("agent/a.md", "x"), "retire", ("retire", "keep")),
        (RetireExperience(1), "retire", ("retire", "keep")),
        (EditEntry("e1", "x", "MEMORY.md"), "supersede", ("supersede", "keep")),
        (MoveEntry("e1", "MEMORY.md", "procedural", "x"), "supersede", ("supersede", "keep")),
        (SupersedeMemory(1, 2), "supersede", ("supersede", "keep")),
        (WriteNote("agent/a.md", "x", "y"), "supersede", ("supersede", "keep")),
    ],
)
def test_a_model_may_do_what_is_suggested_or_keep_things_as_they_are(
    change: ProposedChange, step: str, steps: tuple[str, ...]
):
    assert step_of(change) == step
    assert ChoiceCandidate(1, Suggestion(change)).steps == steps
    assert ChoiceCandidate(1, SIDES).steps == ("supersede", "keep")


def test_a_model_sees_the_sixty_surest_twenty_at_a_time_and_contradictions_first():
    some = [retired(number, number / 100) for number in range(1, 62)]
    model = answering(lambda _: ("keep", 0))

    done = choose(some, [SIDES, SIDES._replace(is_said=True)], {}, model)

    shown = [records_of(prompt) for prompt in model.prompts]
    assert [len(one) for one in shown] == [20, 20, 20]
    assert [one["number"] for each in shown for one in each] == list(range(1, 61))
    assert "sides" in shown[0][0] and not any("sides" in one for one in shown[0][1:])
    assert shown[0][1]["quotes"] == ["Text 61"]
    assert [one.change for one in done.suggestions] == [RetireMemory(1), RetireMemory(2)]  # nobody saw these
    assert done.by_model and done.notices == ()


def test_a_model_is_not_asked_where_there_is_nothing_to_choose():
    model = answering(lambda _: ("keep", 0))

    assert choose([], [SIDES._replace(is_said=True)], {}, model) == ((), (), False)
    assert model.prompts == []


@pytest.mark.parametrize(
    "hidden", ["said 1", "Always name file 1", "feedback/corrections.md", "The proxy listens on port 80", "MEMORY.md"]
)
def test_what_is_hidden_is_shown_in_no_text_and_no_quote(hidden: str):
    model = answering(lambda one: (one["steps"][0], 1 if "sides" in one else 0))

    done = choose([rule(1)], [SIDES], {}, model, frozenset({hidden}))

    shown = [one for prompt in model.prompts for one in records_of(prompt)]
    is_rule_hidden = hidden in ("said 1", "Always name file 1", "feedback/corrections.md")
    assert ["sides" in one for one in shown] == [is_rule_hidden]
    assert rule(1) in done.suggestions


@pytest.mark.parametrize(
    ("pair", "target", "change"),
    [
        (SIDES, 2, RetireEntry("e4", "MEMORY.md", "The proxy listens on port 80")),
        (SIDES, 1, None),  # no memory goes for an entry that nobody can name
        (BOTH, 2, SupersedeMemory(1, 2, was="The proxy listens on port 80")),
        (BOTH, 1, SupersedeMemory(2, 1, was="The proxy listens on port 81")),
        (BOTH._replace(names=("memory:2", "memory:9")), 2, None),
        (BOTH._replace(names=("memory:2", "memory:x")), 2, None),
    ],
)
def test_the_side_that_a_model_names_is_the_one_that_ends(
    pair: contradictions.Contradiction, target: int, change: ProposedChange | None
):
    memories = {
        1: memory("The proxy listens on port 80", 1).memory,
        2: memory("The proxy listens on port 81", 2).memory,
    }
    done = choose([], [pair], memories, answering(lambda _: ("supersede", target)))

    assert [one.change for one in done.suggestions] == ([change] if change else [])
    for one in done.suggestions:
        assert (one.score, one.origin, one.evidence) == (0.7, "tidy", (pair.one, pair.other))
        assert one.reason == "A model judged that this no longer holds: Because."


@pytest.mark.parametrize(
    ("steps", "left"),
    [
        ({1: ("add", 0), 2: ("merge", 1), 3: ("add", 0)}, [("f1", "f2"), ("f3",)]),
        ({1: ("merge", 3), 2: ("merge", 3), 3: ("add", 0)}, [("f3", "f1", "f2")]),
        ({1: ("keep", 0), 2: ("add", 0), 3: ("keep", 0)}, [("f2",)]),
        ({1: ("keep", 0), 2: ("keep", 0), 3: ("keep", 0)}, []),
    ],
)
def test_rules_that_say_the_same_are_joined_with_what_they_rest_on(
    steps: dict[int, tuple[str, int]], left: list[tuple[str, ...]]
):
    done = choose([rule(n) for n in (1, 2, 3)], [], {}, answering(lambda one: steps[one["number"]]))

    made = [(one.change.feedback, one.evidence) for one in done.suggestions if isinstance(one.change, AddRule)]
    assert [feedback for feedback, _ in made] == left
    for feedback, evidence in made:
        assert [quote.quote for quote in evidence] == [f"said {own[1:]}" for own in feedback]


CHOICES = [ChoiceCandidate(1, rule(1)), ChoiceCandidate(2, rule(2)), ChoiceCandidate(3, SIDES)]


def row(number: object, step: object, target: object = 0, reason: object = "So.") -> dict[str, object]:
    return {"reason": reason, "number": number, "step": step, "target": target}


ADDS = (row(1, "add"), row(2, "add"))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (None, "there is no list of choices"),
        ([1], "there is no list of choices"),
        ([], "candidate 1 was not decided"),
        ([*ADDS], "candidate 3 was not decided"),
        ([*ADDS, row(3, "keep"), row(3, "keep")], "candidate 3 was decided twice"),
        ([*ADDS, row("3", "keep")], "a choice is malformed"),
        ([*ADDS, row(True, "keep")], "a choice is malformed"),
        ([*ADDS, row(3, "keep", "0")], "a choice is malformed"),
        ([*ADDS, row(3, "keep", False)], "a choice is malformed"),
        ([*ADDS, row(3, "keep", 0, None)], "a choice is malformed"),
        ([*ADDS, row(4, "keep")], "a number was never given"),
        ([*ADDS, row(3, "merge")], "candidate 3 does not offer the step that was chosen"),
        ([*ADDS, row(3, None)], "candidate 3 does not offer the step that was chosen"),
        ([*ADDS, row(3, "keep", 0, "  ")], "candidate 3 has no reason, or a long one"),
        ([*ADDS, row(3, "keep", 0, "x" * 301)], "candidate 3 has no reason, or a long one"),
        ([*ADDS, row(3, "keep", 0, "x" * 300)], ""),
        ([*ADDS, row(3, "keep", 1)], "candidate 3 takes no target"),
        ([*ADDS, row(3, "supersede", 0)], "candidate 3 has no side 0"),
        ([*ADDS, row(3, "supersede", 3)], "candidate 3 has no side 3"),
        ([*ADDS, row(3, "supersede", 1)], ""),
        ([*ADDS, row(3, "supersede", 2)], ""),
        ([row(1, "add", 2), row(2, "add"), row(3, "keep")], "candidate 1 takes no target"),
        ([row(1, "merge", 2), row(2, "add"), row(3, "keep")], ""),
        ([row(1, "merge", 1), row(2, "add"), row(3, "keep")], "candidate 1 cannot be merged into 1"),
        ([row(1, "merge", 3), row(2, "add"), row(3, "keep")], "candidate 1 cannot be merged into 3"),
        ([row(1, "merge", 9), row(2, "add"), row(3, "keep")], "candidate 1 cannot be merged into 9"),
        ([row(1, "merge", 2), row(2, "keep"), row(3, "keep")], "candidate 1 is merged into one that is not added"),
        (
            [row(1, "merge", 2), row(2, "merge", 1), row(3, "keep")],
            "candidate 1 is merged into one that is not added",
        ),
    ],
)
def test_one_wrong_choice_makes_the_whole_answer_void(rows: object, said: str):
    found = validated({"reason": "x", "choices": rows}, CHOICES)

    assert (found if isinstance(found, str) else "") == said


def test_choices_are_returned_in_the_order_of_their_candidates_with_plain_reasons():
    found = validated({"choices": [row(3, "keep", 0, " So\nit  is. "), *reversed(ADDS)]}, CHOICES)

    assert not isinstance(found, str)
    assert [(one.number, one.step, one.target, one.reason) for one in found] == [
        (1, "add", 0, "So."), (2, "add", 0, "So."), (3, "keep", 0, "So it is."),
    ]  # fmt: skip


def test_what_a_model_is_shown_is_cut_and_dated_and_its_answer_is_bounded():
    long = Suggestion(
        EditEntry("e1", "x" * 401, "MEMORY.md"), (Evidence("y" * 401, date="2026-05-01"),), reason="Why."
    )
    prompt = choice_prompt([ChoiceCandidate(1, long), ChoiceCandidate(7, SIDES)])

    first, second = records_of(prompt)
    assert (first["text"], first["quotes"]) == (["x" * 400], [f"{'y' * 400} (2026-05-01)"])
    assert (first["does"], first["why"], first["steps"]) == ("edit", "Why.", ["supersede", "keep"])
    assert second["sides"] == ["The proxy listens on port 81 (2026-05-01)", "The proxy listens on port 80"]
    assert prompt.most_tokens == 400 + 2 * 80
    targets = [choice_prompt([ChoiceCandidate(number, SIDES)]).schema for number in (1, 7)]
    assert ['"maximum": 2' in json.dumps(one) for one in targets] == [True, False]
    assert '"maximum": 7' in json.dumps(targets[1])


# Limits and edges of a plan


@pytest.mark.parametrize(
    ("change", "item"),
    [
        (RetireEntry("e1", "MEMORY.md", "x"), "entry:e1"),
        (MoveEntry("e1", "MEMORY.md", "procedural", "x"), "entry:e1"),
        (EditEntry("e1", "x", "MEMORY.md"), "entry:e1"),
        (RetireMemory(1), "memory:1"),
        (SupersedeMemory(1, 2), "memory:1"),
        (PromoteMemory(1, "x", "semantic", None, "MEMORY.md"), "memory:1"),
        (RetireExperience(1), "experience:1"),
        (RetireNote("agent/a.md", "x"), "agent/a.md"),
        (WriteNote("agent/a.md", "x", "y"), "agent/a.md"),
        (RememberEntry("x", "semantic", None, "MEMORY.md"), None),
    ],
)
def test_a_change_is_about_the_item_that_it_changes(change: ProposedChange, item: str | None):
    assert changed_item(change) == item
    twice = one_for_each([Suggestion(change, score=0.5), Suggestion(change, score=0.6)])
    assert [one.score for one in twice] == ([0.6] if item else [0.6, 0.5])


def test_a_model_that_is_not_needed_is_not_even_opened(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": "- Bins go out on Tuesday\n"})
    opened: list[int] = []
    with memoro.open(home=home, vault=vault) as m:
        planning = m.parts.round_planning._replace(model=lambda: opened.append(1))
        plan = planning.plan("review")
        assert (plan.suggestions, plan.contradictions, plan.notices, plan.model, opened) == ((), (), (), None, [])
        m.memories.store("Bins go out on Tuesday.")
        assert len(planning.plan("tidy").suggestions) == len(opened) == 1


def test_a_pair_about_which_something_is_suggested_is_not_left_to_decide(home: Path, vault: Path):
    write_vault(vault, {"MEMORY.md": f"- {PORTS[0]}\n"})
    with memoro.open(home=home, vault=vault) as m:
        number = m.memories.store(PORTS[1]).memory.id
        plan = m.parts.round_planning.plan("tidy")
        assert [one.names[0] for one in plan.contradictions] == [f"memory:{number}"]
        model = answering(lambda one: ("supersede", 2) if "sides" in one else ("keep", 0))
        decided = m.parts.round_planning._replace(model=lambda: model).plan("tidy")
        assert (decided.contradictions, len(decided.suggestions)) == ((), 1)
        assert decided.model == model.info.model
        broken = ScriptedModel([ValueError("broken")] * 9)
        by_rules = m.parts.round_planning._replace(model=lambda: broken).plan("tidy")
    assert (by_rules.model, len(by_rules.contradictions), len(by_rules.notices)) == (None, 1, 1)


@pytest.mark.parametrize(
    ("is_home", "sends", "is_shown"), [(True, False, True), (False, True, True), (False, False, False)]
)
def test_private_texts_go_to_a_model_at_home_or_where_the_owner_allows_it(
    home: Path, vault: Path, is_home: bool, sends: bool, is_shown: bool
):
    write_vault(vault, {"MEMORY.md": "- The safe opens with 12 #private\n- The safe opens with 12 #private\n"})
    model = answering(lambda _: ("keep", 0))
    model.info = AWAY._replace(is_home=is_home)
    with memoro.open(home=home, vault=vault) as m:
        planning = m.parts.round_planning._replace(model=lambda: model, sends_private=sends)
        plan = planning.plan("tidy")
    assert ("safe" in repr(model.prompts)) is is_shown
    assert len(plan.suggestions) == (0 if is_shown else 1)

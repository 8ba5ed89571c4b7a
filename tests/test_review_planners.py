"""What helped, or came back, is proposed for the always-loaded files; what was corrected, for removal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.config.settings import CurateSettings
from memoro.curate.planners import demotion, feedback_rules, promotion
from memoro.curate.planners.feedback_rules import rule_in
from memoro.curate.snapshot.state import (
    CuratedEntry,
    CuratedMemory,
    CuratedState,
    ExtractedFact,
    FeedbackNote,
    ReplacedMemory,
)
from memoro.model.memories import UNTRUSTED
from memoro.model.proposals import (
    AddRule,
    EditEntry,
    PromoteMemory,
    ProposedChange,
    RememberEntry,
    RetireEntry,
    Suggestion,
    SupersedeMemory,
)
from memoro.model.vocabulary import TRUSTS
from memoro.model.worth_loading import is_worth_loading
from tests.curated import SETTINGS, entry, memory, state

Planner = Callable[[CuratedState, CurateSettings], list[Suggestion]]
HERON = "The staging server is called heron"


def changes(planner: Planner, *things: CuratedEntry | CuratedMemory, **fields: object) -> list[ProposedChange]:
    found = planner(state(*things, **fields), SETTINGS)
    assert all(one.reason and one.evidence and one.origin in ("review", "feedback") and one.score for one in found)
    return [_bare(one.change) for one in found]


def _bare(change: ProposedChange) -> ProposedChange:
    """A change without what it was made from."""
    return change._replace(was=None) if isinstance(change, EditEntry | SupersedeMemory) else change


def extracted(text: str, *days: int, **fields: Any) -> tuple[ExtractedFact, ...]:
    return tuple(
        ExtractedFact(text=text, day=f"2026-11-{day:02}", path=f"daily/2026-11-{day:02}.md", line=3, **fields)
        for day in days
    )


def said(note: str, number: int = 1, *, good: bool = False, **fields: Any) -> FeedbackNote:
    return FeedbackNote(id=f"f{number}", is_good=good, note=note, day=f"2026-11-{number:02}", **fields)


# Promotion


def test_a_memory_that_helped_in_three_sessions_is_proposed():
    assert changes(promotion.plan, memory(HERON, 7, helped=3)) == [
        PromoteMemory(number=7, text=HERON, tier="semantic", section=None, path="MEMORY.md")
    ]


def test_retrieval_alone_never_promotes():
    assert changes(promotion.plan, memory(HERON, 7, given=500)) == []
    assert changes(promotion.plan, memory(HERON, 7, given=500, helped=2)) == []


def test_a_rule_is_proposed_for_the_file_of_rules():
    [change] = changes(promotion.plan, memory("Always run the tests before a commit", 7, helped=3))

    assert isinstance(change, PromoteMemory)
    assert (change.tier, change.path) == ("procedural", "PROCEDURAL.md")


@pytest.mark.parametrize(
    "fields",
    [
        {"trust": "tool_or_web"},
        {"trust": "quarantined"},
        {"is_private": True},
        {"agent": "claude"},
        {"project": "atlas"},
        {"valid_to": "2026-12-01T00:00:00.000Z"},
        {"origin": "entry:abc"},
    ],
    ids=str,
)
def test_what_not_everybody_may_read_or_trust_for_ever_stays_a_memory(fields: dict[str, Any]):
    assert changes(promotion.plan, memory(HERON, 7, helped=9, **fields)) == []


def test_a_fact_of_a_project_is_proposed_only_where_it_names_the_project():
    one = memory("The staging server of atlas is called heron", 7, helped=3, project="atlas")

    assert len(changes(promotion.plan, one)) == 1


def test_what_a_file_says_already_is_not_proposed_again():
    one = memory(HERON, 7, helped=3)

    assert changes(promotion.plan, entry(f"Our {HERON[4:]}."), one) == []
    assert changes(promotion.plan, entry(f"{HERON}, a small virtual machine"), one) == []


junk = st.sampled_from(
    ["ok thanks", "The build is currently red", "What is the port?", "it works", "The user asked a question", "brb"]
)


@given(junk, st.integers(3, 20))
def test_no_junk_is_promoted_however_often_it_helped(text: str, helped: int):
    assert promotion.plan(state(memory(text, 1, helped=helped)), SETTINGS) == []
    assert promotion.plan(state(extracted=extracted(text, 1, 2, 3, 4)), SETTINGS) == []


@given(
    st.lists(
        st.builds(
            lambda number, text, trust, helped, project: memory(
                text, number, trust=trust, helped=helped, given=9, project=project
            ),
            st.integers(1, 30),
            st.sampled_from([HERON, "ok", "Pia likes tea", "Never deploy on a Friday", "this one"]),
            st.sampled_from(TRUSTS),
            st.integers(0, 5),
            st.sampled_from([None, "atlas"]),
        ),
        max_size=8,
        unique_by=lambda one: one.memory.id,
    )
)
def test_every_promotion_is_trusted_useful_and_was_found_useful(some: list[CuratedMemory]):
    by_number = {one.memory.id: one for one in some}
    for one in promotion.plan(state(*some), SETTINGS):
        assert isinstance(one.change, PromoteMemory)
        source = by_number[one.change.number]
        assert source.memory.trust not in UNTRUSTED
        assert len(source.uses.reinforced) >= promotion.SESSIONS
        assert is_worth_loading(one.change.text)
        assert source.memory.project is None


def test_a_fact_that_came_up_on_three_days_is_proposed():
    facts = (*extracted("I live in Porto.", 1, 5), *extracted("I live in Porto", 9))

    assert changes(promotion.plan, extracted=facts) == [
        RememberEntry(text="I live in Porto", tier="semantic", section=None, path="MEMORY.md")
    ]
    assert changes(promotion.plan, extracted=extracted("I live in Porto.", 1, 5)) == []
    assert changes(promotion.plan, extracted=extracted("I live in Porto.", 1, 1, 1)) == []
    assert changes(promotion.plan, extracted=extracted("I live in Porto.", 1, 2, 3, is_private=True)) == []
    assert changes(promotion.plan, extracted=extracted("I live in Porto.", 1, 2, 3, project="atlas")) == []


def test_a_fact_that_is_over_is_not_proposed():
    facts = extracted("I live in Porto", 1, 2, 3)
    moved = extracted("I live in Ghent now, no longer in Porto", 4)

    assert changes(promotion.plan, extracted=(*facts, *moved)) == []


# Demotion


def test_an_entry_whose_memory_was_superseded_gets_the_new_words():
    old, new = memory(HERON, 1).memory, memory("The staging server is called egret", 2).memory

    assert changes(demotion.plan, entry(HERON), replaced=(ReplacedMemory(old, new),)) == [
        EditEntry("e1", new.content, "MEMORY.md")
    ]
    untrusted = new._replace(trust="tool_or_web")
    assert changes(demotion.plan, entry(HERON), replaced=(ReplacedMemory(old, untrusted),)) == []


def test_where_the_new_words_are_no_fact_to_load_the_entry_goes():
    old, new = memory(HERON, 1).memory, memory("heron is down right now", 2).memory

    assert changes(demotion.plan, entry(HERON), replaced=(ReplacedMemory(old, new),)) == [
        RetireEntry("e1", "MEMORY.md", HERON)
    ]


def test_an_entry_follows_the_memory_that_points_to_it():
    reworded = memory("The staging server is called egret", 2, origin="entry:e1")

    assert changes(demotion.plan, entry(HERON), reworded) == [EditEntry("e1", reworded.memory.content, "MEMORY.md")]
    assert changes(demotion.plan, entry(HERON), memory(HERON, 2, origin="entry:e1")) == []


def test_an_entry_that_was_reworded_does_not_go_back_to_the_words_of_its_memory():
    promoted = memory(HERON, 2, origin="entry:e1")._replace(promoted_as=HERON)
    reworded = entry("The staging server is called egret now")
    assert changes(demotion.plan, reworded, promoted) == []

    changed = promoted._replace(memory=promoted.memory._replace(content="The staging server is called stork"))
    assert changes(demotion.plan, reworded, changed) == [EditEntry("e1", changed.memory.content, "MEMORY.md")]


def test_feedback_that_excludes_an_entry_corrects_it():
    port = entry("The staging server listens on port 8080")
    right = said("The staging server listens on port 8443")

    assert changes(demotion.plan, port, feedback=(right,)) == [EditEntry("e1", right.note, "MEMORY.md")]
    assert changes(demotion.plan, port, feedback=(right._replace(is_good=True),)) == []
    assert changes(demotion.plan, port, feedback=(said("too long"),)) == []


# Rules


@pytest.mark.parametrize(
    ("note", "rule"),
    [
        ("Always answer in German", "Always answer in German"),
        ("no, use pnpm, not npm", "use pnpm, not npm"),
        ("please never push to main", "never push to main"),
        ("Nimm metrische Einheiten statt Meilen", "Nimm metrische Einheiten statt Meilen"),
        ("以后请用中文回答", "以后请用中文回答"),
        ("Dates should be written as 2026-11-16", "Dates should be written as 2026-11-16"),
    ],
)
def test_a_note_that_states_a_rule_is_one_in_its_own_words(note: str, rule: str):
    assert rule_in(note) == rule


@pytest.mark.parametrize(
    "note", ["", "wrong", "that was wrong", "too long", "why?", "The port is 8443", "no", "nice"]
)
def test_a_note_about_one_answer_is_no_rule(note: str):
    assert rule_in(note) is None


@pytest.mark.parametrize("note", ["Every 15 minutes.", "Every Monday at nine.", "Alle 15 Minuten.", "Each day"])
def test_a_fragment_that_only_says_when_is_no_rule(note: str):
    assert rule_in(note) is None
    twice = said(note, 1), said(note, 2)
    assert changes(feedback_rules.plan, feedback=twice) == []


def test_a_note_that_adds_only_a_value_to_the_question_is_no_rule():
    assert rule_in("Port 9443.", "Which port does the panel use?") is None
    assert rule_in("Always use port 9443.", "Which port does the panel use?") is not None


def test_one_note_with_a_rule_is_proposed_with_its_feedback():
    note = said("Always answer in German", path="feedback/corrections.md", line=5)

    assert changes(feedback_rules.plan, feedback=(note,)) == [
        AddRule(text=note.note, path="PROCEDURAL.md", section=None, feedback=("f1",))
    ]


def test_similar_notes_count_together_and_the_newest_words_are_the_rule():
    first = said("Use pnpm, not npm", 1)
    second = said("again: always use pnpm, not npm", 2)
    [one] = feedback_rules.plan(state(feedback=(second, first)), SETTINGS)

    assert one.change == AddRule("always use pnpm, not npm", "PROCEDURAL.md", None, ("f1", "f2"))
    assert one.score == 0.9
    assert "2 times" in one.reason


def test_notes_that_state_no_rule_are_shown_only_where_several_agree():
    one, other = said("the answer had far too many tables", 1), said("too many tables in the answer", 2)

    assert changes(feedback_rules.plan, feedback=(one,)) == []
    [change] = changes(feedback_rules.plan, feedback=(one, other))
    assert isinstance(change, AddRule)
    assert change.text == other.note


def test_a_rule_from_one_project_names_it():
    [change] = changes(feedback_rules.plan, feedback=(said("Always use tabs", 1, project="github.com/a/atlas"),))

    assert isinstance(change, AddRule)
    assert change.text == "atlas: Always use tabs"


def test_a_rule_that_the_file_has_is_not_proposed():
    assert (
        changes(feedback_rules.plan, entry("Always use tabs.", 1, "procedural"), feedback=(said("Always use tabs"),))
        == []
    )


@given(st.lists(st.builds(said, st.text(max_size=60), st.integers(1, 28)), max_size=6, unique_by=lambda one: one.id))
def test_a_rule_consists_of_the_owners_words(notes: list[FeedbackNote]):
    words = {" ".join(one.note.split()) for one in notes}
    for one in feedback_rules.plan(state(feedback=tuple(notes)), SETTINGS):
        assert isinstance(one.change, AddRule)
        assert any(note.endswith(one.change.text) for note in words)
        assert set(one.change.feedback) <= {note.id for note in notes}


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("Answer in German", "Answer in German when the question is about the harbor or the mill", True),
        ("Answer in German please", "Answer mails about boats shortly in the harbor office", False),
        ("Use 4 spaces in Go", "Use 8 spaces in Go", False),
        ("Use tabs in Go", "Do not use tabs in Go", False),
    ],
)
def test_feedback_about_one_thing_is_one_rule(first: str, second: str, together: bool) -> None:
    found = feedback_rules.plan(state(feedback=(said(first, 1), said(second, 2))), SETTINGS)
    made = [one.change.feedback for one in found if isinstance(one.change, AddRule)]
    assert (("f1", "f2") in made) is together


def test_what_states_no_rule_is_suggested_once_it_was_said_twice() -> None:
    once = "The answer about the harbor fees was too long"
    twice = (said(once, 1), said(f"{once} again", 2))
    assert feedback_rules.plan(state(feedback=twice[:1]), SETTINGS) == []
    [found] = feedback_rules.plan(state(feedback=twice), SETTINGS)
    assert isinstance(found.change, AddRule) and found.change.feedback == ("f1", "f2")
    assert found.score == 0.5 and found.reason.endswith("word it as a rule before you accept it.")

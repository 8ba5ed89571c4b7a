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


# Limits and edges of promotion


def found(planner: Planner, *things: CuratedEntry | CuratedMemory, **fields: object) -> list[Suggestion]:
    return planner(state(*things, **fields), SETTINGS)


def used(one: CuratedMemory, *days: str) -> CuratedMemory:
    return one._replace(uses=one.uses._replace(days=frozenset(days)))


@pytest.mark.parametrize(("sessions", "score"), [(3, 0.75), (4, 0.8), (7, 0.95), (8, 0.95), (30, 0.95)])
def test_the_more_sessions_a_memory_helped_in_the_surer_it_is_proposed(sessions: int, score: float):
    [one] = found(promotion.plan, memory(HERON, 7, helped=sessions))

    assert one.score == pytest.approx(score)
    assert one.reason == f"It helped in {sessions} sessions."


@pytest.mark.parametrize(
    ("days", "told"),
    [
        ((), "It helped in 3 sessions."),
        (("2026-11-02",), "It helped in 3 sessions on 2026-11-02."),
        (("2026-11-02", "2026-10-30", "2026-11-01"), "It helped in 3 sessions, from 2026-10-30 to 2026-11-02."),
    ],
)
def test_the_days_on_which_a_memory_helped_are_told(days: tuple[str, ...], told: str):
    [one] = found(promotion.plan, used(memory(HERON, 7, helped=3), *days))

    assert one.reason == told
    assert [quote.quote for quote in one.evidence] == [HERON]


@pytest.mark.parametrize(("days", "score"), [(3, 0.75), (5, 0.85), (9, 0.95)])
def test_a_fact_that_came_up_is_shown_with_its_last_three_days(days: int, score: float):
    [one] = found(promotion.plan, extracted=extracted("I live in Porto", *range(days, 0, -1), speaker="User"))

    last = [f"2026-11-{day:02}" for day in range(days - 2, days + 1)]
    assert one.score == pytest.approx(score)
    assert one.reason == f"It came up on {days} days: {', '.join(last)}."
    assert [(quote.date, quote.speaker, quote.line) for quote in one.evidence] == [(day, "User", 3) for day in last]


def test_a_fact_is_proposed_in_the_words_in_which_it_was_said_last():
    facts = (*extracted("I live in Porto.", 3), *extracted("I live in Porto!", 1), *extracted("I live in PORTO", 2))
    later = facts[0]._replace(text="i live in Porto", line=9)

    assert changes(promotion.plan, extracted=facts) == [
        RememberEntry(text="I live in Porto.", tier="semantic", section=None, path="MEMORY.md")
    ]
    [last] = changes(promotion.plan, extracted=(later, *facts))
    assert isinstance(last, RememberEntry) and last.text == later.text


@pytest.mark.parametrize(
    "others",
    [
        extracted("I live in Porto", 3, project="atlas"),
        extracted("I do not live in Porto", 3),
        extracted("I live only in Porto", 3),
        extracted("I live in Porto 2", 3),
        extracted("I live in Porto", 2),
    ],
    ids=lambda facts: f"{facts[0].text} {facts[0].day} {facts[0].project}",
)
def test_only_days_on_which_the_same_was_said_of_the_same_project_count(others: tuple[ExtractedFact, ...]):
    assert changes(promotion.plan, extracted=(*extracted("I live in Porto", 1, 2), *others)) == []


def test_a_fact_that_names_its_project_is_proposed_and_a_rule_goes_to_the_rules():
    fact = extracted("The staging server of atlas is called heron", 1, 2, 3, project="atlas")
    rule = extracted("Always run the tests before a commit", 1, 2, 3)

    made = changes(promotion.plan, extracted=(*fact, *rule))
    assert [(one.tier, one.path) for one in made if isinstance(one, RememberEntry)] == [
        ("semantic", "MEMORY.md"),
        ("procedural", "PROCEDURAL.md"),
    ]


def test_what_a_memory_is_proposed_for_is_not_proposed_by_its_days_too():
    facts = extracted(f"{HERON.upper()}.", 1, 2, 3)

    [one] = changes(promotion.plan, memory(HERON, 7, helped=3), extracted=facts)
    assert isinstance(one, PromoteMemory)


@pytest.mark.parametrize(
    "text", ["Our staging server is called heron.", f"{HERON}, a small virtual machine", f"**{HERON}**"]
)
def test_what_an_entry_says_in_other_words_or_with_a_detail_more_is_not_proposed(text: str):
    assert changes(promotion.plan, entry(text), memory(HERON, 7, helped=3)) == []
    assert changes(promotion.plan, entry(text), extracted=extracted(HERON, 1, 2, 3)) == []


def test_what_an_entry_says_of_something_else_keeps_nothing_out():
    other = entry("The test server is called egret"), entry("The staging server of the mill has two disks", 2)

    assert len(changes(promotion.plan, *other, memory(HERON, 7, helped=3))) == 1
    assert len(changes(promotion.plan, *other, extracted=extracted(HERON, 1, 2, 3))) == 1


@pytest.mark.parametrize("text", ["The demo is this week", "The office is closed until 3 May 2027"])
def test_what_has_an_end_is_not_proposed(text: str):
    assert changes(promotion.plan, memory(text, 7, helped=9)) == []
    assert changes(promotion.plan, extracted=extracted(text, 1, 2, 3)) == []


def test_a_fact_that_was_superseded_is_not_proposed():
    facts = extracted("Our staging server is called heron", 1, 2, 3)
    old, new = memory(HERON, 1).memory, memory("The staging server is called egret", 2).memory

    assert len(changes(promotion.plan, extracted=facts)) == 1
    assert changes(promotion.plan, extracted=facts, replaced=(ReplacedMemory(old, new),)) == []
    other = memory("The test server is called heron", 1).memory
    assert len(changes(promotion.plan, extracted=facts, replaced=(ReplacedMemory(other, new),))) == 1


@pytest.mark.parametrize(("day", "count"), [(2, 1), (3, 0), (4, 0)])
def test_a_fact_is_over_by_what_was_said_on_its_day_or_later(day: int, count: int):
    facts = extracted("I live in Porto", 1, 2, 3)
    moved = extracted("I live in Ghent now, no longer in Porto", day)

    assert len(changes(promotion.plan, extracted=(*facts, *moved))) == count
    ended = memory("I live in Ghent now, no longer in Porto", 9)
    assert changes(promotion.plan, ended, extracted=facts) == []


# Limits and edges of demotion


OURS = "Our staging server is called heron"
EGRET = "The staging server is called egret"


def replaced_by(new: str, old: str = HERON, **fields: Any) -> tuple[ReplacedMemory, ...]:
    return (ReplacedMemory(memory(old, 1).memory, memory(new, 2, **fields).memory),)


def test_an_entry_may_say_what_was_superseded_in_other_words():
    assert changes(demotion.plan, entry(OURS), replaced=replaced_by(EGRET)) == [EditEntry("e1", EGRET, "MEMORY.md")]
    assert changes(demotion.plan, entry("Our staging server is called egret"), replaced=replaced_by(EGRET)) == []
    assert changes(demotion.plan, entry("The test server is called heron"), replaced=replaced_by(EGRET)) == []


def test_an_entry_of_a_superseded_memory_is_corrected_whatever_it_says():
    [pair] = replaced_by(EGRET)
    of_entry = pair._replace(old=pair.old._replace(origin="entry:e1"))

    assert changes(demotion.plan, entry("Staging is heron"), replaced=(of_entry,)) == [
        EditEntry("e1", EGRET, "MEMORY.md")
    ]
    assert changes(demotion.plan, entry("Staging is heron", 2), replaced=(of_entry,)) == []
    assert changes(demotion.plan, entry("Our staging server is called egret"), replaced=(of_entry,)) == []


@pytest.mark.parametrize(
    ("new", "fields", "is_edit"),
    [
        (EGRET, {}, True),
        (EGRET, {"project": "atlas"}, False),
        ("The staging server of atlas is called egret", {"project": "atlas"}, True),
    ],
)
def test_the_words_of_a_project_stand_in_every_prompt_only_with_its_name(
    new: str, fields: dict[str, Any], is_edit: bool
):
    [change] = changes(demotion.plan, entry(HERON), replaced=replaced_by(new, **fields))

    assert change == (EditEntry("e1", new, "MEMORY.md") if is_edit else RetireEntry("e1", "MEMORY.md", HERON))


def test_the_surest_of_several_corrections_is_suggested_with_its_reason():
    port = "The staging server listens on port 8080"
    reworded = memory("The staging server listens on port 9090", 5, origin="entry:e1")
    pairs = replaced_by("The staging server listens on port 7070", port)
    note = said("The staging server listens on port 8443", path="feedback/corrections.md", line=4)

    def only(*things: CuratedEntry | CuratedMemory, **fields: object) -> tuple[object, ...]:
        [one] = found(demotion.plan, *things, **fields)
        assert isinstance(one.change, EditEntry) and one.change.was == port
        assert one.evidence[0].quote == port
        return one.change.text[-4:], one.score, one.origin, one.reason, one.evidence[1].path

    first = only(entry(port), reworded, replaced=pairs, feedback=(note,))
    second = only(entry(port), replaced=pairs, feedback=(note,))
    third = only(entry(port), feedback=(note,))
    assert first == ("9090", 0.9, "review", "memory:5, which it was made from, has been reworded since.", "memory:5")
    assert second == (
        "7070",
        0.85,
        "review",
        "It says what memory:1 said, which memory:2 has superseded.",
        "memory:2",
    )
    assert third == (
        "8443",
        0.8,
        "feedback",
        "On 2026-11-01 you marked an answer as wrong and said something else.",
        "feedback/corrections.md",
    )


def test_feedback_that_only_ends_something_takes_the_entry_out():
    lena = entry("The harbor team is led by Lena")
    over = said("The harbor team is not led by Lena any more")

    assert changes(demotion.plan, lena, feedback=(over,)) == [RetireEntry("e1", "MEMORY.md", lena.text)]
    noor = said("The harbor team is led by Noor now, not Lena")
    assert changes(demotion.plan, lena, feedback=(noor,)) == [EditEntry("e1", noor.note, "MEMORY.md")]


def test_an_order_replaces_a_rule_and_no_fact():
    new = "Use British spelling in customer letters"
    old = "Use American spelling in customer letters"

    for tier, is_edit in (("procedural", True), ("semantic", False)):
        [change] = changes(demotion.plan, entry(old, 1, tier), replaced=replaced_by(new, old))  # type: ignore[arg-type]
        assert isinstance(change, EditEntry) is is_edit


# Limits and edges of rules


@pytest.mark.parametrize(
    ("note", "question", "rule"),
    [
        ("no: again, use pnpm, not npm", "", "use pnpm, not npm"),
        ("Bitte nutze pnpm statt npm", "", "nutze pnpm statt npm"),
        ("Answer 42", "What is the answer?", None),
        ("In future the file should be named", "", "In future the file should be named"),
        ("Should I use tabs?", "", None),
        ("The proxy is fast", "", None),
        ("Always " + "x" * 293, "", "Always " + "x" * 293),
        ("Always " + "x" * 294, "", None),
    ],
)
def test_a_rule_is_told_from_a_word_on_one_answer(note: str, question: str, rule: str | None):
    assert rule_in(note, question) == (rule if rule is None or is_worth_loading(rule, as_rule=True) else None)


def rules(*notes: FeedbackNote, entries: tuple[CuratedEntry, ...] = ()) -> list[tuple[str, tuple[str, ...], float]]:
    made = found(feedback_rules.plan, *entries, feedback=notes)
    return [(one.change.text, one.change.feedback, one.score or 0) for one in made if isinstance(one.change, AddRule)]


def test_what_was_said_of_good_and_of_wrong_answers_is_kept_apart():
    good, wrong = said("Always answer in German", 1, good=True), said("Always answer in German", 2)

    assert rules(good, wrong) == [(good.note, ("f1",), 0.75), (wrong.note, ("f2",), 0.75)]
    [first, second] = found(feedback_rules.plan, feedback=(good, wrong))
    assert first.reason == "You said so on 2026-11-01 when you marked an answer as good."
    assert second.reason == "You said so on 2026-11-02 when you marked an answer as wrong."


def test_a_rule_that_was_given_several_times_tells_how_often_and_when_last():
    notes = [said("Always answer in German", day, path="feedback/corrections.md", line=day) for day in (3, 1, 2)]
    [one] = found(feedback_rules.plan, feedback=tuple(notes))

    assert one.reason == "You said so 3 times when you marked answers as wrong, last on 2026-11-03."
    assert (one.score, one.origin) == (0.9, "feedback")
    assert [(quote.date, quote.line, quote.speaker) for quote in one.evidence] == [
        ("2026-11-01", 1, "User"),
        ("2026-11-02", 2, "User"),
        ("2026-11-03", 3, "User"),
    ]


def test_a_rule_said_once_counts_with_notes_that_state_none():
    rule, vague = said("Always keep tables short", 1), said("the tables were short of rows", 2)

    assert rules(rule, vague)[0][:1] == ("Always keep tables short",)


@pytest.mark.parametrize(
    ("tier", "text", "is_known"),
    [
        ("procedural", "Always use tabs in Go files.", True),
        ("pinned", "Always use tabs in Go files", True),
        ("semantic", "Always use tabs in Go files", False),
        ("procedural", "Always use tabs in **our** Go files", True),
        ("procedural", "Always use tabs in Go files and in shell scripts", True),
        ("procedural", "Always use tabs in Python files", False),
    ],
)
def test_a_rule_is_known_where_a_file_of_rules_says_it(tier: Any, text: str, is_known: bool):
    assert bool(rules(said("Always use tabs in Go files"), entries=(entry(text, 1, tier),))) is not is_known


@pytest.mark.parametrize(
    ("projects", "text"),
    [
        (("github.com/a/atlas",), "atlas: Always use tabs"),
        ((None,), "Always use tabs"),
        (("github.com/a/atlas", "github.com/a/atlas"), "atlas: Always use tabs"),
        (("github.com/a/atlas", None), "Always use tabs"),
        (("github.com/a/atlas", "github.com/a/mill"), "Always use tabs"),
    ],
)
def test_a_rule_names_the_one_project_that_it_comes_from(projects: tuple[str | None, ...], text: str):
    notes = [said("Always use tabs", day, project=project) for day, project in enumerate(projects, 1)]
    assert [rule for rule, _, _ in rules(*notes)] == [text]


def test_a_rule_that_names_its_project_gets_no_second_name():
    assert [rule for rule, _, _ in rules(said("Always use tabs in atlas", project="github.com/a/atlas"))] == [
        "Always use tabs in atlas"
    ]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("Always name crane, pump, valve", "Always name crane, rope, mast", True),
        ("Always name crane, pump, valve", "Always list crane, rope, mast", False),
        ("Always name crane, pump, valve, gear", "Always name crane, rope, mast, keel", True),
        ("Always name crane, pump, valve, gear, hull", "Always name crane, rope, mast, keel, oar", False),
        ("Always name crane, pump, valve, gear", "Always name boats", True),  # half of the shorter one's
        ("Always name crane and pump", "Always name 2 cranes and a pump", False),
        ("Always name crane and pump", "Always name no crane and no pump", True),  # denied twice
        ("Always name crane and pump", "Always name crane and no pump", False),
        ("Always name boats", "No, wrong: always name boats", True),  # what leads to it does not count
    ],
)
def test_notes_are_about_one_thing_if_they_share_half_of_their_words(first: str, second: str, together: bool):
    assert len(rules(said(first, 1), said(second, 2))) == (1 if together else 2)
    assert len(rules(said(second, 1), said(first, 2))) == (1 if together else 2)

"""Tidy finds what repeats, contradicts, is over, is misplaced or leads nowhere. It suggests, and says why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.config.settings import CurateSettings
from memoro.curate.planners import budget, contradictions, duplicates, links, misplaced, stale
from memoro.curate.snapshot.state import BrokenLink, CuratedEntry, CuratedMemory, CuratedNote, CuratedState
from memoro.model.experiences import Experience
from memoro.model.proposals import (
    EditEntry,
    MoveEntry,
    ProposedChange,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    Suggestion,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.said_ends import said_end
from memoro.model.tokens import tokens
from memoro.model.vocabulary import TRUSTS, LoadedTier
from tests.curated import SETTINGS, entry, memory, state

Planner = Callable[[CuratedState, CurateSettings], list[Suggestion]]


def changes(planner: Planner, *things: CuratedEntry | CuratedMemory, **fields: object) -> list[ProposedChange]:
    found = planner(state(*things, **fields), SETTINGS)
    assert all(one.reason and one.evidence and one.score is not None for one in found)
    return [_bare(one.change) for one in found]


def _bare(change: ProposedChange) -> ProposedChange:
    """A change without what it was made from."""
    return change._replace(was=None) if isinstance(change, EditEntry | SupersedeMemory) else change


# Duplicates


def test_the_same_entry_twice_leaves_the_first():
    one, other = entry("The staging server is heron", 1), entry("Our staging server is heron.", 5)

    assert changes(duplicates.plan, one, other) == [RetireEntry("e5", "MEMORY.md", other.text)]


def test_a_pinned_entry_stays_and_the_fact_in_memory_goes():
    one, other = entry("Never deploy on Friday", 1), entry("Never deploy on Friday", 2, "pinned")

    assert changes(duplicates.plan, one, other) == [RetireEntry("e1", "MEMORY.md", one.text)]


def test_a_memory_that_an_entry_says_goes_and_never_the_entry():
    assert changes(duplicates.plan, entry("Pia likes green tea"), memory("Pia likes green tea.", 3)) == [
        RetireMemory(3)
    ]


def test_of_two_memories_the_one_that_is_trusted_more_stays():
    one = memory("The staging server is heron", 1, trust="user_said", created_at="2026-01-01T00:00:00.000Z")
    other = memory("Our staging server is heron", 2, created_at="2026-05-01T00:00:00.000Z")

    assert changes(duplicates.plan, one, other) == [SupersedeMemory(old=2, new=1)]


def test_the_more_detailed_statement_stays():
    one = memory("The staging server is heron", 1)
    other = memory("The staging server is heron, a small virtual machine", 2)

    assert changes(duplicates.plan, one, other) == [SupersedeMemory(old=1, new=2)]


@pytest.mark.parametrize(
    "fields", [{"project": "atlas"}, {"agent": "claude"}, {"is_private": True}], ids=["project", "agent", "private"]
)
def test_no_project_agent_or_reader_loses_a_fact(fields: dict[str, Any]):
    assert (
        changes(duplicates.plan, memory("The server is heron", 1), memory("The server is heron", 2, **fields)) == []
    )


def test_a_private_entry_does_not_stand_for_an_open_memory():
    assert changes(duplicates.plan, entry("Pia likes tea", is_private=True), memory("Pia likes tea", 3)) == []


def test_a_memory_that_points_to_its_entry_is_left_alone():
    assert changes(duplicates.plan, entry("Pia likes tea"), memory("Pia likes tea", 3, origin="entry:e1")) == []


def test_near_statements_with_another_value_are_no_duplicates():
    assert changes(duplicates.plan, entry("Tea is at four", 1), entry("Tea is at five", 2)) == []


def test_experiences_with_the_same_solution_are_one():
    made = Experience(
        id=1,
        type="task_solution",
        intent="Restart the worker",
        solution_json='"systemctl"',
        success=1.0,
        source="agent",
        trust="agent_inferred",
        created_at="2026-11-01T00:00:00.000Z",
    )
    other = made._replace(id=2, intent="restart the worker.", used_at="2026-11-10T00:00:00.000Z")

    assert changes(duplicates.plan, experiences=(made, other)) == [RetireExperience(1)]
    assert changes(duplicates.plan, experiences=(made, other._replace(project="atlas"))) == []


def test_of_two_equal_notes_of_agents_the_later_stays():
    notes = tuple(CuratedNote(f"agent/{name}.md", "# Plan\n", name, f"2026-01-0{name}") for name in "12")

    assert changes(duplicates.plan, notes=notes) == [RetireNote("agent/1.md", "1")]


texts = st.sampled_from(
    ["Pia likes tea", "Pia likes tea.", "Our Pia likes tea", "Bins go out on Tuesday", "Bins go out on Monday"]
)
entries = st.builds(
    lambda number, text, tier, private: entry(text, number, tier, is_private=private),
    st.integers(1, 50),
    texts,
    st.sampled_from(["semantic", "procedural", "pinned"]),
    st.booleans(),
)
memories = st.builds(
    lambda number, text, trust, project: memory(text, number, trust=trust, project=project),
    st.integers(1, 50),
    texts,
    st.sampled_from(TRUSTS),
    st.sampled_from([None, "atlas"]),
)


@given(
    st.lists(entries, max_size=6, unique_by=lambda one: one.id),
    st.lists(memories, max_size=6, unique_by=lambda one: one.memory.id),
)
def test_every_statement_that_goes_is_said_by_one_that_stays(some: list[CuratedEntry], more: list[CuratedMemory]):
    found = duplicates.plan(state(*some, *more), SETTINGS)
    gone = [_dropped(one.change) for one in found]

    assert len(gone) == len(set(gone))
    for one in found:
        kept = one.evidence[0]
        name = kept.path if str(kept.path).startswith("memory:") else f"e{kept.line}"
        assert name not in gone
        assert _words(kept.quote) == _words(one.evidence[1].quote)


def _dropped(change: ProposedChange) -> str:
    match change:
        case RetireEntry(id=own):
            return own
        case RetireMemory(number=number) | SupersedeMemory(old=number):
            return f"memory:{number}"
    raise AssertionError(change)


def _words(text: str) -> set[str]:
    return set(text.lower().rstrip(".").split()) - {"our"}


# Contradictions


def test_two_values_of_one_thing_are_listed_and_nothing_is_suggested():
    found = state(
        entry("The staging server listens on port 8080", 1), memory("The staging server listens on port 8443", 2)
    )

    [one] = contradictions.find(found)

    assert {one.one.quote[-4:], one.other.quote[-4:]} == {"8080", "8443"}
    assert "another value" in one.why
    assert contradictions.plan(found, SETTINGS) == []


def test_a_denial_contradicts_what_it_denies():
    found = state(memory("We use Redis for the queue", 1), memory("We don't use Redis for the queue", 2))

    assert len(contradictions.find(found)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pia likes green tea", "Pia likes black tea"),
        ("We use Redis for the queue", "We use Redis for the queue and the cache"),
        ("Mira leads the platform team", "Jonas leads the design team"),
        ("We went to Porto in May", "We went to Lisbon in May"),
        ("Room 4 is painted blue in the house", "Room 5 is painted blue in the house"),
        ("The server heron listens on port 80", "The server ibis listens on port 80"),
    ],
)
def test_statements_that_can_both_hold_are_not_listed(one: str, other: str):
    assert contradictions.find(state(memory(one, 1), memory(other, 2))) == []


def test_a_newer_memory_that_says_that_an_older_is_over_supersedes_it():
    old = memory("The build runs on Jenkins", 1, created_at="2026-01-01T00:00:00.000Z")
    new = memory("The build runs on Buildkite, not Jenkins", 2, created_at="2026-05-01T00:00:00.000Z")

    assert changes(contradictions.plan, old, new) == [SupersedeMemory(old=1, new=2)]
    assert changes(contradictions.plan, old, new._replace(memory=new.memory._replace(trust="tool_or_web"))) == []


def test_an_entry_that_a_memory_calls_over_is_suggested_for_the_archive():
    old, new = entry("The build runs on Jenkins"), memory("The build runs on Buildkite, not Jenkins", 2)

    assert changes(contradictions.plan, old, new) == [RetireEntry("e1", "MEMORY.md", old.text)]


# Stale


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Mira is on leave until 3 May 2026", date(2026, 5, 3)),
        ("Mira is on leave until May 3", date(2026, 5, 3)),
        ("Mira is away until Friday", date(2026, 3, 6)),
        ("The freeze lasts through March", date(2026, 3, 31)),
        ("Mira ist bis Freitag im Urlaub", date(2026, 3, 6)),
        ("Gültig bis 30.06.2026", date(2026, 6, 30)),
        ("The demo is this week", date(2026, 3, 8)),
        ("The demo is tomorrow", date(2026, 3, 4)),
        ("优惠到2026年5月3日止", date(2026, 5, 3)),
    ],
)
def test_a_statement_names_its_own_end(text: str, last: date):
    found = said_end(text, date(2026, 3, 3))

    assert found is not None
    assert found.last == last


@pytest.mark.parametrize(
    "text",
    [
        "Never merge until the tests pass",
        "Reports are due every Friday",
        "Always check the plan for this week first",
        "The office moved in May 2024",
        "Mira may be away",
    ],
)
def test_a_statement_without_an_end_has_none(text: str):
    assert said_end(text, date(2026, 3, 3)) is None


@given(st.text(max_size=100), st.dates())
def test_any_text_on_any_day_may_be_asked_for_its_end(text: str, said: date):
    for part in ("", "until ", "bis ", "until 31 February "):
        said_end(part + text, min(said, date(9990, 1, 1)))


def test_what_is_long_over_is_suggested_for_the_archive():
    over = entry("Mira is on leave until Friday", 1, written_by="2026-05-01")
    lasts = entry("The freeze lasts until 1 December 2026", 2, written_by="2026-05-01")

    assert changes(stale.plan, over, lasts, memory("The demo is this week", 3)) == [
        RetireEntry("e1", "MEMORY.md", over.text),
        RetireMemory(3),
    ]


def test_a_memory_that_only_disappointed_goes_and_one_that_is_merely_unused_stays():
    bad = memory("The staging server is heron", 1, feedback=-3)
    unused = memory("The test server is egret", 2)
    helped = memory("The proxy is ibis", 3, feedback=-3, helped=1)
    confirmed = memory("The cache is crane", 4, feedback=-3, trust="user_confirmed")
    twice = memory("The queue is stork", 5, feedback=-2)
    once = memory("The mail server is swan", 6, feedback=-1)

    assert changes(stale.plan, bad, unused, helped, confirmed, twice, once) == [RetireMemory(1), RetireMemory(5)]


# Misplaced


def test_a_rule_among_facts_and_a_fact_among_rules_are_moved():
    rule = entry("Always run the tests before a commit", 1)
    fact = entry("Pia lives in Porto", 2, "procedural")

    assert changes(misplaced.plan, rule, fact) == [
        MoveEntry("e1", "MEMORY.md", "procedural", rule.text),
        MoveEntry("e2", "PROCEDURAL.md", "semantic", fact.text),
    ]


@pytest.mark.parametrize(
    ("text", "tier", "headings"),
    [
        ("I prefer short answers", "semantic", ()),
        ("Always run the tests before a commit", "semantic", ("Patterns and conventions",)),
        ("The staging server is heron", "semantic", ()),
        ("Commit messages are in the imperative", "procedural", ()),
        ("Use metric units for weather", "procedural", ()),
        ("When a test fails, read the log first", "procedural", ()),
        ("Never deploy on a Friday", "pinned", ()),
    ],
)
def test_what_stands_where_it_belongs_stays(text: str, tier: LoadedTier, headings: tuple[str, ...]):
    assert changes(misplaced.plan, entry(text, 1, tier, headings=headings)) == []


def test_a_secret_is_cut_out_and_the_suggestion_does_not_repeat_it():
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    [found] = misplaced.plan(state(entry(f"The token of the bot is {secret}")), SETTINGS)

    assert isinstance(found.change, EditEntry)
    assert found.change.text == "The token of the bot is (secret removed)"
    assert secret not in repr(found)


def test_an_event_of_one_day_is_suggested_for_the_archive():
    event = entry("We went to the dentist yesterday")

    assert changes(misplaced.plan, event) == [RetireEntry("e1", "MEMORY.md", event.text)]


# Links


def test_a_broken_link_becomes_the_moved_note_or_its_words():
    text = "See [[Old plan|the plan]] and [[x/Pia]]"
    broken = (
        BrokenLink("MEMORY.md", 1, "[[Old plan|the plan]]", "the plan"),
        BrokenLink("MEMORY.md", 1, "[[x/Pia]]", "Pia", "[[people/Pia]]"),
    )

    assert changes(links.plan, entry(text), broken_links=broken) == [
        EditEntry("e1", "See the plan and [[people/Pia]]", "MEMORY.md")
    ]


def test_a_broken_link_of_an_agents_note_is_mended_in_the_note():
    note = CuratedNote("agent/a.md", "# A\n\nSee [[Gone]].\n", "digest", "2026-01-01")
    broken = (BrokenLink("agent/a.md", 3, "[[Gone]]", "Gone"),)

    assert changes(links.plan, notes=(note,), broken_links=broken) == [
        WriteNote("agent/a.md", "# A\n\nSee Gone.\n", "digest")
    ]


# Budget


def test_a_file_beyond_its_budget_loses_the_weakest_and_never_more_than_a_quarter():
    few = CurateSettings(memory_tokens=100)
    good = [entry(f"The service number {n} listens on the port {8000 + n} of the host", n) for n in range(1, 17)]
    junk = entry("it works", 17)

    found = [one.change for one in budget.plan(state(*good, junk), few)]

    assert found[0] == RetireEntry("e17", "MEMORY.md", "it works")
    assert len(found) == 17 // 4
    assert budget.plan(state(*good, junk), SETTINGS) == []


def test_an_entry_that_helped_outlives_one_that_did_not():
    few = CurateSettings(memory_tokens=100)
    some = [entry(f"The service number {n} listens on the port {8000 + n} of the host", n) for n in range(1, 9)]
    pointers = [
        memory(one.text, n, origin=f"entry:e{n}", helped=3) for n, one in enumerate(some, 1) if n not in (4, 6)
    ]

    found = [one.change for one in budget.plan(state(*some, *pointers), few)]

    assert {one.id for one in found if isinstance(one, RetireEntry)} == {"e4", "e6"}


def test_an_entry_that_its_owner_keeps_is_not_suggested_again_and_the_next_weakest_is():
    few = CurateSettings(memory_tokens=100)
    some = [entry(f"The service number {n} listens on the port {8000 + n} of the host", n) for n in range(1, 17)]
    again = entry("Junk mail goes into the blue bin on Mondays", 17)
    kept = entry("Junk mail goes into the blue bin on Mondays.", 18)

    first = [one.change for one in budget.plan(state(*some, kept, again), few)]
    then = [
        one.change for one in budget.plan(state(*some, kept, again, kept=frozenset({"entry:e18", "entry:e1"})), few)
    ]

    assert [one.id for one in first if isinstance(one, RetireEntry)] == ["e1", "e2", "e3", "e4"]
    assert [one.id for one in then if isinstance(one, RetireEntry)] == ["e2", "e3", "e4", "e5"]
    every = frozenset(f"entry:e{n}" for n in range(1, 19))
    assert budget.plan(state(*some, kept, again, kept=every - {"entry:e17"}), few) == []


@given(st.integers(100, 400), st.integers(0, 40))
def test_the_budget_stops_as_soon_as_the_file_fits(limit: int, count: int):
    some = [entry(f"Fact number {n} about the house in the forest", n) for n in range(1, count + 1)]
    found = budget.plan(state(*some), CurateSettings(memory_tokens=limit))

    assert len(found) <= count // 4
    assert len({repr(one.change) for one in found}) == len(found)


@pytest.mark.parametrize(("more", "count"), [(0, 0), (1, 1), (9, 1), (10, 2), (18, 2), (19, 3)])
def test_so_many_entries_go_that_the_file_just_fits(more: int, count: int):
    """Each entry takes 9 tokens with its id."""
    some = [entry(f"Fact {chr(96 + n)} about the house", n)._replace(id=f"house{n:02}") for n in range(1, 21)]
    [file] = state(*some).files
    found = budget.plan(state(*some), CurateSettings(memory_tokens=file.tokens - more))
    assert {tokens(f"- {one.text} ^{one.id}\n") for one in some} == {9}
    assert len(found) == count

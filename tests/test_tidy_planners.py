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


# Which of two stays, and why


def suggested(planner: Planner, *things: CuratedEntry | CuratedMemory, **fields: object) -> list[Suggestion]:
    return planner(state(*things, **fields), SETTINGS)


def told(planner: Planner, *things: CuratedEntry | CuratedMemory, **fields: object) -> list[tuple[str, float]]:
    """What goes of some statements, and how sure that is; each says why in words of its own."""
    return [(_dropped(one.change), one.score or 0) for one in suggested(planner, *things, **fields)]


JANUARY, MAY = "2026-01-01T00:00:00.000Z", "2026-05-01T00:00:00.000Z"
SERVER, OUR_SERVER = "The staging server is heron", "Our staging server is heron"


@pytest.mark.parametrize(
    ("one", "other", "gone"),
    [
        (entry(SERVER, 1), entry(SERVER, 2), "e2"),
        (entry(SERVER, 2), entry(SERVER, 1), "e1"),  # which stands first decides
        (entry(SERVER, 1, "procedural"), entry(SERVER, 2, "pinned"), "e1"),
        (entry(SERVER, 1, "semantic"), entry(SERVER, 2, "procedural"), "e1"),
        (entry(SERVER, 1, "procedural"), entry(SERVER, 2, "semantic"), "e2"),
        (entry(SERVER, 9), memory(SERVER, 1, trust="user_confirmed"), "memory:1"),
        (memory(SERVER, 1), memory(SERVER, 2), "memory:2"),
        (memory(SERVER, 1, created_at=JANUARY), memory(SERVER, 2, created_at=MAY), "memory:1"),
        (memory(SERVER, 1, created_at=MAY), memory(SERVER, 2, created_at=JANUARY), "memory:2"),
        (memory(SERVER, 1, created_at=JANUARY, feedback=1), memory(SERVER, 2, created_at=MAY), "memory:2"),
        (memory(SERVER, 1, created_at=MAY, feedback=-1), memory(SERVER, 2, created_at=JANUARY), "memory:1"),
        (memory(SERVER, 1, trust="user_said"), memory(SERVER, 2, feedback=9, created_at=MAY), "memory:2"),
        (memory(SERVER, 1), memory(SERVER, 2, trust="user_confirmed"), "memory:1"),
        (memory(SERVER, 1, trust="tool_or_web", created_at=MAY), memory(SERVER, 2, created_at=JANUARY), "memory:1"),
    ],
)
def test_of_two_statements_in_the_same_words_the_better_one_stays(
    one: CuratedEntry | CuratedMemory, other: CuratedEntry | CuratedMemory, gone: str
):
    assert told(duplicates.plan, one, other) == [(gone, 0.95)]


def test_of_several_in_the_same_words_one_stays():
    some = [entry(SERVER, number) for number in (1, 2, 3)]

    found = suggested(duplicates.plan, *some, memory(SERVER, 4))

    assert [_dropped(one.change) for one in found] == ["e2", "e3", "memory:4"]
    assert {one.evidence[0].line for one in found} == {1}
    assert [one.reason for one in found] == [
        "MEMORY.md:1 says the same in the same words.",
        "MEMORY.md:1 says the same in the same words.",
        "MEMORY.md:1 says the same in the same words, and every prompt loads it.",
    ]


@pytest.mark.parametrize(
    ("one", "other", "gone", "reason"),
    [
        (entry(SERVER, 1), entry(OUR_SERVER, 2), ("e2", 0.85), "MEMORY.md:1 says the same in other words."),
        (memory(SERVER, 1), memory(OUR_SERVER, 2), ("memory:2", 0.85), "memory:1 says the same in other words."),
        (
            entry(SERVER, 1),
            entry(f"{SERVER}, a small virtual machine", 2),
            ("e1", 0.7),
            "MEMORY.md:2 says the same with more detail.",
        ),
        (
            entry(f"{SERVER}, a small virtual machine", 1),
            entry(SERVER, 2),
            ("e2", 0.7),
            "MEMORY.md:1 says the same with more detail.",
        ),
        (
            memory(SERVER, 1),
            entry(f"{SERVER}, a small virtual machine", 2),
            ("memory:1", 0.7),
            "MEMORY.md:2 says the same with more detail, and every prompt loads it.",
        ),
    ],
)
def test_the_reason_says_how_the_other_says_the_same(
    one: CuratedEntry | CuratedMemory, other: CuratedEntry | CuratedMemory, gone: tuple[str, float], reason: str
):
    [found] = suggested(duplicates.plan, one, other)

    assert (_dropped(found.change), found.score, found.reason) == (*gone, reason)
    assert len(found.evidence) == 2 and found.origin == "tidy"


def test_no_entry_goes_for_a_memory_that_says_more():
    assert changes(duplicates.plan, entry(SERVER), memory(f"{SERVER}, a small virtual machine", 2)) == []


def test_nothing_goes_for_what_goes_itself():
    three = (entry(SERVER, 1), entry(OUR_SERVER, 2), entry(f"{OUR_SERVER}, a small virtual machine", 3))
    assert told(duplicates.plan, *three) == [("e2", 0.85)]  # the first stays for it, so the third is left alone
    assert told(duplicates.plan, *three[1:]) == [("e2", 0.7)]


@pytest.mark.parametrize(
    ("kept", "gone", "count"), [(False, False, 1), (False, True, 1), (True, True, 1), (True, False, 0)]
)
def test_what_is_private_stands_for_nothing_open(kept: bool, gone: bool, count: int):
    two = entry(SERVER, 1, is_private=kept), entry(SERVER, 2, is_private=gone)
    assert len(changes(duplicates.plan, *two)) == count


def test_of_equal_experiences_the_one_that_was_used_last_stays_and_untrusted_ones_are_left_alone():
    made = Experience(
        id=1, type="task_solution", intent="Restart the worker", solution_json='"systemctl"', success=0.5,
        source="agent", trust="agent_inferred", created_at="2026-11-01T00:00:00.000Z",
    )  # fmt: skip
    better, web = made._replace(id=2, success=0.9), made._replace(id=3, trust="tool_or_web")
    last = made._replace(id=4, used_at="2026-11-15T00:00:00.000Z")
    different = made._replace(id=5, solution_json='"reboot"')

    found = suggested(duplicates.plan, experiences=(made, better, web, last, different))
    assert [one.change for one in found] == [RetireExperience(2), RetireExperience(1)]
    assert {one.reason for one in found} == {"experience:4 has the same solution to the same task."}
    assert [quote.path for quote in found[0].evidence] == ["experience:4", "experience:2"]
    assert [one.change for one in suggested(duplicates.plan, experiences=(made, better))] == [RetireExperience(1)]
    assert suggested(duplicates.plan, experiences=(made, web, different)) == []


def test_of_equal_notes_the_last_stays_by_its_day_and_then_its_path():
    def note(path: str, text: str, written: str) -> CuratedNote:
        return CuratedNote(path, text, f"sha of {path}", written)

    long = "word " * 50
    some = (
        note("agent/b.md", f"{long}\n", "2026-01-02"),
        note("agent/a.md", f"\n{long}", "2026-01-02"),
        note("agent/c.md", long, "2026-01-01"),
        note("agent/empty.md", " \n", "2026-01-01"),
        note("agent/empty too.md", "", "2026-01-01"),
    )
    found = suggested(duplicates.plan, notes=some)
    assert [one.change for one in found] == [
        RetireNote("agent/a.md", "sha of agent/a.md"),
        RetireNote("agent/c.md", "sha of agent/c.md"),
    ]
    assert [(quote.path, len(quote.quote)) for one in found for quote in one.evidence] == [("agent/b.md", 200)] * 2
    assert found[0].reason == "agent/b.md has the same text."


# Which of two is over


REDIS, NO_REDIS = "We use Redis for the queue", "We no longer use Redis for the queue"


def test_a_memory_ends_nothing_that_is_trusted_more():
    sure = memory(REDIS, 1, trust="user_confirmed", created_at=JANUARY)
    other = memory("The build runs on Jenkins", 3, created_at=JANUARY)
    ends = memory(NO_REDIS, 2, created_at=MAY), memory("The build runs on Buildkite, not Jenkins", 4, created_at=MAY)

    found = suggested(contradictions.plan, sure, other, *ends)

    assert [one.change for one in found] == [SupersedeMemory(old=3, new=4, was=other.memory.content)]
    assert len(contradictions.find(state(sure, other, *ends))) == 2
    assert found[0].reason == "memory:4 of 2026-05-01 says that this has ceased to hold."
    assert (found[0].score, found[0].origin, len(found[0].evidence)) == (0.85, "tidy", 2)


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        (memory(REDIS, 1, created_at=JANUARY), memory(NO_REDIS, 2, created_at=MAY), ("memory:2", "memory:1")),
        (memory(REDIS, 2, created_at=JANUARY), memory(NO_REDIS, 1, created_at=MAY), ("memory:1", "memory:2")),
        (memory(REDIS, 1, created_at=MAY), memory(NO_REDIS, 2, created_at=MAY), ("memory:2", "memory:1")),
        (entry(REDIS), memory(NO_REDIS, 2), ("memory:2", "entry:e1")),
        (memory(NO_REDIS, 2), entry(REDIS), ("memory:2", "entry:e1")),
        (entry(REDIS, 1), entry(NO_REDIS, 2), ("entry:e2", "entry:e1")),
        (entry(NO_REDIS, 1), entry(REDIS, 2), ("entry:e1", "entry:e2")),
    ],
)
def test_of_two_that_exclude_each_other_the_newer_stands_first(
    first: CuratedEntry | CuratedMemory, second: CuratedEntry | CuratedMemory, names: tuple[str, str]
):
    [one] = contradictions.find(state(first, second))

    assert (one.names, one.is_said) == (names, True)
    assert (one.one.quote, one.other.quote) == (NO_REDIS, REDIS)


@pytest.mark.parametrize(
    ("fields", "other", "count"),
    [
        ({}, {}, 1),
        ({"project": "atlas"}, {}, 0),
        ({"project": "atlas"}, {"project": "atlas"}, 1),
        ({"agent": "codex"}, {}, 0),
        ({"agent": "codex"}, {"agent": "codex"}, 1),
        ({"origin": "entry:e9"}, {}, 0),  # it stands for its entry
    ],
)
def test_only_what_the_same_readers_are_told_is_compared(fields: dict[str, Any], other: dict[str, Any], count: int):
    assert len(contradictions.find(state(memory(REDIS, 1, **fields), memory(NO_REDIS, 2, **other)))) == count
    with_entry = contradictions.find(state(entry(REDIS), memory(NO_REDIS, 2, **fields)))
    assert len(with_entry) == (0 if fields else 1)


def test_two_entries_that_exclude_each_other_are_for_their_owner_to_decide():
    two = state(entry(REDIS, 1), entry(NO_REDIS, 2))

    assert len(contradictions.find(two)) == 1 and contradictions.plan(two, SETTINGS) == []


def test_what_is_only_near_excludes_nothing():
    assert contradictions.find(state(memory(REDIS, 1), memory("We use Redis for the cache", 2))) == []


# What is over


@pytest.mark.parametrize(
    ("fields", "is_over"),
    [
        ({"feedback": -2}, True),
        ({"feedback": -1}, False),
        ({"feedback": -2, "helped": 1}, False),
        ({"feedback": -2, "trust": "user_confirmed"}, False),
        ({"feedback": -2, "hit_at": "2026-09-17T12:00:00.000Z"}, True),  # sixty days ago
        ({"feedback": -2, "hit_at": "2026-09-17T12:00:01.000Z"}, False),
        ({"feedback": -2, "created_at": "2026-09-17T12:00:01.000Z"}, False),
        ({"feedback": -2, "origin": "entry:e1"}, False),
    ],
)
def test_a_memory_disappointed_if_it_was_complained_about_never_helped_and_rested(
    fields: dict[str, Any], is_over: bool
):
    found = suggested(stale.plan, memory(SERVER, 1, **fields))

    assert [one.change for one in found] == ([RetireMemory(1)] if is_over else [])
    assert all(
        (one.score, one.reason) == (0.65, "It was marked as wrong or unhelpful 2 times, and never helped.")
        for one in found
    )


@pytest.mark.parametrize(
    ("fields", "is_over"),
    [
        ({}, True),
        ({"type": "user_preference"}, False),
        ({"outcomes": 3}, True),
        ({"outcomes": 2}, False),
        ({"success": 0.24}, True),
        ({"success": 0.25}, False),
        ({"used_at": "2026-09-17T12:00:00.000Z"}, True),
        ({"used_at": "2026-09-18T12:00:00.000Z"}, False),
    ],
)
def test_an_experience_that_always_failed_goes_once_nobody_uses_it(fields: dict[str, Any], is_over: bool):
    made = Experience(
        id=1, type="task_solution", intent="Restart the worker", solution_json='"systemctl"', success=0.1,
        source="agent", trust="agent_inferred", created_at="2026-01-01T00:00:00.000Z", outcomes=4,
    )._replace(**fields)  # fmt: skip
    found = suggested(stale.plan, experiences=(made,))

    assert [one.change for one in found] == ([RetireExperience(1)] if is_over else [])
    assert all(one.score == 0.6 and f"of {made.outcomes} tries" in one.reason for one in found)


@pytest.mark.parametrize(("last", "is_over"), [("8 November 2026", True), ("9 November 2026", False)])
def test_what_names_its_end_is_over_a_week_later(last: str, is_over: bool):
    text = f"The office is closed until {last}"
    old = entry(text, written_by="2026-09-01"), memory(text, 2, created_at="2026-09-01T08:00:00.000Z")

    assert len(changes(stale.plan, *old)) == (2 if is_over else 0)
    assert changes(stale.plan, entry(text)) == []  # nobody knows when it was written
    assert changes(stale.plan, entry(text, written_by="some day")) == []


# Links and places


def test_a_link_is_mended_in_the_entry_that_holds_it_and_says_how_many():
    first, second = BrokenLink("MEMORY.md", 2, "[[Old]]", "Old"), BrokenLink("MEMORY.md", 3, "[[Gone]]", "Gone")
    text = "See [[Old]] and [[Gone]]"

    [one] = suggested(links.plan, entry(text, 2), broken_links=(first, second))
    assert (one.change, one.score) == (EditEntry("e2", "See Old and Gone", "MEMORY.md", was=text), 0.5)
    assert one.reason == (
        "[[Old]] (and 1 more) leads nowhere: no note of the vault has this path, name, title or alias."
    )
    [other] = suggested(links.plan, entry(text, 3), broken_links=(first, second))
    assert isinstance(other.change, EditEntry) and other.change.text == "See [[Old]] and Gone"
    assert suggested(links.plan, entry(text, 4), broken_links=(first, second)) == []
    assert suggested(links.plan, entry(text, 1, "procedural"), broken_links=(first, second)) == []
    [moved] = suggested(links.plan, entry(text, 2), broken_links=(first._replace(instead="[[x/Old]]"),))
    assert (moved.score, moved.reason) == (0.7, "[[Old]] leads nowhere; [[x/Old]] is where the note is now.")
    [mixed] = suggested(links.plan, entry(text, 2), broken_links=(first._replace(instead="[[x/Old]]"), second))
    assert mixed.score == 0.5


@pytest.mark.parametrize(
    ("text", "tier", "change"),
    [
        ("Always run the tests before a commit", "semantic", "move"),
        ("Always run the tests before a commit", "pinned", None),
        ("Pia lives in Porto", "procedural", "move"),
        ("Pia lives in Porto", "pinned", None),
        ("We went to the dentist yesterday", "pinned", None),
        ("The token is ghp_0123456789abcdefghijABCDEFGHIJ012345", "pinned", "edit"),
    ],
)
def test_a_pinned_entry_stays_where_it_is_without_its_secrets(text: str, tier: LoadedTier, change: str | None):
    kinds = {MoveEntry: "move", RetireEntry: "retire", EditEntry: "edit"}
    assert [kinds[type(one)] for one in changes(misplaced.plan, entry(text, 1, tier))] == ([change] if change else [])


@pytest.mark.parametrize(
    ("text", "tier", "score", "reason"),
    [
        (
            "Always run the tests before a commit",
            "semantic",
            0.7,
            "It is a rule, and PROCEDURAL.md is the file of rules.",
        ),
        ("Pia lives in Porto", "procedural", 0.6, "It is a fact, and MEMORY.md is the file of facts."),
        (
            "We went to the dentist yesterday",
            "semantic",
            0.7,
            "It tells what happened once; such lines belong in the daily note, and no prompt needs them.",
        ),
        (
            "The token is ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "semantic",
            0.95,
            "It holds a secret (github token), and MEMORY.md is loaded into every prompt.",
        ),
    ],
)
def test_what_is_misplaced_is_suggested_with_its_reason(text: str, tier: LoadedTier, score: float, reason: str):
    [one] = suggested(misplaced.plan, entry(text, 1, tier))

    assert (one.score, one.reason, one.origin) == (score, reason, "tidy")
    assert one.evidence[0].line == 1


@pytest.mark.parametrize(
    ("text", "is_rule", "is_fact"),
    [
        ("Always run the tests first", True, False),
        ("Use tabs", True, False),
        ("My sister lives in Kiel", False, True),
        ("Pia's sister lives in Kiel", False, True),
        ("The proxy listens on port 80", False, False),  # of nobody
        ("Maybe my sister lives in Kiel", False, False),
    ],
)
def test_rules_and_facts_are_told_by_their_words(text: str, is_rule: bool, is_fact: bool):
    assert (misplaced.is_rule(text), misplaced.is_fact(text)) == (is_rule, is_fact)

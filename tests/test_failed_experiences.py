"""What failed is given as a warning wherever it is shown, and never as a solution."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro as library
from mcp import Client
from memoro.experiences.fading import Fading
from memoro.hooks.answers import context
from memoro.hooks.events import PromptSubmitted
from memoro.mcp.clients import Homes
from memoro.mcp.server import build
from memoro.model.experiences import FAILED_BELOW, WORKED_FROM, caution, outcome_of
from memoro.model.memories import stamp
from memoro.search.snippet import MAX_CHARACTERS, led
from tests.conftest import Memoro
from tests.test_experiences import an_experience
from tests.test_mcp import Agent

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
INTENT, FAILED, FIXED = "Postgres replica lags behind the primary", "drop the replication slot", "raise max_wal_size"
QUESTION = "the postgres replica lags behind the primary"


@pytest.fixture
def m(home: Path, vault: Path) -> library.Workspace:
    (vault / "tea.md").write_text("Green tea is brewed at 80 degrees.\n")
    return library.open(home, vault, clock=lambda: NOW)


@given(success=st.floats(0, 1), type=st.sampled_from(["tool_chain", "task_solution", "error_recovery"]))
def test_an_experience_worked_failed_or_worked_in_part_and_only_one_that_worked_has_no_caution(
    success: float, type: str
) -> None:
    one = an_experience(success=success, type=type)
    assert outcome_of(one) == (
        "failed" if success < FAILED_BELOW else "worked" if success >= WORKED_FROM else "partly"
    )
    assert (caution(one) == "") == (outcome_of(one) == "worked")
    assert caution(one).startswith("This failed") == (outcome_of(one) == "failed")


def test_what_failed_is_a_warning_in_blocks_prompts_searches_and_get(m: library.Workspace) -> None:
    m.experiences.record("error_recovery", INTENT, FAILED, success=0)
    for block in (m.recall(QUESTION).block, m.prompt(QUESTION).block):
        [record] = [line for line in block.split("\n") if FAILED in line]
        assert "This failed (success 0.00)" in record.partition(FAILED)[0]
    [hit] = m.search(QUESTION, kind="experience").results
    assert hit.snippet == f"This failed (success 0.00), so do not repeat it as it is: {INTENT}"
    assert m.get("experience:1").text.startswith("This failed (success 0.00)")
    assert m.experiences.hints(QUESTION) == ()


def test_a_hook_gives_what_failed_as_a_warning(m: library.Workspace) -> None:
    m.experiences.record("error_recovery", INTENT, FAILED, success=0.1)
    block = context(PromptSubmitted("UserPromptSubmit", "s", f"{QUESTION}. {INTENT}?"), m, "claude")
    assert FAILED in block and "This failed" in block.partition(FAILED)[0]


def test_an_excerpt_of_what_failed_still_says_that_it_failed(m: library.Workspace) -> None:
    steps = "\n".join(f"step {number}: restart replica {number} of the primary" for number in range(200))
    m.experiences.record("error_recovery", INTENT, steps, success=0.2)
    found = m.recall(QUESTION, budget=300)
    [item] = [one for one in found.items if one.kind == "experience"]
    assert len(item.text) < len(steps) and "step" in item.text
    assert item.text.startswith("This failed (success 0.20)")


def test_a_later_success_makes_it_a_solution_again(m: library.Workspace) -> None:
    m.experiences.record("error_recovery", INTENT, FAILED, success=0)
    m.experiences.record("error_recovery", INTENT, FAILED, success=1)
    assert m.get("experience:1").text.startswith("This worked only in part (success 0.50)")
    for _ in range(3):
        m.experiences.record("error_recovery", INTENT, FAILED, success=1)
    assert m.get("experience:1").text == f"{INTENT}\n\n{FAILED}"
    assert "failed" not in m.recall(QUESTION).block


def test_the_command_line_says_what_failed(memoro: Memoro) -> None:
    memoro("experience", "record", "error_recovery", INTENT, FAILED, "--success", "0")
    memoro("experience", "record", "error_recovery", INTENT, FIXED)
    found = memoro("experience", "find", QUESTION)
    assert f"experience:1 FAILED: {INTENT}" in found.out
    assert f"This failed (success 0.00), so do not repeat it as it is: {FAILED}" in found.out
    assert f"\n   {FIXED}\n" in found.out
    document = memoro("experience", "find", QUESTION, "--json").json
    assert {one["id"]: one["outcome"] for one in document["results"]} == {1: "failed", 2: "worked"}
    assert "FAILED: " in memoro("experience", "list").out


def test_an_agent_is_never_told_a_failure_as_a_solution(home: Path, vault: Path) -> None:
    homes = Homes(lambda client: library.open(home, vault, client=client))
    agent = Agent(lambda: Client(build(homes, "full"), raise_exceptions=True))
    agent.ok("experience_record", intent=INTENT, solution=FAILED, success=0)
    answer = agent.call("experience_find", query=QUESTION)
    [found] = answer.structured_content["results"]
    assert (found["outcome"], found["failed"]) == ("failed", FAILED) and "solution" not in found
    assert "This failed" in answer.content[0].text.partition(FAILED)[0]
    for name in ("search", "recall"):
        argument = {"search": "query", "recall": "message"}[name]
        text = agent.call(name, **{argument: QUESTION}).content[0].text
        assert "This failed" in text.partition(FAILED)[0]
    assert "This failed" in agent.call("get", id="experience:1").content[0].text
    homes.close()


def test_a_preference_is_given_with_its_confidence(m: library.Workspace) -> None:
    m.experiences.prefer("indentation of code", "tabs")
    assert m.get("experience:1").text.startswith("A preference with confidence 0.40, not confirmed by the user:")


def test_experiences_in_a_block_count_as_used_and_asking_what_would_be_given_does_not(m: library.Workspace) -> None:
    m.experiences.record("error_recovery", INTENT, FIXED)
    m.recall(QUESTION)
    m.recall(QUESTION, session="s", key="k")
    m.recall(QUESTION, session="s", key="k")
    assert m.experiences.get(1).uses == 2
    m.sessions.replay("s", now=True)
    m.search(QUESTION)
    assert m.experiences.get(1).uses == 2


@given(text=st.text(max_size=1500), lead=st.text(min_size=1, max_size=100))
def test_words_before_a_snippet_are_never_cut_and_the_limit_holds(text: str, lead: str) -> None:
    found = led(lead, text)
    assert found.startswith(f"{lead} ") and len(found) <= MAX_CHARACTERS


def test_what_was_not_used_for_so_long_has_faded() -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    assert Fading(half_life_days=30, prune_below=0.25).fades_since(now) == stamp(now - timedelta(days=60))
    assert Fading(half_life_days=30, prune_below=0.0).fades_since(now) is None

"""What agents reach over MCP: preferences, links, narratives and tasks; and answers to lines that are no messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from mcp import Client
from memoro.errors import NoteNotFound
from memoro.mcp.clients import Homes
from memoro.mcp.server import build
from memoro.mcp.stdio import refusal
from memoro.model import experiences as rules
from memoro.model.experiences import FIRST_CONFIDENCE, PREFERENCE
from memoro.model.targets import MAX_TARGET, parse_given_target
from memoro.model.vocabulary import TRUSTS
from tests.conftest import write_vault
from tests.test_experiences import an_experience
from tests.test_mcp import HELLO, NOTES, Agent, raw
from tests.test_memories import NOON

INDENT = "indentation of code"


@pytest.fixture
def homes(home: Path, vault: Path) -> Iterator[Homes]:
    write_vault(vault, NOTES)
    made = Homes(lambda client: memoro.open(home, vault, client=client))
    yield made
    made.close()


@pytest.fixture
def agent(homes: Homes) -> Agent:
    return Agent(lambda: Client(build(homes, "full"), raise_exceptions=True))


# Preferences


def test_an_agents_preference_starts_low_however_sure_the_agent_is(agent: Agent) -> None:
    made = agent.ok("experience_record", type="user_preference", intent=INDENT, solution="tabs", success=1)
    assert made["success"] == FIRST_CONFIDENCE
    again = agent.ok("experience_record", type="user_preference", intent=INDENT, solution="tabs", success=1)
    assert again["success"] == pytest.approx(0.52)


def test_no_number_of_an_agents_calls_outweighs_a_confirmed_preference(agent: Agent, homes: Homes) -> None:
    m = homes.of(None)
    for _ in range(3):
        m.experiences.prefer(INDENT, "tabs", source="user")
    m.experiences.trust(1, "user_confirmed")
    for _ in range(12):
        agent.ok("experience_record", type="user_preference", intent=INDENT, solution="spaces", success=1)
    answer = agent.call("experience_prefer", category=INDENT, value="spaces")
    assert answer.structured_content["preference"]["value"] == "tabs"
    assert "Another value holds for now" in answer.content[0].text
    assert "tabs (confidence 0.62; the user confirmed it)" in answer.content[0].text
    [first, second] = agent.ok("experience_find", query=INDENT)["results"]
    assert (first["solution"], second["solution"]) == ("tabs", "spaces"), "the confirmed one comes first"
    assert "confirmed by the user" in agent.call("experience_find", query=INDENT).content[0].text
    given = agent.call("recall", message=INDENT).content[0].text
    assert "that the user confirmed" in given.partition("tabs")[0]
    assert "not confirmed by the user" in given.partition("spaces")[0]
    agent.ok("experience_record", type="user_preference", intent=INDENT, solution="tabs", success=0)
    assert m.experiences.get(1).success == pytest.approx(0.616)


def test_an_agent_notes_and_reads_preferences(agent: Agent) -> None:
    assert agent.ok("experience_prefer", category=INDENT, value="tabs")["preference"]["confidence"] == 0.4
    assert agent.ok("experience_prefer", category=INDENT, value="tabs")["new"] is False
    [held] = agent.ok("experience_prefer")["preferences"]
    assert (held["category"], held["value"]) == (INDENT, "tabs")
    assert "confidence 0.52" in agent.call("experience_prefer", category=INDENT).content[0].text


@given(
    values=st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from(TRUSTS)).map(
            lambda one: an_experience(type=PREFERENCE, success=one[0], trust=one[1])
        ),
        min_size=1,
    )
)
def test_a_confirmed_preference_holds_wherever_there_is_one(values: list[Any]) -> None:
    held = max(values, key=lambda one: rules.evidence(one, NOON, 30))
    assert held.trust == "user_confirmed" or all(one.trust != "user_confirmed" for one in values)


# Links, narratives and tasks


def test_linked_memories_are_pulled_by_a_query_and_shown_by_get(agent: Agent, homes: Homes) -> None:
    m = homes.of(None)
    m.memories.store("The payment gateway wants an HMAC signature")
    m.memories.store("Keys rotate on the first of the month")
    m.memories.query("payment gateway keys rotate", session="s")
    m.memories.reinforce(1, session="s")
    m.memories.reinforce(2, session="s")
    alone = agent.ok("memory_query", query="hmac")["results"]
    assert [one["id"] for one in alone] == [1]
    answer = agent.call("memory_query", query="hmac", links=True)
    assert [(one["id"], one.get("linked_to")) for one in answer.structured_content["results"]] == [(1, None), (2, 1)]
    assert "linked with [id:1]" in answer.content[0].text
    shown = agent.call("get", id="memory:1")
    assert shown.structured_content["links"] == ["memory:2"]
    assert "Linked with [id:2]." in shown.content[0].text


def test_a_stored_memory_names_its_task_and_narrative(agent: Agent, homes: Homes) -> None:
    agent.ok("narrative_update", summary="The payments move to a new gateway.")
    agent.ok("memory_store", content="The gateway wants HMAC", task="payments", narrative=1)
    kept = homes.of(None).memories.get(1)
    assert (kept.task, kept.narrative) == ("payments", 1)
    assert "narrative" in agent.refused("memory_store", content="Another fact", narrative=99)


# Lines that are no messages, and arguments that are too long


@pytest.mark.process
def test_every_line_that_is_no_message_is_answered_with_an_error(home: Path, vault: Path) -> None:
    lines = ['{"jsonrpc":"2.0","id":1,"meth', "[]", '{"jsonrpc":"2.0","id":5}', '{"id":7,"method":"ping"}', ""]
    answers = raw(home, vault, [*HELLO, *lines, "x" * 5_000_000])
    errors = [(one["error"]["code"], one["id"]) for one in answers if "error" in one]
    assert errors == [(-32700, None), (-32600, None), (-32600, 5), (-32600, 7), (-32700, None)]


@given(
    st.one_of(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "x"]), inner),
        ).map(json.dumps),
    )
)
def test_any_line_is_a_message_or_gets_one_line_of_error(line: str) -> None:
    answer = refusal(line)
    if answer is not None:
        document = json.loads(answer)
        assert answer.endswith("\n") and "\n" not in answer[:-1]
        assert document["error"]["code"] in (-32700, -32600)


@pytest.mark.parametrize("good", ['{"jsonrpc":"2.0","method":"a"}', '{"jsonrpc":"2.0","method":"a","id":1}'])
def test_messages_are_not_answered_with_errors(good: str) -> None:
    assert refusal(good) is None


@pytest.mark.parametrize("name", ["remove", "get"])
def test_an_endless_id_is_refused_with_a_short_sentence(agent: Agent, name: str) -> None:
    for endless in ("x" * 350_000, "a b " * 90_000, "memory:" + "9" * 350_000, "note:" + "a#" * 170_000):
        said = agent.refused(name, id=endless)
        assert "has at most 8,192 characters" in said and len(said) < 300


def test_words_that_can_be_no_id_are_not_searched_for(homes: Homes) -> None:
    m = homes.of(None)
    with pytest.raises(NoteNotFound) as refused:
        m.remove("word " * 1500)
    assert len(str(refused.value)) < 200


@given(st.text(max_size=300), st.integers(1, 40))
def test_a_target_that_is_not_too_long_is_parsed(text: str, times: int) -> None:
    given_text = text * times
    if len(given_text) <= MAX_TARGET:
        parse_given_target(given_text)
    else:
        with pytest.raises(NoteNotFound):
            parse_given_target(given_text)


def test_an_error_that_quotes_an_endless_argument_is_short(agent: Agent) -> None:
    said = agent.refused("search", query="tea", since="x" * 350_000)
    assert len(said) < 2100 and "2026" in said[-1000:]

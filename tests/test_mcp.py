"""What an agent gets over MCP, asked by the SDK's own client in both eras, and by raw lines."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from mcp import Client, MCPError, StdioServerParameters
from memoro.cli.mcp import MISSING
from memoro.errors import MemoroError
from memoro.mcp import instructions, render, tools
from memoro.mcp.clients import Homes
from memoro.mcp.server import build
from memoro.model.fence import FENCE_OPEN
from memoro.model.proposals import RememberEntry, Suggestion
from memoro.model.vocabulary import TOOL_PROFILES, ToolProfile
from tests.command import run_memoro
from tests.conftest import Memoro, fingerprint, write_vault
from tests.conversation_logs import DAY, talk, write_log

ERAS = ("auto", "legacy")
SECRET = "sk-ant-api03-" + "Ab1" * 31 + "-QwErTyUiAA"
NOTES = {
    "MEMORY.md": "# Memory\n\n- The user prefers green tea ^m3k9f2\n",
    "tea.md": "# Tea\n\nGreen tea is brewed at 80 degrees.\n",
    "sub/über #1.md": "A note with a name that needs care.\n",
}


class Agent:
    """A client in one era, with what it asks as plain calls."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect

    def run(self, work: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        async def connected() -> Any:
            async with self._connect() as client:
                return await work(client)

        return asyncio.run(asyncio.wait_for(connected(), 60))

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.run(lambda client: client.call_tool(name, arguments))

    def ok(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        result = self.call(name, **arguments)
        assert not result.is_error, result.content[0].text
        found: dict[str, Any] = result.structured_content
        return found

    def refused(self, name: str, /, **arguments: Any) -> str:
        result = self.call(name, **arguments)
        assert result.is_error, result.content[0].text
        return str(result.content[0].text)


@pytest.fixture
def homes(home: Path, vault: Path) -> Iterator[Homes]:
    write_vault(vault, NOTES)
    made = Homes(lambda client: memoro.open(home, vault, client=client))
    yield made
    made.close()


@pytest.fixture(params=ERAS)
def agent(request: pytest.FixtureRequest, homes: Homes) -> Agent:
    return Agent(lambda: Client(build(homes, "full"), mode=request.param, raise_exceptions=True))


# What is listed


def names_of(profile: ToolProfile) -> tuple[str, ...]:
    return tuple(tool.name for tool in tools.chosen(profile))


@pytest.mark.parametrize("profile", TOOL_PROFILES)
def test_both_eras_list_the_tools_of_the_profile_in_one_order(homes: Homes, profile: ToolProfile) -> None:
    for mode in ERAS:
        listed = Agent(lambda: Client(build(homes, profile), mode=mode)).run(lambda c: c.list_tools()).tools  # noqa: B023
        assert tuple(tool.name for tool in listed) == names_of(profile)
        for tool in listed:
            assert tool.input_schema["additionalProperties"] is False
            assert tool.description and tool.title
            assert tool.annotations.open_world_hint is False
            assert tool.annotations.read_only_hint is (tool.name in names_of("recall"))


def test_the_tool_lists_cost_no_more_than_they_may() -> None:
    assert tools.tokens(tools.chosen("default")) <= 1500
    assert tools.tokens(tools.chosen("full")) <= 2500


def test_every_profile_has_its_instructions() -> None:
    assert sorted(TOOL_PROFILES) == sorted(instructions.INSTRUCTIONS)


def test_the_default_profile_has_the_thirteen_tools_that_agents_know() -> None:
    assert names_of("default") == (
        "search", "get", "recall", "memory_store", "memory_query", "memory_reinforce", "memory_demote",
        "memory_update", "remove", "remember", "experience_record", "experience_prefer", "experience_find",
    )  # fmt: skip
    assert names_of("full")[13:] == (
        "daily", "narrative_update", "narrative_search", "status", "wrong", "good", "extract", "proposals", "today",
    )  # fmt: skip


def test_every_tool_that_a_profile_teaches_is_in_it() -> None:
    for profile in TOOL_PROFILES:
        text = instructions.INSTRUCTIONS[profile]
        spoken = [text, *(instructions.prompt_text(prompt, "x", profile) for prompt in instructions.PROMPTS)]
        named = set(re.findall(r"\b(?:memory|experience|narrative)_\w+", " ".join(spoken)))
        assert named <= set(names_of(profile))


def test_the_instructions_teach_the_recall_protocol(agent: Agent) -> None:
    taught = agent.run(_instructions)
    for word in ("synonyms", "3 rounds", "Continue without it", "data"):
        assert word in taught


async def _instructions(client: Any) -> str:
    return str(client.instructions)


# What tools do


def test_a_note_is_found_and_read(agent: Agent) -> None:
    result = agent.call("search", query="temperature of green tea", kind="note")
    (first, *_) = result.structured_content["results"]
    assert first["path"] == "tea.md"
    assert first["id"] in result.content[0].text
    assert "80 degrees" in agent.ok("get", id=first["id"])["text"]
    assert agent.ok("get", id="tea.md:3-3")["text"] == "Green tea is brewed at 80 degrees."


def test_recall_gives_a_fenced_block_with_the_ids_of_what_is_in_it(agent: Agent) -> None:
    agent.ok("memory_store", content="Green tea is brewed for two minutes")
    result = agent.call("recall", message="How is green tea brewed?")
    assert {"note", "memory"} <= {one["kind"] for one in result.structured_content["results"]}
    assert result.structured_content["block"] == result.content[0].text
    assert FENCE_OPEN in result.content[0].text and "80 degrees" in result.content[0].text
    for one in result.structured_content["results"]:
        assert agent.ok("get", id=one["id"])["text"]


def test_recall_of_what_nobody_knows_says_to_go_on(agent: Agent) -> None:
    result = agent.call("recall", message="xylophone quarterly turnover")
    assert result.structured_content["results"] == [] and "block" not in result.structured_content
    assert "Continue without it" in result.content[0].text


def test_what_no_reader_sees_reaches_no_model(agent: Agent, vault: Path) -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey") + "\u202e\u200b"
    write_vault(vault, {"odd.md": f"Ginkgo tea{hidden} is mild.\n"})
    agent.ok("memory_store", content=f"Ginkgo{hidden} is a tree")
    answers = [
        agent.call("search", query="ginkgo"),
        agent.call("get", id="odd.md"),
        agent.call("memory_query", query="ginkgo"),
        agent.call("recall", message="what is ginkgo tea?"),
    ]
    for one in answers:
        said = one.content[0].text + json.dumps(one.structured_content, ensure_ascii=False)
        assert "inkgo" in said and not set(hidden) & set(said)
    read = agent.run(lambda client: client.read_resource("memoro://note/odd.md"))
    assert not set(hidden) & set(read.contents[0].text)


def test_nothing_found_says_how_to_go_on(agent: Agent) -> None:
    result = agent.call("search", query="xylophone", kind="memory")
    assert result.structured_content["results"] == []
    assert "continue without it" in result.content[0].text


def test_the_five_memory_tools_do_what_they_say(agent: Agent) -> None:
    kept = agent.ok("memory_store", content="Payments need an HMAC signature", tags="payments, hmac")
    number = kept["id"]
    assert kept["tags"] == ["payments", "hmac"]
    assert agent.ok("memory_store", content="Payments need an HMAC signature")["id"] == number
    found = agent.call("memory_query", query="payment signature hmac")
    assert found.structured_content["results"][0]["id"] == number
    assert f"[id:{number}]" in found.content[0].text
    assert agent.ok("memory_reinforce", id=number)["feedback"] == 3
    assert agent.ok("memory_demote", id=number)["feedback"] == 2
    updated = agent.ok("memory_update", id=number, content="Payments need an HMAC-SHA256 signature")
    assert updated == {
        "id": number,
        "content": "Payments need an HMAC-SHA256 signature",
        "tags": ["payments", "hmac"],
    }
    assert "SHA256" in agent.ok("get", id=f"memory:{number}")["text"]
    agent.ok("remove", id=f"[id:{number}]")
    assert agent.ok("memory_query", query="payment signature hmac")["results"] == []


def test_what_is_removed_can_be_undone_by_its_owner(agent: Agent, home: Path, vault: Path) -> None:
    number = agent.ok("memory_store", content="Payments need an HMAC signature")["id"]
    agent.ok("remove", id=f"memory:{number}")
    with memoro.open(home, vault) as m:
        m.journal.undo()
        assert m.memories.get(number).content == "Payments need an HMAC signature"


def test_what_a_memory_may_replace_is_named_and_superseded_as_the_answer_says(agent: Agent) -> None:
    content = "The staging server runs on port 8081 behind nginx"
    first = agent.ok("memory_store", content="The staging server runs on port 8080 behind nginx")["id"]
    result = agent.call("memory_store", content=content)
    [near] = result.structured_content["nearest"]
    assert (near["id"], near["says_the_same"]) == (first, False)
    assert f"[id:{first}]" in result.content[0].text and "supersedes=" in result.content[0].text
    again = agent.ok("memory_store", content=content, supersedes=[first])
    assert (again["superseded"], again["id"]) == ([first], result.structured_content["id"])
    assert [one["id"] for one in agent.ok("memory_query", query="staging server port")["results"]] == [again["id"]]


@pytest.mark.parametrize("profile", ["default", "full"])
def test_every_profile_that_writes_can_supersede(profile: ToolProfile) -> None:
    [store] = [one for one in tools.chosen(profile) if one.name == "memory_store"]
    assert store.schema()["properties"]["supersedes"]["items"] == {"type": "integer"}


def test_what_an_agent_would_always_load_is_a_proposal_and_the_files_stay(agent: Agent, vault: Path) -> None:
    before = fingerprint(vault)
    for tier in ("semantic", "procedural", "pinned"):
        result = agent.call("remember", text=f"A {tier} line", tier=tier)
        assert result.structured_content["proposal"]
        assert "memoro accept" in result.content[0].text
    assert agent.ok("remove", id="^m3k9f2")["proposal"]
    assert fingerprint(vault) == before


def test_the_same_proposal_waits_once(agent: Agent) -> None:
    first = agent.ok("remember", text="Deploy only on Mondays", tier="procedural")
    again = agent.ok("remember", text="Deploy only on Mondays", tier="procedural")
    assert (first["proposal"], first["new"], again["new"]) == (again["proposal"], True, False)


def test_a_daily_line_is_written_and_found(agent: Agent, vault: Path) -> None:
    made = agent.ok("daily", text="Deployed the zebra service")
    assert (vault / made["path"]).read_text(encoding="utf-8").endswith(f"{made['line']}\n")
    assert agent.ok("search", query="zebra")["results"][0]["path"] == made["path"]


def test_a_change_of_a_confirmed_memory_waits_and_the_answer_says_so(agent: Agent, home: Path, vault: Path) -> None:
    with memoro.open(home, vault) as m:
        number = m.memories.store("The api answers on port 8080", source="user").memory.id
        m.memories.trust(number, "user_confirmed")
    answer = agent.call("memory_update", id=number, content="The api answers on port 9090")
    assert (answer.structured_content["proposal"], answer.structured_content["content"][-4:]) == (1, "8080")
    assert "Not changed" in answer.content[0].text and "memoro accept 1" in answer.content[0].text
    assert f"to remove memory:{number}" in agent.call("remove", id=f"memory:{number}").content[0].text
    assert agent.ok("status")["proposals"] == 2
    waiting = agent.ok("proposals")["proposals"]
    assert [one["operation"] for one in waiting] == ["change_memory", "remove_memory"]
    assert not {"accept", "reject", "review"} & set(names_of("full"))


def test_what_a_person_rejected_is_not_proposed_again_and_the_agent_can_say_so(
    agent: Agent, home: Path, vault: Path
) -> None:
    agent.ok("remember", text="The canteen closes at two.")
    with memoro.open(home, vault) as m:
        m.proposals.reject(1)
        for said in ("The canteen closes at two.", "Our canteen closes at two"):
            answer = agent.call("remember", text=said).content[0].text
            assert "The user rejected this on" in answer and "memoro review --reopen 1" in answer
        assert m.proposals.all() == []
        agent.ok("remember", text="The canteen closes at three.")
        assert len(m.proposals.all()) == 1
        assert m.entries.remember("The canteen closes at two.").proposal is None, "a person writes what they like"
        m.proposals.reopen(1)
    assert agent.ok("remember", text="The canteen closes at two.")["proposal"] == 1


def test_the_log_names_the_agent_and_undo_takes_back_what_it_its_hooks_and_its_proposals_did(
    agent: Agent, home: Path, vault: Path
) -> None:
    agent.ok("memory_store", content="Tea is at four")
    with memoro.open(home, vault) as m:
        name = m.memories.get(1).agent
    assert name
    agent.ok("remember", text="The kettle is in the attic.")
    with memoro.open(home, vault) as m:
        m.proposals.accept(1)
    with memoro.open(home, vault, agent=name) as hook:
        hook.daily.add("tool:kettle", by="claude")
        hook.memories.store("Tea is green", source="extraction")
    with memoro.open(home, vault) as m:
        m.memories.store("Tea is hot", source="agent")
    log = run_memoro("--home", str(home), "--vault", str(vault), "log", "--by", name).out
    assert log.count(f" by {name}") == 2
    undo = ("undo", "--by", name, "--since", "today")
    undone = run_memoro("--home", str(home), "--vault", str(vault), *undo).out
    assert undone.count("\n") == 4, "Undone, and a line for each"
    with memoro.open(home, vault) as m:
        assert [one.content for one in m.memories.all()] == ["Tea is green", "Tea is hot"]
        assert "kettle" not in (vault / "MEMORY.md").read_text()


def test_what_was_extracted_is_told_in_sentences(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)

    def told(**arguments: Any) -> str:
        result = agent.call("extract", **arguments)
        assert not result.is_error and "dry_run" in result.structured_content
        return str(result.content[0].text)

    assert told() == "There is no conversation to extract facts from. Continue without it."
    write_log(tmp_path, talk("User: I moved to Porto in May.", "User: Hello.", "User: Thanks."))
    assert ": 1 fact would be written\n- person: I moved to Porto in May." in told(dry_run=True)
    assert f"I moved to Porto in May. (in daily/{DAY}.md)" in told()
    assert told().startswith("Nothing to extract. Left out: ")


def test_an_agent_is_not_shown_a_private_proposal(agent: Agent, home: Path, vault: Path) -> None:
    with memoro.open(home, vault) as m:
        for text in ("Tea is at four", "My salary is 9000 #private"):
            m.proposals.propose(Suggestion(RememberEntry(text, "semantic", None, "MEMORY.md"), origin="extraction"))
    assert [one["text_after"] for one in agent.ok("proposals")["proposals"]] == ["Tea is at four"]


def test_experiences_are_recorded_and_found(agent: Agent) -> None:
    steps = {"steps": ["close the port", "restart nginx"]}
    kept = agent.ok("experience_record", intent="Free a blocked port", solution=steps, success=0.8, tags="nginx")
    again = agent.ok("experience_record", intent="Free a blocked port", solution=steps)
    assert (kept["new"], again["new"], again["id"]) == (True, False, kept["id"])
    result = agent.call("experience_find", query="a port is blocked")
    assert result.structured_content["results"][0]["solution"] == steps
    assert f"experience:{kept['id']}" in result.content[0].text and "restart nginx" in result.content[0].text
    found = agent.ok("search", query="free a blocked port", kind="experience")["results"]
    assert [one["id"] for one in found] == [f"experience:{kept['id']}"]
    agent.ok("remove", id=f"experience:{kept['id']}")
    assert agent.ok("experience_find", query="a port is blocked")["results"] == []


def test_narratives_go_on_from_one_another(agent: Agent) -> None:
    number = agent.ok("memory_store", content="The parser is slow on tables")["id"]
    agent.ok("narrative_update", summary="We measure the parser", memories=[number])
    told = agent.ok("narrative_update", summary="We rewrite the parser")
    latest = agent.ok("narrative_search", limit=1)["results"][0]
    assert (latest["id"], latest["previous"]) == (told["id"], told["previous"])
    assert agent.ok("narrative_search", query="measure")["results"][0]["memories"] == [number]


def test_status_tells_what_there_is_and_what_waits(agent: Agent) -> None:
    agent.ok("memory_store", content="One fact")
    agent.ok("remember", text="One rule", tier="procedural")
    agent.ok("search", query="tea")
    result = agent.call("status")
    assert {"files": 3, "memories": 1, "proposals": 1}.items() <= result.structured_content.items()
    assert "1 memory," in result.content[0].text


def test_no_secret_that_an_agent_stores_comes_back_or_is_kept(agent: Agent, home: Path) -> None:
    kept = agent.ok("memory_store", content=f"The key is {SECRET}")
    assert kept["redacted"] and SECRET not in json.dumps(kept)
    agent.ok("daily", text=f"Used {SECRET} today")
    agent.ok("remember", text=f"Always use {SECRET}")
    assert not [file for file, data in fingerprint(home).items() if SECRET.encode() in data]


def test_all_that_is_written_bears_the_name_of_the_agent(homes: Homes, home: Path, vault: Path) -> None:
    from mcp.types import Implementation

    info = Implementation(name="Claude Code", version="2")
    for mode in ERAS:
        agent = Agent(lambda: Client(build(homes), mode=mode, client_info=info))  # noqa: B023
        number = agent.ok("memory_store", content=f"A fact of the era {mode}")["id"]
        agent.ok("memory_reinforce", id=number)
    with memoro.open(home, vault) as m:
        assert {(one.source, one.agent, one.trust) for one in m.memories.all()} == {
            ("agent", "claude-code", "agent_inferred")
        }
        assert {(one.actor, one.agent) for one in m.journal.log()} == {("agent", "claude-code")}


def test_any_number_of_agents_share_a_bounded_number_of_workspaces(home: Path) -> None:
    opened: list[str | None] = []

    def opening(client: str | None) -> memoro.Workspace:
        opened.append(client)
        return memoro.open(home, client=client)

    homes = Homes(opening)
    for number in [*range(40), *range(40)]:
        assert homes.of(f"agent-{number}").memories.store("A fact").memory.id == 1
    assert opened == [*(f"agent-{number}" for number in range(16)), None]
    homes.close()


def test_a_name_that_was_given_goes_before_that_of_the_client(home: Path, vault: Path) -> None:
    write_vault(vault, NOTES)
    homes = Homes(lambda client: memoro.open(home, vault, agent="lena", client=client))
    agent = Agent(lambda: Client(build(homes, agent="lena")))
    agent.ok("memory_store", content="A fact")
    with memoro.open(home, vault) as m:
        assert [one.agent for one in m.memories.all()] == ["lena"]


def test_a_reading_profile_leaves_the_ledger_and_the_vault_as_they_were(
    homes: Homes, home: Path, vault: Path
) -> None:
    with memoro.open(home, vault) as m:
        m.memories.store("Green tea helps")
        before = m.journal.log()
    agent, seen = Agent(lambda: Client(build(homes, "recall", session="s"))), fingerprint(vault)
    agent.ok("search", query="tea")
    agent.ok("memory_query", query="tea")
    agent.ok("status")
    assert "no tool" in agent.refused("memory_store", content="x")
    with memoro.open(home, vault) as m:
        assert m.journal.log() == before
        with m.memories._access.ledger.reading() as tx:
            assert tx.given.last_session(1) is None
    assert fingerprint(vault) == seen


def test_memories_that_helped_together_in_a_session_are_linked(homes: Homes, home: Path, vault: Path) -> None:
    agent = Agent(lambda: Client(build(homes, session="s1")))
    numbers = [agent.ok("memory_store", content=f"Tea fact number {word}")["id"] for word in ("one", "two")]
    agent.ok("memory_query", query="tea fact")
    for number in numbers:
        agent.ok("memory_reinforce", id=number)
    with memoro.open(home, vault) as m:
        assert [link.other(numbers[0]) for link in m.memories.show(numbers[0]).links] == [numbers[1]]


# Doing a thing once


def test_a_write_with_a_key_is_done_once_across_connections(homes: Homes) -> None:
    for mode in ERAS:
        agent = Agent(lambda: Client(build(homes, "full"), mode=mode))  # noqa: B023
        number = agent.ok("memory_store", content=f"A fact for {mode}")["id"]
        meta = {"memoro/key": f"once {mode}"}
        for _ in range(3):
            call = agent.run(lambda c: c.call_tool("memory_reinforce", {"id": number}, meta=meta))  # noqa: B023
            assert call.structured_content == {"id": number, "feedback": 3}


def test_a_removal_that_is_asked_for_again_with_its_key_is_no_error(agent: Agent) -> None:
    number = agent.ok("memory_store", content="A fact to go")["id"]
    for _ in range(2):
        done = agent.run(lambda c: c.call_tool("remove", {"id": f"memory:{number}"}, meta={"memoro/key": "go"}))
        assert not done.is_error


def test_a_daily_line_with_a_key_is_written_once(home: Path, vault: Path) -> None:
    with memoro.open(home, vault) as m:
        first = m.daily.add("Deployed", by="agent", key="k")
        assert m.daily.add("Deployed", by="agent", key="k") == first
        assert (vault / first.path).read_text(encoding="utf-8").count("Deployed") == 1
        with pytest.raises(MemoroError, match="used for another write"):
            m.daily.add("Other", by="agent", key="k")


def test_a_request_that_is_sent_again_on_its_connection_counts_once(home: Path, vault: Path) -> None:
    with memoro.open(home, vault) as m:
        m.memories.store("A fact")
    call = {"name": "memory_reinforce", "arguments": {"id": 1}}
    answers = raw(home, vault, [*HELLO, *(_request(7, "tools/call", call) for _ in range(3))], "--profile", "full")
    assert [one["result"]["structuredContent"]["feedback"] for one in answers if one.get("id") == 7] == [3, 3, 3]
    raw(home, vault, [*HELLO, _request(7, "tools/call", call)])  # another connection: another request
    with memoro.open(home, vault) as m:
        assert m.memories.get(1).feedback == 6


# What goes wrong is said


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("memory_reinforce", {"id": 99}, "There is no memory [id:99]"),
        ("memory_reinforce", {"id": "five"}, "'id' of memory_reinforce must be a whole number, not \"five\""),
        ("memory_reinforce", {}, "memory_reinforce needs 'id': N of [id:N]"),
        ("memory_query", {"query": "x", "limit": 1000}, "from 1 to 50"),
        ("memory_query", {"query": "x", "tags": "y"}, "It takes query, limit"),
        ("memory_store", {"content": "  "}, "Give it a sentence"),
        ("memory_update", {"id": 1}, "Nothing to change"),
        ("search", {"query": "x", "since": "someday"}, "someday"),
        ("search", {"query": "x", "kind": "book"}, "must be one of note, transcript, memory"),
        ("get", {"id": "../../etc/passwd"}, "is not the path of a note"),
        ("get", {"id": "tea.md:90"}, "there is no line 90"),
        ("remove", {"id": "^nosuch"}, "There is no entry"),
        ("narrative_update", {"summary": "x", "memories": ["y"]}, "a list of numbers"),
        ("narrative_search", {"query": "77"}, "77"),
        ("forget", {"id": 1}, "There is no tool 'forget' here"),
    ],
)
def test_an_error_is_a_sentence_that_a_model_can_act_on(
    agent: Agent, name: str, given: dict[str, Any], said: str
) -> None:
    sentence = agent.refused(name, **given)
    assert said in sentence
    assert "Traceback" not in sentence and sentence.endswith((".", "…"))


def test_numbers_are_understood_as_models_write_them(agent: Agent) -> None:
    number = agent.ok("memory_store", content="A fact")["id"]
    for written in (number, float(number), str(number), f"[id:{number}]", f"memory:{number}", f" id:{number}"):
        agent.ok("memory_reinforce", id=written)
    assert agent.ok("memory_demote", id=number)["feedback"] == 6 * 3 - 1


json_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    tool=st.sampled_from(tools.all_tools()),
    given_=st.data(),
)
def test_any_arguments_are_checked_or_refused_in_a_sentence(tool: tools.AgentTool, given_: st.DataObject) -> None:
    names = st.sampled_from([*(one.name for one in tool.parameters), "other"])
    arguments = given_.draw(st.dictionaries(names, json_values, max_size=4))
    try:
        request = tool.request(arguments)
    except MemoroError as error:
        assert str(error).endswith(".")
        return
    assert isinstance(request, tool.operation.request)
    for one in tool.parameters:
        value = getattr(request, one.name)
        assert value is not None or not one.required
        if value is not None and one.least is not None and one.most is not None:
            assert one.least <= value <= one.most


def test_a_home_without_a_vault_still_keeps_memories(home: Path) -> None:
    homes = Homes(lambda client: memoro.open(home, client=client))
    agent = Agent(lambda: Client(build(homes, "full")))
    assert agent.ok("memory_store", content="A fact")["id"] == 1
    assert agent.ok("memory_query", query="fact")["results"][0]["id"] == 1
    assert "memoro init" in agent.refused("remember", text="A rule")
    assert agent.run(lambda client: client.list_resources()).resources == []
    homes.close()


def test_a_fault_of_ours_is_said_without_its_insides(capfd: pytest.CaptureFixture[str]) -> None:
    def broken(_agent: str | None) -> memoro.Workspace:
        raise ZeroDivisionError("a detail")

    sentence = Agent(lambda: Client(build(Homes(broken)))).refused("search", query="x")
    assert "ZeroDivisionError" in sentence and "a detail" not in sentence
    assert "a detail" in capfd.readouterr().err


# Resources and prompts


def test_notes_and_memories_are_resources(agent: Agent) -> None:
    number = agent.ok("memory_store", content="A fact")["id"]

    def read(uri: str) -> str:
        return str(agent.run(lambda client: client.read_resource(uri)).contents[0].text)

    assert "80 degrees" in read("memoro://note/tea.md")
    assert "needs care" in read("memoro://note/sub/%C3%BCber%20%231.md")
    assert read(f"memoro://memory/{number}") == "A fact"
    listed = agent.run(lambda client: client.list_resources()).resources
    assert [one.name for one in listed] == ["MEMORY.md"]
    assert "green tea" in read(str(listed[0].uri))
    templates = agent.run(lambda client: client.list_resource_templates()).resource_templates
    assert [one.uri_template for one in templates] == ["memoro://note/{+path}", "memoro://memory/{id}"]


@pytest.mark.parametrize(
    "uri",
    ["memoro://note/../../etc/passwd", "memoro://note/%2e%2e/%2e%2e/etc/passwd", "memoro://note//etc/passwd",
     "memoro://note/", "memoro://memory/99", "memoro://memory/x", "memoro://other/x", "file:///etc/passwd"],
)  # fmt: skip
def test_no_resource_leads_elsewhere(agent: Agent, uri: str) -> None:
    with pytest.raises((MCPError, ExceptionGroup)) as refused:
        agent.run(lambda client: client.read_resource(uri))
    assert _code(refused.value) == -32602


def _code(error: BaseException) -> int:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return int(error.error.code)  # type: ignore[attr-defined]


def test_prompts_teach_the_protocol_and_the_keeping(agent: Agent) -> None:
    listed = agent.run(lambda client: client.list_prompts()).prompts
    assert [one.name for one in listed] == ["recall", "wrap_up"]
    said = agent.run(lambda client: client.get_prompt("recall", {"topic": "the zebra service"}))
    assert "the zebra service" in said.messages[0].content.text and "synonyms" in said.messages[0].content.text
    kept = agent.run(lambda client: client.get_prompt("wrap_up", {}))
    assert "memory_store" in kept.messages[0].content.text


# Long and odd texts


def test_a_long_note_is_cut_with_the_way_to_its_rest(agent: Agent, vault: Path) -> None:
    lines = [f"line {number} " + "x" * 60 for number in range(1, 2001)]
    write_vault(vault, {"long.md": "\n".join(lines) + "\n"})
    collected, target, rounds = [], "long.md", 0
    while target:
        found = agent.ok("get", id=target)
        assert len(found["text"]) <= render.MOST
        collected += found["text"].split("\n")
        target, rounds = found.get("more", ""), rounds + 1
    assert [line for line in collected if line] == lines
    assert rounds > 3


# Over a pipe


def _request(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


HELLO = [
    _request(1, "initialize", {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"},
    }),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]  # fmt: skip
MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


def environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith(("MEMORO_", "CLAUDE_"))}


def raw(home: Path, vault: Path, messages: list[Any], *options: str) -> list[dict[str, Any]]:
    """The answers to raw lines; every line on standard output must be one. The input ends when all have come."""
    lines = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in messages)
    process = subprocess.Popen(
        [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "mcp", *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(),
    )  # fmt: skip
    with process:
        assert process.stdin and process.stdout
        sink = process.stdin
        writing = threading.Thread(target=lambda: (sink.write(lines.encode()), sink.flush()))
        writing.start()
        expected = sum(isinstance(one, dict) and "id" in one for one in messages)
        answers = [json.loads(process.stdout.readline()) for _ in range(expected)]
        writing.join()
        process.stdin.close()
        answers += [json.loads(line) for line in process.stdout]
    assert process.returncode == 0
    return answers


def test_raw_lines_of_the_handshake_era_are_answered(home: Path, vault: Path) -> None:
    write_vault(vault, NOTES)
    answers = raw(home, vault, [*HELLO, _request(2, "tools/list", {}), _request(3, "ping", {})])
    by_id = {one["id"]: one["result"] for one in answers}
    assert by_id[1]["serverInfo"]["version"] == memoro.__version__
    assert [tool["name"] for tool in by_id[2]["tools"]] == list(names_of("default"))
    assert by_id[2]["tools"][0]["inputSchema"] == tools.all_tools()[0].schema()
    assert by_id[3] == {}


def test_raw_lines_of_the_modern_era_are_answered(home: Path, vault: Path) -> None:
    write_vault(vault, NOTES)
    call = {**MODERN, "name": "get", "arguments": {"id": "tea.md"}}
    lines = [
        _request(1, "server/discover", MODERN),
        _request(2, "tools/list", MODERN),
        _request(3, "tools/call", call),
    ]
    by_id = {one["id"]: one["result"] for one in raw(home, vault, lines)}
    assert by_id[1]["supportedVersions"] == ["2026-07-28"]
    assert by_id[1]["instructions"] == instructions.INSTRUCTIONS["default"]
    assert by_id[2]["resultType"] == "complete"
    assert "80 degrees" in by_id[3]["content"][0]["text"]


def test_lines_that_are_no_messages_harm_nobody(home: Path, vault: Path) -> None:
    odd = ["not json", "{}", "[]", '{"jsonrpc":"2.0"}', "\x00", "[" * 100_000, '"' + "x" * 5_000_000 + '"']
    answers = raw(home, vault, [*HELLO, *odd, _request(9, "tools/list", {})])
    assert [one["id"] for one in answers if one.get("id") == 9] == [9]


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdks_client_talks_to_the_real_process(home: Path, vault: Path, mode: str) -> None:
    write_vault(vault, NOTES)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memoro", "--home", str(home), "--vault", str(vault), "mcp", "--profile", "full"],
        env=environment(),
    )

    async def work(client: Any) -> Any:
        await client.call_tool("memory_store", {"content": "Payments need an HMAC signature"})
        found = await client.call_tool("memory_query", {"query": "hmac"})
        read = await client.read_resource("memoro://note/tea.md")
        return found.structured_content["results"][0]["id"], read.contents[0].text

    number, text = Agent(lambda: Client(server, mode=mode)).run(work)
    assert number == 1 and "80 degrees" in text


def test_without_the_sdk_it_says_how_to_install_it() -> None:
    script = (
        "import sys, importlib.util\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name.split('.')[0] == 'mcp' else found(name, *a)\n"
        "from memoro.cli import main; sys.exit(main(['mcp']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment(), check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"memoro: {MISSING}\n")


def test_the_tools_can_be_listed_without_serving(memoro: Memoro) -> None:
    listed = memoro("mcp", "--tools", "--profile", "full", "--json").json
    assert [tool["name"] for tool in listed["tools"]] == list(names_of("full"))
    assert listed["tokens"] == tools.tokens(tools.all_tools())

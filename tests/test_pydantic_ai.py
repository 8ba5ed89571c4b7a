"""Memoro as a capability of Pydantic AI, with its own stand-ins for a model."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.workspace import Workspace
from tests.conftest import Memoro, times, write_vault

WHY = "pydantic-ai-slim is not installed (`pip install pydantic-ai-slim`): its capability is not tested"
pydantic_ai = pytest.importorskip("pydantic_ai", reason=WHY)

from pydantic_ai.messages import (  # noqa: E402  (needs the package, as all below)
    ImageUrl,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    RetryInfo,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel  # noqa: E402
from pydantic_ai.models.test import TestModel as ModelForTests  # noqa: E402

from memoro.adapters.pydantic_ai import Memory, toolset  # noqa: E402
from memoro.adapters.pydantic_messages import as_chat, compacted  # noqa: E402

pytestmark = pytest.mark.usefixtures("own_loop")


@pytest.fixture
def m(home: Path, vault: Path) -> Iterator[Workspace]:
    with memoro.open(home, vault) as opened:
        yield opened


def agent(m: Workspace, model: Any, **options: Any) -> Any:
    return pydantic_ai.Agent(model, capabilities=[Memory(m, **options)])


def returned(result: Any) -> dict[str, Any]:
    return {
        part.tool_name: part.content
        for message in result.all_messages()
        for part in message.parts
        if part.part_kind == "tool-return"
    }


def calling(*calls: tuple[str, dict[str, Any]]) -> Any:
    """A model that calls tools, one after the other, and then says that it is done."""
    seen: list[Any] = []

    def answer(messages: list[Any], _info: Any) -> Any:
        seen.append(list(messages))
        if len(seen) <= len(calls):
            name, arguments = calls[len(seen) - 1]
            return ModelResponse(parts=[ToolCallPart(name, arguments, tool_call_id=f"c{len(seen)}")])
        return ModelResponse(parts=[TextPart("done")])

    return FunctionModel(answer), seen


def test_what_an_agent_keeps_survives_and_is_found(m: Workspace, memoro: Memoro) -> None:
    model, _ = calling(
        ("memory_store", {"content": "The puffin colony is on the skerry", "tags": "birds"}),
        ("search", {"query": "where are the puffins"}),
        ("memory_reinforce", {"id": 1}),
        ("get", {"id": "memory:1"}),
    )
    found = returned(agent(m, model).run_sync("Remember the puffins"))
    assert found["memory_store"] == "Stored: [id:1] The puffin colony is on the skerry (tags: birds)"
    assert [hit["id"] for hit in found["search"]["results"]] == ["memory:1"]
    assert found["memory_reinforce"] == "Reinforced [id:1]; its feedback is +3 now."
    assert found["get"].endswith("The puffin colony is on the skerry")
    assert memoro("search", "puffin", "--json").json["results"][0]["id"] == "memory:1"
    assert [entry.actor for entry in m.journal.log()] == ["agent", "agent"]


def test_what_an_agent_wants_known_always_waits_for_a_persons_word(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "# Memory\n"})
    model, _ = calling(("remember", {"text": "Prefers tea"}))
    assert returned(agent(m, model).run_sync("tea"))["remember"].startswith("Proposal 1 for MEMORY.md: Prefers tea")
    assert (vault / "MEMORY.md").read_text() == "# Memory\n"


def test_what_is_the_matter_reaches_the_model_as_a_sentence(m: Workspace) -> None:
    model, seen = calling(("get", {"id": "no/such.md"}), ("memory_reinforce", {"id": 99}))
    assert agent(m, model).run_sync("look").output == "done"
    told = [part.content for message in seen[-1] for part in message.parts if part.part_kind == "tool-return"]
    assert "There is no note 'no/such.md'" in told[0]
    assert "There is no memory [id:99]" in told[1]


def test_the_tools_can_be_had_alone(m: Workspace) -> None:
    model = ModelForTests(call_tools=["search"])
    plain = pydantic_ai.Agent(model, toolsets=[toolset(m)])
    assert returned(plain.run_sync("hello")).keys() == {"search"}
    names = [tool.name for tool in model.last_model_request_parameters.function_tools]
    assert names == ["search", "get", "memory_store", "memory_reinforce", "memory_demote", "remember"]


def sent(messages: list[Any]) -> str:
    return "\n".join(str(part.content) for one in messages for part in one.parts if part.part_kind == "user-prompt")


def test_what_bears_on_a_message_is_put_before_it_and_into_no_history(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"birds.md": "# Birds\n\nThe puffin colony nests on the skerry by the lighthouse.\n"})
    model, seen = calling(("search", {"query": "lighthouse"}))
    result = agent(m, model).run_sync("Where does the puffin colony nest?")
    for messages in seen:  # at both steps, and the same
        assert "memoro-context" in messages[0].parts[0].content
        assert "skerry" in messages[0].parts[0].content
        assert messages[0].parts[1].content == "Where does the puffin colony nest?"
    assert seen[0][0].parts[0].content == seen[1][0].parts[0].content
    assert sent(result.all_messages()) == "Where does the puffin colony nest?"
    model, seen = calling()
    agent(m, model).run_sync(
        "Is the puffin colony on the skerry by the lighthouse?", message_history=result.all_messages()
    )
    assert sent(seen[0]).count("<memoro-context") == 1
    assert "skerry" in seen[0][-1].parts[0].content


def test_where_nothing_bears_on_a_message_or_nothing_is_wanted_nothing_is_said(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"birds.md": "# Birds\n\nThe puffin colony nests on the skerry by the lighthouse.\n"})
    model, seen = calling()
    agent(m, model).run_sync("zxqv")
    assert sent(seen[0]) == "zxqv"
    model, seen = calling()
    agent(m, model, recall=False).run_sync("Where does the puffin colony nest?")
    assert sent(seen[0]) == "Where does the puffin colony nest?"


def history(count: int, start: int = 0) -> list[Any]:
    found: list[Any] = []
    for i in range(start, start + count):
        text = f"Question {i}: which shelf for word{i}w? We decided to use shelf {i}. " + "Well. " * 20
        pending: list[Any] = [UserPromptPart(text)] if i else [SystemPromptPart("Be brief."), UserPromptPart(text)]
        if i % 3 == 0:
            found.append(ModelRequest(parts=pending))
            found.append(
                ModelResponse(parts=[ThinkingPart("hm"), ToolCallPart("look", {"i": i}, tool_call_id=f"c{i}")])
            )
            pending = [ToolReturnPart("look", {"row": i}, tool_call_id=f"c{i}")]
            if i % 2:
                pending.append(UserPromptPart([f"And word{i}x?", ImageUrl("https://example.org/a.png")]))
        found.append(ModelRequest(parts=pending))
        found.append(ModelResponse(parts=[TextPart(f"Answer {i}: it stands on shelf {i}.")]))
    return found


def used(m: Workspace, messages: list[Any], window: int) -> float:
    return m.context.stats([one.raw for one in as_chat(messages)], window).used


def test_a_long_conversation_is_compacted_before_it_is_sent_and_stays_so(m: Workspace, vault: Path) -> None:
    before = history(80)
    assert used(m, before, 5_000) > 0.7
    model, seen = calling(("search", {"query": "shelf"}))
    result = agent(m, model, window=5_000).run_sync("And the last?", message_history=before)
    for sent in seen:
        assert used(m, sent, 5_000) < 0.7
    first = seen[0][0]
    assert first.parts[0].content == "Be brief."
    assert "memoro-context" in first.parts[1].content
    assert "shelf" in first.parts[1].content
    assert seen[0][-1].parts[0].content == "And the last?"
    assert [part.content for part in seen[0][-2].parts] == [part.content for part in before[-1].parts]
    assert used(m, result.all_messages(), 5_000) < 0.7
    assert result.all_messages()[-1].parts[0].content == "done"
    assert list((vault / "sessions").glob("*.md"))
    again = agent(m, calling()[0], window=5_000).run_sync("Thanks", message_history=result.all_messages())
    assert again.output == "done"


def test_a_short_conversation_is_sent_as_it_is(m: Workspace) -> None:
    before = history(3)
    model, seen = calling()
    agent(m, model).run_sync("And?", message_history=before)
    assert seen[0][:-1] == before


def test_where_notes_cannot_be_written_nothing_is_dropped_and_it_is_said(home: Path) -> None:
    with memoro.open(home) as m:  # without a vault
        memory = Memory(m, window=2_500)
        model, seen = calling()
        pydantic_ai.Agent(model, capabilities=[memory]).run_sync("And?", message_history=history(40))
        assert len(seen[0]) == len(history(40)) + 1
        assert memory.degraded


@given(st.lists(st.integers(1, 8), min_size=1, max_size=4), st.sampled_from([700, 1_500, 3_000, 50_000]))
@settings(max_examples=times(25, 1_000))
def test_however_it_is_compacted_calls_and_results_stay_together(sizes: list[int], window: int) -> None:
    with memoro.open(":memory:") as m:
        messages: list[Any] = []
        for size in sizes:
            messages += history(size, len(messages))
            before = list(messages)
            made = compacted(messages, m.context_policy(window, go_on=True).seen)
            messages = messages if made is None else made
            called = {p.tool_call_id for one in messages for p in one.parts if p.part_kind == "tool-call"}
            returned = {p.tool_call_id for one in messages for p in one.parts if p.part_kind == "tool-return"}
            assert called == returned
            assert messages[-5:] == before[-5:]
            system = [p for one in messages for p in one.parts if p.part_kind == "system-prompt"]
            assert [part.content for part in system] == ["Be brief."]


def test_long_results_of_tools_are_cut_first_and_in_place(m: Workspace) -> None:
    before = history(12)
    long = ModelRequest(parts=[ToolReturnPart("look", "row " * 12_000, tool_call_id="c0")])
    before[3] = long
    made = compacted(before, m.context_policy(16_000).seen)
    assert made is not None
    assert len(made) == len(before)
    part = made[3].parts[0]
    assert part.tool_call_id == "c0"
    assert len(part.content) < 12_000
    assert made[:3] == before[:3]
    assert made[4:] == before[4:]


def test_every_kind_of_part_is_read() -> None:
    message = ModelRequest(
        parts=[
            ToolReturnPart(tool_name="look", content="Not so", tool_call_id="c1", outcome="retried"),
            RetryFeedbackPart("Say more", retry=RetryInfo(cause="output_validation")),
            UserPromptPart(["Here", ImageUrl("https://example.org/a.png")]),
        ]
    )
    roles = [one.raw["role"] for one in as_chat([message])]
    assert roles == ["tool", "user", "user"]


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("pydantic_ai", "pydantic_ai", "pydantic-ai"), ("langgraph", "langgraph.store.base", "langgraph")],
)
def test_without_its_package_an_adapter_says_what_to_install(module: str, package: str, extra: str) -> None:
    program = f"""
import sys
sys.modules[{package!r}] = None
try:
    import memoro.adapters.{module}
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("ConfigError")
    assert f"pip install 'memoro[{extra}]'" in done.stdout

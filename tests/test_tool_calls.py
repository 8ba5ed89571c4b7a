"""Tool calls in the logs of hosts."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memoro.transcripts.tool_calls import ToolCall, tool_calls

AT = "2026-11-01T10:00:00Z"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "name", "input", "arguments", "toolCalls", "message", "content", "id", "timestamp"]),
        inner | st.sampled_from(["tool_use", "function_call"]), max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


def found(*records: object) -> list[ToolCall]:
    return list(tool_calls([(number, json.dumps(one).encode()) for number, one in enumerate(records, 1)]))


def test_calls_of_claude_code_are_found_once_each() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls\n-la", "timeout": 5}}
    said = {"type": "assistant", "timestamp": AT, "message": {"content": [{"type": "text", "text": "x"}, use]}}
    aside = {**said, "isSidechain": True, "message": {"content": [{**use, "id": "t2"}]}}
    assert found(said, said, aside) == [ToolCall(name="Bash", text="ls -la 5", at=AT, id="t1")]


def test_calls_of_codex_are_found() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": '{"command": ["git", "log"]}'}
    custom = {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin Patch\nx"}
    records = [{"timestamp": AT, "type": "response_item", "payload": one} for one in (call, custom)]
    assert found(*records) == [
        ToolCall(name="shell", text="git log", at=AT, id="c1"),
        ToolCall(name="apply_patch", text="*** Begin Patch x", at=AT, id="c2"),
    ]


def test_calls_of_gemini_are_found() -> None:
    call = {"id": "g1", "name": "read_file", "args": {"path": "a.md"}, "timestamp": AT}
    assert found({"id": "m1", "type": "gemini", "content": "", "toolCalls": [call]}) == [
        ToolCall(name="read_file", text="a.md", at=AT, id="g1")
    ]


@given(records=st.lists(JSON, max_size=4))
def test_any_json_is_read_without_an_error(records: list[object]) -> None:
    assert all(call.name and call.id and "\n" not in call.text for call in found(*records))

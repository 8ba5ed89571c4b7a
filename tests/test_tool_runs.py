"""Calls of tools are read from logs with their results, in every format that has lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.transcripts.tool_runs import ToolRun, target_of, tool_runs


def runs(*records: object, wanted: tuple[tuple[bytes, ...], ...] = ()) -> list[ToolRun]:
    lines = [(number, json.dumps(one).encode()) for number, one in enumerate(records, 1)]
    return list(tool_runs(lines, wanted))


def claude(command: str, output: object, *, is_error: bool, id: str = "t1") -> list[object]:
    call = {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error}
    at = "2026-11-02T10:00:00Z"
    return [
        {"type": "assistant", "uuid": f"a{id}", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "uuid": f"r{id}", "timestamp": at, "message": {"role": "user", "content": [result]}},
    ]


def codex(arguments: object, output: object) -> list[object]:
    call = {"type": "function_call", "name": "exec_command", "arguments": json.dumps(arguments), "call_id": "c1"}
    result = {"type": "function_call_output", "call_id": "c1", "output": output}
    return [{"type": "response_item", "payload": call}, {"type": "response_item", "payload": result}]


def test_claude_code_says_whether_a_command_failed() -> None:
    [run] = runs(*claude("make lint", "Exit code 2\nlint.c:3: error: missing semicolon", is_error=True))

    assert (run.target.kind, run.target.command, run.failed, run.line) == ("command", "make lint", True, 2)
    assert "missing semicolon" in run.output
    assert run.at == "2026-11-02T10:00:00Z"


def test_the_output_of_a_tool_may_be_a_list_of_texts() -> None:
    [run] = runs(*claude("ls", [{"type": "text", "text": "a.py"}, {"type": "image"}], is_error=False))

    assert (run.output, run.failed) == ("a.py", False)


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("Exit code: 1\nWall time: 0.2 seconds\nOutput:\nboom", True),
        ("Process exited with code 0\nOutput:\nfine", False),
        (json.dumps({"output": "boom", "metadata": {"exit_code": 101}}), True),
        (json.dumps({"output": "fine", "metadata": {"exit_code": 0}}), False),
        ("fine", None),
    ],
)
def test_codex_tells_the_exit_code(output: str, failed: bool | None) -> None:
    [run] = runs(*codex({"cmd": "cargo test"}, output))

    assert (run.target.command, run.failed) == ("cargo test", failed)


def test_a_command_in_a_shell_is_the_command() -> None:
    [run] = runs(*codex({"command": ["bash", "-lc", "go test ./..."]}, "ok"))

    assert run.target.command == "go test ./..."


def test_gemini_keeps_call_and_result_together() -> None:
    call = {
        "id": "g1",
        "name": "run_shell_command",
        "args": {"command": "npm test"},
        "status": "error",
        "result": [{"functionResponse": {"response": {"error": "3 tests failed"}}}],
    }
    [run] = runs({"id": "m1", "type": "gemini", "content": "", "toolCalls": [call]})

    assert (run.target.command, run.failed, run.output) == ("npm test", True, "3 tests failed")


def test_openclaw_names_the_call_in_the_result() -> None:
    call = {"type": "toolCall", "id": "t1", "name": "exec", "arguments": {"command": "hugo"}}
    result = {
        "role": "toolResult",
        "toolCallId": "t1",
        "content": [{"type": "text", "text": "boom"}],
        "isError": True,
    }
    [run] = runs(
        {"type": "message", "message": {"role": "assistant", "content": [call]}},
        {"type": "message", "message": result},
    )

    assert (run.target.command, run.failed, run.output) == ("hugo", True, "boom")


def test_an_edit_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: docs/b.md\n*** End Patch"

    assert target_of("Edit", {"file_path": "/w/a.py", "old_string": "x"}).files == ("/w/a.py",)
    assert target_of("apply_patch", patch).files == ("src/a.py", "docs/b.md")
    assert target_of("mcp__files__write_file", {"path": "a.txt"}).files == ("a.txt",)
    assert target_of("WebFetch", {"url": "https://example.org"}).kind == "other"


def test_only_wanted_results_are_given() -> None:
    records = [*claude("a", "first thing", is_error=True), *claude("b", "second thing", is_error=True, id="t2")]

    assert [run.target.command for run in runs(*records, wanted=((b"second", b"thing"),))] == ["b"]


def test_calls_of_subagents_do_not_count() -> None:
    records = [{**one, "isSidechain": True} for one in claude("make", "boom", is_error=True) if isinstance(one, dict)]

    assert runs(*records) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "id", "name", "input", "toolCalls", "call_id", "output"])
            | st.text(max_size=4),
            inner | st.sampled_from(["tool_use", "tool_result", "function_call_output", "Bash"]),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.lists(json_values, max_size=6), st.binary(max_size=40))
def test_no_record_stops_the_reading(records: list[object], torn: bytes) -> None:
    lines = [json.dumps(one).encode() for one in records] + [b'{"type": "tool_result", ' + torn]

    list(tool_runs(list(enumerate(lines, 1))))

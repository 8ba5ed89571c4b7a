"""What tool calls in the logs of hosts did: files, commands, results."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memoro.transcripts.tool_effects import ToolEffect, tool_effects
from tests.test_tool_calls import JSON


def found(*records: object) -> list[ToolEffect]:
    return tool_effects([(number, json.dumps(one).encode()) for number, one in enumerate(records, 1)])


def claude_call(name: str, id: str, **given: object) -> dict[str, object]:
    use = {"type": "tool_use", "id": id, "name": name, "input": given}
    return {"type": "assistant", "uuid": f"r-{id}", "message": {"role": "assistant", "content": [use]}}


def claude_result(id: str, text: object, **more: object) -> dict[str, object]:
    result = {"type": "tool_result", "tool_use_id": id, "content": text, **more}
    return {"type": "user", "message": {"role": "user", "content": [result]}}


def test_files_and_commands_of_claude_code_are_found_with_their_results() -> None:
    effects = found(
        claude_call("Write", "1", file_path="/w/a.py", content="x"),
        claude_result("1", "File created"),
        claude_call("MultiEdit", "2", file_path="/w/b.py"),
        claude_call("NotebookEdit", "3", notebook_path="/w/c.ipynb"),
        claude_call("Read", "4", file_path="/w/d.py"),
        claude_result("4", "Error: exit code 1"),
        claude_call("Bash", "5", command="pytest -q"),
        claude_result("5", [{"type": "text", "text": "2 failed\nexit code 1"}]),
        claude_call("Edit", "6", file_path="/w/e.py"),
        claude_result("6", "String not found", is_error=True),
        claude_call("mcp__filesystem__write_file", "7", path="/w/f.py"),
    )
    assert [effect.files for effect in effects] == [
        ("/w/a.py",), ("/w/b.py",), ("/w/c.ipynb",), (), ("/w/e.py",), ("/w/f.py",)
    ]  # fmt: skip
    assert [effect.failed for effect in effects] == [False, False, False, True, True, False]
    assert effects[3].command == "pytest -q" and effects[3].result.startswith("2 failed")


def test_what_subagents_did_is_left_out() -> None:
    assert found({**claude_call("Write", "1", file_path="/w/a.py"), "isSidechain": True}) == []


def test_a_result_without_its_calls_id_belongs_to_the_record_that_it_follows() -> None:
    result = {**claude_result("another", "ok 3 tests"), "parentUuid": "r-1"}
    (effect,) = found(claude_call("Bash", "1", command="make test"), result)
    assert effect.result == "ok 3 tests"


def test_patches_and_commands_of_codex_are_found() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.md\n+z\n*** End Patch"
    calls = [
        {"type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": patch},
        {"type": "function_call", "call_id": "2", "name": "exec_command", "arguments": '{"cmd": "cargo test"}'},
        {"type": "function_call_output", "call_id": "2", "output": '{"output": "ok", "metadata": {"exit_code": 0}}'},
        {
            "type": "function_call",
            "call_id": "3",
            "name": "shell",
            "arguments": '{"command": ["bash", "-lc", "make"]}',
        },
        {"type": "function_call_output", "call_id": "3", "output": "Process exited with code 2\nno rule"},
        {"type": "local_shell_call", "call_id": "4", "action": {"type": "exec", "command": ["git", "push"]}},
    ]
    effects = found(*({"type": "response_item", "payload": call} for call in calls))
    assert [effect.files for effect in effects] == [("src/a.py", "b.md"), (), (), ()]
    assert [effect.command for effect in effects] == ["", "cargo test", "make", "git push"]
    assert [(effect.result, effect.failed) for effect in effects[1:3]] == [
        ("ok", False), ("Process exited with code 2\nno rule", True)
    ]  # fmt: skip


def test_calls_of_gemini_openclaw_and_opencode_are_found() -> None:
    gemini = {
        "id": "m1", "type": "gemini", "content": "",
        "toolCalls": [
            {"id": "1", "name": "write_file", "args": {"file_path": "a.md"}, "status": "success"},
            {"id": "2", "name": "replace", "args": {"file_path": "b.md"}, "status": "error"},
            {"id": "3", "name": "run_shell_command", "args": {"command": "npm test"}, "status": "success",
             "result": [{"functionResponse": {"response": {"output": "5 passed"}}}]},
        ],
    }  # fmt: skip
    call = {"type": "toolCall", "id": "t1", "name": "exec", "arguments": {"command": "ls"}}
    openclaw = [
        {"type": "message", "id": "e2", "message": {"role": "assistant", "content": [call]}},
        {"type": "message", "id": "e3", "message": {"role": "toolResult", "toolCallId": "t1", "content": "a.py"}},
    ]
    effects = found(gemini, *openclaw)
    assert [effect.files for effect in effects] == [("a.md",), ("b.md",), (), ()]
    assert [effect.failed for effect in effects] == [False, True, False, False]
    assert [effect.result for effect in effects[2:]] == ["5 passed", "a.py"]


@given(records=st.lists(JSON, max_size=4))
def test_any_json_is_read_without_an_error(records: list[object]) -> None:
    assert all(effect.files or effect.command for effect in found(*records))

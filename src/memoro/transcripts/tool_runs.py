"""Calls of tools in the logs of hosts, each with its result. Pure; skips what it cannot understand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from memoro.transcripts.clean import record
from memoro.transcripts.ports import NumberedLine

ToolKind = Literal["command", "edit", "other"]

_COMMANDS = frozenset(
    ["bash", "shell", "exec_command", "exec", "run_shell_command", "local_shell", "powershell", "container.exec"]
)
_EDITS = frozenset(
    [
        *("edit", "write", "multiedit", "notebookedit", "apply_patch", "replace", "write_file", "edit_file"),
        *("create_file", "str_replace_based_edit_tool", "patch"),
    ]
)
_CALL_MARKS = (b'"tool_use"', b"function_call", b"tool_call", b'"toolCall', b"local_shell_call")
_RESULT_MARKS = (b'"tool_result"', b"_output", b'"toolResult"', b'"toolCalls"')
_MAX_DEPTH = 8
_OUTPUT = 20_000  # characters of the end of an output that are kept: what failed is said there
_TARGET = 4_000
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.{1,500})$", re.MULTILINE)
# How programs that run commands tell of their end.
_EXIT = re.compile(
    r"^\W{0,3}(?:exit(?:ed)? (?:with )?(?:code|status)|process exited with code|exit code)[: ]{1,2}(\d{1,3})\b",
    re.IGNORECASE | re.MULTILINE,
)


class ToolTarget(NamedTuple):
    """What a call acts on: a command, or the files of an edit."""

    kind: ToolKind
    command: str = ""
    files: tuple[str, ...] = ()


class ToolRun(NamedTuple):
    """One call of a tool, with its result."""

    target: ToolTarget
    output: str  # its end
    failed: bool | None  # None: the log does not say
    line: int  # of the result in the log
    at: str | None = None


def tool_runs(lines: Iterable[NumberedLine], wanted: Sequence[Sequence[bytes]] = ()) -> Iterator[ToolRun]:
    """Yield the calls of a log that have a result, in the order of the results.

    With `wanted`, only those whose result holds all texts of one of these groups: other results are not even parsed.
    """
    calls: dict[str, ToolTarget] = {}
    for number, line in lines:
        has_result = any(mark in line for mark in _RESULT_MARKS) and (not wanted or holds(line, wanted))
        if not has_result and not any(mark in line for mark in _CALL_MARKS):
            continue
        found = record(line)
        if found is None or found.get("isSidechain"):
            continue
        for part in _parts(found, None, 0):
            if (own := _call(part.value)) is not None:
                calls[own[0]] = own[1]
            if has_result and (result := _result(part.value)) is not None:
                target = calls.get(result.call, ToolTarget("other"))
                yield ToolRun(target=target, output=result.text, failed=result.failed, line=number, at=part.at)


def holds(data: bytes, wanted: Sequence[Sequence[bytes]]) -> bool:
    """Return whether data holds all texts of one of these groups."""
    return any(all(one in data for one in group) for group in wanted)


def target_of(name: str, arguments: object) -> ToolTarget:
    """Return what a call of this tool acts on, by its arguments."""
    plain = name.rpartition("__")[2].lower()
    given = _decoded(arguments)
    values = given if isinstance(given, dict) else {}
    if plain in _EDITS:
        text = given if isinstance(given, str) else values.get("input") or values.get("patch")
        named = [values.get(key) for key in ("file_path", "path", "filePath", "notebook_path")]
        files = [value for value in named if isinstance(value, str) and value]
        files += _PATCHED.findall(text) if isinstance(text, str) else []
        return ToolTarget("edit", files=tuple(file[:_TARGET].strip() for file in files[:20]))
    if plain in _COMMANDS:
        raw = given if isinstance(given, str) else values.get("command") or values.get("cmd")
        if isinstance(raw, list):
            words = [str(word) for word in raw]
            raw = words[-1] if len(words) > 1 and words[-2] in ("-c", "-lc") else " ".join(words)
        return ToolTarget("command", command=raw[:_TARGET] if isinstance(raw, str) else "")
    return ToolTarget("other")


class _Part(NamedTuple):
    value: dict[str, object]
    at: str | None


class _Result(NamedTuple):
    call: str
    text: str
    failed: bool | None


def _parts(value: object, at: str | None, depth: int) -> Iterator[_Part]:
    """Yield the objects in a record that may be calls or results, with the time of the record."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _parts(one, at, depth + 1)
    elif isinstance(value, dict):
        time = value.get("timestamp")
        at = time if isinstance(time, str) else at
        yield _Part(value, at)
        for key in ("message", "payload", "content", "messages", "$set", "toolCalls"):
            if not (key == "content" and _is_result(value)):
                yield from _parts(value.get(key), at, depth + 1)


def _is_result(value: Mapping[str, object]) -> bool:
    return value.get("type") == "tool_result" or value.get("role") == "toolResult"


def _call(value: Mapping[str, object]) -> tuple[str, ToolTarget] | None:
    """Return the id and the target of a call."""
    name, own = value.get("name"), value.get("call_id") or value.get("id")
    if not isinstance(name, str) or not isinstance(own, str):
        return None
    arguments = next((value[key] for key in ("input", "arguments", "args") if key in value), None)
    return (own, target_of(name, arguments)) if arguments is not None else None


def _result(value: Mapping[str, object]) -> _Result | None:
    own = value.get("tool_use_id") or value.get("toolCallId") or value.get("call_id") or value.get("id")
    if not isinstance(own, str):
        return None
    if _is_result(value):  # Claude Code, OpenClaw
        told = value.get("is_error", value.get("isError"))
        return _made(own, value.get("content"), told if isinstance(told, bool) else None)
    if str(value.get("type")).endswith("_output") and "output" in value:  # Codex
        return _made(own, value.get("output"), None)
    if "status" in value and "result" in value and "args" in value:  # Gemini
        status = value.get("status")
        return _made(own, value.get("result"), status == "error" if status in ("error", "success") else None)
    return None


def _made(call: str, content: object, told: bool | None) -> _Result:
    content = _decoded(content) if isinstance(content, str) and content[:1] == "{" else content
    code = _exit_code(content)
    text = "\n".join(_texts(content, 0))[-_OUTPUT:]
    if code is None and (found := _EXIT.search(text[:300]) or _EXIT.search(text[-300:])):
        code = int(found[1])
    return _Result(call, text, told if told or code is None else code != 0)


def _exit_code(content: object) -> int | None:
    if not isinstance(content, dict):
        return None
    inner = content.get("metadata")
    for place in (content, inner if isinstance(inner, dict) else {}):
        code = place.get("exit_code")
        if isinstance(code, int) and not isinstance(code, bool):
            return code
    return None


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for one in value:
            yield from _texts(one, depth + 1)
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        for key in ("text", "output", "stdout", "stderr", "error", "functionResponse", "response", "content"):
            yield from _texts(value.get(key), depth + 1)


def _decoded(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value[:1] in "{[" else value
    except (ValueError, RecursionError):
        return value

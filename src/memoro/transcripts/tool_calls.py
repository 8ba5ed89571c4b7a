"""Tool calls in the logs of hosts: name, arguments in short, time and id. Pure; skips what it cannot understand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoro.transcripts.clean import record
from memoro.transcripts.ports import NumberedLine

MARKS = (b'"tool_use"', b'tool_call"', b'"function_call"', b'"toolCalls"')  # one stands in every line with a call
_CALLS = ("tool_use", "function_call", "custom_tool_call")
_ARGUMENTS = ("input", "arguments", "args")
_MAX_DEPTH = 8


class ToolCall(NamedTuple):
    """One call of a tool by an agent."""

    name: str
    text: str  # its arguments in one line
    at: str | None  # as the log has it
    id: str  # unique in its log


def tool_calls(lines: Iterable[NumberedLine]) -> Iterator[ToolCall]:
    """Yield the calls in a log of Claude Code, Codex or Gemini CLI, each once, in the order of the log."""
    seen: set[str] = set()
    for number, line in lines:
        found = record(line) if any(mark in line for mark in MARKS) else None
        if found is None or found.get("isSidechain"):
            continue
        for position, (call, at) in enumerate(_calls(found, None, 0)):
            name, own = call.get("name"), call.get("call_id") or call.get("id")
            # Logs that hold a message twice, or change it later, repeat the id.
            unique = own if isinstance(own, str) and own else f"{number}.{position}"
            if isinstance(name, str) and name.strip() and unique not in seen:
                seen.add(unique)
                yield ToolCall(name=" ".join(name.split()), text=_text(call), at=at, id=unique)


def _calls(value: object, at: str | None, depth: int) -> Iterator[tuple[dict[str, object], str | None]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _calls(one, at, depth + 1)
    elif isinstance(value, dict):
        time = value.get("timestamp")
        at = time if isinstance(time, str) else at
        if value.get("type") in _CALLS:
            yield value, at
            return
        calls = value.get("toolCalls")
        if isinstance(calls, list):
            for one in calls:
                if isinstance(one, dict):
                    own = one.get("timestamp")
                    yield one, own if isinstance(own, str) else at
        for key in ("message", "payload", "content", "messages", "$set"):
            yield from _calls(value.get(key), at, depth + 1)


def _text(call: dict[str, object]) -> str:
    """Return the texts and numbers among the arguments in one line."""
    given = next((call[key] for key in _ARGUMENTS if key in call), None)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return " ".join(given.split())
    return " ".join(" ".join(_words(given, 0)).split())


def _words(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list | dict) and depth < _MAX_DEPTH:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _words(one, depth + 1)

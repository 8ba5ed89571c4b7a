"""The last messages of a conversation, whole: never the result of a tool without its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

Message = TypeVar("Message", bound=Mapping[str, Any])


def split_recent(messages: Sequence[Message], keep: int = 10) -> tuple[list[Message], list[Message]]:
    """The older messages and the recent ones, which are the last `keep`, or a few more.

    Where the result of a tool would be recent and its call older, the cut moves back before the call. Messages are
    as OpenAI (`tool_calls`, role `tool`) or Anthropic (`tool_use`, `tool_result`) has them.
    """
    cut = max(0, len(messages) - max(0, keep))
    calls = {call: at for at, message in enumerate(messages) for call in _calls(message)}
    at = len(messages) - 1
    while at >= cut:
        for result in _results(messages[at]):
            called = at - 1 if result is None else calls.get(result, at)
            cut = max(0, min(cut, called))
        at -= 1
    return list(messages[:cut]), list(messages[cut:])


def _calls(message: Mapping[str, Any]) -> Iterator[str]:
    called = message.get("tool_calls")
    for call in called if isinstance(called, list) else ():
        if isinstance(call, Mapping) and isinstance(call.get("id"), str):
            yield call["id"]
    for part in _parts(message):
        if part.get("type") == "tool_use" and isinstance(part.get("id"), str):
            yield part["id"]


def _results(message: Mapping[str, Any]) -> Iterator[str | None]:
    """The ids of the calls that it answers; None for one that does not say, and so answers what stands before it."""
    if message.get("role") in ("tool", "function"):
        named = message.get("tool_call_id")
        yield named if isinstance(named, str) else None
    for part in _parts(message):
        if part.get("type") == "tool_result":
            named = part.get("tool_use_id")
            yield named if isinstance(named, str) else None


def _parts(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    content = message.get("content")
    yield from (part for part in content if isinstance(part, Mapping)) if isinstance(content, list) else ()

"""Reading a list of messages, in the shape of any of three interfaces, without changing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memoro.errors import ConversationUnreadable
from memoro.index.chunk import tokens

Raw = Mapping[str, Any]  # a message as it came, and as it is given back

# What a picture costs differs from model to model, and its bytes tell nothing: about what a large one takes.
MEDIA_TOKENS = 1_500
_OVERHEAD = 4  # what stands around each message when a model reads it

SYSTEM = ("system", "developer")
_ROLES = (*SYSTEM, "user", "assistant", "tool", "function")
_TEXTS = ("text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text")
_MEDIA = (
    "image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "document",
    "computer_screenshot", "container_upload",
)  # fmt: skip
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "compaction", "item_reference")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_RESULTS = ("tool_result", "mcp_tool_result")
# Each is of one interface alone; text and roles are of all.
_ANTHROPIC = {*_CALLS, *_RESULTS, "thinking", "redacted_thinking", "image", "document", "search_result"}
_RESPONSES = {"input_text", "output_text", "input_image", "input_file", "message", "reasoning"}
_CHAT = {"image_url", "file", "audio"}


class Part(NamedTuple):
    """One thing in a message."""

    kind: str  # text, call, result, thought or media
    text: str
    tokens: int
    id: str | None = None  # what a call and its result share
    name: str | None = None  # of the tool


class Message(NamedTuple):
    """What a message says, whatever its shape."""

    role: str  # system, user, assistant or tool
    parts: tuple[Part, ...]
    tokens: int
    raw: Raw

    def said(self) -> str:
        return "\n".join(part.text for part in self.parts if part.kind == "text")


class Conversation(NamedTuple):
    shape: str  # chat, responses or anthropic
    messages: tuple[Message, ...]

    @property
    def tokens(self) -> int:
        return sum(message.tokens for message in self.messages)


def read(messages: Sequence[Raw]) -> Conversation:
    """What a list of messages says. What cannot be understood is refused, by its number from 0."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise ConversationUnreadable(
            "This is not a list of messages. Give the list itself, as the interface of the model takes it: "
            '[{"role": "user", "content": "…"}, …].'
        )
    shape, since = "", 0
    found = []
    for number, raw in enumerate(messages):
        read_one = _Reader(number)
        found.append(read_one.message(raw))
        if read_one.shape and shape and read_one.shape != shape:
            raise ConversationUnreadable(
                f"Message {number} has the shape of {read_one.shape}, and message {since} that of {shape}. "
                "Give messages of one interface at a time."
            )
        if read_one.shape and not shape:
            shape, since = read_one.shape, number
    return Conversation(shape or "chat", tuple(found))


class _Reader:
    """Reads one message, and notes by what the shape of the whole can be told."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.shape = ""

    def message(self, raw: object) -> Message:
        if not isinstance(raw, Mapping):
            raise self._refused(f"is {_named(raw)} and not an object")
        kind = raw.get("type", "message")
        if kind != "message":
            role, parts = self._item(str(kind), raw)
        else:
            role, parts = self._spoken(raw)
        return Message(role, tuple(parts), sum(part.tokens for part in parts) + _OVERHEAD, raw)

    def _spoken(self, raw: Raw) -> tuple[str, list[Part]]:
        role = raw.get("role")
        if role not in _ROLES:
            raise self._refused(f"has the role {role!r}; known are {', '.join(_ROLES)}")
        if "type" in raw:
            self.shape = "responses"
        parts = self._content(raw.get("content"))
        if role in ("tool", "function"):
            self.shape = "chat"
            text = "\n".join(part.text for part in parts if part.text)
            cost = sum(part.tokens for part in parts)
            parts = [Part("result", text, cost, _text(raw.get("tool_call_id")), _text(raw.get("name")))]
        parts += self._tool_calls(raw)
        for key in ("reasoning_content", "reasoning"):  # what some servers add to the shape of chat
            if isinstance(raw.get(key), str):
                parts.append(Part("thought", "", tokens(raw[key])))
        neutral = {"developer": "system", "function": "tool"}
        return neutral.get(str(role), str(role)), parts

    def _tool_calls(self, raw: Raw) -> list[Part]:
        calls = raw.get("tool_calls") or []
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise self._refused("has tool_calls that are no list")
        if legacy := raw.get("function_call"):
            calls = [{"function": legacy}]
        found = []
        for call in calls:
            if not isinstance(call, Mapping):
                raise self._refused("has a tool call that is not an object")
            self.shape = "chat"
            inner = call.get("function") or call.get("custom") or {}
            if not isinstance(inner, Mapping):
                raise self._refused("has a tool call without a function")
            given = inner.get("arguments", inner.get("input", ""))
            found.append(_call(call.get("id"), inner.get("name"), given))
        return found

    def _content(self, content: object) -> list[Part]:
        if isinstance(content, str):
            return [Part("text", content, tokens(content))] if content else []
        if content is None:
            return []
        if not isinstance(content, Sequence) or isinstance(content, bytes):
            raise self._refused(f"has {_named(content)} as its content; known are a text and a list of parts")
        return [self._part(part) for part in content]

    def _part(self, part: object) -> Part:
        if isinstance(part, str):
            return Part("text", part, tokens(part))
        if not isinstance(part, Mapping):
            raise self._refused(f"has {_named(part)} among the parts of its content")
        kind = part.get("type")
        self._tell(kind)
        if kind in _TEXTS:
            text = part.get("text", part.get("refusal"))
            if not isinstance(text, str):
                raise self._refused(f"has a part of the type {kind} without a text")
            return Part("text", text, tokens(text))
        if kind in _CALLS:
            return _call(part.get("id"), part.get("name"), part.get("input"))
        if kind in _RESULTS or (isinstance(kind, str) and kind.endswith("_tool_result")):
            return self._result(part.get("tool_use_id"), part.get("content"))
        if kind in _MEDIA:
            return Part("media", "", _media_cost(part))
        if kind in _THOUGHTS or kind == "search_result":
            return Part("thought", "", _json_cost(part))
        raise self._refused(f"has a part of the unknown type {kind!r}")

    def _tell(self, kind: object) -> None:
        for shape, kinds in (("anthropic", _ANTHROPIC), ("responses", _RESPONSES), ("chat", _CHAT)):
            if kind in kinds or (shape == "anthropic" and str(kind).endswith("_tool_result")):
                self.shape = shape

    def _result(self, id: object, content: object) -> Part:
        """A tool's result. What is neither text nor a list of parts is counted, and never shown."""
        if isinstance(content, Mapping) or content is None:
            return Part("result", "", _json_cost(content), _text(id))
        parts = self._content(content)
        text = "\n".join(part.text for part in parts if part.text)
        return Part("result", text, sum(part.tokens for part in parts), _text(id))

    def _item(self, kind: str, raw: Raw) -> tuple[str, list[Part]]:
        """An item of the Responses interface that is not a message."""
        self.shape = "responses"
        if kind.endswith("_output") or kind == "mcp_approval_response":
            output = raw.get("output")
            id = raw.get("call_id") or raw.get("approval_request_id")
            if isinstance(output, str | Sequence) and not isinstance(output, bytes):
                return "tool", [self._result(id, output)]
            return "tool", [Part("result", "", _json_cost(output), _text(id))]
        if kind.endswith("_call") or kind in ("mcp_approval_request", "mcp_list_tools"):
            given = raw.get("arguments", raw.get("input", raw.get("action", "")))
            id = raw.get("call_id") or raw.get("id")
            return "assistant", [_call(id, raw.get("name") or kind.removesuffix("_call"), given)]
        if kind in _THOUGHTS:
            return "assistant", [Part("thought", "", _json_cost(raw))]
        raise self._refused(f"has the unknown type {kind!r}")

    def _refused(self, why: str) -> ConversationUnreadable:
        return ConversationUnreadable(f"Message {self._number} {why}. Nothing was changed.")


def units(conversation: Conversation) -> list[range]:
    """The conversation in stretches that stay or go together: a tool call and its result are never parted.

    Nor is a thought from what it led to, which the interface would refuse.
    """
    ends: dict[int, int] = {}  # where a stretch begins -> where it ends
    calls: dict[str, int] = {}
    for number, message in enumerate(conversation.messages):
        first = number
        for part in message.parts:
            if part.kind == "call" and part.id:
                calls[part.id] = number
            elif part.kind == "result":
                first = min(first, calls.get(part.id, number) if part.id else max(number - 1, 0))
        ends[first] = max(ends.get(first, first), number)
        alone = {part.kind for part in message.parts} == {"thought"}
        if alone and number + 1 < len(conversation.messages):
            ends[number] = max(ends.get(number, number), number + 1)
    found: list[range] = []
    for first in sorted(ends):
        if found and first < found[-1].stop:
            found[-1] = range(found[-1].start, max(found[-1].stop, ends[first] + 1))
        else:
            found.append(range(first, ends[first] + 1))
    return found


def _call(id: object, name: object, given: object) -> Part:
    text = given if isinstance(given, str) else _json(given)
    return Part("call", text, tokens(text) + tokens(_text(name) or ""), _text(id), _text(name))


def _media_cost(part: Raw) -> int:
    """A document given as text costs what its text does."""
    source = part.get("source")
    if isinstance(source, Mapping) and isinstance(source.get("data"), str) and source.get("type") == "text":
        return tokens(source["data"])
    return MEDIA_TOKENS


def _json_cost(value: object) -> int:
    return tokens(_json(value))


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _named(value: object) -> str:
    names = {"str": "a text", "int": "a number", "float": "a number", "bool": "true or false", "list": "a list",
             "NoneType": "null", "dict": "an object"}  # fmt: skip
    return names.get(type(value).__name__, f"a {type(value).__name__}")

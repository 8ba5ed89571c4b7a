"""Read a list of messages in the shape of any of three interfaces, without changing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from memoro.errors import ConversationUnreadable
from memoro.index.chunk import tokens

MessageRole = Literal["system", "user", "assistant", "tool"]
PartKind = Literal["text", "call", "result", "thought", "media"]
Shape = Literal["chat", "responses", "anthropic"]  # the interface that messages are written for
Raw = Mapping[str, Any]  # a message as it came, and as it is returned

# The cost of a picture differs between models, and its bytes say nothing: about the cost of a large one.
MEDIA_TOKENS = 1_500
_OVERHEAD = 4  # tokens around each message when a model reads it

SYSTEM = ("system", "developer")
# Each role that an interface has, and the role that it means.
_ROLES: dict[str, MessageRole] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_TEXTS = ("text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text")
_MEDIA = (
    "image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "document",
    "computer_screenshot", "container_upload",
)  # fmt: skip
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "compaction", "item_reference")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_RESULTS = ("tool_result", "mcp_tool_result")
# Types that only one interface has; text and roles occur in all.
_ANTHROPIC = {*_CALLS, *_RESULTS, "thinking", "redacted_thinking", "image", "document", "search_result"}
_RESPONSES = {"input_text", "output_text", "input_image", "input_file", "message", "reasoning"}
_CHAT = {"image_url", "file", "audio"}
_TYPES_OF: dict[Shape, set[str]] = {"anthropic": _ANTHROPIC, "responses": _RESPONSES, "chat": _CHAT}


class MessagePart(NamedTuple):
    """One part of a message."""

    kind: PartKind
    text: str
    tokens: int
    id: str | None = None  # shared by a call and its result
    name: str | None = None  # of the tool


class Message(NamedTuple):
    """A message in a common form, whatever its shape."""

    role: MessageRole
    parts: tuple[MessagePart, ...]
    tokens: int
    raw: Raw

    def text(self) -> str:
        """Return the text parts, without calls, results and media."""
        return "\n".join(part.text for part in self.parts if part.kind == "text")


class MessageList(NamedTuple):
    shape: Shape
    messages: tuple[Message, ...]

    @property
    def tokens(self) -> int:
        return sum(message.tokens for message in self.messages)


def read(messages: Sequence[Raw]) -> MessageList:
    """Parse a list of messages; raise ConversationUnreadable with the number, from 0, of an unknown one."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise ConversationUnreadable(
            "This is not a list of messages. Pass the list itself, as the model's interface accepts it: "
            '[{"role": "user", "content": "…"}, …].'
        )
    shape: Shape | None = None
    since = 0
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
    return MessageList(shape or "chat", tuple(found))


class _Reader:
    """Parses one message, and records which interface its parts belong to."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.shape: Shape | None = None

    def message(self, raw: object) -> Message:
        if not isinstance(raw, Mapping):
            raise self._unreadable(f"is {_type_name(raw)} and not an object")
        kind = raw.get("type", "message")
        if kind != "message":
            role, parts = self._from_item(str(kind), raw)
        else:
            role, parts = self._from_message(raw)
        return Message(role=role, parts=tuple(parts), tokens=sum(part.tokens for part in parts) + _OVERHEAD, raw=raw)

    def _from_message(self, raw: Raw) -> tuple[MessageRole, list[MessagePart]]:
        role = raw.get("role")
        if not isinstance(role, str) or role not in _ROLES:
            raise self._unreadable(f"has the role {role!r}; known are {', '.join(_ROLES)}")
        if "type" in raw:
            self.shape = "responses"
        parts = self._content(raw.get("content"))
        if role in ("tool", "function"):
            self.shape = "chat"
            text = "\n".join(part.text for part in parts if part.text)
            cost = sum(part.tokens for part in parts)
            parts = [
                MessagePart(
                    kind="result",
                    text=text,
                    tokens=cost,
                    id=_text(raw.get("tool_call_id")),
                    name=_text(raw.get("name")),
                )
            ]
        parts += self._tool_calls(raw)
        for key in ("reasoning_content", "reasoning"):  # some servers add these to the shape of chat
            if isinstance(raw.get(key), str):
                parts.append(MessagePart("thought", "", tokens(raw[key])))
        return _ROLES[role], parts

    def _tool_calls(self, raw: Raw) -> list[MessagePart]:
        calls = raw.get("tool_calls") or []
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise self._unreadable("has tool_calls that are no list")
        if legacy := raw.get("function_call"):
            calls = [{"function": legacy}]
        found = []
        for call in calls:
            if not isinstance(call, Mapping):
                raise self._unreadable("has a tool call that is not an object")
            self.shape = "chat"
            inner = call.get("function") or call.get("custom") or {}
            if not isinstance(inner, Mapping):
                raise self._unreadable("has a tool call without a function")
            given = inner.get("arguments", inner.get("input", ""))
            found.append(_call(call.get("id"), inner.get("name"), given))
        return found

    def _content(self, content: object) -> list[MessagePart]:
        if isinstance(content, str):
            return [MessagePart("text", content, tokens(content))] if content else []
        if content is None:
            return []
        if not isinstance(content, Sequence) or isinstance(content, bytes):
            raise self._unreadable(f"has {_type_name(content)} as its content; known are a text and a list of parts")
        return [self._part(part) for part in content]

    def _part(self, part: object) -> MessagePart:
        if isinstance(part, str):
            return MessagePart("text", part, tokens(part))
        if not isinstance(part, Mapping):
            raise self._unreadable(f"has {_type_name(part)} among the parts of its content")
        kind = part.get("type")
        self._recognise(kind)
        if kind in _TEXTS:
            text = part.get("text", part.get("refusal"))
            if not isinstance(text, str):
                raise self._unreadable(f"has a part of the type {kind} without a text")
            return MessagePart("text", text, tokens(text))
        if kind in _CALLS:
            return _call(part.get("id"), part.get("name"), part.get("input"))
        if kind in _RESULTS or (isinstance(kind, str) and kind.endswith("_tool_result")):
            return self._result(part.get("tool_use_id"), part.get("content"))
        if kind in _MEDIA:
            return MessagePart("media", "", _media_cost(part))
        if kind in _THOUGHTS or kind == "search_result":
            return MessagePart("thought", "", _json_cost(part))
        raise self._unreadable(f"has a part of the unknown type {kind!r}")

    def _recognise(self, kind: object) -> None:
        for shape, kinds in _TYPES_OF.items():
            if kind in kinds or (shape == "anthropic" and str(kind).endswith("_tool_result")):
                self.shape = shape

    def _result(self, id: object, content: object) -> MessagePart:
        """Parse a tool's result. Anything but text and lists of parts is counted, and never shown."""
        if isinstance(content, Mapping) or content is None:
            return MessagePart(kind="result", text="", tokens=_json_cost(content), id=_text(id))
        parts = self._content(content)
        text = "\n".join(part.text for part in parts if part.text)
        return MessagePart(kind="result", text=text, tokens=sum(part.tokens for part in parts), id=_text(id))

    def _from_item(self, kind: str, raw: Raw) -> tuple[MessageRole, list[MessagePart]]:
        """Parse an item of the Responses interface that is not a message."""
        self.shape = "responses"
        if kind.endswith("_output") or kind == "mcp_approval_response":
            output = raw.get("output")
            id = raw.get("call_id") or raw.get("approval_request_id")
            if isinstance(output, str | Sequence) and not isinstance(output, bytes):
                return "tool", [self._result(id, output)]
            return "tool", [MessagePart(kind="result", text="", tokens=_json_cost(output), id=_text(id))]
        if kind.endswith("_call") or kind in ("mcp_approval_request", "mcp_list_tools"):
            given = raw.get("arguments", raw.get("input", raw.get("action", "")))
            id = raw.get("call_id") or raw.get("id")
            return "assistant", [_call(id, raw.get("name") or kind.removesuffix("_call"), given)]
        if kind in _THOUGHTS:
            return "assistant", [MessagePart("thought", "", _json_cost(raw))]
        raise self._unreadable(f"has the unknown type {kind!r}")

    def _unreadable(self, why: str) -> ConversationUnreadable:
        return ConversationUnreadable(f"Message {self._number} {why}. Nothing was changed.")


def units(conversation: MessageList) -> list[range]:
    """Split the conversation into runs that stay or go together: a tool call and its result are never separated.

    Nor is a thought separated from the message it led to, which the interface would reject.
    """
    ends: dict[int, int] = {}  # first message of a run -> last message
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


def _call(id: object, name: object, given: object) -> MessagePart:
    text = given if isinstance(given, str) else _json(given)
    return MessagePart(
        kind="call", text=text, tokens=tokens(text) + tokens(_text(name) or ""), id=_text(id), name=_text(name)
    )


def _media_cost(part: Raw) -> int:
    """Return the cost of media. A document given as text costs as much as its text."""
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


def _type_name(value: object) -> str:
    names = {"str": "a text", "int": "a number", "float": "a number", "bool": "true or false", "list": "a list",
             "NoneType": "null", "dict": "an object"}  # fmt: skip
    return names.get(type(value).__name__, f"a {type(value).__name__}")

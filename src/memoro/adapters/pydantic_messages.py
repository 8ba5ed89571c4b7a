"""Messages of Pydantic AI converted to the chat format, which is measured and compacted, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

Raw = Mapping[str, Any]


class ChatMessage(NamedTuple):
    """One message in the chat format, and the message and part it comes from."""

    raw: Raw
    message: int
    part: int | None  # of a request; a response is one message with all its parts


def compacted(messages: Sequence[Any], seen: Callable[[Sequence[Raw]], Sequence[Raw]]) -> list[Any] | None:
    """The messages after `seen`; None if it changes none. Unchanged messages stay the same objects."""
    chat = as_chat(messages)
    before = [one.raw for one in chat]
    after = list(seen(before))
    if after == before:
        return None
    if len(after) == len(before):
        return _with_cut(messages, chat, after)
    kept = 0
    while kept < min(len(before), len(after)) and before[-1 - kept] == after[-1 - kept]:
        kept += 1
    return [_summary(after[: len(after) - kept]), *_end(messages, chat[len(chat) - kept :])]


def as_chat(messages: Sequence[Any]) -> list[ChatMessage]:
    found: list[ChatMessage] = []
    for number, message in enumerate(messages):
        if message.kind == "response":
            found.append(ChatMessage(_response(message.parts), number, None))
        else:
            asked = ((place, _request(part)) for place, part in enumerate(message.parts))
            found += [ChatMessage(raw, number, place) for place, raw in asked if raw is not None]
    return found


def _request(part: Any) -> Raw | None:
    match part.part_kind:
        case "system-prompt":
            return {"role": "system", "content": part.content}
        case "user-prompt":
            return {"role": "user", "content": _content(part.content)}
        case "tool-return":
            return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
        case "retry-prompt" if part.tool_name:  # in histories of earlier versions
            return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response()}
        case "retry-prompt" | "retry-feedback":
            return {"role": "user", "content": part.model_response()}
    return None  # what tells a model of changes in tools and instructions goes with what stands around it


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [_piece(piece) for piece in content]


def _piece(piece: Any) -> Raw:
    text = piece if isinstance(piece, str) else getattr(piece, "content", None)
    if isinstance(text, str):
        return {"type": "text", "text": text}
    return {"type": "image_url", "image_url": {"url": ""}}  # a picture, a sound or a file, whose bytes tell nothing


def _response(parts: Sequence[Any]) -> Raw:
    texts = [part.content for part in parts if part.part_kind == "text"]
    thoughts = [part.content for part in parts if part.part_kind == "thinking" and part.content]
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in parts
        if part.part_kind == "tool-call"
    ]
    raw: dict[str, Any] = {"role": "assistant", "content": "\n".join(texts)}
    if calls:
        raw["tool_calls"] = calls
    if thoughts:
        raw["reasoning_content"] = "\n".join(thoughts)
    return raw


def _with_cut(messages: Sequence[Any], said: Sequence[ChatMessage], after: Sequence[Raw]) -> list[Any]:
    """Shorten long results of tools, in place."""
    made = list(messages)
    for one, raw in zip(said, after, strict=True):
        if raw != one.raw and one.part is not None:
            parts = list(made[one.message].parts)
            parts[one.part] = replace(parts[one.part], content=raw["content"])
            made[one.message] = replace(made[one.message], parts=parts)
    return made


def _summary(head: Sequence[Raw]) -> Any:
    """The messages before those that are kept whole: the system's own, and the summary."""
    kinds = {"system": SystemPromptPart}
    return ModelRequest(parts=[kinds.get(one["role"], UserPromptPart)(content=_text(one["content"])) for one in head])


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(str(piece.get("text", "")) for piece in content)


def _end(messages: Sequence[Any], kept: Sequence[ChatMessage]) -> list[Any]:
    """The messages from the first kept one on; of a request that is split, the kept parts."""
    if not kept:
        return []
    first = kept[0]
    message = messages[first.message]
    if first.part:
        message = replace(message, parts=message.parts[first.part :])
    return [message, *messages[first.message + 1 :]]


class UserPrompt(NamedTuple):
    """The last prompt of the user, and where it stands."""

    text: str
    message: int
    part: int
    first: bool  # of the conversation


def last_user_prompt(messages: Sequence[Any]) -> UserPrompt | None:
    prompts = [one for one in as_chat(messages) if one.raw["role"] == "user" and one.part is not None]
    if not prompts:
        return None
    last = prompts[-1]
    text = _text(last.raw["content"])
    return (
        UserPrompt(text=text, message=last.message, part=last.part or 0, first=len(prompts) == 1)
        if text.strip()
        else None
    )


def with_block(messages: Sequence[Any], asked: UserPrompt, block: str) -> list[Any]:
    """The messages with a block before the user's prompt; the given messages are not changed."""
    made = list(messages)
    parts = list(made[asked.message].parts)
    parts.insert(asked.part, UserPromptPart(content=block))
    made[asked.message] = replace(made[asked.message], parts=parts)
    return made

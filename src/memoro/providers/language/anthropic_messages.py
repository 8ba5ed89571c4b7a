"""Messages of Anthropic, and of servers that speak as it does."""

from __future__ import annotations

from memoro.providers.http_bodies import Json
from memoro.providers.language.chat import (
    ChatFormat,
    ChatReply,
    ChatRequest,
    SchemaWay,
    Stop,
    count,
    part,
    parts,
    word,
)

# The same request is right in both versions: the newer one has no `temperature`, so none is sent.
VERSION = (("anthropic-version", "2026-10-21"),)
VERSION_ELSEWHERE = (("anthropic-version", "2023-06-01"),)  # servers of others know this one
_TOOL = "answer"
_ROLES = {"user": "user", "model": "assistant"}
_STOPS: dict[str, Stop] = {
    "end_turn": "done",
    "stop_sequence": "done",
    "tool_use": "done",
    "max_tokens": "cut off",
    "model_context_window_exceeded": "cut off",
    "refusal": "refused",
}


def _path(_model: str) -> str:
    return "/v1/messages"


def _body(request: ChatRequest) -> Json:
    return {
        "model": request.model,
        "max_tokens": request.most_tokens,
        "system": request.instructions,
        "messages": [{"role": _ROLES[turn.speaker], "content": turn.text} for turn in request.turns],
        **_output(request, request.manner.way),
    }


def _output(request: ChatRequest, way: SchemaWay) -> Json:
    if way == "schema":
        return {"output_config": {"format": {"type": "json_schema", "schema": request.schema}}}
    if way == "tool":
        tool = {"name": _TOOL, "description": "Give the answer.", "input_schema": request.schema}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
    return {}


def _reply(document: Json) -> ChatReply:
    """Blocks of thoughts may come before the answer, so that it is found by its type and not by its place."""
    blocks, usage = parts(document, "content"), part(document, "usage")
    called = [one for one in blocks if one.get("type") == "tool_use" and one.get("name") == _TOOL]
    return ChatReply(
        text="".join(word(one, "text") for one in blocks if one.get("type") == "text"),
        value=called[0].get("input") if len(called) == 1 else None,
        stop=_STOPS.get(word(document, "stop_reason"), "other"),
        model=word(document, "model"),
        tokens_in=count(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
        tokens_out=count(usage, "output_tokens"),
    )


ANTHROPIC_MESSAGES = ChatFormat(path=_path, body=_body, reply=_reply, ways=("schema", "tool", "prompt"))

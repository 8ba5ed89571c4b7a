"""Chat completions in OpenAI's wire format: of OpenAI, and of Ollama, LM Studio, llama.cpp, vLLM and others."""

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

_ROLES = {"user": "user", "model": "assistant"}
_STOPS: dict[str, Stop] = {"stop": "done", "length": "cut off", "content_filter": "filtered"}


def _path(_model: str) -> str:
    return "/chat/completions"


def _body(request: ChatRequest) -> Json:
    manner = request.manner
    turns = [{"role": _ROLES[turn.speaker], "content": turn.text} for turn in request.turns]
    return {
        "model": request.model,
        "messages": [{"role": "system", "content": request.instructions}, *turns],
        manner.tokens_field: request.most_tokens,
        **({"temperature": 0} if manner.temperature else {}),
        **_response_format(request, manner.way),
    }


def _response_format(request: ChatRequest, way: SchemaWay) -> Json:
    if way == "schema":
        named = {"name": "answer", "strict": True, "schema": request.schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if way == "object" else {}


def _reply(document: Json) -> ChatReply:
    choices = parts(document, "choices")
    choice: Json = choices[0] if choices else {}
    message, usage = part(choice, "message"), part(document, "usage")
    stop = _STOPS.get(word(choice, "finish_reason"), "other")
    return ChatReply(
        text=_text(message),
        stop="refused" if word(message, "refusal") else stop,
        model=word(document, "model"),
        tokens_in=count(usage, "prompt_tokens"),
        tokens_out=count(usage, "completion_tokens"),
    )


def _text(message: Json) -> str:
    """Some servers send a list of parts instead of a text."""
    return word(message, "content") or "".join(word(one, "text") for one in parts(message, "content"))


OPENAI_CHAT = ChatFormat(path=_path, body=_body, reply=_reply, ways=("schema", "object", "prompt"))

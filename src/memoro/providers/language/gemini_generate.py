"""generateContent of Gemini."""

from __future__ import annotations

from collections.abc import Mapping

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
from memoro.providers.language.ports import Schema

_STOPS: dict[str, Stop] = {
    "STOP": "done",
    "MAX_TOKENS": "cut off",
    "SAFETY": "filtered",
    "RECITATION": "filtered",
    "BLOCKLIST": "filtered",
    "PROHIBITED_CONTENT": "filtered",
    "SPII": "filtered",
    "LANGUAGE": "filtered",
}


def _path(model: str) -> str:
    return f"/v1beta/models/{model.removeprefix('models/')}:generateContent"


def _body(request: ChatRequest) -> Json:
    manner = request.manner
    config: Json = {
        "maxOutputTokens": request.most_tokens,
        **({"temperature": 0} if manner.temperature else {}),
        **_output(request, manner.way),
    }
    return {
        "systemInstruction": {"parts": [{"text": request.instructions}]},
        "contents": [{"role": turn.speaker, "parts": [{"text": turn.text}]} for turn in request.turns],
        "generationConfig": config,
    }


def _output(request: ChatRequest, way: SchemaWay) -> Json:
    if way == "schema":
        return {"responseMimeType": "application/json", "responseJsonSchema": request.schema}
    if way == "openapi":
        return {"responseMimeType": "application/json", "responseSchema": openapi(request.schema)}
    return {}


def openapi(schema: Schema) -> Schema:
    """Return a schema in the subset of OpenAPI that older models take: no closed objects, choices of strings only."""
    names = schema.get("type")
    several = [names] if isinstance(names, str) else list(names) if isinstance(names, (list, tuple)) else []
    made: dict[str, object] = {"type": str(next((one for one in several if one != "null"), "string")).upper()}
    if "null" in several:
        made["nullable"] = True
    if isinstance(schema.get("description"), str):
        made["description"] = schema["description"]
    choices = schema.get("enum")
    if isinstance(choices, (list, tuple)) and all(isinstance(one, str) for one in choices):
        made["enum"] = list(choices)
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(properties, Mapping):
        made["properties"] = {name: openapi(one) for name, one in properties.items()}
        made["required"] = made["propertyOrdering"] = list(properties)
    if isinstance(items, Mapping):
        made["items"] = openapi(items)
    return made


def _reply(document: Json) -> ChatReply:
    """A blocked prompt has no candidates. Parts that are thoughts are passed over."""
    candidates, usage = parts(document, "candidates"), part(document, "usageMetadata")
    candidate: Json = candidates[0] if candidates else {}
    said = [one for one in parts(part(candidate, "content"), "parts") if one.get("thought") is not True]
    is_blocked = not candidates and bool(part(document, "promptFeedback"))
    return ChatReply(
        text="".join(word(one, "text") for one in said),
        stop="blocked" if is_blocked else _STOPS.get(word(candidate, "finishReason"), "other"),
        model=word(document, "modelVersion"),
        tokens_in=count(usage, "promptTokenCount"),
        tokens_out=count(usage, "candidatesTokenCount", "thoughtsTokenCount"),
    )


GEMINI_GENERATE = ChatFormat(path=_path, body=_body, reply=_reply, ways=("schema", "openapi", "prompt"))

"""Chat completions, messages and generateContent: requests read as strictly as the real servers do, and replies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from tests.standin.messages import Answer, Refused, Request
from tests.standin.refusals import GEMINI_STATUS

# Which wire format a stand-in for language models speaks.
Speech = Literal["openai", "anthropic", "gemini"]
SPEECHES: tuple[Speech, ...] = get_args(Speech)
# What a server may not know. The first five are ways to ask for an answer by a schema.
Part = Literal["schema", "object", "tool", "openapi", "temperature", "max_tokens", "max_completion_tokens"]
Ending = Literal["done", "cut off", "refused", "filtered", "blocked"]

_OPENAI_FIELDS = {"model", "messages", "temperature", "max_tokens", "max_completion_tokens", "response_format"}
_ANTHROPIC_FIELDS = {
    "model",
    "max_tokens",
    "system",
    "messages",
    "temperature",
    "output_config",
    "tools",
    "tool_choice",
}
_GEMINI_FIELDS = {"systemInstruction", "contents", "generationConfig", "safetySettings"}
_CONFIG_FIELDS = {"temperature", "maxOutputTokens", "responseMimeType", "responseJsonSchema", "responseSchema"}
_BOUNDS = {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"}
_KINDS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
          413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error"}  # fmt: skip


class ChatAsked(NamedTuple):
    """A question, after it was read."""

    model: str
    instructions: str
    turns: tuple[tuple[str, str], ...]  # speaker and text
    schema: Mapping[str, Any] | None
    way: str  # how the schema came: schema, object, tool, openapi, prompt
    most_tokens: int | None

    @property
    def text(self) -> str:
        return "\n".join([self.instructions, *(text for _, text in self.turns)])


class ChatSaid(NamedTuple):
    """An answer before it is put into a format."""

    text: str | None
    value: object = None  # by the tool
    ending: Ending = "done"
    usage: object = (40, 9)  # tokens in and out; any other value is sent as it is
    cached: int = 0  # tokens of the question that came from the provider's cache
    thoughts: str = ""


def chat_error(speech: Speech, status: int, message: str, code: str | None = None) -> Answer:
    """Return an error as the server of this format shapes it."""
    if speech == "gemini":
        return Answer(
            status, {"error": {"code": status, "message": message, "status": GEMINI_STATUS.get(status, "UNKNOWN")}}
        )
    kind = _KINDS.get(status, "api_error")
    if speech == "anthropic":
        return Answer(status, {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
    return Answer(status, {"error": {"message": message, "type": kind, "param": None, "code": code}})


def read_chat(speech: Speech, request: Request, unknown: frozenset[str]) -> ChatAsked:
    """Read a request. Raises `Refused` where the server would not take it; `unknown` are parts that it refuses."""
    readers = {"openai": _read_openai, "anthropic": _read_anthropic, "gemini": _read_gemini}
    return readers[speech](request, unknown)


def write_chat(speech: Speech, asked: ChatAsked, said: ChatSaid) -> Answer:
    writers = {"openai": _openai_document, "anthropic": _anthropic_document, "gemini": _gemini_document}
    return Answer(200, writers[speech](asked, said))


def _refuse(speech: Speech, message: str, status: int = 400, code: str | None = None) -> Refused:
    return Refused(chat_error(speech, status, message, code))


def _no_other_fields(speech: Speech, body: Mapping[str, Any], known: set[str]) -> None:
    if others := sorted(set(body) - known):
        said = {
            "openai": f"Unrecognized request argument supplied: {others[0]}",
            "anthropic": f"{others[0]}: Extra inputs are not permitted",
            "gemini": f'Invalid JSON payload received. Unknown name "{others[0]}": Cannot find field.',
        }
        raise _refuse(speech, said[speech])


def _schema_in(text: str) -> Mapping[str, Any] | None:
    """Return the schema that a prompt tells in words."""
    _, marked, rest = text.rpartition("by this schema, and with nothing else:\n")
    found = json.loads(rest) if marked else None
    return found if isinstance(found, dict) else None


def _check_strict(speech: Speech, schema: Any) -> None:
    """Providers take closed objects with every property required, and no bounds."""
    if not isinstance(schema, dict):
        raise _refuse(speech, "Invalid schema: it must be an object.")
    if found := _BOUNDS & set(schema):
        raise _refuse(speech, f"Invalid schema for response_format 'answer': '{found.pop()}' is not permitted.")
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or sorted(schema.get("required", [])) != sorted(
            properties
        ):
            raise _refuse(speech, "Invalid schema: objects must be closed, and every property required.")
        for one in properties.values():
            _check_strict(speech, one)
    if "items" in schema:
        _check_strict(speech, schema["items"])


# --- OpenAI ----------------------------------------------------------------------------------------------


def _read_openai(request: Request, unknown: frozenset[str]) -> ChatAsked:
    if (request.method, request.path) != ("POST", "/v1/chat/completions"):
        raise _refuse("openai", f"Invalid URL ({request.method} {request.path})", 404)
    body = request.json
    _no_other_fields("openai", body, _OPENAI_FIELDS)
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body and name in unknown:
            other = "max_completion_tokens" if name == "max_tokens" else "max_tokens"
            raise _refuse("openai", f"Unsupported parameter: '{name}' is not supported with this model. Use "
                          f"'{other}' instead.", code="unsupported_parameter")  # fmt: skip
    if "temperature" in body and "temperature" in unknown:
        raise _refuse("openai", "Unsupported value: 'temperature' does not support 0 with this model. Only the "
                      "default (1) value is supported.", code="unsupported_value")  # fmt: skip
    messages = body["messages"]
    for one in messages:
        if one["role"] not in ("system", "user", "assistant") or not isinstance(one["content"], str):
            raise _refuse("openai", "Invalid value: 'messages'.")
    instructions = "\n".join(one["content"] for one in messages if one["role"] == "system")
    way, schema = _openai_schema(body.get("response_format"), unknown, instructions)
    return ChatAsked(
        model=body["model"],
        instructions=instructions,
        turns=tuple((one["role"], one["content"]) for one in messages if one["role"] != "system"),
        schema=schema,
        way=way,
        most_tokens=body.get("max_completion_tokens", body.get("max_tokens")),
    )


def _openai_schema(wanted: Any, unknown: frozenset[str], instructions: str) -> tuple[str, Mapping[str, Any] | None]:
    if wanted is None:
        return "prompt", _schema_in(instructions)
    way = {"json_schema": "schema", "json_object": "object"}[wanted["type"]]
    if way in unknown:
        raise _refuse("openai", f"Invalid parameter: 'response_format' of type '{wanted['type']}' is not supported "
                      "with this model.")  # fmt: skip
    if way == "object":
        if "json" not in instructions.lower():
            raise _refuse("openai", "'messages' must contain the word 'json' in some form, to use 'response_format'.")
        return way, _schema_in(instructions)
    named = wanted["json_schema"]
    if not named.get("name") or named.get("strict") is not True:
        raise _refuse("openai", "Missing required parameter: 'response_format.json_schema.name'.")
    _check_strict("openai", named["schema"])
    return way, named["schema"]


def _openai_document(asked: ChatAsked, said: ChatSaid) -> dict[str, Any]:
    endings = {
        "done": "stop",
        "cut off": "length",
        "refused": "stop",
        "filtered": "content_filter",
        "blocked": "stop",
    }
    is_refused = said.ending in ("refused", "blocked")
    message = {"role": "assistant", "content": None if is_refused else said.text,
               "refusal": "I cannot help with that." if is_refused else None}  # fmt: skip
    usage = said.usage
    if isinstance(usage, tuple):
        usage = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage),
                 "prompt_tokens_details": {"cached_tokens": said.cached}}  # fmt: skip
    choice = {"index": 0, "message": message, "finish_reason": endings[said.ending], "logprobs": None}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000,
            "model": f"{asked.model}-served", "choices": [choice], "usage": usage}  # fmt: skip


# --- Anthropic -------------------------------------------------------------------------------------------


def _read_anthropic(request: Request, unknown: frozenset[str]) -> ChatAsked:
    if (request.method, request.path) != ("POST", "/v1/messages"):
        raise _refuse("anthropic", "Not Found", 404)
    version = request.headers.get("anthropic-version")
    if version not in ("2023-06-01", "2026-10-21"):
        raise _refuse("anthropic", "anthropic-version: header is required")
    body = request.json
    _no_other_fields("anthropic", body, _ANTHROPIC_FIELDS)
    if not isinstance(body.get("max_tokens"), int):
        raise _refuse("anthropic", "max_tokens: Field required")
    if "temperature" in body and ("temperature" in unknown or version == "2026-10-21"):
        raise _refuse("anthropic", "temperature: Extra inputs are not permitted")
    messages = body["messages"]
    if messages[0]["role"] != "user":
        raise _refuse("anthropic", 'messages: first message must use the "user" role')
    if any(not one["content"].strip() for one in messages):
        raise _refuse("anthropic", "messages: text content blocks must be non-empty")
    way, schema = _anthropic_schema(body, unknown)
    return ChatAsked(
        model=body["model"],
        instructions=body.get("system", ""),
        turns=tuple((one["role"], one["content"]) for one in messages),
        schema=schema,
        way=way,
        most_tokens=body["max_tokens"],
    )


def _anthropic_schema(body: Mapping[str, Any], unknown: frozenset[str]) -> tuple[str, Mapping[str, Any] | None]:
    if "output_config" in body:
        if "schema" in unknown:
            raise _refuse("anthropic", "output_config: Extra inputs are not permitted")
        wanted = body["output_config"]["format"]
        if wanted["type"] != "json_schema":
            raise _refuse("anthropic", "output_config.format.type: Input should be 'json_schema'")
        _check_strict("anthropic", wanted["schema"])
        return "schema", wanted["schema"]
    if "tools" in body:
        if "tool" in unknown:
            raise _refuse("anthropic", "This model does not support tools.")
        tool = body["tools"][0]
        if body.get("tool_choice") != {"type": "tool", "name": tool["name"]}:
            raise _refuse("anthropic", "tool_choice: Input should name a tool")
        return "tool", tool["input_schema"]
    return "prompt", _schema_in(body.get("system", ""))


def _anthropic_document(asked: ChatAsked, said: ChatSaid) -> dict[str, Any]:
    endings = {"done": "end_turn", "cut off": "max_tokens", "refused": "refusal", "filtered": "refusal",
               "blocked": "refusal"}  # fmt: skip
    blocks: list[dict[str, Any]] = (
        [{"type": "thinking", "thinking": said.thoughts, "signature": "c2ln"}] if said.thoughts else []
    )
    if said.value is not None:
        blocks.append({"type": "tool_use", "id": "toolu_1", "name": "answer", "input": said.value})
    elif said.text is not None and said.ending not in ("refused", "blocked", "filtered"):
        blocks.append({"type": "text", "text": said.text})
    usage = said.usage
    if isinstance(usage, tuple):
        usage = {"input_tokens": usage[0] - said.cached, "output_tokens": usage[1], "cache_creation_input_tokens": 0,
                 "cache_read_input_tokens": said.cached}  # fmt: skip
    stop = "tool_use" if said.value is not None and said.ending == "done" else endings[said.ending]
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": f"{asked.model}-served",
            "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}  # fmt: skip


# --- Gemini ----------------------------------------------------------------------------------------------


def _read_gemini(request: Request, unknown: frozenset[str]) -> ChatAsked:
    path = request.path
    if request.method != "POST" or not path.startswith("/v1beta/models/") or not path.endswith(":generateContent"):
        raise _refuse("gemini", f"Not found: {path}", 404)
    body = request.json
    _no_other_fields("gemini", body, _GEMINI_FIELDS)
    config = body.get("generationConfig", {})
    _no_other_fields("gemini", config, _CONFIG_FIELDS - ({"responseJsonSchema"} if "schema" in unknown else set()))
    if "temperature" in config and "temperature" in unknown:
        raise _refuse("gemini", "Invalid value at 'generation_config.temperature'.")
    instructions = "".join(part["text"] for part in body["systemInstruction"]["parts"])
    way, schema = _gemini_schema(config, unknown, instructions)
    return ChatAsked(
        model=path.removeprefix("/v1beta/models/").removesuffix(":generateContent"),
        instructions=instructions,
        turns=tuple((one["role"], "".join(part["text"] for part in one["parts"])) for one in body["contents"]),
        schema=schema,
        way=way,
        most_tokens=config.get("maxOutputTokens"),
    )


def _gemini_schema(
    config: Mapping[str, Any], unknown: frozenset[str], instructions: str
) -> tuple[str, Mapping[str, Any] | None]:
    has_schema = "responseJsonSchema" in config or "responseSchema" in config
    if has_schema and config.get("responseMimeType") != "application/json":
        raise _refuse("gemini", "A response schema needs the response mime type application/json.")
    if "responseJsonSchema" in config:
        return "schema", config["responseJsonSchema"]
    if "responseSchema" in config:
        if "openapi" in unknown:
            raise _refuse("gemini", "JSON mode is not enabled for this model; response_schema is not supported.")
        schema = config["responseSchema"]
        if "additionalProperties" in json.dumps(schema) or schema["type"] != "OBJECT":
            raise _refuse("gemini", 'Invalid JSON payload received. Unknown name "additionalProperties" at '
                          "'generation_config.response_schema'")  # fmt: skip
        return "openapi", _from_openapi(schema)
    return "prompt", _schema_in(instructions)


def _from_openapi(schema: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {**schema, "type": schema["type"].lower()}
    if "properties" in schema:
        made["properties"] = {name: _from_openapi(one) for name, one in schema["properties"].items()}
    if "items" in schema:
        made["items"] = _from_openapi(schema["items"])
    return made


def _gemini_document(asked: ChatAsked, said: ChatSaid) -> dict[str, Any]:
    usage = said.usage
    if isinstance(usage, tuple):
        usage = {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1], "totalTokenCount": sum(usage)}
    if said.ending == "blocked":
        return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage, "modelVersion": asked.model}
    endings = {"done": "STOP", "cut off": "MAX_TOKENS", "refused": "PROHIBITED_CONTENT", "filtered": "SAFETY"}
    parts: list[dict[str, Any]] = [{"text": said.thoughts, "thought": True}] if said.thoughts else []
    if said.text is not None and said.ending in ("done", "cut off"):
        half = len(said.text) // 2  # a text may come in several parts
        parts += [{"text": said.text[:half]}, {"text": said.text[half:]}]
    candidate: dict[str, Any] = {"finishReason": endings[said.ending], "index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": f"{asked.model}-served",
        "responseId": "r1",
    }

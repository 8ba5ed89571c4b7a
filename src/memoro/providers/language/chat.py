"""What the wire formats of language models have in common: a request, a reply, and how a server wants to be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from memoro.providers.http_bodies import Json
from memoro.providers.language.ports import Schema

# How the schema of the answer reaches the model. "schema": as the provider wants it; "object": JSON of any kind;
# "tool": as the input of a tool that must be called; "openapi": in the older form of Gemini; "prompt": in words.
SchemaWay = Literal["schema", "object", "tool", "openapi", "prompt"]
TokensField = Literal["max_tokens", "max_completion_tokens"]
# Why a model stopped. "other": for a reason that has no name here; the answer may be whole.
Stop = Literal["done", "cut off", "refused", "filtered", "blocked", "other"]


class Manner(NamedTuple):
    """How a server wants to be asked. What it has refused once is left out."""

    way: SchemaWay = "schema"
    temperature: bool = True
    tokens_field: TokensField = "max_tokens"


class ChatTurn(NamedTuple):
    """One turn of the conversation with a model."""

    speaker: Literal["user", "model"]
    text: str


class ChatRequest(NamedTuple):
    """A question as a wire format needs it."""

    model: str
    instructions: str
    turns: tuple[ChatTurn, ...]
    schema: Schema  # without bounds
    most_tokens: int
    manner: Manner = Manner()


class ChatReply(NamedTuple):
    """What came back, as far as it could be read."""

    text: str = ""
    value: object = None  # an answer that is no text: the input of the tool that was called
    stop: Stop = "done"
    model: str = ""
    tokens_in: int | None = None  # those from the provider's cache among them
    tokens_out: int | None = None  # thoughts among them


class ChatFormat(NamedTuple):
    """How one provider puts a request and its reply into JSON."""

    path: Callable[[str], str]  # by the model
    body: Callable[[ChatRequest], Json]
    reply: Callable[[Json], ChatReply]
    ways: tuple[SchemaWay, ...]  # the best first


def count(document: Json, *names: str) -> int | None:
    """Return the sum of counts in a document; None where none of them can be one."""
    found = [document.get(name) for name in names]
    counts = [one for one in found if isinstance(one, int) and not isinstance(one, bool) and one >= 0]
    return sum(counts) if counts else None


def part(document: object, name: str) -> Json:
    """Return the object in a field of a document; an empty one where there is none."""
    found = document.get(name) if isinstance(document, dict) else None
    return found if isinstance(found, dict) else {}


def parts(document: Json, name: str) -> list[Json]:
    """Return the objects in a list of a document."""
    found = document.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def word(document: Json, name: str) -> str:
    found = document.get(name)
    return found if isinstance(found, str) else ""

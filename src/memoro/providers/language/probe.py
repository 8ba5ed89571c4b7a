"""Ask a language model an easy question of our own: whether it answers, by the schema, and how fast."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from memoro.errors import ProviderError
from memoro.model.prompt_material import record_lines
from memoro.providers.language.chat import SchemaWay
from memoro.providers.language.chat_server import ChatServer
from memoro.providers.language.ports import LanguageModel, Prompt
from memoro.providers.language.structured import closed

_PROMPT = Prompt(
    purpose="review",  # a test counts as one, whatever stands here
    instructions="One of the records states a fact, the other asks for one. Answer with a short reason and the "
    "number of the record that states a fact.",
    material=record_lines(
        [{"n": 1, "text": "How long does green tea steep?"}, {"n": 2, "text": "Green tea steeps for two minutes."}]
    ),
    schema=closed({"reason": {"type": "string"}, "number": {"type": "integer"}}),
    most_tokens=500,
)
_RIGHT = 2
_WAYS: dict[SchemaWay, str] = {
    "schema": "the server enforces it",
    "tool": "the server enforces it, as the input of a tool",
    "openapi": "the server enforces it, in its older form",
    "object": "the server enforces JSON, and Memoro checks the rest",
    "prompt": "the model is told it in words, and Memoro checks",
}


class LanguageProbe(NamedTuple):
    """The findings of a test of a language model."""

    provider: str
    model: str
    host: str | None
    is_home: bool  # texts do not leave this machine
    problem: str | None = None  # why it cannot be used; None: it can
    is_right: bool | None = None  # whether it answered an easy question rightly
    enforced: str = ""  # how answers are held to their schema, in words
    served_model: str | None = None  # as the server names it
    seconds: float | None = None  # until the answer was there
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = None  # None: nobody knows the price

    @property
    def is_usable(self) -> bool:
        return self.problem is None


def probe_language(
    model: LanguageModel, server: ChatServer, clock: Callable[[], float] = time.monotonic
) -> LanguageProbe:
    """Ask the model one question, with a text of our own."""
    info = model.info
    found = LanguageProbe(provider=info.provider, model=info.model, host=info.host, is_home=info.is_home)
    began = clock()
    try:
        answer = model.answer(_PROMPT)
    except ProviderError as error:
        return found._replace(problem=str(error))
    return found._replace(
        is_right=answer.value["number"] == _RIGHT,
        enforced=_WAYS[server.manner.way],
        served_model=answer.model,
        seconds=round(clock() - began, 3),
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        dollars=server.price(answer.tokens_in, answer.tokens_out),
    )

"""The port of a language model: a prompt with a schema goes in, a value that obeys the schema comes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from memoro.model.vocabulary import LanguagePurpose

Schema = Mapping[str, object]


class Prompt(NamedTuple):
    """One question to a language model. It has no tools, and its answer is a JSON object."""

    purpose: LanguagePurpose
    instructions: str  # Memoro's own words
    material: str  # what the question is about, as `record_lines` makes it; it is fenced before it is sent
    schema: Schema  # of the answer; every object closed, every property required (`structured.check_schema`)
    most_tokens: int = 2000  # of the answer
    most_seconds: float = 120.0  # then nobody wants the answer any more


class ModelAnswer(NamedTuple):
    """An answer that obeys the schema of its prompt."""

    value: Mapping[str, object]
    model: str  # as the server names it
    tokens_in: int = 0
    tokens_out: int = 0


class LanguageModelInfo(NamedTuple):
    """What Memoro must know about a language model, to use it and to tell its owner about it."""

    provider: str
    model: str
    host: str | None = None  # where texts go, as `host` or `host:port`; None: they stay in this process
    is_home: bool = True  # the host is this machine, or there is none
    window: int = 8000  # tokens that one request may have, the answer included


class LanguageModel(Protocol):
    """Answers prompts. It may be slow, fail, or answer nonsense; nothing may depend on it."""

    @property
    def info(self) -> LanguageModelInfo: ...

    def answer(self, prompt: Prompt) -> ModelAnswer:
        """Return an answer that obeys the schema of the prompt.

        Raises `ProviderUnavailable` (among them `CapReached`) where trying again later may work, and
        `ProviderRejected` where it will not; `AnswerUnusable` is one: what came back is no such answer.
        """

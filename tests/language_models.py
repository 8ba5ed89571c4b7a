"""Language models over stand-ins, for tests: with records in memory, and a clock that only sleeping moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from memoro.model.prompt_material import record_lines
from memoro.providers.language.chat_server import LanguageBreaker
from memoro.providers.language.checked_model import CheckedModel
from memoro.providers.language.http_model import CallConditions, HttpLanguageModel
from memoro.providers.language.making import LanguageSettings, bare_server
from memoro.providers.language.ports import LanguageModel, Prompt
from memoro.providers.language.structured import closed
from memoro.providers.pausing import Timing
from memoro.providers.registry import ProviderContext
from memoro.store.plain.provider_records import PlainProviderRecords
from tests.standin.chat import ANSWERED_KEY, ChatStandin
from tests.standin.chat_formats import Speech

Client = Literal["openai", "compatible", "anthropic", "gemini"]
CLIENTS: tuple[Client, ...] = ("openai", "compatible", "anthropic", "gemini")
SPEECH_OF: dict[Client, Speech] = {
    "openai": "openai", "compatible": "openai", "anthropic": "anthropic", "gemini": "gemini",
}  # fmt: skip

SCHEMA = closed(
    {
        "reason": {"type": "string", "maxLength": 300},
        "choices": {
            "type": "array",
            "maxItems": 5,
            "items": closed(
                {
                    "number": {"type": "integer", "minimum": 1},
                    "step": {"type": "string", "enum": ["add", "keep"]},
                    "other": {"type": ["integer", "null"]},
                }
            ),
        },
    }
)
VALUE: dict[str, Any] = {"reason": "because", "choices": [{"number": 1, "step": "add", "other": 1}]}


def asked(text: str = "I moved to Lisbon in May.", **changes: Any) -> Prompt:
    plain = Prompt(
        purpose="judge",
        instructions="Choose what to do about each candidate.",
        material=record_lines([{"n": 1, "text": text}]),
        schema=SCHEMA,
    )
    return plain._replace(**changes)


class FakeTime:
    """A clock that only sleeping moves. It begins at a real time, so that breakers believe it."""

    def __init__(self) -> None:
        self.now = 1_790_000_000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def timing(self) -> Timing:
        return Timing(clock=self.clock, sleep=self.sleep, chance=lambda: 0.0)


class LanguageHome:
    """What a home keeps about its language model, and models made from it."""

    def __init__(self) -> None:
        self.records = PlainProviderRecords()
        self.time = FakeTime()

    def context(self, environment: dict[str, str] | None = None, secrets: Sequence[str] = ()) -> ProviderContext:
        return ProviderContext(
            environment={"A_KEY": ANSWERED_KEY} if environment is None else environment,
            records=lambda: self.records,
            now=lambda: datetime(2026, 11, 16, 12, tzinfo=UTC),
            secrets=secrets,
        )

    def model(self, client: Client, server: ChatStandin, **settings: Any) -> LanguageModel:
        """Return a model that is asked as the real one is, without waiting and without remembering answers."""
        chosen = LanguageSettings(provider=client, model="some-model", url=server.url, key="env:A_KEY")
        return self.made(chosen._replace(**settings))

    def made(self, settings: LanguageSettings, check: Callable[[], None] | None = None) -> LanguageModel:
        server, info = bare_server(settings, self.context())
        breaker = LanguageBreaker(info.host or "", lambda: self.records, self.time.clock)
        work = CallConditions(breaker, self.time.timing)
        return CheckedModel(HttpLanguageModel(server, info, work if check is None else work._replace(check=check)))

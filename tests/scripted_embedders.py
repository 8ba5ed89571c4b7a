"""Embedders that fail as they are told to, without a network, and a clock that a test sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from memoro.errors import ProviderError, ProviderRejected, RequestTooLarge, ServerFailed
from memoro.model.vocabulary import Role
from memoro.providers.pausing import Timing
from memoro.providers.ports import EmbedderInfo
from memoro.testing import HashEmbedder


class Clock:
    """Time passes only where somebody sleeps or the test says so."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def timing(self) -> Timing:
        return Timing(clock=self, sleep=self.sleep, chance=lambda: 0.5)


class Scripted(HashEmbedder):
    """Raises the errors of its script, one a call, then answers; keeps what it was asked for."""

    def __init__(self, script: Sequence[ProviderError | None] = (), *, info: EmbedderInfo | None = None) -> None:
        super().__init__(16, model="scripted")
        self.info = info or EmbedderInfo(host="scripted.example", is_home=False)
        self.script = list(script)
        self.asked: list[tuple[Role, tuple[str, ...]]] = []

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        self.asked.append((role, tuple(texts)))
        error = self.script.pop(0) if self.script else None
        if error is not None:
            raise error
        return super().embed(texts, role)


class Server(Scripted):
    """Takes only so many texts, and cannot embed texts that a rule names."""

    def __init__(
        self,
        *,
        most_texts: int = 10_000,
        says_cap: bool = False,
        is_bad: Callable[[str], bool] = lambda _: False,
        refusal: Callable[[str], ProviderError] = ProviderRejected,
        info: EmbedderInfo | None = None,
    ) -> None:
        super().__init__(info=info)
        self._most_texts, self._says_cap, self._is_bad, self._refusal = most_texts, says_cap, is_bad, refusal
        self.delivered: list[str] = []

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        rows = super().embed(texts, role)
        if len(texts) > self._most_texts:
            raise RequestTooLarge("Too many.", most_texts=self._most_texts if self._says_cap else None)
        if any(map(self._is_bad, texts)):
            raise self._refusal("I cannot read this.")
        self.delivered += texts
        return rows


def breaks(message: str) -> ProviderError:
    return ServerFailed(message)


def exact(texts: Sequence[str]) -> Any:
    """The vectors that these embedders have for texts."""
    return numpy.asarray(HashEmbedder(16).embed(texts, "document"))

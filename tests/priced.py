"""An embedder that says what it costs and where it is, keeps what it was sent, and counts its use as clients do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy

from memoro.errors import ProviderUnavailable
from memoro.model.tokens import tokens
from memoro.model.vocabulary import Role
from memoro.providers.ports import EmbedderInfo, Prices, Space
from memoro.providers.records import ProviderRecords, UsageRow
from memoro.testing import HashEmbedder

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

HOST = "api.example.com"
PRICES = Prices(plain=10_000.0, batch=5_000.0)  # for a million tokens: a few words cost cents
REMOTE = EmbedderInfo(host=HOST, is_home=False, prices=PRICES)
DIMENSIONS = 32


class PricedEmbedder:
    """The vectors of a `HashEmbedder`, from a server far away."""

    def __init__(self, info: EmbedderInfo = REMOTE, model: str = "priced-1") -> None:
        self._model = HashEmbedder(DIMENSIONS, model=model)
        self.space = Space(provider="priced", model=model, dimensions=DIMENSIONS, preparation="plain")
        self.info = info
        self.sent: list[str] = []
        self.is_down = False
        self.turn = 0  # by how many places the numbers of a vector are turned: another model behind the same name
        self.factor = 1  # how many times as many tokens the provider counts as were estimated
        self.records: Callable[[], ProviderRecords] | None = None  # where its use is counted

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if self.is_down:
            raise ProviderUnavailable(f"{HOST} cannot be reached.")
        self.sent += texts
        if self.records is not None and self.info.prices is not None:
            count = self.factor * sum(map(tokens, texts))
            row = UsageRow(
                day=datetime.now(UTC).date().isoformat(),
                provider=self.space.provider,
                model=self.space.model,
                purpose="index" if role == "document" else "search",
                requests=1,
                texts=len(texts),
                tokens_in=count,
                dollars=count * self.info.prices.plain / 1_000_000,
            )
            self.records().count(row, str(self.space) if role == "document" else None)
        return numpy.roll(self._model.embed(texts, role), self.turn, axis=1)

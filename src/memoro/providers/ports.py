"""The port of an embedder, the space its vectors belong to, and the model that compares single words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memoro.model.vocabulary import Role

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]

BUILTIN = "builtin"  # the provider of the model that ships with Memoro


class Space(NamedTuple):
    """The vector space of one model. Vectors of different spaces are never compared."""

    provider: str
    model: str
    dimensions: int
    preparation: str  # what is done to a text before the model sees it

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}/{self.dimensions}/{self.preparation}"

    @classmethod
    def parse(cls, name: str) -> Space:
        provider, _, rest = name.partition("/")
        model, dimensions, preparation = rest.rsplit("/", 2)
        return cls(provider=provider, model=model, dimensions=int(dimensions), preparation=preparation)


class Embedder(Protocol):
    """Computes vectors. An embedder may be slow or fail; callers then use another space, or words."""

    @property
    def space(self) -> Space: ...

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length one for each text, in order.

        Raises `ProviderUnavailable` where trying again may work, and `ProviderRejected` where it will not.
        The built-in model returns a row of zeros for a text without any word that it knows; from all other
        embedders `Checked` refuses such a row.
        """


class WordModel(Protocol):
    """Compares words and short texts. The built-in model does so, whatever space the passages are searched in."""

    def embed(self, texts: Sequence[str], role: Role = "document") -> Vectors:
        """Return the vectors of some texts, as rows."""

    def knows(self, word: str) -> bool:
        """Return whether the model has met this word whole, and not only letters of it."""

    def near(self, words: Sequence[str], others: Sequence[str]) -> Vectors:
        """Return the cosine of each word with each of the others."""

    def nearest(self, words: Sequence[str], texts: Sequence[str]) -> tuple[Vectors, NDArray[numpy.int64]]:
        """Return the cosine of each word with the nearest content word of each text, a row for each word; 0 where a
        text has none. Then how many different content words each text has.
        """

    def rank(self, word: str) -> int:
        """Return the place of a word among all words of the language, the most frequent first."""

    def near_by_chance(self, words: Sequence[str], sizes: NDArray[numpy.int64]) -> Vectors:
        """Return how near the nearest of so many different words comes to each word where they have nothing to do
        with it: a row for each word, a column for each size.
        """


class Prices(NamedTuple):
    """The price of a million tokens, in US dollars."""

    plain: float
    batch: float  # by a batch job


class EmbedderInfo(NamedTuple):
    """What Memoro must know about an embedder beside its space, to use it well and to tell its owner about it."""

    host: str | None = None  # where texts go, as `host` or `host:port`; None: they stay in this process
    server: str | None = None  # by which the home keeps what the server taught it (`server_name`)
    is_home: bool = True  # the host is this machine, or there is none: texts do not leave it
    prices: Prices | None = None  # None: unknown. An embedder on this machine costs nothing
    most_texts: int = 64  # in one request
    most_tokens: int = 100_000  # in one request
    longest_text: int | None = None  # in tokens; longer ones are refused or cut
    query_seconds: float = 0.4  # how long a search waits for the vector of its query
    load_seconds: float = 0.0  # until it can answer at all; who cannot wait so long uses another embedder at once
    request_seconds: float = 60.0  # after which a request for documents counts as lost

    @property
    def is_free(self) -> bool:
        return self.prices is not None and self.prices.plain == 0

    @property
    def costs_money(self) -> bool:
        """Return whether its owner must agree before anything is sent. One on this machine is free unless it has a
        price.
        """
        return not self.is_home if self.prices is None else self.prices.plain > 0


class RemoteEmbedder(Embedder, Protocol):
    """An embedder of a provider that the settings name: it also says what it costs and where texts go."""

    @property
    def info(self) -> EmbedderInfo: ...


class CallMeter(Protocol):
    """Asked before every request to a provider, and told after it."""

    def admit(self, tokens: int) -> None:
        """Raise `CapReached` where a request of about so many tokens may not be sent."""

    def count(self, role: Role, texts: int, tokens: int) -> None:
        """Count a request that the provider answered, and therefore charges for."""


FREE = Prices(0.0, 0.0)
IN_PROCESS = EmbedderInfo(prices=FREE)


def info_of(embedder: Embedder) -> EmbedderInfo:
    """Return what is known about an embedder; one that an application passes costs nothing that Memoro counts."""
    found = getattr(embedder, "info", None)
    return found if isinstance(found, EmbedderInfo) else IN_PROCESS


def is_builtin(embedder: Embedder) -> bool:
    """Return whether the vectors are computed in this process, so that nobody has to wait for a server."""
    return embedder.space.provider == BUILTIN

"""Facts about models that hold before anyone asks their servers: widths, limits, prefixes, defaults."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from memoro.errors import ProviderRejected
from memoro.model.vocabulary import EmbeddingProvider
from memoro.providers.ports import Prices
from memoro.providers.prefixes import NO_PREFIXES, TASK_AND_TITLE, Prefixes, prefixes_of

# Where each provider is. Its usual variable holds a key for this host alone.
OWN_URLS: dict[EmbeddingProvider, str] = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com",
    "voyage": "https://api.voyageai.com/v1",
}
DEFAULT_MODELS: dict[EmbeddingProvider, str] = {
    "openai": "text-embedding-3-small",
    "gemini": "gemini-embedding-2",
    "voyage": "voyage-3.5",
}


class ModelDescription(NamedTuple):
    """A model as requests to it are made."""

    name: str
    dimensions: int | None = None  # None: only its server knows
    widths: Collection[int] | None = ()  # others that it makes on demand; None: only its server knows
    longest_text: int | None = None  # in tokens
    most_texts: int = 64  # in one request; fewer than providers take: what has arrived is stored before the next
    most_tokens: int = 100_000  # in one request
    prefixes: Prefixes = NO_PREFIXES
    prices: Prices | None = None  # None: the usual ones of the provider

    def width(self, wanted: int | None) -> int | None:
        """Return the width of its vectors if the owner wants this one; None where only its server knows.

        Raises `ProviderRejected` for a width that the model does not make.
        """
        if wanted is None or wanted == self.dimensions:
            return self.dimensions
        if self.widths is not None and wanted not in self.widths:
            raise ProviderRejected(
                f"{self.name} makes no vectors of {wanted} numbers, only of {self._sizes()}. "
                "Change `embedding.dimensions`, or unset it."
            )
        return wanted

    def _sizes(self) -> str:
        if isinstance(self.widths, range):
            return f"{self.widths[0]} to {self.widths[-1]}"
        return ", ".join(str(size) for size in sorted({*(self.widths or ()), self.dimensions or 0} - {0}))


def _openai(name: str, dimensions: int, *, is_shortened: bool = True) -> ModelDescription:
    widths = range(1, dimensions + 1) if is_shortened else ()
    return ModelDescription(name=name, dimensions=dimensions, widths=widths, longest_text=8192, most_texts=128)


def _voyage(name: str, most_tokens: int, dimensions: int = 1024) -> ModelDescription:
    return ModelDescription(
        name=name,
        dimensions=dimensions,
        widths=(256, 512, 1024, 2048),
        longest_text=32_000,
        most_texts=128,
        most_tokens=min(most_tokens, 100_000),
    )


def _gemini(name: str, longest_text: int, prefixes: Prefixes) -> ModelDescription:
    return ModelDescription(
        name=name,
        dimensions=3072,
        widths=range(128, 3073),
        longest_text=longest_text,
        most_texts=100,
        prefixes=prefixes,
    )


_KNOWN: dict[str, tuple[ModelDescription, ...]] = {
    "openai": (
        _openai("text-embedding-3-small", 1536),
        _openai("text-embedding-3-large", 3072),
        _openai("text-embedding-ada-002", 1536, is_shortened=False),
    ),
    "voyage": (
        _voyage("voyage-4-large", 120_000),
        _voyage("voyage-4", 320_000),
        _voyage("voyage-4-lite", 1_000_000),
        _voyage("voyage-3.5", 320_000),
        _voyage("voyage-3.5-lite", 1_000_000),
        _voyage("voyage-3-large", 120_000),
        _voyage("voyage-code-3", 120_000),
    ),
    "gemini": (
        _gemini("gemini-embedding-2", 8192, TASK_AND_TITLE),
        _gemini("gemini-embedding-001", 2048, NO_PREFIXES),
    ),
}

# The longest text, in tokens, of models that people run themselves. How wide their vectors are, the server is asked:
# it may have another model under the name, or a shortened one.
_LOCAL: tuple[tuple[str, int], ...] = (
    (r"nomic-embed-text-v2", 512),
    (r"nomic-embed-text", 2048),
    (r"embedding-?gemma", 2048),
    (r"qwen3-embedding", 8192),
    (r"bge-m3", 8192),
    (r"snowflake-arctic-embed2|snowflake-arctic-embed-[lm]-v2", 8192),
    (r"all-minilm", 256),
    (r"bge-|mxbai-embed|\be5-|snowflake-arctic-embed|gte-(small|base|large)|granite-embedding", 512),
)
_MOST_LOCAL_TEXTS = 16  # a processor needs seconds for so many; a request must end before its time-out


def describe(provider: EmbeddingProvider, name: str) -> ModelDescription:
    """Return what is known of a model. One that is not listed has the provider's usual limits and no known width."""
    bare = name.removeprefix("models/") if provider == "gemini" else name
    known = _KNOWN.get(provider)
    if known is None:
        return _local(bare)
    found = next((one for one in known if one.name == bare), None)
    return found or known[0]._replace(
        name=bare, dimensions=None, widths=None, longest_text=None, prefixes=_unlisted_prefixes(provider, bare)
    )


def _unlisted_prefixes(provider: EmbeddingProvider, name: str) -> Prefixes:
    """Later models of Gemini take prefixes as `gemini-embedding-2` does; only -001 has task types."""
    return TASK_AND_TITLE if provider == "gemini" and name.startswith("gemini-embedding-2") else NO_PREFIXES


def _local(name: str) -> ModelDescription:
    plain = name.lower().replace("_", "-")
    return ModelDescription(
        name=name,
        widths=None,
        longest_text=next((longest for pattern, longest in _LOCAL if re.search(pattern, plain)), None),
        most_texts=_MOST_LOCAL_TEXTS,
        prefixes=prefixes_of(name),
    )

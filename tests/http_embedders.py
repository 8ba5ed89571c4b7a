"""The embedder of each provider, connected to a stand-in for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memoro.model.vocabulary import EmbeddingProvider, Role
from memoro.providers.gemini import GEMINI, gemini_embedder
from memoro.providers.http_client import Endpoint, client_for, endpoint
from memoro.providers.http_embedder import HttpEmbedder, learn_width
from memoro.providers.models import describe
from memoro.providers.openai import OPENAI, compatible_embedder, openai_embedder
from memoro.providers.voyage import VOYAGE, voyage_embedder
from tests.standin import FINE, Faults, Flavour, Limits, Options, Standin, standin

SECRET = "sk-proj-9f8e7d6c5b4a39281706"
MAKERS = {
    "openai": openai_embedder,
    "compatible": compatible_embedder,
    "voyage": voyage_embedder,
    "gemini": gemini_embedder,
}
WIRES = {"openai": OPENAI, "compatible": OPENAI, "voyage": VOYAGE, "gemini": GEMINI}
ROOMY = Options(limits=Limits(most_texts=1000, most_tokens=1_000_000, longest_text=10_000), dimensions=96)


class Remote(NamedTuple):
    """A model at a provider, and the server that stands in for it."""

    flavour: Flavour
    provider: EmbeddingProvider
    model: str
    dimensions: int | None = None


REMOTE: dict[str, Remote] = {
    "openai": Remote("openai", "openai", "text-embedding-3-small"),
    "openai 256": Remote(flavour="openai", provider="openai", model="text-embedding-3-large", dimensions=256),
    "ollama": Remote("ollama", "compatible", "nomic-like"),
    "ollama 64": Remote(flavour="ollama", provider="compatible", model="nomic-like", dimensions=64),
    "lmstudio": Remote("lmstudio", "compatible", "some-model"),
    "llamacpp": Remote("llamacpp", "compatible", "some-model"),
    "vllm": Remote(flavour="vllm", provider="compatible", model="BAAI/some-model", dimensions=96),
    "tei": Remote("tei", "compatible", "some-model"),
    "voyage": Remote("voyage", "voyage", "voyage-3.5"),
    "voyage 512": Remote(flavour="voyage", provider="voyage", model="voyage-3.5-lite", dimensions=512),
    "gemini 2": Remote("gemini", "gemini", "gemini-embedding-2"),
    "gemini 001": Remote("gemini", "gemini", "gemini-embedding-001"),
}


class Unlimited:
    """A meter that admits everything and counts nothing."""

    def admit(self, tokens: int) -> None: ...

    def count(self, role: Role, texts: int, tokens: int) -> None: ...


def endpoint_of(server: Standin, seconds: float = 10.0) -> Endpoint:
    header = endpoint(server.url, SECRET, "x-goog-api-key" if server.flavour == "gemini" else "authorization")
    return header._replace(seconds=seconds)


@contextmanager
def remote_embedder(
    remote: Remote, faults: Faults = FINE, options: Options = ROOMY, seconds: float = 10.0
) -> Iterator[tuple[Standin, HttpEmbedder]]:
    """Start a stand-in and connect the embedder to it. The width of an unknown model is asked for first."""
    with standin(remote.flavour, options=options) as server:
        where = endpoint_of(server, seconds)
        model = describe(remote.provider, remote.model)
        if model.dimensions is None and remote.dimensions is None:
            model = model._replace(dimensions=learn_width(client_for(where), WIRES[remote.provider], model))
        server.set_faults(faults)
        try:
            yield server, MAKERS[remote.provider](where, model, remote.dimensions, Unlimited())
        finally:
            client_for(where).close()

"""Which server the stand-in is, and what that server takes and refuses."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Flavour = Literal["openai", "ollama", "lmstudio", "llamacpp", "vllm", "tei", "voyage", "gemini"]
FLAVOURS: tuple[Flavour, ...] = get_args(Flavour)


class Limits(NamedTuple):
    """What one request may hold."""

    most_texts: int
    most_tokens: int
    longest_text: int  # in tokens


class Options(NamedTuple):
    """How the stand-in differs from a server of its flavour as it is installed."""

    dimensions: int = 256  # of a model whose width is not known by its name
    models: tuple[str, ...] = ()  # the only ones it has; empty: it has every model
    key: str | None = None  # the only one it takes; None: any
    is_constant: bool = False  # it has the same two numbers for every text
    load_seconds: float = 0.0  # LM Studio: the first request of a model takes longer; llama.cpp: 503 after the start
    poison: tuple[str, ...] = ()  # texts with one of these cannot be embedded
    limits: Limits | None = None  # None: those of the flavour
    log: str | None = None  # the file in which requests, deliveries and payments are noted as lines of JSON
    has_batches: bool = True  # OpenAI and Gemini: files and batch jobs


AS_INSTALLED = Options()

LIMITS: dict[Flavour, Limits] = {
    "openai": Limits(2048, 300_000, 8192),
    "ollama": Limits(1_000_000, 1_000_000_000, 512),
    "lmstudio": Limits(1_000_000, 1_000_000_000, 512),
    "llamacpp": Limits(1_000_000, 1_000_000_000, 512),
    "vllm": Limits(1_000_000, 1_000_000_000, 8192),
    "tei": Limits(32, 1_000_000_000, 512),
    "voyage": Limits(1000, 320_000, 32_000),
    "gemini": Limits(100, 1_000_000_000, 8192),
}
CUTTING: frozenset[Flavour] = frozenset({"ollama", "lmstudio"})  # they cut long texts and say nothing
NEEDING_KEYS: frozenset[Flavour] = frozenset({"openai", "voyage", "gemini"})
WITHOUT_BASE64: frozenset[Flavour] = frozenset({"lmstudio"})
TAKING_DIMENSIONS: frozenset[Flavour] = frozenset({"openai", "ollama"})  # the others but vLLM ignore the wish
MODELS: dict[Flavour, tuple[str, ...]] = {
    "openai": ("text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"),
    "voyage": ("voyage-3.5", "voyage-3.5-lite"),
    "gemini": ("gemini-embedding-001", "gemini-embedding-2"),
}

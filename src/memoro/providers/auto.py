"""Which provider `embedding.provider = "auto"` stands for: what is on this machine first, then who has a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.vocabulary import EmbeddingProvider

if TYPE_CHECKING:
    from memoro.providers.local_models import LocalProvider
    from memoro.providers.registry import EmbedderSettings

# In this order, with what the names of their models begin with.
_REMOTE: dict[EmbeddingProvider, str] = {
    "openai": "text-embedding-",
    "gemini": "gemini-embedding-",
    "voyage": "voyage-",
}


class Choice(NamedTuple):
    """The provider that `auto` chose, and why, as half a sentence."""

    provider: EmbeddingProvider
    why: str


def choose_here(settings: EmbedderSettings, environment: Mapping[str, str], home: str) -> Choice:
    """Return the provider to use, by the keys in the environment and the models in the home."""
    from memoro.providers.keys import default_key
    from memoro.providers.local_models import local_provider

    return choose(
        settings,
        lambda provider: default_key(provider, environment) is not None,
        local_provider(settings.model, home),
    )


def choose(
    settings: EmbedderSettings,
    has_key: Callable[[EmbeddingProvider], bool],
    local_model: LocalProvider | None,
) -> Choice:
    """Return the provider to use.

    `local_model` is the library that has the model which `embedding.model` names on this machine, if one has. A key
    decides only where the settings name neither a server nor a model that is here.
    """
    if settings.url:
        return Choice("compatible", f"embedding.url names the server {settings.url}")
    if local_model:
        return Choice(local_model, f"the model {settings.model} is on this machine")
    with_key = [provider for provider in _REMOTE if has_key(provider)]
    for provider in with_key:
        if settings.model is None or settings.model.startswith(_REMOTE[provider]):
            return Choice(provider, f"there is a key for {provider}")
    if settings.model is None:
        return Choice("builtin", "no local model is set and there is no key of a provider")
    owners = f", and it is none of {' or '.join(with_key)}" if with_key else ", and there is no key of a provider"
    return Choice("builtin", f"the model {settings.model} is not on this machine{owners}")

"""Making the embedder that the settings name, with everything between it and the index."""

from __future__ import annotations

from memoro.errors import ProviderRejected
from memoro.providers.ports import Embedder
from memoro.providers.registry import EmbedderSettings, ProviderContext


def make(settings: EmbedderSettings, context: ProviderContext) -> Embedder | None:  # noqa: ARG001
    """Return the embedder; None where `auto` finds no other than the built-in model."""
    raise ProviderRejected(f"There is no provider {settings.provider} yet.")

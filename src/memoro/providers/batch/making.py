"""Making the batch jobs of an embedder, from its own connection and its own form of a request."""

from __future__ import annotations

from memoro.providers.batch.gemini_batch import GeminiBatches
from memoro.providers.batch.openai_batch import OpenAIBatches
from memoro.providers.batch.ports import Batches, BatchProvider
from memoro.providers.gemini import VERSION
from memoro.providers.http_embedder import HttpEmbedder
from memoro.providers.metering import Meter, MeteredModel
from memoro.providers.registry import EmbedderSettings, ProviderContext


def batches_of(client: HttpEmbedder, settings: EmbedderSettings, context: ProviderContext) -> Batches:
    """Return the batch jobs of a client of OpenAI or Gemini."""
    space = client.space
    metered = MeteredModel(
        provider=space.provider,
        model=space.model,
        prices=client.info.prices,
        daily_cap=settings.daily_cap,
        space=str(space),
    )
    return Batches(_provider(client), Meter(context, metered))


def _provider(client: HttpEmbedder) -> BatchProvider:
    if client.space.provider == "gemini":
        return GeminiBatches(client.client, VERSION, client.space, client.request_for)
    return OpenAIBatches(client.client, client.space, client.request_for)

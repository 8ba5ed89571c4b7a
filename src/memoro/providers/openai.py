"""Embeddings in OpenAI's wire format: of OpenAI itself, and of Ollama, LM Studio, llama.cpp, vLLM and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.providers.http_bodies import Json
from memoro.providers.http_client import Endpoint, client_for
from memoro.providers.http_embedder import HttpEmbedder, Question, WireFormat, known_width, space_of
from memoro.providers.models import ModelDescription
from memoro.providers.ports import CallMeter
from memoro.providers.response_rows import RawVector

if TYPE_CHECKING:
    from memoro.model.vocabulary import EmbeddingProvider


def openai_embedder(
    endpoint: Endpoint, model: ModelDescription, dimensions: int | None, meter: CallMeter
) -> HttpEmbedder:
    """Return an embedder of OpenAI. `dimensions` is the width that the owner wants."""
    return _embedder("openai", endpoint, model, dimensions, meter)


def compatible_embedder(
    endpoint: Endpoint, model: ModelDescription, dimensions: int | None, meter: CallMeter
) -> HttpEmbedder:
    """Return an embedder of a server that speaks as OpenAI does."""
    return _embedder("compatible", endpoint, model, dimensions, meter)


def _embedder(
    provider: EmbeddingProvider,
    endpoint: Endpoint,
    model: ModelDescription,
    dimensions: int | None,
    meter: CallMeter,
) -> HttpEmbedder:
    space = space_of(provider, endpoint, model, known_width(model, dimensions))
    return HttpEmbedder(client_for(endpoint), OPENAI, model, space, meter)


def _body(question: Question) -> Json:
    """Without `encoding_format` some servers answer in base64, of which others read a quarter of the numbers."""
    width = {} if question.dimensions is None else {"dimensions": question.dimensions}
    return {"model": question.model, "input": list(question.texts), "encoding_format": "float", **width}


def _single(question: Question) -> Json:
    return {**_body(question), "input": question.texts[0]}


def listed_vectors(document: Json) -> list[RawVector]:
    """Return the vectors of a response in OpenAI's shape."""
    data = document.get("data")
    items = data if isinstance(data, list) else []
    return [RawVector(one.get("index"), one.get("embedding")) for one in items if isinstance(one, dict)]


def counted_tokens(document: Json) -> int | None:
    usage = document.get("usage")
    counts = [usage.get(name) for name in ("total_tokens", "prompt_tokens")] if isinstance(usage, dict) else []
    return next((count for count in counts if isinstance(count, int) and count > 0), None)


def embeddings_path(_model: str) -> str:
    return "/embeddings"


OPENAI = WireFormat(path=embeddings_path, body=_body, vectors=listed_vectors, tokens=counted_tokens, single=_single)

"""Embeddings of Voyage: OpenAI's shape, with roles, other names for the width, and no `encoding_format`."""

from __future__ import annotations

from memoro.providers.http_bodies import Json
from memoro.providers.http_client import Endpoint, client_for
from memoro.providers.http_embedder import HttpEmbedder, Question, WireFormat, known_width, space_of
from memoro.providers.models import ModelDescription
from memoro.providers.openai import counted_tokens, embeddings_path, listed_vectors
from memoro.providers.ports import CallMeter


def voyage_embedder(
    endpoint: Endpoint, model: ModelDescription, dimensions: int | None, meter: CallMeter
) -> HttpEmbedder:
    """Return an embedder of Voyage. `dimensions` is the width that the owner wants."""
    space = space_of("voyage", endpoint, model, known_width(model, dimensions))
    return HttpEmbedder(client_for(endpoint), VOYAGE, model, space, meter)


def _body(question: Question) -> Json:
    """Its own default is to cut long texts and to say nothing; `"float"` as a format is refused."""
    width = {} if question.dimensions is None else {"output_dimension": question.dimensions}
    return {
        "model": question.model,
        "input": list(question.texts),
        "input_type": question.role,
        "truncation": False,
        **width,
    }


VOYAGE = WireFormat(path=embeddings_path, body=_body, vectors=listed_vectors, tokens=counted_tokens, single=_body)

"""Embeddings of Gemini. One content a text: several texts in one content would come back as one vector."""

from __future__ import annotations

from memoro.providers.http_bodies import Json
from memoro.providers.http_client import Endpoint, client_for
from memoro.providers.http_embedder import HttpEmbedder, Question, WireFormat, known_width, space_of
from memoro.providers.models import ModelDescription
from memoro.providers.ports import CallMeter
from memoro.providers.response_rows import RawVector

VERSION = "/v1beta"
# Models that are told the role by a task type. Later ones ignore it, and read prefixes (`models.py`).
_WITH_TASK_TYPES = ("gemini-embedding-001", "text-embedding-004", "embedding-001")
_TASK_TYPES = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}


def gemini_embedder(
    endpoint: Endpoint, model: ModelDescription, dimensions: int | None, meter: CallMeter
) -> HttpEmbedder:
    """Return an embedder of Gemini. `dimensions` is the width that the owner wants."""
    space = space_of("gemini", endpoint, model, known_width(model, dimensions))
    return HttpEmbedder(client_for(endpoint), GEMINI, model, space, meter)


def _path(model: str) -> str:
    return f"{VERSION}/models/{model}:batchEmbedContents"


def _body(question: Question) -> Json:
    return {"requests": [_request(question, text) for text in question.texts]}


def _request(question: Question, text: str) -> Json:
    task = {"taskType": _TASK_TYPES[question.role]} if question.model in _WITH_TASK_TYPES else {}
    width = {} if question.dimensions is None else {"outputDimensionality": question.dimensions}
    return {"model": f"models/{question.model}", "content": {"parts": [{"text": text}]}, **task, **width}


def _single(question: Question) -> Json:
    return _request(question, question.texts[0])


def _vectors(document: Json) -> list[RawVector]:
    embeddings = document.get("embeddings")
    items = embeddings if isinstance(embeddings, list) else []
    return [RawVector(None, one.get("values") if isinstance(one, dict) else None) for one in items]


def _tokens(document: Json) -> int | None:
    usage = document.get("usageMetadata")
    count = usage.get("promptTokenCount", usage.get("totalTokenCount")) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and count > 0 else None


GEMINI = WireFormat(path=_path, body=_body, vectors=_vectors, tokens=_tokens, single=_single)

"""Which call of which server a request is."""

from __future__ import annotations

import json
from typing import Any

from tests.standin import embeddings, refusals
from tests.standin.embeddings import Models, Spoiling
from tests.standin.messages import Answer, Refused, Request
from tests.standin.options import MODELS, Flavour
from tests.standin.vectors import count_tokens

_UNNAMED_MODELS = ("loopback-embed",)


class Routes:
    """Answers requests for one server."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._flavour = models.flavour

    def answer(self, request: Request, spoiling: Spoiling) -> Answer:
        """Return the answer to a request. Raises `Refused`."""
        flavour = self._flavour
        match request.method, request.path:
            case "POST", "/v1/embeddings":
                asked = embeddings.read_openai(flavour, _json(flavour, request))
                return embeddings.openai_answer(flavour, asked, self._models.rows(asked, spoiling))
            case "GET", "/v1/models":
                return self._list_models()
            case _:
                found = self._own_call(request, spoiling)
        if found is None:
            raise Refused(refusals.error(flavour, 404, f"Invalid URL ({request.method} {request.path})"))
        return found

    def _own_call(self, request: Request, spoiling: Spoiling) -> Answer | None:
        """The calls that only one of the compatible servers has."""
        match self._flavour, request.method, request.path:
            case "ollama", "POST", "/api/embed":
                return self._ollama(request, spoiling)
            case "ollama", "GET", "/api/version":
                return Answer(200, {"version": "0.12.3"})
            case "ollama", "GET", "/api/tags":
                models = [
                    {"name": name, "model": name, "size": 274_302_450, "digest": "0a109f422b47", "details": {}}
                    for name in self._names()
                ]
                return Answer(200, {"models": models})
            case "ollama", "POST", "/api/show":
                model = self._models.model(str(request.json.get("model")))
                return Answer(200, {"model_info": {"hash.embedding_length": model.width}, "details": {}})
            case (("llamacpp" | "vllm" | "tei"), "GET", "/health"):
                return Answer(200, {"status": "ok"} if self._flavour == "llamacpp" else b"")
            case "llamacpp", "POST", ("/embedding" | "/embeddings"):
                body = request.json
                asked = embeddings.Embedding("loopback", embeddings.texts_of(body.get("input", body.get("content"))))
                return embeddings.unpooled_answer(asked, self._models.rows(asked, spoiling))
            case (("llamacpp" | "vllm"), "POST", "/tokenize"):
                body = request.json
                text = body.get("content", body.get("prompt", ""))
                return Answer(200, {"tokens": list(range(count_tokens(text))), "count": count_tokens(text)})
            case "tei", "POST", "/embed":
                asked = embeddings.read_tei(request.json)
                return embeddings.bare_answer(asked, self._models.rows(asked, _in_order(spoiling)))
            case _:
                return None

    def _ollama(self, request: Request, spoiling: Spoiling) -> Answer:
        """Ollama's own call has its own errors."""
        asked = embeddings.read_ollama(request.json)
        try:
            return embeddings.ollama_answer(asked, self._models.rows(asked, _in_order(spoiling)))
        except Refused as refused:
            document: Any = refused.answer.document
            raise Refused(Answer(refused.answer.status, {"error": document["error"]["message"]})) from refused

    def _names(self) -> tuple[str, ...]:
        return self._models.options.models or MODELS.get(self._flavour, _UNNAMED_MODELS)

    def _list_models(self) -> Answer:
        data = [{"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "standin"}
                for name in self._names()]  # fmt: skip
        return Answer(200, {"object": "list", "data": data})


def texts_in(request: Request) -> tuple[str, ...]:
    """Return the texts that a request wants vectors of; none where it cannot be read."""
    if request.method != "POST" or "embed" not in request.path.lower():
        return ()
    try:
        body = json.loads(request.body)
    except ValueError:
        return ()
    if not isinstance(body, dict):
        return ()
    return embeddings.texts_of(body.get("input", body.get("inputs")))


def _json(flavour: Flavour, request: Request) -> Any:
    try:
        return request.json
    except ValueError as error:
        raise Refused(refusals.error(flavour, 400, "We could not parse the JSON body of your request.")) from error


def _in_order(spoiling: Spoiling) -> Spoiling:
    """An answer without indexes is never reordered: nobody could tell."""
    return spoiling._replace(fault=None) if spoiling.fault == "reordered" else spoiling

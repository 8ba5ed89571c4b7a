"""Which call of which server a request is."""

from __future__ import annotations

import json
from typing import Any

from tests.standin import embeddings, refusals
from tests.standin.embeddings import Models, Spoiling
from tests.standin.gemini import Gemini
from tests.standin.jobs import Jobs
from tests.standin.messages import Answer, Refused, Request
from tests.standin.openai_batches import OpenAIBatches
from tests.standin.options import MODELS
from tests.standin.records import Records
from tests.standin.vectors import count_tokens

_UNNAMED_MODELS = ("loopback-embed",)


class Routes:
    """Answers requests for one server."""

    def __init__(self, models: Models, records: Records) -> None:
        self._models = models
        self._flavour = models.flavour
        self.jobs = Jobs("batches/" if self._flavour == "gemini" else "batch_", models, records)
        self._batches = OpenAIBatches(self.jobs)
        self._gemini = Gemini(models, self.jobs)

    def texts(self, request: Request) -> tuple[str, ...]:
        """Return the texts that a request wants vectors of; none where it cannot be read."""
        if self._flavour == "gemini":
            return self._gemini.texts(request)
        if request.method != "POST" or "embed" not in request.path.lower():
            return self._batches.texts(request)
        try:
            body = json.loads(request.body)
        except ValueError:
            return ()
        return embeddings.texts_of(body.get("input", body.get("inputs"))) if isinstance(body, dict) else ()

    def answer(self, request: Request, spoiling: Spoiling) -> Answer:
        """Return the answer to a request. Raises `Refused`."""
        flavour = self._flavour
        found: Answer | None = None
        match request.method, request.path:
            case _ if flavour == "gemini":
                found = self._gemini.answer(request, spoiling)
            case "POST", "/v1/embeddings":
                asked = embeddings.read_openai(flavour, request.json)
                return embeddings.openai_answer(flavour, asked, self._models.rows(asked, spoiling))
            case "GET", "/v1/models":
                return self._list_models()
            case _ if flavour == "openai" and self._models.options.has_batches:
                found = self._batches.answer(request)
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


def _in_order(spoiling: Spoiling) -> Spoiling:
    """An answer without indexes is never reordered: nobody could tell."""
    return spoiling._replace(fault=None) if spoiling.fault == "reordered" else spoiling

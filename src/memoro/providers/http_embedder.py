"""An embedder behind HTTP: all that providers have in common. Each provider adds its wire format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.errors import ProviderRejected, ProviderUnavailable
from memoro.model.vocabulary import Role
from memoro.providers.addresses import fingerprint, read_address
from memoro.providers.http_bodies import Json
from memoro.providers.http_client import Endpoint, HttpClient
from memoro.providers.http_failures import read_details
from memoro.providers.models import OWN_URLS, ModelDescription
from memoro.providers.ports import CallMeter, EmbedderInfo, Space
from memoro.providers.prices import prices_of
from memoro.providers.records import ServerFacts, server_name
from memoro.providers.response_rows import Expected, RawVector, rows_of
from memoro.providers.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memoro.model.vocabulary import EmbeddingProvider
    from memoro.providers.ports import Vectors

_QUERY_SECONDS = 15.0  # the search has given up long before, but a model that is being loaded may still answer
_WIDTH_SECONDS = 60.0  # a sync waits for it before it has read a note; a model may have to be loaded first
_ABOUT_WIDTH = re.compile(r"dimension|matryoshka", re.IGNORECASE)

# Told what a server has taught us about its model.
Learn = Callable[[ServerFacts], None]


def learn_nothing(facts: ServerFacts) -> None:
    """For callers that keep nothing."""


class Question(NamedTuple):
    """Texts to embed, with their prefixes, as a wire format needs them."""

    model: str
    texts: Sequence[str]
    role: Role
    dimensions: int | None = None  # the width to ask for; None: the model's own


class WireFormat(NamedTuple):
    """How one provider puts a request and its response into JSON."""

    path: Callable[[str], str]  # by the model
    body: Callable[[Question], Json]
    vectors: Callable[[Json], list[RawVector]]
    tokens: Callable[[Json], int | None]  # that the provider counted
    single: Callable[[Question], Json]  # the request for one text, as a batch job has it


class HttpEmbedder:
    """Embeds texts by one request each call. It neither retries nor splits: wrappers do."""

    def __init__(
        self,
        client: HttpClient,
        wire: WireFormat,
        model: ModelDescription,
        space: Space,
        meter: CallMeter,
    ) -> None:
        self.client = client
        self.space = space
        self.info: EmbedderInfo = _info(client.endpoint, model, space)
        self.learn: Learn = learn_nothing
        self._wire, self._model, self._meter = wire, model, meter
        self.asks_width = space.dimensions != model.dimensions  # cleared where the server refuses the wish
        self.is_width_learnt = False  # the server told the width: neither the settings nor the model's name do

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if not texts:
            return numpy.zeros((0, self.space.dimensions), numpy.float32)
        question = self._question(texts, role)
        estimate = sum(estimated_tokens(text) for text in question.texts)
        self._meter.admit(estimate)
        document = self._ask(question)
        vectors = self._wire.vectors(document)
        if not vectors and "error" in document:  # LM Studio and some proxies say so with status 200
            raise ProviderUnavailable(_error_in(document, self.client.endpoint))
        self._meter.count(role, len(texts), self._wire.tokens(document) or estimate)
        expected = Expected(
            texts=len(texts),
            dimensions=self.space.dimensions,
            host=self.client.endpoint.address.shown_host,
            is_asked_for=self.space.dimensions != self._model.dimensions,
            learnt_for=str(self.space) if self.is_width_learnt else None,
        )
        return rows_of(vectors, expected)

    def prepare(self) -> None:
        self.client.prepare()

    def request_for(self, text: str) -> Json:
        """Return the request for the vector of one document, as a batch job has it."""
        return self._wire.single(self._question([text], "document"))

    def _question(self, texts: Sequence[str], role: Role) -> Question:
        prefix = self._model.prefixes.before(role)
        width = self.space.dimensions if self.asks_width else None
        return Question(model=self._model.name, texts=[prefix + text for text in texts], role=role, dimensions=width)

    def _ask(self, question: Question) -> Json:
        try:
            return self._send(question)
        except ProviderRejected as error:
            # vLLM refuses a wish for a width where the model has only one, even for that one.
            if question.dimensions is None or not _ABOUT_WIDTH.search(str(error)):
                raise
        document = self._send(question._replace(dimensions=None))
        self.asks_width = False
        self.learn(ServerFacts(takes_dimensions=False))
        return document

    def _send(self, question: Question) -> Json:
        seconds = min(_QUERY_SECONDS, self.info.request_seconds) if question.role == "query" else None
        return self.client.ask(self._wire.path(question.model), self._wire.body(question), question.model, seconds)


def learn_width(client: HttpClient, wire: WireFormat, model: ModelDescription) -> int:
    """Return the width of a model's vectors, by asking its server for that of one short text."""
    question = Question(model=model.name, texts=[model.prefixes.document + "width"], role="document")
    found = wire.vectors(client.ask(wire.path(model.name), wire.body(question), model.name, _WIDTH_SECONDS))
    host = client.endpoint.address.shown_host
    values = found[0].values if len(found) == 1 else None
    width = len(values) if isinstance(values, list) else 0
    if not width:
        raise ProviderRejected(f"{host} did not answer with one vector of numbers for one text.")
    rows_of(found, Expected(texts=1, dimensions=width, host=host))
    return width


def space_of(provider: EmbeddingProvider, endpoint: Endpoint, model: ModelDescription, dimensions: int) -> Space:
    """Return the space of a model. Two servers may mean two models by one name, so a server's URL is part of it."""
    own = OWN_URLS.get(provider)
    is_own = own is not None and read_address(own) == endpoint.address
    server = "" if is_own else f"-{fingerprint(endpoint.address)}"
    return Space(
        provider=provider, model=model.name, dimensions=dimensions, preparation=f"{model.prefixes.name}{server}"
    )


def known_width(model: ModelDescription, wanted: int | None) -> int:
    """Return the width that vectors will have. Raises `ProviderRejected` where nobody knows it yet."""
    width = model.width(wanted)
    if width is None:
        raise ProviderRejected(
            f"The width of {model.name}'s vectors is not known yet. Run `memoro provider test`, "
            "or set `embedding.dimensions`."
        )
    return width


def _error_in(document: Json, endpoint: Endpoint) -> str:
    said = read_details(json.dumps(document).encode(), endpoint.key).sentence
    return f'{endpoint.address.shown_host} answered with an error instead of vectors. It says: "{said}"'


def _info(endpoint: Endpoint, model: ModelDescription, space: Space) -> EmbedderInfo:
    is_home = endpoint.address.is_this_machine
    return EmbedderInfo(
        host=endpoint.address.shown_host,
        server=server_name(str(endpoint.address), model.name),
        is_home=is_home,
        prices=model.prices or prices_of(space.provider, model.name, is_home=is_home),
        most_texts=model.most_texts,
        most_tokens=model.most_tokens,
        longest_text=model.longest_text,
        request_seconds=endpoint.seconds,
    )

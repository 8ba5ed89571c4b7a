"""One request to a language model behind HTTP: admitted, sent as the server wants it, and counted."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.errors import (
    AddressRefused,
    AnswerUnusable,
    KeyRefused,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from memoro.providers.circuit_breaker import CLOSED, SharedStates, after_failure, is_failure, is_resting, left_alone
from memoro.providers.http_failures import read_details
from memoro.providers.language.chat import ChatFormat, ChatReply, ChatRequest, Manner
from memoro.providers.language.metering import LanguageMeter
from memoro.providers.records import Purpose, ServerFacts
from memoro.providers.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memoro.providers.http_bodies import Json
    from memoro.providers.http_client import HttpClient
    from memoro.providers.records import ProviderRecords

_Result = TypeVar("_Result")

# A refusal that names one of these is about the form of the request, and another form may pass.
_ABOUT_TEMPERATURE = re.compile(r"temperature", re.IGNORECASE)
_ABOUT_TOKENS = re.compile(r"max_(?:completion_)?tokens", re.IGNORECASE)
_ABOUT_SCHEMA = re.compile(
    r"response.?format|json.?schema|json.?object|json.?mode|structured.?output|output.?config|schema|grammar"
    r"|tool|function.?call|guided|responseMimeType|response.?mime|unknown (?:name|field)|extra inputs"
    r"|unrecognized|unexpected (?:keyword|field|property)|not permitted",
    re.IGNORECASE,
)
_WRONG_KEY_OR_PLACE = (KeyRefused, QuotaExhausted, AddressRefused)


class TimedRequest(NamedTuple):
    """A request with its purpose and the time that it may take."""

    request: ChatRequest
    purpose: Purpose
    seconds: float


class ChatServer:
    """Asks one model of one server, once each call, and learns how the server wants to be asked."""

    def __init__(self, client: HttpClient, wire: ChatFormat, meter: LanguageMeter, manner: Manner) -> None:
        self.client, self.manner = client, manner
        self.learn: Callable[[ServerFacts], None] = _learn_nothing
        self.tells_schema = False  # in words too: a server may take a schema and pass it over without a word
        self._wire, self._meter = wire, meter

    def price(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return what so many tokens cost, in US dollars; None where the price is not known."""
        return self._meter.dollars(tokens_in, tokens_out)

    def ask(self, timed: TimedRequest) -> ChatReply:
        """Send a request and return the reply. Raises a `ProviderError` where the server did not give one.

        A server that refuses the form of a request is asked in another one, which is remembered if it passes.
        """
        manner = self.manner
        while True:
            try:
                reply = self._send(timed, manner)
            except ProviderRejected as error:
                other = self._other_manner(manner, error)
                if other is None:
                    raise
                manner = other
                continue
            if manner != self.manner:
                self.manner = manner
                self.learn(facts_of(manner))
            return reply

    def _send(self, timed: TimedRequest, manner: Manner) -> ChatReply:
        request = with_manner(timed.request, manner, tells_schema=self.tells_schema)
        body = self._wire.body(request)
        estimate = estimated_tokens(json.dumps(body, ensure_ascii=False))
        self._meter.admit(estimate, request.most_tokens)
        document = self.client.ask(self._wire.path(request.model), body, request.model, timed.seconds)
        reply = self._wire.reply(document)
        if "error" in document and not reply.text and reply.value is None:  # some proxies say so with status 200
            raise ProviderUnavailable(self._error_in(document))
        counted = _counted(reply, estimate, request.most_tokens)
        self._meter.count(timed.purpose, counted.tokens_in or 0, counted.tokens_out or 0)
        return counted

    def _other_manner(self, manner: Manner, error: ProviderRejected) -> Manner | None:
        """Return how else a request may be put after a refusal; None where its form was not the reason."""
        if isinstance(error, _WRONG_KEY_OR_PLACE):
            return None
        said = str(error).partition("It says: ")[2]
        return next(self._others(manner, said), None)

    def _others(self, manner: Manner, said: str) -> Iterator[Manner]:
        if _ABOUT_TEMPERATURE.search(said) and manner.temperature:
            yield manner._replace(temperature=False)
        if _ABOUT_TOKENS.search(said) and manner.tokens_field == self.manner.tokens_field:
            is_short = manner.tokens_field == "max_tokens"
            yield manner._replace(tokens_field="max_completion_tokens" if is_short else "max_tokens")
        later = self._wire.ways[self._wire.ways.index(manner.way) + 1 :]
        if later and (_ABOUT_SCHEMA.search(said) or not said):
            yield manner._replace(way=later[0])

    def _error_in(self, document: Json) -> str:
        at = self.client.endpoint
        said = read_details(json.dumps(document).encode(), at.key).sentence
        return f'{at.address.shown_host} answered with an error instead of an answer. It says: "{said}"'


def with_manner(request: ChatRequest, manner: Manner, *, tells_schema: bool = False) -> ChatRequest:
    """Return a request in a manner. A schema that the server does not enforce is told to the model in words."""
    if manner.way in ("schema", "tool") and not tells_schema:
        return request._replace(manner=manner)
    schema = json.dumps(request.schema, ensure_ascii=False)
    words = f"Answer with one JSON object by this schema, and with nothing else:\n{schema}"
    return request._replace(manner=manner, instructions=f"{request.instructions}\n\n{words}")


def facts_of(manner: Manner) -> ServerFacts:
    return ServerFacts(schema_way=manner.way, takes_temperature=manner.temperature, tokens_field=manner.tokens_field)


def manner_of(facts: ServerFacts, wire: ChatFormat, usual: Manner) -> Manner:
    """Return how a server wants to be asked, by what it has taught us; else as usual."""
    way = next((one for one in wire.ways if one == facts.schema_way), usual.way)
    is_short = facts.tokens_field == "max_tokens"
    field = (
        usual.tokens_field if facts.tokens_field is None else "max_tokens" if is_short else "max_completion_tokens"
    )
    return Manner(way=way, temperature=facts.takes_temperature is not False, tokens_field=field)


def _counted(reply: ChatReply, estimate: int, most_out: int) -> ChatReply:
    """Return a reply with the tokens that the server counted, or estimates where it says what cannot be."""
    written = estimated_tokens(reply.text) if reply.value is None else estimated_tokens(json.dumps(reply.value))
    return reply._replace(
        tokens_in=_plausible(reply.tokens_in, estimate, 10 * estimate + 10_000),
        tokens_out=_plausible(reply.tokens_out, written, 10 * most_out + 100_000),
    )


def _plausible(said: int | None, estimate: int, most: int) -> int:
    return said if said is not None and 0 < said <= most else estimate


def _learn_nothing(facts: ServerFacts) -> None:
    """For callers that keep nothing."""


class LanguageBreaker:
    """Leaves a server alone for a while after it failed. The processes of a home share its state."""

    def __init__(
        self, host: str, records: Callable[[], ProviderRecords], clock: Callable[[], float] = time.time
    ) -> None:
        self._host, self._clock = host, clock
        self._states = SharedStates(records, clock)

    def call(self, ask: Callable[[], _Result]) -> _Result:
        """Ask, unless the server rests: then raise `LeftAlone` at once."""
        name, now = f"{self._host} language", self._clock()
        state = self._states.read(name)
        if is_resting(state, now):
            raise left_alone(self._host, state, now)
        try:
            found = ask()
        except ProviderError as error:
            if is_failure(error, "language"):
                self._states.write(name, after_failure(self._states.read(name), error, "language", self._clock()))
            raise
        if state != CLOSED:
            self._states.write(name, CLOSED)
        return found


def unusable(model: str, host: str, why: str) -> AnswerUnusable:
    """Return the error for an answer that cannot be used; nothing was changed because of it."""
    return AnswerUnusable(f"The answer of {model} at {host} cannot be used: {why}")

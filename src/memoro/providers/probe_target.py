"""A model as a probe asks it: bare, without the wrappers that would repair what the probe wants to see."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from memoro.errors import ProviderError, ProviderUnavailable
from memoro.model.vocabulary import Role
from memoro.providers.http_bodies import Json
from memoro.providers.http_client import HttpClient
from memoro.providers.http_embedder import Question, WireFormat
from memoro.providers.models import ModelDescription
from memoro.providers.ports import CallMeter, Embedder, EmbedderInfo, info_of
from memoro.providers.response_rows import Expected, rows_of
from memoro.providers.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

_LONGEST_RETRY_AFTER = 10.0  # seconds that a probe waits before it asks again
_ATTEMPTS = 3

# What a server makes of a wish for base64. "numbers": it ignores the wish. "broken": of another width.
Base64Answer = Literal["whole", "numbers", "refused", "broken"]


class ProbeAnswer(NamedTuple):
    """The vectors of some texts, and what they took."""

    rows: Vectors
    tokens: int | None  # as the server counted; None: it does not say
    seconds: float


class ProbeTarget(Protocol):
    """One model at one place."""

    @property
    def model(self) -> str: ...

    @property
    def info(self) -> EmbedderInfo: ...

    @property
    def known_width(self) -> int | None:
        """Return how many numbers the vectors of this model have, by its name; None: only its server knows."""

    @property
    def tells_roles(self) -> bool:
        """Return whether a query is sent otherwise than a document."""

    def ask(self, texts: Sequence[str], role: Role, dimensions: int | None = None) -> ProbeAnswer:
        """Embed texts by one request, with a wish for a width or without. Raises a `ProviderError`."""

    def ask_base64(self, text: str, width: int) -> Base64Answer | None:
        """Ask for the vector of a text in base64; None where the format has no such wish."""

    @property
    def takes_widths(self) -> bool:
        """Return whether a wish for another width can be sent at all."""


class HttpTarget:
    """A model behind HTTP."""

    def __init__(
        self, client: HttpClient, wire: WireFormat, model: ModelDescription, info: EmbedderInfo, meter: CallMeter
    ) -> None:
        self._client, self._wire, self._described, self._meter = client, wire, model, meter
        self.info = info
        self.model, self.known_width = model.name, model.dimensions
        self.takes_widths = True
        self.sleep: Callable[[float], None] = time.sleep

    @property
    def tells_roles(self) -> bool:
        bodies = [self._wire.body(self._question(["text"], role, None)) for role in ("query", "document")]
        return bodies[0] != bodies[1]

    def ask(self, texts: Sequence[str], role: Role, dimensions: int | None = None) -> ProbeAnswer:
        question = self._question(texts, role, dimensions)
        estimate = sum(map(estimated_tokens, question.texts))
        self._client.prepare()  # so that the time of importing a library is not taken for the server's
        self._meter.admit(estimate)
        document, seconds = self._post(self._wire.body(question))
        found, tokens = self._wire.vectors(document), self._wire.tokens(document)
        self._meter.count(role, len(texts), tokens or estimate)
        widths = [len(one.values) for one in found if isinstance(one.values, list)]
        expected = Expected(texts=len(texts), dimensions=max(widths, default=0), host=self.info.host or "")
        return ProbeAnswer(rows_of(found, expected), tokens, seconds)

    def ask_base64(self, text: str, width: int) -> Base64Answer | None:
        body = self._wire.body(self._question([text], "document", None))
        if "encoding_format" not in body:
            return None
        try:
            document, _ = self._post({**body, "encoding_format": "base64"})
        except ProviderError:
            return "refused"
        self._meter.count("document", 1, self._wire.tokens(document) or estimated_tokens(text))
        values = [one.values for one in self._wire.vectors(document)]
        if len(values) == 1 and isinstance(values[0], list):
            return "numbers" if len(values[0]) == width else "broken"
        return "whole" if len(values) == 1 and _is_whole(values[0], width) else "broken"

    def _question(self, texts: Sequence[str], role: Role, dimensions: int | None) -> Question:
        prefix = self._described.prefixes.before(role)
        return Question(model=self.model, texts=[prefix + text for text in texts], role=role, dimensions=dimensions)

    def _post(self, body: Json) -> tuple[Json, float]:
        """Send a request, up to three times where the server only asks for patience."""
        path, left = self._wire.path(self.model), _ATTEMPTS
        while True:
            left, began = left - 1, time.perf_counter()
            try:
                return self._client.post(path, body, model=self.model), time.perf_counter() - began
            except ProviderUnavailable as error:
                wait = error.retry_after
                if not left or wait is None or wait > _LONGEST_RETRY_AFTER:
                    raise
                self.sleep(wait)


def _is_whole(values: object, width: int) -> bool:
    try:
        return len(base64.b64decode(str(values), validate=True)) == 4 * width
    except (binascii.Error, ValueError):
        return False


class InProcessTarget:
    """A model in this process."""

    takes_widths = False
    tells_roles = False

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model, self.known_width = embedder.space.model, embedder.space.dimensions
        self.info = info_of(embedder)

    def ask(self, texts: Sequence[str], role: Role, dimensions: int | None = None) -> ProbeAnswer:  # noqa: ARG002
        began = time.perf_counter()
        rows = self._embedder.embed(texts, role)
        return ProbeAnswer(rows, None, time.perf_counter() - began)

    def ask_base64(self, text: str, width: int) -> Base64Answer | None:  # noqa: ARG002
        return None

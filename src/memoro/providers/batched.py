"""An embedder that takes any number of texts, sends requests that the server takes, and isolates a bad text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.errors import (
    AddressRefused,
    KeyRefused,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
    RequestTooLarge,
    ServerFailed,
    TextRejected,
    WrongWidth,
)
from memoro.model.vocabulary import Role
from memoro.providers.cached import digest
from memoro.providers.pausing import go_on
from memoro.providers.ports import Embedder
from memoro.providers.records import ServerFacts
from memoro.providers.request_plan import NO_EVIDENCE, Evidence, Limits, RequestSize, concluded, limits_of, plan
from memoro.providers.token_estimate import estimated_tokens
from memoro.providers.wrapping import Wrapping, embed_anew, report_failure

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.providers.records import ProviderRecords

CONTROL_TEXT = "The sun rises in the east."  # a server that does not embed it embeds nothing at present
_OF_THE_WHOLE = (KeyRefused, QuotaExhausted, AddressRefused, WrongWidth)  # fewer texts would not help
_LONGEST_REASON = 300  # characters


class Batched(Wrapping):
    """Asks the inner embedder in several requests, one after the other, each within the limits of the server.

    A request that is refused, or that keeps breaking the server, is halved until it passes. A text that fails alone
    is recorded with the reason, and its row is zeros, if the server embeds another text at that time: else
    the server is to blame, and the error is raised. Limits that a server turns out to have are recorded.
    """

    def __init__(
        self,
        inner: Embedder,
        records: Callable[[], ProviderRecords],
        server: str,
        *,
        check: Callable[[], None] = go_on,
        reject: Callable[[str, str], None] | None = None,
    ) -> None:
        """`server`: by `server_name`. `check` is called before each request: what it raises ends the work.

        `reject` records a text, by its digest, that the provider cannot embed, and why; else `records` does.
        """
        super().__init__(inner)
        self._records, self._server, self._check = records, server, check
        self._reject = reject or (lambda key, why: records().reject(str(self.space), {key: why}))
        self._limits = limits_of(self.info, records().facts(server))

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "query" or not texts:
            return self._inner.embed(texts, role)
        return _Run(self, texts).rows()

    @property
    def limits(self) -> Limits:
        return self._limits

    @property
    def evidence(self) -> Evidence:
        """The evidence that requests of this process gave about the limits of the server."""
        return _evidence.get(self._server, NO_EVIDENCE)

    @evidence.setter
    def evidence(self, evidence: Evidence) -> None:
        _evidence[self._server] = evidence

    def ask(self, texts: Sequence[str]) -> Vectors:
        """Send one request for documents."""
        self._check()
        return self._inner.embed(texts, "document")

    def learn(self, limits: Limits) -> None:
        """Keep the limits that the server has turned out to have."""
        if limits == self._limits:
            return
        self._limits = limits
        facts = ServerFacts(
            most_texts=limits.texts if limits.texts < self.info.most_texts else None,
            most_tokens=limits.tokens if limits.tokens < self.info.most_tokens else None,
        )
        self._records().learn(self._server, facts)

    def reject(self, text: str, error: ProviderError) -> None:
        """Record that the provider cannot embed a text."""
        self._reject(digest(text), str(error)[:_LONGEST_REASON])

    def control(self, error: ProviderError) -> None:
        """Return if the server embeds a plain text now, so that another text is to blame; else raise its failure."""
        self._check()
        try:
            embed_anew(self._inner, [CONTROL_TEXT], "document")
        except ProviderUnavailable as failure:
            report_failure(self._inner, "document", failure)
            raise failure from error
        except ProviderRejected as failure:
            raise failure from error


# By server. A process that fills a space makes more than one `Batched`.
_evidence: dict[str, Evidence] = {}


class _Run:
    """Some texts on their way through the server. Texts are known by their places."""

    def __init__(self, batched: Batched, texts: Sequence[str]) -> None:
        self._batched, self._texts = batched, texts
        self._costs = [estimated_tokens(text) for text in texts]
        self._rows: Vectors = numpy.zeros((len(texts), batched.space.dimensions), numpy.float32)
        self._limits = batched.limits  # narrowed for the rest of these texts where a request was too large
        self._broken = 0  # requests in a row that broke the server
        self._has_bad_text = False

    def rows(self) -> Vectors:
        self._send_all(list(range(len(self._texts))))
        if self._has_bad_text:  # requests were refused for it, whatever their size
            self._batched.evidence = NO_EVIDENCE
        self._batched.learn(concluded(self._batched.limits, self._batched.evidence))
        return self._rows

    def _send_all(self, places: list[int]) -> None:
        """Send texts in as many requests as they need. The limits may change after every one of them."""
        while places:
            first = plan([self._costs[place] for place in places], self._limits)[0]
            self._send(places[: first.stop])
            places = places[first.stop :]

    def _send(self, places: list[int]) -> bool:
        """Send one request, or several where it does not pass. Return whether it passed as it was."""
        try:
            rows = self._batched.ask([self._texts[place] for place in places])
        except PartialResponse as error:
            self._take(places, error)
            return False
        except _OF_THE_WHOLE:
            raise
        except (ProviderRejected, ServerFailed) as error:
            self._divide(places, error)
            return False
        self._broken = 0
        self._batched.evidence = self._batched.evidence.after_pass(self._size(places))
        self._rows[places] = rows
        return True

    def _size(self, places: Sequence[int]) -> RequestSize:
        return RequestSize(len(places), sum(self._costs[place] for place in places))

    def _take(self, places: list[int], partial: PartialResponse) -> None:
        """Take the rows that came back, and send the other texts again."""
        found = {places[at]: row for at, row in partial.rows.items()}
        for place, row in found.items():
            self._rows[place] = numpy.asarray(row, numpy.float32)
        rest = [place for place in places if place not in found]
        if len(rest) == len(places):
            self._divide(places, partial)
        elif rest:
            self._send(rest)

    def _divide(self, places: list[int], error: ProviderError) -> None:
        """Send a request that did not pass in two halves, or isolate its only text."""
        if len(places) == 1:
            self._isolate(places[0], error)
            return
        if isinstance(error, ProviderUnavailable):
            self._broken += 1
            if self._broken == 2:  # it broke on a half too: is there a text that it does not break on?
                self._batched.control(error)
        elif isinstance(error, RequestTooLarge) and error.most_texts and error.most_texts < len(places):
            self._batched.learn(self._batched.limits._replace(texts=error.most_texts))
            self._limits = self._limits._replace(texts=error.most_texts)
            self._send_all(places)
            return
        else:
            self._batched.evidence = self._batched.evidence.after_refusal(self._size(places))
        half = (len(places) + 1) // 2
        if self._send(places[:half]) and isinstance(error, RequestTooLarge):
            self._limits = Limits(min(self._limits.texts, half), self._limits.tokens)
        self._send_all(places[half:])

    def _isolate(self, place: int, error: ProviderError) -> None:
        """Record a text that failed alone, once the server has embedded another, and has failed on this one again."""
        text = self._texts[place]
        self._batched.control(error)
        self._broken, self._has_bad_text = 0, True
        for _ in range(_tries(error)):
            try:
                self._rows[place] = self._batched.ask([text])[0]
                return
            except _OF_THE_WHOLE:
                raise
            except (ProviderRejected, ServerFailed, PartialResponse) as again:
                error = again
        self._batched.reject(text, error)
        self._limits = self._batched.limits  # requests were too large because of this text


def _tries(error: ProviderError) -> int:
    """Return how often a text that failed alone is sent again. A refusal without a clear reason may be chance."""
    return 1 if isinstance(error, (TextRejected, RequestTooLarge, ProviderUnavailable)) else 2

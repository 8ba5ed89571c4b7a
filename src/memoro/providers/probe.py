"""Probe a model: what it can do, what is wrong with it, and what to do about that, in words."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy

from memoro.errors import (
    KeyRefused,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
    RequestTooLarge,
    ServerFailed,
)
from memoro.model.vocabulary import Role
from memoro.providers.probe_lengths import ReadLength, read_length
from memoro.providers.probe_samples import ANSWER, OTHERS, QUESTION, passages
from memoro.providers.records import ServerFacts
from memoro.providers.telling_apart import SAME, are_all_the_same
from memoro.providers.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors
    from memoro.providers.probe_target import ProbeAnswer, ProbeTarget

Topic = Literal[
    "connection", "width", "shorter vectors", "base64", "meaning", "repetition", "queries", "long texts",
    "texts at once", "speed",
]  # fmt: skip
Verdict = Literal["ok", "warning", "failed"]  # failed: the model cannot be used so

_PASSAGE_TOKENS = 500  # the longest passage of a note, for a model that takes more tokens than we estimate
# Words of the texts that are compared with their twins. Much longer than a passage, yet a processor needs no minute.
_LENGTHS = (128, 256, 512, 1024, 2048)
_NEARLY_SAME = 0.99  # cosine
_QUERIES = 3
_FEW_TEXTS = 8
_PLAIN_NUMBERS = "Memoro asks for plain numbers"


class Finding(NamedTuple):
    """One thing that the probe looked at."""

    topic: Topic
    verdict: Verdict
    found: str
    remedy: str = ""


class Measured(NamedTuple):
    """The figures of a probe. None: not measured."""

    dimensions: int | None = None
    takes_dimensions: bool | None = None  # whether it makes vectors of another width on request
    cut_at: int | None = None  # about how many tokens of a text the model reads, where it cuts longer ones silently
    refused_at: int | None = None  # from about how many tokens on a text is refused
    most_texts: int | None = None  # that one request may hold, as far as Memoro would send them
    query_seconds: float | None = None
    texts_per_second: float | None = None


class Probe(NamedTuple):
    """The findings of a probe, and its requests and tokens."""

    findings: tuple[Finding, ...]
    measured: Measured
    requests: int
    tokens: int

    @property
    def is_usable(self) -> bool:
        return all(one.verdict != "failed" for one in self.findings)

    @property
    def facts(self) -> ServerFacts:
        """What is worth keeping about the server."""
        found = self.measured
        was_read = found.most_texts is not None  # long texts were tried before
        return ServerFacts(
            dimensions=found.dimensions,
            most_texts=found.most_texts,
            takes_dimensions=found.takes_dimensions,
            is_truncating=found.cut_at is not None if was_read else None,
        )


def probe(target: ProbeTarget, wanted_width: int | None = None) -> Probe:
    """Ask a model some twenty questions. `wanted_width`: what `embedding.dimensions` says."""
    return _Probing(target, wanted_width).run()


class _Probing:
    """One probe under way."""

    def __init__(self, target: ProbeTarget, wanted_width: int | None) -> None:
        self._target, self._wanted = target, wanted_width
        self._findings: list[Finding] = []
        self._measured = Measured()
        self._requests = self._tokens = 0
        self._tolerance = 1e-5  # by how much two vectors of the same text may differ

    def run(self) -> Probe:
        try:
            if self._connect():
                self._look_at_all()
        except ProviderError as error:
            remedy = "Run it again later." if isinstance(error, ProviderUnavailable) else ""
            self._add("connection", "failed", f"The test stopped before its end. {error}", remedy)
        return Probe(
            findings=tuple(self._findings), measured=self._measured, requests=self._requests, tokens=self._tokens
        )

    def _look_at_all(self) -> None:
        self._width()
        self._base64()
        self._meaning()
        self._repetition()
        self._roles()
        self._long_texts()
        self._several()
        self._speed()

    def _add(self, topic: Topic, verdict: Verdict, found: str, remedy: str = "") -> None:
        self._findings.append(Finding(topic=topic, verdict=verdict, found=found, remedy=remedy))

    def _ask(self, texts: Sequence[str], role: Role = "document") -> ProbeAnswer:
        return self._ask_width(texts, role, self._wanted if self._measured.takes_dimensions else None)

    def _ask_width(self, texts: Sequence[str], role: Role, width: int | None) -> ProbeAnswer:
        self._requests += 1
        answer = self._target.ask(texts, role, width)
        self._tokens += answer.tokens or sum(map(estimated_tokens, texts))
        return answer

    def _documents(self, texts: Sequence[str]) -> tuple[Vectors, int | None]:
        """Return the vectors of documents; one request each where the server does not take several."""
        try:
            answer = self._ask(texts)
        except RequestTooLarge:
            answers = [self._ask([text]) for text in texts]
            tokens = [one.tokens for one in answers if one.tokens]
            return numpy.concatenate([one.rows for one in answers]), sum(tokens) or None
        return answer.rows, answer.tokens

    # --- can it be reached? -----------------------------------------------------------------------------

    def _connect(self) -> bool:
        try:
            answer = self._ask([ANSWER])
        except KeyRefused as error:
            self._add("connection", "failed", str(error), "Check the key, and that `embedding.key` says where it is.")
        except QuotaExhausted as error:
            self._add("connection", "failed", str(error), "Look at the billing page of the account.")
        except PartialResponse as error:
            self._add(
                "connection", "failed", str(error), "Is it a model for embeddings? Does the server run it as one?"
            )
        except ProviderError as error:
            self._add("connection", "failed", str(error))
        else:
            place = f" at {self._target.info.host}" if self._target.info.host else ", in this process,"
            self._measured = self._measured._replace(dimensions=answer.rows.shape[1])
            self._add("connection", "ok", f"{self._target.model}{place} answered in {_seconds(answer.seconds)}.")
            return True
        return False

    # --- what do its vectors look like? -----------------------------------------------------------------

    def _width(self) -> None:
        own, known = self._measured.dimensions or 0, self._target.known_width
        if known is not None and own not in (known, self._wanted):
            quarter = " Something on the way seems to read base64 as numbers." if 4 * own == known else ""
            found = f"Its vectors have {own} numbers, where {self._target.model} has {known}.{quarter}"
            remedy = f"Is it really this model? Then run `memoro config set embedding.dimensions {own}`."
            self._add("width", "failed", found, remedy)
            return
        if not self._target.takes_widths or self._wanted == own:
            self._add("width", "ok", f"Its vectors have {own} numbers.")
            return
        asked = self._wanted or own // 2
        got = self._width_for(asked)
        self._measured = self._measured._replace(takes_dimensions=got == asked)
        if self._wanted is None:
            self._add("width", "ok", f"Its vectors have {own} numbers.")
            makes = f"It makes them on request, such as {asked} numbers (`embedding.dimensions`)."
            none = "It makes none: leave `embedding.dimensions` unset."
            self._add("shorter vectors", "ok", makes if got == asked else none)
        elif got == asked:
            self._add("width", "ok", f"Its vectors have {got} numbers, as `embedding.dimensions` asks for.")
        else:
            verb = "refuses" if got is None else "ignores"
            found = f"The server {verb} `embedding.dimensions` = {asked}: its vectors have {own} numbers."
            self._add("width", "failed", found, "Run `memoro config unset embedding.dimensions`.")

    def _width_for(self, asked: int) -> int | None:
        """Return the width that comes back where one is asked for; None where the wish is refused."""
        try:
            return int(self._ask_width([ANSWER], "document", asked).rows.shape[1])
        except ProviderRejected:
            return None

    def _base64(self) -> None:
        found = self._target.ask_base64(ANSWER, self._measured.dimensions or 0)
        self._requests += found is not None
        match found:
            case "whole":
                self._add("base64", "ok", f"Vectors come back whole in base64 too. {_PLAIN_NUMBERS}.")
            case "numbers":
                self._add("base64", "ok", f"The server ignores a wish for base64. {_PLAIN_NUMBERS} anyway.")
            case "refused":
                self._add("base64", "ok", f"The server refuses base64. {_PLAIN_NUMBERS} anyway.")
            case "broken":
                said = "In base64, vectors come back with another width: programs that ask for it read wrong numbers."
                self._add("base64", "ok", f"{said} {_PLAIN_NUMBERS}.")
            case None:
                """The format knows no base64."""

    # --- do they mean something? ------------------------------------------------------------------------

    def _meaning(self) -> None:
        rows, _ = self._documents([ANSWER, *OTHERS])
        if are_all_the_same(rows):
            found = "Different texts get the same vector, so that it finds nothing."
            remedy = (
                "Choose a model for embeddings, and see that the server runs it as one (llama.cpp: --embeddings)."
            )
            self._add("meaning", "failed", found, remedy)
            return
        cosines = rows @ self._ask([QUESTION], "query").rows[0]
        figures = f"cosine {cosines[0]:.2f}; with others up to {float(cosines[1:].max()):.2f}"
        if int(numpy.argmax(cosines)) == 0:
            self._add("meaning", "ok", f"A question is nearest to its answer ({figures}).")
        else:
            found = f"A plain question is nearer to an unrelated sentence than to its answer ({figures})."
            remedy = "Is it a model for search? `memoro eval` measures how well it finds."
            self._add("meaning", "warning", found, remedy)

    def _repetition(self) -> None:
        once, again = (self._ask([ANSWER]).rows[0] for _ in range(2))
        cosine = float(once @ again)
        self._tolerance = max(self._tolerance, 2 * float(numpy.abs(once - again).max()))
        if cosine >= _NEARLY_SAME:
            nearly = "" if cosine >= SAME else "nearly "
            self._add("repetition", "ok", f"The same text gets {nearly}the same vector every time.")
        else:
            found = f"The same text gets another vector the next time (cosine {cosine:.2f})."
            remedy = "Several models may answer to this name. Use a server where one does."
            self._add("repetition", "failed", found, remedy)

    def _roles(self) -> None:
        asked, stored = (self._ask([ANSWER], role).rows[0] for role in ("query", "document"))
        is_same = float(numpy.abs(asked - stored).max()) <= self._tolerance
        if self._target.tells_roles and is_same:
            found = "The server treats queries as documents, although Memoro tells them apart for this model."
            self._add(
                "queries", "warning", found, "It finds a little less well so. Does a proxy change the requests?"
            )
        elif self._target.tells_roles:
            self._add("queries", "ok", "Queries are embedded in another way than documents, as this model wants it.")
        else:
            self._add("queries", "ok", "Queries and documents are embedded in the same way.")

    # --- how much does it take? -------------------------------------------------------------------------

    def _long_texts(self) -> None:
        info = self._target.info
        lengths = [n for n in _LENGTHS if n <= 2 * (info.longest_text or n)]
        found = read_length(self._documents, lengths, self._tolerance)
        if found.outcome == "whole":
            said = f"It reads texts of {_about(found.tokens)} tokens to their end; longer ones were not tried."
            self._add("long texts", "ok", said)
            return
        if found.outcome == "cut":
            self._measured = self._measured._replace(cut_at=found.tokens)
        else:
            self._measured = self._measured._replace(refused_at=found.tokens)
        self._say_length(found)

    def _say_length(self, found: ReadLength) -> None:
        if found.outcome == "cut":
            said = f"It cuts texts after {_about(found.tokens)} tokens, and does not say so."
            so = "The end of a longer passage is found by its words alone."
        else:
            said = f"It refuses texts of more than {_about(found.tokens)} tokens."
            so = "A longer passage is found by its words alone."
        if found.tokens >= _PASSAGE_TOKENS:
            self._add("long texts", "ok", f"{said} Passages of notes are shorter.")
        else:
            shorter = max(50, int(0.6 * found.tokens) // 10 * 10)
            remedy = f"`memoro config set chunking.tokens {shorter}` makes passages shorter."
            self._add(
                "long texts", "warning", f"{said} {so}", f"{remedy} Some servers have a setting for longer texts."
            )

    def _several(self) -> None:
        """Send as many texts at once as Memoro would, or fewer, and compare one of them with its vector alone."""
        most = count = self._target.info.most_texts
        while (answer := self._several_or_fewer(count)) is None or isinstance(answer, int):
            count = answer or count // 2
        self._measured = self._measured._replace(most_texts=count, texts_per_second=count / max(answer.seconds, 1e-6))
        cosine = float(answer.rows[-1] @ self._ask(passages(count)[-1:]).rows[0])
        if cosine < _NEARLY_SAME:
            found = f"Among {count} texts, a text gets another vector than alone (cosine {cosine:.2f})."
            remedy = "The server mixes texts up. Update it, or let it work on one at a time."
            self._add("texts at once", "failed", found, remedy)
        elif count < most:
            slow = " To fill an index takes longer so." if count < _FEW_TEXTS else ""
            texts = "1 text" if count == 1 else f"{count} texts"
            self._add("texts at once", "ok", f"It takes {texts} in one request and not {most}.{slow}")
        else:
            self._add("texts at once", "ok", f"It takes {count} texts in one request; Memoro never sends more.")

    def _several_or_fewer(self, count: int) -> ProbeAnswer | int | None:
        """Return the answer for so many texts; else how many the server says that it takes, or None."""
        try:
            return self._ask(passages(count))
        except (ProviderRejected, ServerFailed, PartialResponse) as error:
            if count == 1 or isinstance(error, (KeyRefused, QuotaExhausted)):
                raise
            named = error.most_texts if isinstance(error, RequestTooLarge) else None
            return named if named and named < count else None

    def _speed(self) -> None:
        seconds = median(self._ask([f"{QUESTION} {n}"], "query").seconds for n in range(_QUERIES))
        self._measured = self._measured._replace(query_seconds=seconds)
        rate = self._measured.texts_per_second or 0.0
        found = f"A query takes {_seconds(seconds)}; documents come at {rate:,.0f} a second."
        allowed = self._target.info.query_seconds
        if seconds <= allowed:
            self._add("speed", "ok", found)
        else:
            so = f"A search waits {_seconds(allowed)} for it, and then uses the built-in model."
            self._add("speed", "warning", found, f"{so} A smaller model or a nearer server is quicker.")


def _seconds(seconds: float) -> str:
    if seconds < 0.001:
        return "less than 1 ms"
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _about(tokens: int) -> str:
    """Two digits are all that is known."""
    return f"about {float(f'{tokens:.2g}'):,.0f}"

"""How texts are divided into requests, and what requests that were refused tell about its limits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from memoro.providers.ports import EmbedderInfo
from memoro.providers.records import ServerFacts

_ENOUGH_REFUSALS = 3
_FEW_TOKENS = 256  # no server takes less
_FEW_TEXTS = 4  # a refused request with fewer texts has too many tokens rather than too many texts


class Limits(NamedTuple):
    """The most that one request may carry."""

    texts: int
    tokens: int


class RequestSize(NamedTuple):
    """How large a request was; tokens are estimated."""

    texts: int
    tokens: int


NOTHING = RequestSize(0, 0)


def limits_of(info: EmbedderInfo, facts: ServerFacts) -> Limits:
    """Return the limits of an embedder, or what its server taught us where that is less."""
    return Limits(
        texts=max(1, min(info.most_texts, facts.most_texts or info.most_texts)),
        tokens=max(1, min(info.most_tokens, facts.most_tokens or info.most_tokens)),
    )


def plan(costs: Sequence[int], limits: Limits) -> list[range]:
    """Divide texts, given by their tokens, into requests: every text in one of them, in order.

    No request is above a limit unless it has one text alone.
    """
    starts, texts, tokens = [0], 0, 0
    for place, cost in enumerate(costs):
        if texts and (texts >= limits.texts or tokens + cost > limits.tokens):
            starts.append(place)
            texts, tokens = 0, 0
        texts, tokens = texts + 1, tokens + cost
    return [range(start, end) for start, end in pairwise([*starts, len(costs)])] if costs else []


def _larger(one: RequestSize, other: RequestSize) -> RequestSize:
    return RequestSize(max(one.texts, other.texts), max(one.tokens, other.tokens))


class Evidence(NamedTuple):
    """Requests that a server refused without naming its limit, and the most that passed since the first of them."""

    refused: tuple[RequestSize, ...] = ()
    passed: RequestSize = NOTHING

    def after_pass(self, size: RequestSize) -> Evidence:
        """A request that was refused, though it was no larger than this one, was not refused for its size."""
        refused = tuple(one for one in self.refused if one.texts > size.texts or one.tokens > size.tokens)
        return Evidence(refused, _larger(self.passed, size)) if refused else NO_EVIDENCE

    def after_refusal(self, size: RequestSize) -> Evidence:
        return self._replace(refused=(*self.refused, size))


NO_EVIDENCE = Evidence()


def concluded(limits: Limits, evidence: Evidence) -> Limits:
    """Return the limits that the evidence shows, or those before where it is not enough: one refusal may be chance.

    Where the server has taken as many texts, tokens were too many, and the other way round.
    """
    if len(evidence.refused) < _ENOUGH_REFUSALS or evidence.passed == NOTHING:
        return limits
    failed, passed = min(evidence.refused), evidence.passed
    may_be_texts, may_be_tokens = failed.texts > passed.texts, failed.tokens > max(passed.tokens, _FEW_TOKENS)
    if may_be_tokens and (failed.texts < _FEW_TEXTS or not may_be_texts):
        return limits._replace(tokens=min(limits.tokens, max(passed.tokens, failed.tokens // 2)))
    if may_be_texts:
        return limits._replace(texts=min(limits.texts, passed.texts))
    return limits

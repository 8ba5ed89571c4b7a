"""A language model behind HTTP: asks, reads and checks the answer, and asks once more where that may help."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from memoro.errors import AnswerUnusable, ProviderUnavailable
from memoro.providers.language.chat import ChatReply, ChatRequest, ChatTurn, Stop
from memoro.providers.language.chat_server import ChatServer, LanguageBreaker, TimedRequest, unusable
from memoro.providers.language.ports import LanguageModelInfo, ModelAnswer, Prompt
from memoro.providers.language.structured import checked_value, read_answer, without_bounds
from memoro.providers.pausing import Timing, go_on
from memoro.providers.records import Purpose
from memoro.providers.retrying import Patience, repeated

_PATIENCE = Patience(attempts=3, longest_retry_after=30.0)
_MORE_ROOM = 4  # times the tokens, for a model that thought aloud until its answer was cut off
_LONGEST_REPEATED = 4000  # characters of a wrong answer that its model is shown again
_STOPPED: dict[Stop, str] = {
    "cut off": "it was cut off before its end.",
    "refused": "the model refused.",
    "filtered": "the provider's filter stopped it.",
    "blocked": "the provider blocked the question.",
}


class CallConditions(NamedTuple):
    """What a model needs beside its server: the breaker, the clock, and who may end the waiting."""

    breaker: LanguageBreaker | None  # None: the server is asked whatever it did before
    timing: Timing = Timing()
    check: Callable[[], None] = go_on


class _Tried(NamedTuple):
    """One question with its reply."""

    reply: ChatReply
    why: str | None = None  # the answer cannot be used; None: it can
    value: object = None


class HttpLanguageModel:
    """Answers by the schema, or raises. A wrong answer is told to the model once, with what is wrong."""

    def __init__(
        self, server: ChatServer, info: LanguageModelInfo, conditions: CallConditions, purpose: Purpose | None = None
    ) -> None:
        """`purpose` counts instead of that of the prompts, as for a test."""
        self.info, self._server, self._conditions, self._purpose = info, server, conditions, purpose

    def answer(self, prompt: Prompt) -> ModelAnswer:
        deadline = self._conditions.timing.clock() + prompt.most_seconds
        request = ChatRequest(
            model=self.info.model,
            instructions=prompt.instructions,
            turns=(ChatTurn("user", prompt.material),),
            schema=without_bounds(prompt.schema),
            most_tokens=prompt.most_tokens,
        )
        first = self._try(request, prompt, deadline)
        if first.why is None:
            return self._answer(first)
        again = _asked_again(request, first)
        if again is None:
            raise self._unusable(first)
        second = self._try(again, prompt, deadline)
        if second.why is not None:
            raise self._unusable(second)
        return self._answer(second, first.reply)

    def _try(self, request: ChatRequest, prompt: Prompt, deadline: float) -> _Tried:
        reply = self._ask(request, prompt, deadline)
        if reply.stop in _STOPPED:
            return _Tried(reply, _STOPPED[reply.stop])
        try:
            value = reply.value
            read = (
                checked_value(value, prompt.schema) if value is not None else read_answer(reply.text, prompt.schema)
            )
        except AnswerUnusable as error:
            return _Tried(reply, str(error))
        return _Tried(reply, None, read)

    def _ask(self, request: ChatRequest, prompt: Prompt, deadline: float) -> ChatReply:
        timing = self._conditions.timing

        def ask() -> ChatReply:
            left = deadline - timing.clock()
            if left <= 0:
                raise ProviderUnavailable(f"{self._host} has not answered within {prompt.most_seconds:g} s.")
            seconds = min(left, self._server.client.endpoint.seconds)
            timed = TimedRequest(request, self._purpose or prompt.purpose, seconds)
            breaker = self._conditions.breaker
            return self._server.ask(timed) if breaker is None else breaker.call(lambda: self._server.ask(timed))

        left = max(0.0, deadline - timing.clock())
        return repeated(ask, _PATIENCE._replace(seconds=left), timing, self._conditions.check)

    def _answer(self, tried: _Tried, before: ChatReply | None = None) -> ModelAnswer:
        replies = [tried.reply] if before is None else [before, tried.reply]
        assert isinstance(tried.value, dict)
        return ModelAnswer(
            value=tried.value,
            model=tried.reply.model or self.info.model,
            tokens_in=sum(one.tokens_in or 0 for one in replies),
            tokens_out=sum(one.tokens_out or 0 for one in replies),
        )

    def _unusable(self, tried: _Tried) -> AnswerUnusable:
        return unusable(self.info.model, self._host, tried.why or "")

    @property
    def _host(self) -> str:
        return self.info.host or self.info.model


def _asked_again(request: ChatRequest, tried: _Tried) -> ChatRequest | None:
    """Return the question that follows a wrong answer; None where another would be no better."""
    if tried.reply.stop == "cut off":
        return request._replace(most_tokens=_MORE_ROOM * request.most_tokens)
    if tried.reply.stop in _STOPPED:
        return None
    wrong = tried.reply.text if tried.reply.value is None else json.dumps(tried.reply.value, ensure_ascii=False)
    told = f"That cannot be used. {tried.why} Answer again, with one JSON object by the schema and nothing else."
    if not wrong.strip():
        return request._replace(turns=(request.turns[0]._replace(text=f"{request.turns[0].text}\n\n{told}"),))
    return request._replace(
        turns=(*request.turns, ChatTurn("model", wrong[:_LONGEST_REPEATED]), ChatTurn("user", told))
    )

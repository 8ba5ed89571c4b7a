"""A language model that one process does not ask the same thing twice: a schedule that finds nothing new is free."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable

from memoro.providers.language.ports import LanguageModel, LanguageModelInfo, ModelAnswer, Prompt

_MOST_KEPT = 200


class KeptAnswers:
    """The last answers of this process, by a digest of their question. Nothing is written down."""

    def __init__(self) -> None:
        self._alone = threading.Lock()
        self._kept: OrderedDict[bytes, ModelAnswer] = OrderedDict()

    def get(self, digest: bytes) -> ModelAnswer | None:
        with self._alone:
            return self._kept.get(digest)

    def put(self, digest: bytes, answer: ModelAnswer) -> None:
        with self._alone:
            self._kept[digest] = answer
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)


_of_this_process = KeptAnswers()


class RememberingModel:
    """Answers as the inner model does; a prompt that it has had before gets the same answer, and costs nothing."""

    def __init__(
        self, inner: LanguageModel, count: Callable[[Prompt], None], kept: KeptAnswers = _of_this_process
    ) -> None:
        """`count` is told each prompt that was answered without asking."""
        self._inner, self._count, self._kept = inner, count, kept
        self.info: LanguageModelInfo = inner.info

    def answer(self, prompt: Prompt) -> ModelAnswer:
        digest = self._digest(prompt)
        known = self._kept.get(digest)
        if known is not None:
            self._count(prompt)
            return known._replace(tokens_in=0, tokens_out=0)
        found = self._inner.answer(prompt)
        self._kept.put(digest, found)
        return found

    def _digest(self, prompt: Prompt) -> bytes:
        asked = [*self.info, *prompt._replace(schema={}, most_seconds=0.0), json.dumps(prompt.schema, sort_keys=True)]
        return hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).digest()

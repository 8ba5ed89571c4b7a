"""Parts that work without a network, for the tests of programs that use Memoro."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy

from memoro.errors import ProviderUnavailable
from memoro.model.prompt_material import records_in
from memoro.model.vocabulary import Role
from memoro.providers.language.ports import LanguageModelInfo, ModelAnswer, Prompt
from memoro.providers.language.structured import checked_value, read_answer
from memoro.providers.ports import Space

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

_WORD = re.compile(r"\w+")
_LETTERS = 3  # in a part of a word: words that share parts are near each other


class HashEmbedder:
    """An embedder that needs no model: texts that share words, or parts of words, have vectors near each other.

    It is deterministic, in every process and on every machine. Queries and documents are prepared alike.
    """

    def __init__(self, dimensions: int = 256, *, model: str = "hash-1") -> None:
        self.space = Space(provider="testing", model=model, dimensions=dimensions, preparation="words")

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:  # noqa: ARG002
        rows = numpy.zeros((len(texts), self.space.dimensions), numpy.float32)
        for row, text in zip(rows, texts, strict=True):
            for part, weight in _parts(text):
                number = int.from_bytes(hashlib.blake2b(part.encode(), digest_size=8).digest(), "big")
                row[number // 2 % self.space.dimensions] += weight if number % 2 else -weight
            if not row.any():  # nothing to hash, or all of it cancels out
                row[0] = 1.0
        rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
        return rows


# An answer as a value; as the text that a server sends; or the error that is raised instead.
ScriptedAnswer = Mapping[str, object] | str | Exception


class ScriptedModel:
    """A language model whose answers are written beforehand: one after the other, or by a function of the prompt.

    It keeps its prompts. As every language model, it answers by the schema of the prompt or raises `AnswerUnusable`;
    once its answers are used up, it raises `ProviderUnavailable`.
    """

    def __init__(
        self,
        answers: Sequence[ScriptedAnswer] | Callable[[Prompt], ScriptedAnswer],
        info: LanguageModelInfo | None = None,
    ) -> None:
        self.info = info or LanguageModelInfo(provider="testing", model="scripted-1")
        self.prompts: list[Prompt] = []
        self._function = answers if callable(answers) else None
        self._rest: Iterator[ScriptedAnswer] = iter(()) if callable(answers) else iter(answers)

    def answer(self, prompt: Prompt) -> ModelAnswer:
        self.prompts.append(prompt)
        found = self._function(prompt) if self._function else next(self._rest, None)
        if found is None:
            raise ProviderUnavailable("The scripted model has no answer left.")
        if isinstance(found, Exception):
            raise found
        read = read_answer(found, prompt.schema) if isinstance(found, str) else checked_value(found, prompt.schema)
        return ModelAnswer(value=read, model=self.info.model)


def records_of(prompt: Prompt) -> list[dict[str, object]]:
    """Return the records that a prompt lays before its model, fenced or not."""
    return records_in(prompt.material)


def _parts(text: str) -> list[tuple[str, float]]:
    """Return the words of a text and the parts of its words, each with what it counts."""
    words = _WORD.findall(text.lower())
    letters = [f" {word} "[at : at + _LETTERS] for word in words for at in range(len(word))]
    return [*((f"word {word}", 1.0) for word in words), *((f"part {part}", 0.3) for part in letters)]

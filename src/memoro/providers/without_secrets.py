"""An embedder that sends no secrets: passwords and keys are taken out of every text before it leaves the machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.model.output_filter import OutputFilter
from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder, EmbedderInfo, Space, info_of

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# A placeholder names the secret by a part of its digest, from which a short one could be guessed.
_PLACEHOLDER = re.compile(r"\[redacted:[^\]\n]*\]")


class WithoutSecrets:
    """Asks the inner embedder for texts without their secrets. `known` are values that must never be sent."""

    def __init__(self, inner: Embedder, known: Sequence[str]) -> None:
        self._inner, self._filter = inner, OutputFilter(known)
        self.space: Space = inner.space
        self.info: EmbedderInfo = info_of(inner)

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        return self._inner.embed([self._without(text) for text in texts], role)

    def _without(self, text: str) -> str:
        return _PLACEHOLDER.sub("[redacted]", self._filter.text(text))

"""An embedder that sends no secrets: passwords and keys are taken out of every text before it leaves the machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoro.model.output_filter import OutputFilter
from memoro.model.vocabulary import Role
from memoro.providers.ports import Embedder
from memoro.providers.wrapping import Wrapping

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# A placeholder names the secret by a part of its digest, from which a short one could be guessed.
_PLACEHOLDER = re.compile(r"\[redacted:[^\]\n]*\]")


class WithoutSecrets(Wrapping):
    """Asks the inner embedder for texts without their secrets. `known` are values that must never be sent."""

    def __init__(self, inner: Embedder, known: Sequence[str]) -> None:
        super().__init__(inner)
        self._known = known

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        return self._inner.embed([without_secrets(text, self._known) for text in texts], role)


def without_secrets(text: str, known: Sequence[str] = ()) -> str:
    """Return a text as another machine may get it: without secrets, invisible and control characters."""
    return _PLACEHOLDER.sub("[redacted]", OutputFilter(known).text(text))

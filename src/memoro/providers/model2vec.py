"""Static models by the library model2vec: a table of word pieces, and the mean of their rows."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memoro.errors import ProviderRejected
from memoro.model.vocabulary import Role

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

# Bytes to download, for the question that comes before. Four bytes for each parameter in the name.
SIZES = {
    "minishlab/potion-base-2M": 8_000_000,
    "minishlab/potion-base-4M": 16_000_000,
    "minishlab/potion-base-8M": 30_000_000,
    "minishlab/potion-base-32M": 129_000_000,
    "minishlab/potion-retrieval-32M": 129_000_000,
    "minishlab/potion-multilingual-128M": 512_000_000,
}
# All that the library reads of a model, in each of the layouts that it knows.
FILES = (
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "config_sentence_transformers.json",
    "0_StaticEmbedding/model.safetensors",
    "0_StaticEmbedding/tokenizer.json",
)
_AT_ONCE = 64  # texts: a query waits no longer than for these


class StaticEncoder:
    """One loaded model. The library changes its tokenizer during a call, so that calls take turns."""

    longest_text = None  # the mean of all word pieces, however many

    def __init__(self, model: Any) -> None:
        self._model = model
        self._alone = threading.Lock()

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:  # noqa: ARG002
        import numpy

        parts = []
        for start in range(0, len(texts), _AT_ONCE):
            with self._alone:
                rows = self._model.encode(list(texts[start : start + _AT_ONCE]), max_length=None)
            parts.append(numpy.asarray(rows, numpy.float32))
        return numpy.concatenate(parts)


def load(folder: str) -> StaticEncoder:
    """Load the model in a folder."""
    from model2vec import StaticModel

    try:
        model = StaticModel.from_pretrained(folder)
    except ValueError as error:
        raise ProviderRejected(
            f"{folder} holds no model for model2vec ({error}). It needs model.safetensors, tokenizer.json and "
            "config.json."
        ) from error
    return StaticEncoder(model)

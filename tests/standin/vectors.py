"""The vectors of the stand-in: deterministic, near for similar texts, and different after a change of the model."""

from __future__ import annotations

import hashlib
import threading
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy

from memoro.testing import HashEmbedder

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

BYTES_A_TOKEN = 4  # close to the average of English; what matters is that tests can count on it

# The widths of models whose names clients know. All other models have the width in the stand-in's options.
WIDTHS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "gemini-embedding-001": 3072,
    "gemini-embedding-2": 3072,
    "voyage-3.5": 1024,
    "voyage-3.5-lite": 1024,
}
_QUERY_SHARE = 0.1  # how far the vector of a query is from that of the same text as a document


def count_tokens(text: str) -> int:
    """Return how many tokens the stand-in counts for a text."""
    return max(1, -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN))


def cut(text: str, tokens: int) -> str:
    """Return as much of a text as fits into so many tokens."""
    return text.encode("utf-8", "surrogatepass")[: tokens * BYTES_A_TOKEN].decode("utf-8", "ignore")


class Model:
    """Computes vectors. `revision` is changed to make another model answer to the same name."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.revision = 0
        self._alone = threading.Lock()
        self._known: dict[tuple[str, int], Vectors] = {}

    def embed(self, text: str, *, dimensions: int | None = None, is_query: bool = False) -> Vectors:
        """Return the vector of a text, of length one; a smaller width is cut from it and stretched again."""
        row = self._whole(text)
        if is_query:
            row = row.copy()
            row[-1] += _QUERY_SHARE
            row /= numpy.linalg.norm(row)
        if dimensions is None or dimensions >= self.width:
            return row
        row = row[:dimensions].copy()
        if not row.any():
            row[0] = 1.0
        row /= numpy.linalg.norm(row)
        return row

    def _whole(self, text: str) -> Vectors:
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        key = (digest, self.revision)
        with self._alone:
            known = self._known.get(key)
        if known is not None:
            return known
        readable = text.encode("utf-8", "replace").decode()
        row = _turned(HashEmbedder(self.width).embed([readable], "document")[0], self.revision)
        with self._alone:
            self._known[key] = row
        return row


def _turned(row: Vectors, revision: int) -> Vectors:
    """Return a vector as another revision of the model has it: all cosines between its vectors are the same."""
    if revision == 0:
        return row
    order, signs = _turn(len(row), revision)
    turned: Vectors = row[order] * signs
    return turned


@lru_cache(maxsize=16)
def _turn(width: int, revision: int) -> tuple[numpy.ndarray, Vectors]:
    generator = numpy.random.default_rng([width, revision])
    order = generator.permutation(width)
    signs = generator.choice(numpy.array([-1.0, 1.0], numpy.float32), width)
    return order, signs

"""Embedders that stand for models which nobody here has, made from all-MiniLM-L6-v2 and the built-in model."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy

from benchmarks.minilm_server import KeptMiniLm
from memoro.model.vocabulary import Role
from memoro.providers.builtin.model import builtin
from memoro.providers.ports import Embedder, Space
from memoro.testing import HashEmbedder

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


class Squeezed:
    """Cosines between 0.7 and 1, as some models have them; the order stays."""

    SHARE = 0.15

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.space = inner.space._replace(
            model=f"{inner.space.model}-squeezed", dimensions=inner.space.dimensions + 1
        )

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        rows = self._inner.embed(texts, role)
        same = numpy.full((len(rows), 1), math.sqrt(1 - self.SHARE), numpy.float32)
        return numpy.hstack([math.sqrt(self.SHARE) * rows, same]).astype(numpy.float32)


class Noisy:
    """Each text has noise of its own, `level` times as long as its vector."""

    def __init__(self, inner: Embedder, level: float) -> None:
        self._inner, self._level = inner, level
        self.space = inner.space._replace(model=f"{inner.space.model}-noise-{level:g}")

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        rows = self._inner.embed(texts, role).copy()
        for row, text in zip(rows, texts, strict=True):
            seed = int.from_bytes(hashlib.sha256(f"{role} {text}".encode()).digest()[:8], "big")
            noise = numpy.random.default_rng(seed).standard_normal(len(row))
            row += (self._level / math.sqrt(len(row))) * noise
        rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
        return rows


class Renamed:
    """The built-in model under another name, so that it is measured like a stranger."""

    def __init__(self) -> None:
        self.space = Space(provider="local", model="built-in", dimensions=256, preparation="plain")

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        rows = builtin().embed(texts, role).copy()
        rows[~rows.any(axis=1), 0] = 1.0
        return rows


MODELS: dict[str, Callable[[], Embedder]] = {
    "MiniLM": KeptMiniLm,
    "MiniLM squeezed": lambda: Squeezed(KeptMiniLm()),
    "MiniLM noisy": lambda: Noisy(KeptMiniLm(), 1.0),
    "noise alone": lambda: Noisy(KeptMiniLm(), 20.0),
    "hashed words": HashEmbedder,
    "built-in renamed": Renamed,
}

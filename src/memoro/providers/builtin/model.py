"""Texts to vectors by looking word pieces up and adding them: no network, no download, milliseconds."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy

from memoro.errors import ProviderRejected
from memoro.providers.builtin.wordpiece import WordPieces
from memoro.providers.ports import Space

if TYPE_CHECKING:
    from memoro.providers.ports import Embedder, Vectors

DIMENSIONS = 256
SPACE = Space("builtin", "minilm-static-1", DIMENSIONS, "text")
_PIECES = 30_522
_HERE = os.path.dirname(__file__)
_REMEMBERED = 50_000  # words, of one kilobyte each


class BuiltinModel:
    """Loaded once in a process; the table is mapped into memory and shared between processes."""

    def __init__(self, folder: str = _HERE) -> None:
        self._table = _mapped(os.path.join(folder, "table.npy"), (_PIECES, DIMENSIONS), "int8")
        self._scales = numpy.asarray(_mapped(os.path.join(folder, "scales.npy"), (_PIECES,), "float16"), "float32")
        self._pieces = WordPieces(_vocabulary(os.path.join(folder, "vocabulary.txt")))
        self._alone = threading.Lock()  # threads share the model
        self._word_rows: dict[str, int] = {}
        self._word_table = numpy.zeros((1024, DIMENSIONS), numpy.float32)

    @property
    def space(self) -> Space:
        return SPACE

    def knows(self, word: str) -> bool:
        """Whether the model has met this word whole, and not only letters of it."""
        return self._pieces.is_whole(word)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Sums of the pieces' rows, made one long; a text without words for the model is a row of zeros."""
        result = numpy.zeros((len(texts), DIMENSIONS), numpy.float32)
        for number, text in enumerate(texts):
            ids = self._pieces(text)
            if ids:
                result[number] = self._scales[ids] @ self._table[ids].astype(numpy.float32)
        return _of_length_one(result)

    def words(self, words: Sequence[str]) -> Vectors:
        """A row of length one for each single word; words met before are looked up."""
        known = self._word_rows
        with self._alone:
            missing = [word for word in dict.fromkeys(words) if word not in known]
            if missing and len(known) + len(missing) > _REMEMBERED:
                known.clear()
                missing = list(dict.fromkeys(words))
            if missing:
                self._learn(missing)
            return self._word_table[[known[word] for word in words]]

    def _learn(self, words: Sequence[str]) -> None:
        start = len(self._word_rows)
        if start + len(words) > len(self._word_table):
            grown = numpy.zeros((2 * (start + len(words)), DIMENSIONS), numpy.float32)
            grown[:start] = self._word_table[:start]
            self._word_table = grown
        self._word_table[start : start + len(words)] = self.embed(words)
        self._word_rows.update((word, start + i) for i, word in enumerate(words))


class Shortened:
    """The first numbers of the model's vectors alone: less to keep and to scan, and a space of its own.

    The numbers of the table stand by how much texts differ in them, the most telling first.
    """

    def __init__(self, whole: BuiltinModel, dimensions: int) -> None:
        self._whole = whole
        self.space = whole.space._replace(dimensions=dimensions)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return _of_length_one(self._whole.embed(texts)[:, : self.space.dimensions])


@cache
def builtin() -> BuiltinModel:
    return BuiltinModel()


def shortened(dimensions: int) -> Embedder:
    """The built-in model with vectors of this length."""
    return builtin() if dimensions == DIMENSIONS else Shortened(builtin(), dimensions)


def _of_length_one(rows: Vectors) -> Vectors:
    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    made: Vectors = numpy.divide(rows, lengths, out=numpy.zeros_like(rows), where=lengths > 0)
    return made


def _mapped(file: str, shape: tuple[int, ...], kind: str) -> Any:
    try:
        table = numpy.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise _damaged(file, str(error)) from error
    if table.shape != shape or table.dtype != kind:
        raise _damaged(file, f"it holds {table.dtype} {table.shape}")
    return table


def _vocabulary(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", newline="\n") as lines:
            pieces = lines.read().split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(file, str(error)) from error
    if len(pieces) != _PIECES:
        raise _damaged(file, f"it holds {len(pieces)} pieces")
    return pieces


def _damaged(file: str, why: str) -> ProviderRejected:
    return ProviderRejected(
        f"The built-in model is damaged: {os.path.basename(file)}: {why}. Reinstall Memoro to repair it."
    )

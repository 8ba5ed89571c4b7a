"""Texts to vectors by looking word pieces up and adding them: no network, no download, milliseconds."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from memoro.errors import ProviderError, ProviderRejected, ProviderUnavailable
from memoro.model.remembered import forget_with
from memoro.model.system_errors import MANY_FILES, is_out_of_files, remedy
from memoro.model.vocabulary import Role
from memoro.model.words import STOP_WORDS
from memoro.providers.builtin.word_rows import WordRows
from memoro.providers.builtin.wordpiece import WordPieces
from memoro.providers.ports import BUILTIN, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoro.providers.ports import Embedder, Vectors

DIMENSIONS = 256
SPACE = Space(provider=BUILTIN, model="minilm-static-1", dimensions=DIMENSIONS, preparation="text")
_PIECES = 30_522
_HERE = os.path.dirname(__file__)
_FIRST_WORD = 1996  # the id of the most frequent word; from there on, words stand by their frequency
_RARE = _PIECES  # the rank of a word that the vocabulary does not have
# Words to tell chance by: as many as there are, some of every frequency, the frequent ones closer together.
_BACKGROUND, _BACKGROUND_RANKS, _CLOSER_BELOW = 1000, 10_000, 50
REMEMBERED = 50_000  # words, of a quarter of a kilobyte each


class _CodedWords(NamedTuple):
    """The vectors of words, as 8-bit numbers."""

    rows: NDArray[numpy.int8]
    scales: Vectors  # one for each row

    def take(self, places: NDArray[numpy.int64]) -> _CodedWords:
        return _CodedWords(self.rows.take(places, 0), self.scales.take(places))


def _cosines(words: _CodedWords, others: _CodedWords) -> Vectors:
    import simsimd

    # Not by BLAS, whose threads would spin on it.
    products = simsimd.cdist(words.rows, others.rows, metric="dot")
    return numpy.asarray(products, numpy.float32) * (words.scales[:, None] * others.scales)


class BuiltinModel:
    """Loaded once in a process; the table is mapped into memory and shared between processes."""

    def __init__(self, folder: str = _HERE) -> None:
        self._table = _mapped(os.path.join(folder, "table.npy"), (_PIECES, DIMENSIONS), "int8")
        self._scales = numpy.asarray(_mapped(os.path.join(folder, "scales.npy"), (_PIECES,), "float16"), "float32")
        self._pieces = WordPieces(_vocabulary(os.path.join(folder, "vocabulary.txt")))
        self._alone = threading.Lock()  # threads share the model
        self._word_rows = WordRows()
        self._words = _no_words()
        self._background: _CodedWords | None = None
        self._chance: dict[str, Vectors] = {}

    @property
    def space(self) -> Space:
        return SPACE

    def knows(self, word: str) -> bool:
        """Return whether the vocabulary has this word whole, not only its letters."""
        return self._pieces.is_whole(word)

    def embed(self, texts: Sequence[str], role: Role = "document") -> Vectors:  # noqa: ARG002
        """Return sums of the pieces' rows, made one long; a row of zeros for a text without words for the model.

        Queries and documents are prepared alike, so that the role makes no difference.
        """
        result = numpy.zeros((len(texts), DIMENSIONS), numpy.float32)
        for number, text in enumerate(texts):
            ids = self._pieces(text)
            if ids:
                result[number] = self._scales[ids] @ self._table[ids].astype(numpy.float32)
        return _of_length_one(result)

    def near(self, words: Sequence[str], others: Sequence[str]) -> Vectors:
        """The cosine of each word with each of the others, as exact as 8 bits are; words met before are looked up."""
        if not words or not others:
            return numpy.zeros((len(words), len(others)), numpy.float32)
        with self._alone:
            self._forget_if_many()
            mine, theirs = self._word_rows.of_words(words), self._word_rows.of_words(others)
            self._learn()
            return _cosines(self._words.take(mine), self._words.take(theirs))

    def nearest(self, words: Sequence[str], texts: Sequence[str]) -> tuple[Vectors, NDArray[numpy.int64]]:
        with self._alone:
            self._forget_if_many()
            mine, (theirs, sizes) = self._word_rows.of_words(words), self._word_rows.in_texts(texts)
            self._learn()
            values = numpy.zeros((len(words), len(texts)), numpy.float32)
            if len(mine) and len(theirs):
                cosines = _cosines(self._words.take(mine), self._words.take(theirs))
                starts = (numpy.cumsum(sizes) - sizes)[sizes > 0]
                values[:, sizes > 0] = numpy.maximum.reduceat(cosines, starts, axis=1)
        return values, sizes

    def rank(self, word: str) -> int:
        """Return the place of a word by its frequency: the vocabulary is in that order."""
        number = self._pieces.id_of(word)
        return _RARE if number is None or number < _FIRST_WORD else number - _FIRST_WORD + 1

    def near_by_chance(self, words: Sequence[str], sizes: NDArray[numpy.int64]) -> Vectors:
        """Return the middle of what the nearest of so many words of the language comes to."""
        if self._background is None:
            self._background = self._coded(_background(self._pieces))
        background = self._background
        chance = self._chance  # another thread may forget all
        missing = [word for word in dict.fromkeys(words) if word not in chance]
        if missing:
            if len(chance) > REMEMBERED // 50:
                self._chance = chance = {word: row for word, row in chance.items() if word in words}
            rows = numpy.sort(_cosines(self._coded(missing), background), axis=1)
            chance.update(zip(missing, rows, strict=True))
        size = len(background.rows)
        places = (size * 0.5 ** (1 / numpy.maximum(sizes, 1))).astype(int)
        return numpy.stack([chance[word] for word in words])[:, numpy.minimum(places, size - 1)]

    def forget_words(self) -> None:
        """Free what is remembered of words; they are read again when they are met."""
        with self._alone:
            self._word_rows, self._words = WordRows(), _no_words()
        self._chance = {}
        self._pieces.forget_words()

    def _forget_if_many(self) -> None:
        if len(self._word_rows) > REMEMBERED:
            self._word_rows = WordRows()

    def _learn(self) -> None:
        """Code the words that have got a row."""
        new = self._word_rows.take_new()
        if not new:
            return
        end = len(self._word_rows)
        if end > len(self._words.rows):
            self._words = _CodedWords(*(_grown(part, 2 * end) for part in self._words))
        coded = self._coded(new)
        self._words.rows[end - len(new) : end] = coded.rows
        self._words.scales[end - len(new) : end] = coded.scales

    def _coded(self, words: Sequence[str]) -> _CodedWords:
        rows = self._embed_short(words)
        rows = numpy.round(rows / numpy.maximum(numpy.abs(rows).max(1, keepdims=True) / 127, 1e-9))
        # By the length of what was rounded: a word is as near to itself as can be.
        scales = 1 / numpy.maximum(numpy.linalg.norm(rows, axis=1), 1e-9)
        return _CodedWords(rows.astype(numpy.int8), scales)

    def _embed_short(self, texts: Sequence[str]) -> Vectors:
        """The same as `embed`, all at once: for thousands of texts of a few pieces each."""
        pieces = [self._pieces.of_word(text) for text in texts]
        ids = numpy.fromiter(chain.from_iterable(pieces), numpy.intp)
        sizes = numpy.asarray([len(own) for own in pieces])
        starts = numpy.cumsum(sizes) - sizes
        result = numpy.zeros((len(texts), DIMENSIONS), numpy.float32)
        for place in range(int(sizes.max(initial=0))):  # the first piece of each, then the second
            having = numpy.flatnonzero(sizes > place)
            rows = ids[starts[having] + place]
            result[having] += self._table[rows] * self._scales[rows, None]
        return _of_length_one(result)


def _background(pieces: WordPieces) -> list[str]:
    """Whole words of the language, those of every frequency as often as in a text, each once."""
    end = math.log1p(_BACKGROUND_RANKS / _CLOSER_BELOW)
    ranks = (_CLOSER_BELOW * math.expm1(end * (place + 0.5) / _BACKGROUND) for place in range(_BACKGROUND))
    words = dict.fromkeys(pieces.piece(_FIRST_WORD + int(rank)) for rank in ranks)
    return [word for word in words if word.isalpha() and len(word) > 2 and word not in STOP_WORDS]


class Shortened:
    """The first numbers of the model's vectors alone: less to keep and to scan, and a space of its own.

    The numbers of the table stand by how much texts differ in them, the most telling first.
    """

    def __init__(self, whole: BuiltinModel, dimensions: int) -> None:
        self._whole = whole
        self.space = whole.space._replace(dimensions=dimensions)

    def embed(self, texts: Sequence[str], role: Role = "document") -> Vectors:
        return _of_length_one(self._whole.embed(texts, role)[:, : self.space.dimensions])


@cache
def builtin() -> BuiltinModel:
    model = BuiltinModel()
    forget_with(model.forget_words)
    return model


def shortened(dimensions: int) -> Embedder:
    """The built-in model with vectors of this length."""
    return builtin() if dimensions == DIMENSIONS else Shortened(builtin(), dimensions)


def _no_words() -> _CodedWords:
    return _CodedWords(numpy.zeros((0, DIMENSIONS), numpy.int8), numpy.zeros(0, numpy.float32))


def _of_length_one(rows: Vectors) -> Vectors:
    lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
    made: Vectors = numpy.divide(rows, lengths, out=numpy.zeros_like(rows), where=lengths > 0)
    return made


def _grown(array: Any, length: int) -> Any:
    grown = numpy.zeros((length, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _mapped(file: str, shape: tuple[int, ...], kind: str) -> Any:
    try:
        table = numpy.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise _unreadable(file, error) from error
    if table.shape != shape or table.dtype != kind:
        raise _damaged(file, f"it holds {table.dtype} {table.shape}")
    return table.view(numpy.ndarray)  # numpy spends more on each look into a `memmap`


def _vocabulary(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", newline="\n") as lines:
            pieces = lines.read().split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(file, error) from error
    if len(pieces) != _PIECES:
        raise _damaged(file, f"it holds {len(pieces)} pieces")
    return pieces


def _unreadable(file: str, error: Exception) -> ProviderError:
    if isinstance(error, OSError) and is_out_of_files(error):
        todo = remedy(error, "")
        return ProviderUnavailable(f"The built-in model cannot be read: {MANY_FILES}. {todo}")
    return _damaged(file, str(error))


def _damaged(file: str, why: str) -> ProviderRejected:
    return ProviderRejected(
        f"The built-in model is damaged: {os.path.basename(file)}: {why}. Reinstall Memoro to repair it."
    )

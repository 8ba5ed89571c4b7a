"""Vectors of one space in files that are mapped into memory: fast to scan, cheap to grow.

Four files grow together: rows of 8-bit numbers, a scale for each row, the number of the chunk it stands
for, and a checksum over these three. Numbers only rise, so a chunk's row is found by halving. The index
knows how far the files may be believed; what a crash left beyond that is overwritten.

Rows, numbers and checksums never change while they count. Erasing puts a mark in place of the scale, four
bytes that depend on the chunk: one small write, so that there is no moment at which a checksum is wrong.
From then on the mark alone says what the row is, and `scrub` may overwrite the rest of it.
A process verifies every row once before it believes any, about 2 ms for 100,000 of 256 numbers: a row that
is lost from the candidates changes the order of the others, so that it would not do to look at what was
found alone. From then on it verifies what it names, and `check` looks at all again.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from memoro.errors import ProviderRejected, StorageFull, StoreUnavailable, VectorsDamaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoro.providers.ports import Vectors
    from memoro.store.ports import Index

_GROUPS = 1024  # of scores, to find the largest: several times as many as there are candidates
_PARTS = (("rows", "int8"), ("scales", "float32"), ("chunks", "int64"), ("sums", "uint64"))
# Odd numbers of 64 bits: multiplied by one of these, no two words of a row give the same. Found by a
# generator with a fixed seed, and part of the format.
_FIRST, _STEP = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95
_CHUNK, _SCALE = numpy.uint64(0xBF58476D1CE4E5B9), numpy.uint64(0x94D049BB133111EB)
_CHECKED_AT_ONCE = 65_536  # rows


class _Mapped(NamedTuple):
    rows: Any
    scales: Any
    chunks: Any
    sums: Any


class _Known(NamedTuple):
    """What is mapped, and was verified whole: files stay the same ones while they are mapped, also when removed."""

    files: tuple[tuple[int, int], ...]  # by device and number
    mapped: _Mapped


class Matrix:
    """The vectors of an index in one space: as many rows as the index says there are."""

    def __init__(self, prefix: str, dimensions: int, index: Index, space: str) -> None:
        self._prefix = prefix
        self._dimensions = dimensions
        self._index = index
        self._space = space
        self._key = f"vectors/{space}"
        self._known: _Known | None = None

    @property
    def length(self) -> int:
        return int(self._index.get_meta(self._key) or 0)

    @property
    def last(self) -> int:
        """The highest chunk number that has a vector; 0 where none has."""
        mapped = self._map()
        if not len(mapped.chunks):
            return 0
        self._verify(mapped, numpy.asarray([-1]))
        return int(mapped.chunks[-1])

    def rows(self, chunks: Sequence[int]) -> Vectors:
        """The vectors of these chunks, as exact as 8 bits are; zeros for those that have none."""
        mapped = self._map()
        result = numpy.zeros((len(chunks), self._dimensions), numpy.float32)
        if len(mapped.chunks) and chunks:
            found, there = self._places(mapped, chunks)
            self._verify(mapped, found)
            scales = numpy.nan_to_num(mapped.scales[found])
            result[there] = mapped.rows[found].astype(numpy.float32) * scales[:, None]
        return result

    def append(self, chunks: Sequence[int], vectors: Vectors) -> None:
        """Add rows behind the last believed one. They count once the index has been told of them."""
        check(vectors, self._dimensions)
        length = self.length
        largest = numpy.abs(vectors).max(1)
        scales = (largest / 127).astype(numpy.float32)
        rows = numpy.round(vectors / scales[:, None]).astype(numpy.int8)
        numbers = numpy.asarray(chunks, numpy.int64)
        for (name, kind), data in zip(_PARTS, (rows, scales, numbers, _sums(rows, scales, numbers)), strict=True):
            self._write(name, length, numpy.ascontiguousarray(data, dtype=kind))
        self._index.put_meta({self._key: str(length + len(vectors))})

    def erase(self, chunks: Sequence[int]) -> None:
        """Make the rows of chunks that are gone match nothing."""
        mapped = self._map()
        if not len(mapped.chunks):
            return
        places = self._places(mapped, sorted(chunks))[0]
        self._verify(mapped, places)
        marks = _marks(mapped.chunks[places])
        with self._changed("scales") as file:
            for place, mark in zip(places, marks, strict=True):
                file.seek(int(place) * mark.itemsize)
                file.write(mark.tobytes())
            file.flush()
            os.fsync(file.fileno())

    def keep(self, chunks: Sequence[int]) -> None:
        """Erase all other rows that are still there."""
        mapped = self._map()
        others = ~numpy.isin(mapped.chunks, numpy.asarray(chunks, numpy.int64))
        gone = numpy.flatnonzero(others & ~numpy.isnan(mapped.scales))
        if len(gone):
            self.erase(mapped.chunks[gone].tolist())

    def nearest(
        self, query: NDArray[numpy.float32], count: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Chunks by how near they are, best first; with `among`, of these alone."""
        mapped = self._map()
        rows, scales, chunks, _ = mapped
        places: Any = None
        if not len(chunks):
            return []
        if among is not None:
            places = self._places(mapped, among)[0]
            rows, scales, chunks = rows[places], scales[places], chunks[places]
            if not len(chunks):
                return []
        with numpy.errstate(all="ignore"):  # a damaged scale may be any number
            scores = _dots(rows, query)
            scores *= scales
            numpy.fmax(scores, 0, out=scores)  # the mark of an erased row is not a number
        best = _largest(scores, count)
        best = best[scores[best] > 0]
        self._verify(mapped, best if places is None else places[best])
        ordered = sorted(((float(scores[i]), int(chunks[i])) for i in best), key=lambda pair: (-pair[0], pair[1]))
        return [(chunk, score) for score, chunk in ordered]

    def check(self) -> None:
        """Look at every row that counts."""
        self._known = None
        self._map()

    def scrub(self) -> None:
        """Overwrite what still stands in erased rows, and cut off what a crash left behind the last that counts."""
        self.check()
        mapped, length = self._map(), self.length
        erased = numpy.flatnonzero(numpy.isnan(mapped.scales))
        left = erased[mapped.rows[erased].any(1) | (mapped.sums[erased] != 0)]
        for name, kind in _PARTS:
            if not os.path.exists(self._name(name)):
                continue
            width = self._width(name, kind)
            with self._changed(name) as file:
                for place in left if name in ("rows", "sums") else ():
                    file.seek(int(place) * width)
                    file.write(bytes(width))
                file.truncate(length * width)
                file.flush()
                os.fsync(file.fileno())

    def drop(self) -> None:
        """Forget every row, then remove the files. Whoever has them mapped keeps what is mapped."""
        self._index.put_meta({self._key: None})
        self._known = None
        for name, _ in _PARTS:
            try:
                os.unlink(self._name(name))
            except FileNotFoundError:
                pass
            except OSError as error:
                raise StoreUnavailable(f"{self._name(name)} cannot be removed: {error.strerror}.") from error

    def _places(self, mapped: _Mapped, chunks: Sequence[int]) -> tuple[Any, Any]:
        """The rows of those chunks that have one, and which have."""
        wanted = numpy.asarray(chunks, numpy.int64)
        places = numpy.minimum(numpy.searchsorted(mapped.chunks, wanted), len(mapped.chunks) - 1)
        there = mapped.chunks[places] == wanted
        # Where a number is missing, the row with the next one or the one before might be its own, misnumbered.
        beside = numpy.unique(places[~there])
        self._verify(mapped, numpy.concatenate([beside, numpy.maximum(beside - 1, 0)]))
        return places[there], there

    def _verify(self, mapped: _Mapped, places: Any) -> None:
        rows, scales, chunks, sums = (part[places] for part in mapped)
        wrong = (_sums(rows, scales, chunks) != sums) & (scales.view(numpy.uint32) != _marks(chunks))
        if wrong.any():
            raise VectorsDamaged("a row is not what was written", space=self._space)

    def _map(self) -> _Mapped:
        """All parts, as long as the index says: mapped once, and anew when they grew or others took their place."""
        length = self.length
        if not length:
            return _Mapped(*(numpy.zeros(self._shape(name, 0), kind) for name, kind in _PARTS))
        known = self._known  # once: threads may share this
        try:
            files = tuple(self._checked(name, kind, length) for name, kind in _PARTS)
            if known and known.files == files and len(known.mapped.rows) == length:
                return known.mapped
            # As plain arrays: numpy spends more on each look into a `memmap`.
            parts = (
                numpy.memmap(self._name(name), kind, "r", shape=self._shape(name, length)).view(numpy.ndarray)
                for name, kind in _PARTS
            )
            mapped = _Mapped(*parts)
        except (OSError, ValueError) as error:
            raise VectorsDamaged(f"they cannot be read: {error}", space=self._space) from error
        if not (mapped.chunks[1:] > mapped.chunks[:-1]).all():
            raise VectorsDamaged("the numbers of the chunks do not rise", space=self._space)
        for start in range(len(known.mapped.rows) if known and known.files == files else 0, length, _CHECKED_AT_ONCE):
            self._verify(mapped, slice(start, start + _CHECKED_AT_ONCE))
        self._known = _Known(files, mapped)
        return mapped

    def _shape(self, name: str, length: int) -> tuple[int, ...]:
        return (length, self._dimensions) if name == "rows" else (length,)

    def _width(self, name: str, kind: str) -> int:
        """The bytes of one row."""
        return math.prod(self._shape(name, 1)) * numpy.dtype(kind).itemsize

    def _checked(self, name: str, kind: str, length: int) -> tuple[int, int]:
        """Which file it is. To read a mapped one beyond its end would end the process."""
        status = os.stat(self._name(name))
        if status.st_size < length * self._width(name, kind):
            raise ValueError(f"{os.path.basename(self._name(name))} is too short")
        return status.st_dev, status.st_ino

    def _write(self, name: str, length: int, data: Any) -> None:
        width = self._width(name, data.dtype)
        with self._changed(name) as file:
            file.truncate(length * width)
            file.seek(length * width)
            file.write(data.tobytes())
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def _changed(self, name: str) -> Iterator[Any]:
        """The file, to be written to."""
        try:
            descriptor = os.open(self._name(name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with open(descriptor, "r+b") as file:
                yield file
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StorageFull(self._name(name)) from error
            raise StoreUnavailable(f"{self._name(name)} cannot be written: {error.strerror}.") from error

    def _name(self, name: str) -> str:
        return f"{self._prefix}.{name}"


def check(vectors: Vectors, dimensions: int) -> None:
    """Refuse what would poison every search: numbers that are none, no direction, another length."""
    if vectors.ndim != 2 or vectors.shape[1] != dimensions:
        raise ProviderRejected(f"A vector has the shape {vectors.shape}, not {dimensions} numbers a row.")
    if not numpy.isfinite(vectors).all():
        raise ProviderRejected("A vector holds numbers that are not finite.")
    if not (numpy.abs(vectors).max(1) > 0).all():
        raise ProviderRejected("A vector is all zeros and points nowhere.")


def _sums(rows: Any, scales: Any, chunks: Any) -> Any:
    """A checksum for each row, of its numbers, its scale and its chunk."""
    count, dimensions = rows.shape
    if dimensions % 8:
        rows = numpy.pad(rows, ((0, 0), (0, -dimensions % 8)))
    words = numpy.ascontiguousarray(rows).view(numpy.uint64)
    with numpy.errstate(over="ignore"):
        factors = numpy.uint64(_FIRST) + numpy.arange(words.shape[1], dtype=numpy.uint64) * numpy.uint64(
            2 * _STEP % 2**64
        )
        sums = numpy.einsum("ij,j->i", words, factors) if count else numpy.zeros(0, numpy.uint64)
        sums += chunks.view(numpy.uint64) * _CHUNK + scales.view(numpy.uint32) * _SCALE + numpy.uint64(_STEP)
    return sums


def _marks(chunks: Any) -> Any:
    """What stands for the scale of an erased row: not a number, and another for each chunk, as bits."""
    with numpy.errstate(over="ignore"):
        mixed = (chunks.view(numpy.uint64) * _CHUNK) >> numpy.uint64(42)
    return (numpy.uint32(0x7FC00000) | mixed).astype(numpy.uint32)


def _dots(rows: Any, query: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    """Products of 8-bit rows with a query, itself cut to 8 bits."""
    scale = float(numpy.abs(query).max()) / 127 or 1.0
    small = numpy.round(query / scale).astype(numpy.int8)
    import simsimd

    found = simsimd.cdist(small[None, :], rows, metric="dot")
    products: NDArray[numpy.float32] = numpy.asarray(found, numpy.float32)[0]
    products *= numpy.float32(scale)
    return products


def _largest(scores: NDArray[numpy.float32], count: int) -> NDArray[numpy.intp]:
    """Where the largest scores stand, in no order.

    As many groups as are wanted have a maximum of at least `least`, so that at least as many scores are: the
    others need not be looked at again. To part the whole array takes ten times as long.
    """
    rows = len(scores) // _GROUPS
    if rows and count < _GROUPS:
        maxima = scores[: rows * _GROUPS].reshape(rows, _GROUPS).max(0)
        least = numpy.partition(maxima, _GROUPS - count)[_GROUPS - count]
        places = numpy.flatnonzero(scores >= least)
    else:
        places = numpy.arange(len(scores))
    if len(places) <= count:
        return places
    return places[numpy.argpartition(scores[places], len(places) - count)[-count:]]

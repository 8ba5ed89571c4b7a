"""The vectors of one space in memory-mapped files: fast to scan, cheap to extend.

Four files grow together: rows of 8-bit numbers, a scale for each row, the number of its chunk, and a checksum
over these three. Chunk numbers only rise, so a binary search finds the row of a chunk. The index records how many
rows are valid; rows that a crash left beyond that are overwritten.

Rows, numbers and checksums of valid rows never change. Erasing replaces the scale by a mark of four bytes that
depends on the chunk: one small write, so that no checksum is wrong at any moment. From then on the mark alone
identifies the row, and `scrub` may overwrite the rest of it. Where many rows are erased, `reclaim` writes the others
into new files, which count once the index records their revision.

A process verifies every row once before it uses any; this takes about 2 ms for 100,000 rows of 256 numbers.
Verifying only the results would not do: a damaged row among the candidates changes the order of the others.
Later it verifies the rows that it returns, and `check` verifies all again.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy

from memoro.errors import ProviderRejected, StorageFull, StoreUnavailable, VectorsDamaged
from memoro.model.system_errors import MANY_FILES, is_out_of_files, is_out_of_space, reason, remedy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoro.providers.ports import Vectors
    from memoro.store.ports import Index

_GROUPS = 1024  # groups of scores, to find the largest: several times the number of candidates
_PARTS = (("rows", "int8"), ("scales", "float32"), ("chunks", "int64"), ("sums", "uint64"))
# Odd numbers of 64 bits: multiplied by one of these, no two words of a row give the same product. Made by a generator
# with a fixed seed; part of the format.
_FIRST, _STEP = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95
_CHUNK, _SCALE = numpy.uint64(0xBF58476D1CE4E5B9), numpy.uint64(0x94D049BB133111EB)
_CHECKED_AT_ONCE = 65_536  # rows


class _Mapped(NamedTuple):
    rows: NDArray[numpy.int8]
    scales: NDArray[numpy.float32]
    chunks: NDArray[numpy.int64]
    sums: NDArray[numpy.uint64]


class _VerifiedFiles(NamedTuple):
    """Mapped files that were verified completely. A mapped file stays the same one, even when it is deleted."""

    files: tuple[tuple[int, int], ...]  # device and inode of each
    mapped: _Mapped


class _Recorded(NamedTuple):
    """The index's record of the files: both in one value, so that a reader never has one without the other."""

    length: int = 0  # valid rows
    revision: int = 0  # of the files: `reclaim` writes new ones

    @classmethod
    def parse(cls, text: str | None) -> _Recorded:
        length, _, revision = (text or "0").partition("@")
        return cls(int(length), int(revision or 0))

    def __str__(self) -> str:
        return f"{self.length}@{self.revision}" if self.revision else str(self.length)


class Matrix:
    """The vectors of an index in one space: as many rows as the index records."""

    def __init__(self, prefix: str, dimensions: int, index: Index, space: str) -> None:
        self._prefix = prefix
        self._dimensions = dimensions
        self._index = index
        self._space = space
        self._key = f"vectors/{space}"
        self._known: _VerifiedFiles | None = None
        self._is_swept = False  # of files that a `reclaim` left which was killed

    @property
    def length(self) -> int:
        return self._recorded().length

    @property
    def count(self) -> int:
        """Return how many rows are not erased."""
        mapped = self._map()
        return len(mapped.scales) - int(numpy.isnan(mapped.scales).sum())

    def _recorded(self) -> _Recorded:
        return _Recorded.parse(self._index.get_meta(self._key))

    @property
    def last(self) -> int:
        """Return the highest chunk number that has a vector; 0 if there is none."""
        mapped = self._map()
        if not len(mapped.chunks):
            return 0
        self._verify(mapped, numpy.asarray([-1]))
        return int(mapped.chunks[-1])

    def rows(self, chunks: Sequence[int]) -> Vectors:
        """Return the vectors of these chunks at 8-bit precision; zeros for chunks without one."""
        mapped = self._map()
        result = numpy.zeros((len(chunks), self._dimensions), numpy.float32)
        if len(mapped.chunks) and chunks:
            found, there = self._places(mapped, chunks)
            self._verify(mapped, found)
            scales = numpy.fmax(mapped.scales[found], 0)  # the mark of an erased row is not a number
            result[there] = mapped.rows[found] * scales[:, None]
        return result

    def append(self, chunks: Sequence[int], vectors: Vectors) -> None:
        """Append rows after the last valid one. They count once the index records them."""
        check(vectors, self._dimensions)
        length, revision = self._recorded()
        if not self._is_swept:
            self._remove_files(except_in=revision)
            self._is_swept = True
        largest = numpy.abs(vectors).max(1)
        scales = (largest / 127).astype(numpy.float32)
        rows = numpy.round(vectors / scales[:, None]).astype(numpy.int8)
        numbers = numpy.asarray(chunks, numpy.int64)
        for (name, kind), data in zip(_PARTS, (rows, scales, numbers, _sums(rows, scales, numbers)), strict=True):
            self._write(name, length, numpy.ascontiguousarray(data, dtype=kind))
        self._index.put_meta({self._key: str(_Recorded(length + len(vectors), revision))})

    def erase(self, chunks: Sequence[int]) -> None:
        """Make the rows of deleted chunks match nothing."""
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
        """Erase all other rows."""
        mapped = self._map()
        others = ~numpy.isin(mapped.chunks, numpy.asarray(chunks, numpy.int64))
        gone = numpy.flatnonzero(others & ~numpy.isnan(mapped.scales))
        if len(gone):
            self.erase(mapped.chunks[gone].tolist())

    def nearest(
        self, query: NDArray[numpy.float32], count: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (chunk, cosine), nearest first; with `among`, of these chunks alone."""
        mapped = self._map()
        rows, scales, chunks, _ = mapped
        places: NDArray[numpy.intp] | None = None
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
        ordered = best[numpy.lexsort((chunks[best], -scores[best]))]
        return list(zip(chunks[ordered].tolist(), scores[ordered].tolist(), strict=True))

    def check(self) -> None:
        """Verify every valid row."""
        self._known = None
        self._map()

    def scrub(self) -> None:
        """Overwrite erased rows, and cut off rows that a crash left after the last valid one."""
        self.check()
        mapped, (length, revision) = self._map(), self._recorded()
        self._remove_files(except_in=revision)
        erased = numpy.flatnonzero(numpy.isnan(mapped.scales))
        left = erased[mapped.rows[erased].any(1) | (mapped.sums[erased] != 0)]
        for name, kind in _PARTS:
            if not os.path.exists(self._name(name, revision)):
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
        """Delete every row, then the files. Processes that have mapped them keep their mapping."""
        self._index.put_meta({self._key: None})
        self._known = None
        self._remove_files(except_in=None)

    def reclaim(self) -> None:
        """Write the rows that are not erased into files of their own, and give the others' space back.

        Killed before the index records the new files, it has done nothing. What a killed one left goes with the next
        rows of another process, with `scrub`, or with the next one.
        """
        self.check()
        mapped, (_, revision) = self._map(), self._recorded()
        used = ~numpy.isnan(mapped.scales)
        self._remove_files(except_in=revision)
        following = _Recorded(int(used.sum()), revision + 1)
        for name, kind in _PARTS:
            data = numpy.ascontiguousarray(getattr(mapped, name)[used], dtype=kind)
            with _opened(self._name(name, following.revision)) as file:
                _put(file, 0, data)
        self._index.put_meta({self._key: str(following)})
        self._known = None
        self._remove_files(except_in=following.revision)

    def _remove_files(self, *, except_in: int | None) -> None:
        """Remove the files of all other revisions. Processes that have mapped them keep their mapping."""
        kept = {os.path.basename(self._name(name, except_in)) for name, _ in _PARTS if except_in is not None}
        folder, begins = os.path.dirname(self._prefix), f"{os.path.basename(self._prefix)}."
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.startswith(begins) and name not in kept:
                try:
                    os.unlink(os.path.join(folder, name))
                except FileNotFoundError:
                    pass
                except OSError as error:
                    raise StoreUnavailable(f"{name} cannot be removed: {error.strerror}.") from error

    def _places(self, mapped: _Mapped, chunks: Sequence[int]) -> tuple[NDArray[numpy.intp], NDArray[numpy.bool_]]:
        """Return the rows of those chunks that have one, and a mask of which do."""
        wanted = numpy.asarray(chunks, numpy.int64)
        places = numpy.minimum(numpy.searchsorted(mapped.chunks, wanted), len(mapped.chunks) - 1)
        there = mapped.chunks[places] == wanted
        if there.all():
            return places, there
        # A missing number may be a misnumbered row: verify the next row and the one before.
        beside = numpy.unique(places[~there])
        self._verify(mapped, numpy.concatenate([beside, numpy.maximum(beside - 1, 0)]))
        return places[there], there

    def _verify(self, mapped: _Mapped, places: NDArray[numpy.intp] | slice) -> None:
        scales, chunks = mapped.scales[places], mapped.chunks[places]
        sums = _sums(mapped.rows[places], scales, chunks)
        wrong = (sums != mapped.sums[places]) & (scales.view(numpy.uint32) != _marks(chunks))
        if wrong.any():
            raise VectorsDamaged("a row is not what was written", space=self._space)

    def _map(self) -> _Mapped:
        """Return all parts at the recorded length: mapped once, and again after they grew or were replaced."""
        recorded = self._recorded()
        while True:
            try:
                return self._map_recorded(recorded)
            except VectorsDamaged:
                before, recorded = recorded, self._recorded()
                if recorded.revision == before.revision:
                    raise  # and not merely replaced by another process meanwhile

    def _map_recorded(self, recorded: _Recorded) -> _Mapped:
        length, revision = recorded
        if not length:
            return _Mapped(*(numpy.zeros(self._shape(name, 0), kind) for name, kind in _PARTS))
        known = self._known  # read once: threads may share this
        try:
            files = tuple(
                self._checked(self._name(name, revision), length, self._width(name, k)) for name, k in _PARTS
            )
            if known and known.files == files and len(known.mapped.rows) == length:
                return known.mapped
            # As plain arrays: numpy is slower on every access to a `memmap`.
            parts = (
                numpy.memmap(self._name(name, revision), kind, "r", shape=self._shape(name, length)).view(
                    numpy.ndarray
                )
                for name, kind in _PARTS
            )
            mapped = _Mapped(*parts)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and is_out_of_files(error):
                raise StoreUnavailable(
                    f"The vector files cannot be read: {MANY_FILES}. {remedy(error, '')}"
                ) from error
            raise VectorsDamaged(f"they cannot be read: {error}", space=self._space) from error
        if not (mapped.chunks[1:] > mapped.chunks[:-1]).all():
            raise VectorsDamaged("the numbers of the chunks do not rise", space=self._space)
        for start in range(len(known.mapped.rows) if known and known.files == files else 0, length, _CHECKED_AT_ONCE):
            self._verify(mapped, slice(start, start + _CHECKED_AT_ONCE))
        self._known = _VerifiedFiles(files, mapped)
        return mapped

    def _shape(self, name: str, length: int) -> tuple[int, ...]:
        return (length, self._dimensions) if name == "rows" else (length,)

    def _width(self, name: str, kind: str) -> int:
        """Return the size of one row in bytes."""
        return math.prod(self._shape(name, 1)) * numpy.dtype(kind).itemsize

    def _checked(self, file: str, length: int, width: int) -> tuple[int, int]:
        """Return the identity of a file; raise if it is too short: reading a mapping beyond its end is fatal."""
        status = os.stat(file)
        if status.st_size < length * width:
            raise ValueError(f"{os.path.basename(file)} is too short")
        return status.st_dev, status.st_ino

    def _write(self, name: str, length: int, data: NDArray[numpy.generic]) -> None:
        with self._changed(name) as file:
            _put(file, length, data)

    def _changed(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a file of the current revision for writing."""
        return _opened(self._name(name, self._recorded().revision))

    def _name(self, name: str, revision: int) -> str:
        return f"{self._prefix}.{name}-{revision}" if revision else f"{self._prefix}.{name}"


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """Open a file for writing."""
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with open(descriptor, "r+b") as opened:
            yield opened
    except OSError as error:
        if is_out_of_space(error):
            raise StorageFull(file) from error
        raise StoreUnavailable(f"{file} cannot be written: {reason(error)}.") from error


def _put(file: BinaryIO, length: int, data: NDArray[numpy.generic]) -> None:
    """Write rows after the first `length` ones of a file, and cut off what was there."""
    width = math.prod(data.shape[1:]) * data.dtype.itemsize
    file.truncate(length * width)
    file.seek(length * width)
    file.write(data.tobytes())
    file.flush()
    os.fsync(file.fileno())


def check(vectors: Vectors, dimensions: int) -> None:
    """Reject vectors that would poison every search: not finite, all zeros, or of the wrong length."""
    if vectors.ndim != 2 or vectors.shape[1] != dimensions:
        raise ProviderRejected(f"A vector has the shape {vectors.shape}, not {dimensions} numbers a row.")
    if not numpy.isfinite(vectors).all():
        raise ProviderRejected("A vector holds numbers that are not finite.")
    if not (numpy.abs(vectors).max(1) > 0).all():
        raise ProviderRejected("A vector is all zeros and points nowhere.")


def _sums(
    rows: NDArray[numpy.int8], scales: NDArray[numpy.float32], chunks: NDArray[numpy.int64]
) -> NDArray[numpy.uint64]:
    """Return a checksum for each row, over its numbers, its scale and its chunk."""
    count, dimensions = rows.shape
    if dimensions % 8:
        rows = numpy.pad(rows, ((0, 0), (0, -dimensions % 8)))
    words = numpy.ascontiguousarray(rows).view(numpy.uint64)
    with numpy.errstate(over="ignore"):
        factors = numpy.uint64(_FIRST) + numpy.arange(words.shape[1], dtype=numpy.uint64) * numpy.uint64(
            2 * _STEP % 2**64
        )
        sums: NDArray[numpy.uint64] = numpy.zeros(0, numpy.uint64)
        if count:
            sums = numpy.einsum("ij,j->i", words, factors)
        sums += chunks.view(numpy.uint64) * _CHUNK + scales.view(numpy.uint32) * _SCALE + numpy.uint64(_STEP)
    return sums


def _marks(chunks: NDArray[numpy.int64]) -> NDArray[numpy.uint32]:
    """Return the mark that replaces the scale of an erased row, as bits: a NaN that differs for each chunk."""
    with numpy.errstate(over="ignore"):
        mixed = (chunks.view(numpy.uint64) * _CHUNK) >> numpy.uint64(42)
    return (numpy.uint32(0x7FC00000) | mixed).astype(numpy.uint32)


def _dots(rows: NDArray[numpy.int8], query: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    """Return the dot products of 8-bit rows with a query, itself rounded to 8 bits."""
    scale = float(numpy.abs(query).max()) / 127 or 1.0
    small = numpy.round(query / scale).astype(numpy.int8)
    import simsimd

    found = simsimd.cdist(small[None, :], rows, metric="dot")
    products: NDArray[numpy.float32] = numpy.asarray(found, numpy.float32)[0]
    products *= numpy.float32(scale)
    return products


def _largest(scores: NDArray[numpy.float32], count: int) -> NDArray[numpy.intp]:
    """Return the positions of the largest scores, in no order.

    `count` groups have a maximum of at least `least`, so at least `count` scores reach it; the others can be
    skipped. Partitioning the whole array takes ten times as long.
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

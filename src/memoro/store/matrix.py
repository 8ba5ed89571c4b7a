"""Vectors of one space in files that are mapped into memory: fast to scan, cheap to grow.

Three files grow together: rows of 8-bit numbers, a scale for each row, and the number of the chunk it
stands for. Numbers only rise, so a chunk's row is found by halving. The index knows how far the files
may be believed; what a crash left beyond that is overwritten.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy

from memoro.errors import IndexDamaged, ProviderRejected, StorageFull, StoreUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memoro.providers.ports import Vectors
    from memoro.store.ports import Index

_GROUPS = 1024  # of scores, to find the largest: several times as many as there are candidates
_PARTS = (("rows", "int8"), ("scales", "float32"), ("chunks", "int64"))


class Matrix:
    """The vectors of an index in one space: as many rows as the index says there are."""

    def __init__(self, prefix: str, dimensions: int, index: Index, space: str) -> None:
        self._prefix = prefix
        self._dimensions = dimensions
        self._index = index
        self._key = f"vectors/{space}"
        self._mapped: tuple[Any, ...] | None = None
        self._files: list[tuple[int, int]] = []  # those that are mapped, by device and number

    @property
    def length(self) -> int:
        return int(self._index.get_meta(self._key) or 0)

    @property
    def last(self) -> int:
        """The highest chunk number that has a vector; 0 where none has."""
        chunks = self._map()[2]
        return int(chunks[-1]) if len(chunks) else 0

    def rows(self, chunks: Sequence[int]) -> Vectors:
        """The vectors of these chunks, as exact as 8 bits are; zeros for those that have none."""
        known_rows, scales, known = self._map()
        result = numpy.zeros((len(chunks), self._dimensions), numpy.float32)
        if len(known):
            wanted = numpy.asarray(chunks, numpy.int64)
            places = numpy.minimum(numpy.searchsorted(known, wanted), len(known) - 1)
            there = known[places] == wanted
            result[there] = known_rows[places[there]].astype(numpy.float32) * scales[places[there]][:, None]
        return result

    def append(self, chunks: Sequence[int], vectors: Vectors) -> None:
        """Add rows behind the last believed one. They count once the index has been told of them."""
        check(vectors, self._dimensions)
        length = self.length
        largest = numpy.abs(vectors).max(1)
        scales = (largest / 127).astype(numpy.float32)
        rows = numpy.round(vectors / scales[:, None]).astype(numpy.int8)
        for (name, kind), data in zip(_PARTS, (rows, scales, chunks), strict=True):
            self._write(name, length, numpy.ascontiguousarray(data, dtype=kind))
        self._index.put_meta({self._key: str(length + len(vectors))})

    def erase(self, chunks: Sequence[int]) -> None:
        """Make the rows of chunks that are gone match nothing."""
        known = self._map()[2]
        places = numpy.searchsorted(known, numpy.asarray(sorted(chunks), numpy.int64))
        with self._changed("rows") as file:
            for place, chunk in zip(places, sorted(chunks), strict=True):
                if place < len(known) and known[place] == chunk:
                    file.seek(int(place) * self._dimensions)
                    file.write(bytes(self._dimensions))

    def keep(self, chunks: Sequence[int]) -> None:
        """Erase all other rows that are still there."""
        rows, _, known = self._map()
        gone = numpy.flatnonzero(~numpy.isin(known, numpy.asarray(chunks, numpy.int64)))
        self.erase([int(known[place]) for place in gone if rows[place].any()])

    def nearest(
        self, query: NDArray[numpy.float32], count: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Chunks by how near they are, best first; with `among`, of these alone."""
        rows, scales, chunks = self._map()
        if not len(chunks):
            return []
        if among is not None:
            wanted = numpy.asarray(among, numpy.int64)
            places = numpy.searchsorted(chunks, wanted)
            inside = places < len(chunks)
            places, wanted = places[inside], wanted[inside]
            places = places[chunks[places] == wanted]
            rows, scales, chunks = rows[places], scales[places], chunks[places]
            if not len(chunks):
                return []
        scores = _dots(rows, query)
        scores *= scales
        best = _largest(scores, count)
        ordered = sorted(((float(scores[i]), int(chunks[i])) for i in best), key=lambda pair: (-pair[0], pair[1]))
        return [(chunk, score) for score, chunk in ordered if score > 0]

    def _map(self) -> tuple[Any, ...]:
        """All parts, as long as the index says: mapped once, and anew when they grew or others took their place."""
        length = self.length
        if not length:
            return tuple(numpy.zeros(self._shape(name, 0), kind) for name, kind in _PARTS)
        try:
            files = [self._checked(name, kind, length) for name, kind in _PARTS]
            if self._mapped is None or len(self._mapped[0]) != length or files != self._files:
                self._mapped = tuple(
                    # As plain arrays: numpy spends more on each look into a `memmap`.
                    numpy.memmap(self._name(name), kind, "r", shape=self._shape(name, length)).view(numpy.ndarray)
                    for name, kind in _PARTS
                )
                self._files = files
        except (OSError, ValueError) as error:
            raise IndexDamaged(f"its vectors cannot be read: {error}") from error
        return self._mapped

    def _shape(self, name: str, length: int) -> tuple[int, ...]:
        return (length, self._dimensions) if name == "rows" else (length,)

    def _checked(self, name: str, kind: str, length: int) -> tuple[int, int]:
        """Which file it is. To read a mapped one beyond its end would end the process."""
        status = os.stat(self._name(name))
        if status.st_size < math.prod(self._shape(name, length)) * numpy.dtype(kind).itemsize:
            raise ValueError(f"{os.path.basename(self._name(name))} is too short")
        return status.st_dev, status.st_ino

    def _write(self, name: str, length: int, data: Any) -> None:
        width = data.dtype.itemsize * (self._dimensions if name == "rows" else 1)
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

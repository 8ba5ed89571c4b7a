"""The vectors of queries that a calibration has so far: one that broke off goes on later, paying none twice."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.errors import PartialResponse, RequestTooLarge, StoreError
from memoro.model.vocabulary import Role
from memoro.providers.cached import digest
from memoro.providers.wrapping import Wrapping

if TYPE_CHECKING:
    from memoro.providers.ports import Embedder, Vectors
    from memoro.store.ports import IndexHome

PAUSE_SECONDS = 3600.0  # after a calibration that broke off: no sync before tries, or speaks of it, again


class BegunCalibration(NamedTuple):
    """A calibration that has not come to its end."""

    failed_at: float = 0.0  # in seconds since 1970; 0: it has not failed
    vectors: Mapping[str, Vectors] = MappingProxyType({})  # by the digest of the query

    def is_paused(self, now: float) -> bool:
        """Return whether it is too soon to go on. A failure in the future is from a clock that was set back."""
        return 0 <= now - self.failed_at < PAUSE_SECONDS

    def document(self) -> str:
        rows = {key: b64encode(row.astype(numpy.float16).tobytes()).decode() for key, row in self.vectors.items()}
        return json.dumps({"failed_at": self.failed_at, "vectors": rows})


def begun_calibration(document: str | None, dimensions: int) -> BegunCalibration:
    """Return what a document says; nothing has begun where it cannot be used."""
    if document is None:
        return BegunCalibration()
    try:
        found = json.loads(document)
        rows = {key: numpy.frombuffer(b64decode(row), numpy.float16) for key, row in found["vectors"].items()}
        vectors = {key: row.astype(numpy.float32) for key, row in rows.items() if len(row) == dimensions}
        return BegunCalibration(float(found["failed_at"]), vectors)
    except (ValueError, KeyError, TypeError, AttributeError):
        return BegunCalibration()


class KeptQueries(Wrapping):
    """Asks the inner embedder only for queries that it has no vector of, and keeps each response before the next."""

    def __init__(self, inner: Embedder, home: IndexHome, begun: BegunCalibration) -> None:
        super().__init__(inner)
        self._home, self._begun = home, begun
        self._forgotten = home.changing_vectors.left()

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        missing = list(dict.fromkeys(text for text in texts if digest(text) not in self._begun.vectors))
        if missing:
            self._ask(missing, role)
        return numpy.stack([self._begun.vectors[digest(text)] for text in texts])

    def _ask(self, texts: Sequence[str], role: Role) -> None:
        try:
            rows = self._inner.embed(texts, role)
        except PartialResponse as error:
            self._keep({texts[place]: row for place, row in error.rows.items()})
            raise
        except RequestTooLarge:
            if len(texts) == 1:
                raise
            for text in texts:
                self._ask([text], role)
        else:
            self._keep(dict(zip(texts, rows, strict=True)))

    def _keep(self, rows: Mapping[str, object]) -> None:
        found = {digest(text): numpy.asarray(row, numpy.float16).astype(numpy.float32) for text, row in rows.items()}
        self._begun = self._begun._replace(vectors={**self._begun.vectors, **found})
        self._write()

    def note_failure(self, now: float) -> None:
        self._begun = self._begun._replace(failed_at=now)
        self._write()

    def _write(self) -> None:
        """Keep what has come, unless texts were forgotten meanwhile: a query may be a line of one of them."""
        with suppress(StoreError), self._home.changing_vectors.held():
            is_whole = self._home.changing_vectors.left() == self._forgotten
            kept = self._begun if is_whole else BegunCalibration(self._begun.failed_at)
            self._home.records().put_begun_calibration(str(self.space), kept.document())

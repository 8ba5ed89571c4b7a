"""The rows of contents: bytes of notes as they were, and texts that were recalled."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from typing import Any, cast

import apsw


class SqliteContents:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).digest()
        self._db.execute(
            "INSERT OR IGNORE INTO contents (digest, data) VALUES (?, ?)", (digest, zlib.compress(data, 1))
        )
        return digest.hex()

    def get(self, digest: str) -> bytes | None:
        row = self._db.execute("SELECT data FROM contents WHERE digest = ?", (bytes.fromhex(digest),)).get
        return zlib.decompress(row) if row is not None else None

    def holds(self, data: bytes) -> bool:
        return self.get(hashlib.sha256(data).hexdigest()) is not None

    def all(self) -> Iterator[tuple[str, bytes]]:
        for digest, data in cast(Any, self._db.execute("SELECT digest, data FROM contents ORDER BY digest")):
            yield bytes(digest).hex(), zlib.decompress(data)

    def delete(self, digest: str) -> None:
        self._db.execute("DELETE FROM contents WHERE digest = ?", (bytes.fromhex(digest),))

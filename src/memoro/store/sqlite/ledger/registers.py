"""The rows of idempotency keys, forgotten digests, values about the whole ledger, and numbers given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import apsw

from memoro.model.ledger import ForgottenDigest, KeptResult, Numbered

_KEPT = "SELECT key, request, result, at FROM keys"


class SqliteKeys:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def find(self, key: str) -> KeptResult | None:
        row = self._db.execute(f"{_KEPT} WHERE key = ?", (bytes.fromhex(key),)).fetchone()
        return _to_kept(row) if row else None

    def add(self, kept: KeptResult) -> None:
        self._db.execute("INSERT INTO keys VALUES (?, ?, ?, ?)", _to_row(kept))

    def put(self, kept: KeptResult) -> None:
        self._db.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)", _to_row(kept))

    def all(self) -> Iterator[KeptResult]:
        for row in self._db.execute(f"{_KEPT} ORDER BY key"):
            yield _to_kept(row)


def _to_row(kept: KeptResult) -> tuple[bytes, bytes, str, str]:
    return bytes.fromhex(kept.key), bytes.fromhex(kept.request), json.dumps(dict(kept.result)), kept.at


class SqliteForgotten:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def at(self, digest: bytes) -> str | None:
        found: str | None = self._db.execute("SELECT at FROM forgotten WHERE digest = ?", (digest,)).get
        return found

    def digests(self) -> dict[bytes, str]:
        rows = cast(Any, self._db.execute("SELECT digest, at FROM forgotten ORDER BY digest"))
        return {bytes(digest): at for digest, at in rows}

    def all(self) -> Iterator[ForgottenDigest]:
        for digest, at in self.digests().items():
            yield ForgottenDigest(digest.hex(), at)

    def add(self, digest: bytes, at: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (digest, at))


class SqliteMeta:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def get(self, key: str) -> str | None:
        found: str | None = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
        return found

    def put(self, key: str, value: str | None) -> None:
        if value is None:
            self._db.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


class SqliteNumbers:
    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def highest(self, kind: Numbered) -> int:
        return int(self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (kind,)).get or 0)

    def reserve(self, kind: Numbered, number: int) -> None:
        self._db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, kind))
        if not self._db.changes():
            self._db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (kind, number))


def _to_kept(row: Any) -> KeptResult:
    key, request, result, at = row
    return KeptResult(key=bytes(key).hex(), request=bytes(request).hex(), result=json.loads(result), at=at)

"""Idempotency keys, forgotten digests, values about the whole ledger, and numbers of a plain ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator

from memoro.errors import StoreError
from memoro.model.ledger import ForgottenDigest, KeptResult, Numbered
from memoro.store.plain.tables import Tables


class PlainKeys:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.keys

    def find(self, key: str) -> KeptResult | None:
        return self._rows.get(key)

    def add(self, kept: KeptResult) -> None:
        if kept.key in self._rows:
            raise StoreError(f"There is a key {kept.key} already.")
        self.put(kept)

    def put(self, kept: KeptResult) -> None:
        self._rows[kept.key] = kept._replace(result=json.loads(json.dumps(dict(kept.result))))

    def all(self) -> Iterator[KeptResult]:
        return (kept for _, kept in sorted(self._rows.items()))


class PlainForgotten:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.forgotten

    def at(self, digest: bytes) -> str | None:
        return self._rows.get(digest)

    def digests(self) -> dict[bytes, str]:
        return dict(sorted(self._rows.items()))

    def all(self) -> Iterator[ForgottenDigest]:
        return (ForgottenDigest(digest.hex(), at) for digest, at in self.digests().items())

    def add(self, digest: bytes, at: str) -> None:
        self._rows.setdefault(digest, at)


class PlainMeta:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.meta

    def get(self, key: str) -> str | None:
        return self._rows.get(key)

    def put(self, key: str, value: str | None) -> None:
        if value is None:
            self._rows.pop(key, None)
        else:
            self._rows[key] = value


class PlainNumbers:
    def __init__(self, tables: Tables) -> None:
        self._rows = tables.highest

    def highest(self, kind: Numbered) -> int:
        return self._rows.get(kind, 0)

    def reserve(self, kind: Numbered, number: int) -> None:
        self._rows[kind] = max(number, self.highest(kind))

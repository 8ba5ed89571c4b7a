"""Rows about the whole ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.ledger import ForgottenDigest, KeptResult, Numbered


class KeyRepository(Protocol):
    """Idempotency keys."""

    def find(self, key: str) -> KeptResult | None: ...

    def add(self, kept: KeptResult) -> None: ...

    def put(self, kept: KeptResult) -> None:
        """Add a key, or replace what is kept under it."""

    def all(self) -> Iterator[KeptResult]: ...


class ForgottenRepository(Protocol):
    """Digests of what was forgotten, which keep it from coming back."""

    def at(self, digest: bytes) -> str | None:
        """When a text with this digest was forgotten."""

    def digests(self) -> Mapping[bytes, str]:
        """Return all digests, each with its time."""

    def all(self) -> Iterator[ForgottenDigest]: ...

    def add(self, digest: bytes, at: str) -> None:
        """Add a digest; one that is there keeps its time."""


class MetaRepository(Protocol):
    """Values about the whole store: its `identity`, the `salt` of its digests, when upkeep was last done."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, value: str | None) -> None:
        """Write a value; None deletes it."""


class NumberRepository(Protocol):
    """The numbers that were given to rows: none is given twice, also after its row is deleted."""

    def highest(self, kind: Numbered) -> int:
        """The highest number that was ever given or reserved."""

    def reserve(self, kind: Numbered, number: int) -> None:
        """Never give this number, nor one below it, to a new row."""

"""The part of the port that tells who sees the rows of a shared ledger."""

from __future__ import annotations

from typing import Literal, Protocol

from memoro.model.vocabulary import Visibility

SeenKind = Literal["memory", "experience"]


class VisibilityRepository(Protocol):
    def of(self, kind: SeenKind, number: int) -> Visibility | None:
        """Return who sees it; None where nobody shares the ledger."""

    def put(self, kind: SeenKind, number: int, visibility: Visibility) -> None:
        """Make it private to the person who writes, or shared. What is written about it follows."""

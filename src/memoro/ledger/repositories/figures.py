"""Counts over the rows of a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.figures import ChangeCount, HourCount, RecallFigures


class FigureRepository(Protocol):
    def memories(self) -> list[HourCount]:
        """Return how many memories were stored in each hour, of those that are there."""

    def experiences(self) -> list[HourCount]:
        """Return how many experiences were recorded in each hour, archived ones included."""

    def changes(self, since: str) -> list[ChangeCount]:
        """The changes from a moment on, by hour, kind and operation; undone ones are left out."""

    def recalls(self, since: str, limit: int) -> list[RecallFigures]:
        """The recalls from a moment on, the newest first, at most `limit`."""

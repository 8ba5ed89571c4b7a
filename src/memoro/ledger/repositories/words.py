"""The word index of the archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.answers import Term
    from memoro.model.ledger import ItemFit


class MemoryWords(Protocol):
    """The word index of archived memories."""

    def terms(self, text: str) -> list[Term]:
        """The words of a text as the index keeps them, in their order."""

    def fits(self, words: Sequence[Term]) -> Iterator[ItemFit]:
        """Every memory that holds any of the words, by how well they fit, best first; lazily."""

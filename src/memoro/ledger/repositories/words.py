"""The word indexes of ledger and archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.answers import Term
    from memoro.model.ledger import ExperienceMatch, MemoryMatch, NarrativeMatch


class MemoryWords(Protocol):
    """The word index of memories."""

    def terms(self, text: str) -> list[Term]:
        """The words of a text as the index keeps them, in their order."""

    def memories(self, words: Sequence[Term]) -> Iterator[MemoryMatch]:
        """Every memory that holds any of the words, by how well they fit, best first; lazily."""


class LedgerWords(MemoryWords, Protocol):
    """The word index of everything in the ledger that is searched by words."""

    def telling(self, words: Sequence[Term], share: float) -> list[Term]:
        """Words of which a memory holds at least one if it holds this share of all; none where no memory does."""

    def narratives(self, words: Sequence[Term]) -> Iterator[NarrativeMatch]: ...

    def experiences(self, words: Sequence[Term]) -> Iterator[ExperienceMatch]: ...

"""Build context from the notes alone, for a ledger that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memoro.model.ratings import MutedWords
from memoro.recall.builder import BlockBuilder

if TYPE_CHECKING:
    from memoro.model.recall import Provenance
    from memoro.recall.ports import RecallSources


class NotesBuilder(BlockBuilder):
    """Builds blocks. Its caller filters for notes, and knows that nothing is muted."""

    def sources(self, message: str = "") -> RecallSources:
        """Sync, and return sources that read no conversation from the disk: what was forgotten there is not known."""
        found = super().sources(message)
        return found._replace(items=_NoItems(), vault=None, hidden=None, muted=MutedWords)


class _NoItems:
    def provenances(self, paths: Sequence[str]) -> Mapping[str, Provenance]:  # noqa: ARG002  (the port names it)
        return {}

"""The part of the ledger that finding uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from memoro.model.answers import EndedFact, Held, Text
from memoro.model.sessions import RecordedRecall
from memoro.model.targets import ExperienceId, MemoryId
from memoro.model.vocabulary import Trust

if TYPE_CHECKING:
    from memoro.model.ratings import MutedWords


class KeptItems(Protocol):
    """The memories and experiences of a home, and what sessions were given."""

    def strengths(self, paths: Sequence[str], held: Held | None = None) -> Mapping[str, float]:
        """Return those of these memories and experiences that hold now, each with its worth; 1 is the usual one.

        With days, also memories that held then, or these alone.
        """

    def trusts(self, paths: Sequence[str]) -> Mapping[str, Trust]:
        """The trust of each of these memories."""

    def ended_facts(self, origins: Sequence[str], texts: Sequence[str]) -> Sequence[EndedFact]:
        """What was extracted from these messages, or with these texts, and holds no longer."""

    def cautions(self, paths: Sequence[str]) -> Mapping[str, str]:
        """Those of these paths before whose text words of caution must stand: experiences that did not work."""

    def muted_if_open(self) -> MutedWords | None:
        """What its owner called wrong; None where the ledger is not open: a search of notes does without it."""

    def text(self, target: MemoryId | ExperienceId) -> Text:
        """A memory or an experience, whole."""

    def recalls_of(self, session: str) -> Sequence[RecordedRecall]:
        """Everything that a session was given."""

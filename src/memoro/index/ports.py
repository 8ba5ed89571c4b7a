"""The part of the ledger that indexing uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memoro.model.notes import Hidden

if TYPE_CHECKING:
    from memoro.ledger.ports import Ledger


class LedgerSource(Protocol):
    """The ledger as the index sees it: what to mirror, and what to leave out."""

    def exists(self) -> bool:
        """Return whether anything was ever stored."""

    def fingerprint(self) -> str | None:
        """A text that differs whenever the ledger may have changed; None where there is no ledger."""

    def opened(self) -> Ledger: ...

    def hidden(self) -> Hidden:
        """The messages that must not be read from conversation logs again."""

    def staleness(self) -> str | None:
        """Why what was read from the ledger may be old."""

    def finish_forgetting(self) -> None:
        """Complete a forgetting that was broken off."""

    def propose_dropped_lines(self) -> None:
        """Let the lines wait as proposals that a save of an older version may have dropped from notes."""

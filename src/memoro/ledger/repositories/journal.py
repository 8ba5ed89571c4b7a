"""Rows of the journal and of proposals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from memoro.model.journal import EVERY_CHANGE, ChangeFilter

if TYPE_CHECKING:
    from memoro.model.journal import ChangeCount, JournalEntry
    from memoro.model.proposals import Proposal
    from memoro.model.vocabulary import ProposalState


class JournalRepository(Protocol):
    """Every change, in the order of commits: whoever has read up to a position misses nothing by reading after it.

    The history of a memory includes what it went through as an item: an item has its memory's number.
    """

    def add(self, entry: JournalEntry) -> int:
        """Append an entry and return its position; its `id` is not looked at.

        An entry that undoes another marks that one. An undo that is undone leaves its change in force.
        """

    def restore(self, entry: JournalEntry) -> None:
        """Write an entry as it was, under its own position. It may point to one that is restored later."""

    def get(self, position: int) -> JournalEntry: ...

    def last(self) -> int:
        """The position of the last entry; 0 before the first."""

    def last_before(self, at: str) -> str | None:
        """The time of the last change before a moment."""

    def made_at(self, position: int) -> str | None:
        """Return when the entry at a position was made; None if there is no such entry."""

    def after(self, position: int) -> Iterator[JournalEntry]: ...

    def all(self) -> Iterator[JournalEntry]: ...

    def count(self) -> int: ...

    def latest(self, limit: int | None = None, wanted: ChangeFilter = EVERY_CHANGE) -> list[JournalEntry]:
        """The newest first, by their positions."""

    def counts_between(self, first: str, end: str) -> list[ChangeCount]:
        """The changes from one time on and before another, counted; what was done last comes first."""

    def last_in_force(self, excluded: Sequence[str], person: str | None = None) -> JournalEntry | None:
        """The newest entry that is neither undone nor blank, and not of the excluded operations.

        With a person, the newest of theirs.
        """

    def of(self, kind: str, operation: str | None = None) -> list[JournalEntry]:
        """The newest first."""

    def of_proposals(self, numbers: Sequence[int]) -> list[JournalEntry]:
        """The entries that carried out these proposals; the newest first."""

    def history(self, kind: str, item: int | str) -> list[JournalEntry]: ...

    def removals(self, kind: str) -> list[JournalEntry]:
        """Entries that tell of something that went, with all that it was; the newest first."""

    def changed_since(self, at: str, kind: str) -> list[JournalEntry]:
        """Entries made after a moment; the newest first."""

    def contents(self) -> Iterator[tuple[int, str]]:
        """Every content of a memory that an entry repeats, with the position of the entry."""

    def keeps_content(self, digest: str) -> bool:
        """True if an entry about a note refers to the content with this digest."""

    def blank(self, position: int) -> None:
        """Leave of an entry only that there was one."""

    def blank_history(self, kind: str, item: int | str) -> None: ...

    def delete(self, position: int) -> None:
        """Delete the entry of a change that did not happen after all."""

    def unlink(self, position: int) -> None:
        """Make what this entry has undone be in force again."""


class ProposalRepository(Protocol):
    def add(self, proposal: Proposal) -> int:
        """Add a proposal and return its number; its `id` is not looked at."""

    def get(self, number: int) -> Proposal: ...

    def all(self, state: ProposalState | None = None) -> list[Proposal]: ...

    def settled(self, limit: int) -> list[Proposal]:
        """Return those that a person decided, the last decision first."""

    def settle(self, number: int, state: ProposalState, at: str | None) -> None:
        """Note a decision; with `open` and no time, that there is none."""

    def expire(self, number: int, at: str) -> None:
        """Let a proposal wait no longer than to a moment."""

    def blank(self, number: int) -> None:
        """Reject a proposal and leave nothing of what it said."""

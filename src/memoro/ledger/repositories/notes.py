"""Rows that writing notes needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.ledger import WatchedLine


class ContentRepository(Protocol):
    """Bytes of notes as they were, and texts that were recalled, by their SHA-256."""

    def keep(self, data: bytes) -> str:
        """Keep bytes and return their digest."""

    def get(self, digest: str) -> bytes | None: ...

    def holds(self, data: bytes) -> bool: ...

    def all(self) -> Iterator[tuple[str, bytes]]: ...

    def delete(self, digest: str) -> None: ...


class PendingRepository(Protocol):
    """Writes to notes that are under way, by their position in the journal."""

    def begin(self, entry: int) -> None: ...

    def end(self, entry: int) -> None: ...

    def all(self) -> list[int]: ...


class LineRepository(Protocol):
    """Lines that were appended to notes, watched until their owner has seen them."""

    def watch(self, line: WatchedLine) -> None: ...

    def all(self) -> list[WatchedLine]: ...

    def in_note(self, path: str, *, but: bytes | None = None) -> list[WatchedLine]:
        """The lines of one note, without those whose last seen state is `but`."""

    def saw(self, entry: int, state: bytes, *, returned: bool | None = None) -> None:
        """Record the state of the note in which a line was last seen."""

    def note_changed(self, path: str, before: bytes, after: bytes) -> None:
        """Record that a write of our own made one state of a note into another."""

    def note_moved(self, old: str, new: str) -> None: ...

    def unwatch(self, entry: int) -> None: ...

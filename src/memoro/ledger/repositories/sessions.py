"""Rows of sessions and of their recalls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.model.recalls import SessionTotals, StoredItem, StoredRecall
    from memoro.model.sessions import Session, Use
    from memoro.model.vocabulary import Feedback


class SessionRepository(Protocol):
    def find(self, session: str) -> Session | None: ...

    def all(self, *, archived: bool, limit: int = -1, after: tuple[str, str] | None = None) -> list[Session]:
        """Sessions by the time of their last recall, the last first; `after` a time and a session of that time."""

    def last_of_projects(self, limit: int) -> list[Session]:
        """The session of each project that began last, and that of no project; the last first."""

    def insert(self, session: Session) -> None: ...

    def put_archived(self, session: str, at: str | None) -> None: ...

    def totals(self) -> SessionTotals: ...

    def add(self, recall: StoredRecall, items: Sequence[StoredItem], key: bytes | None) -> int:
        """Keep one recall and return its number. An item without a text is kept as forgotten."""

    def by_key(self, key: bytes) -> StoredRecall | None: ...

    def recall(self, session: str, number: int | None) -> StoredRecall | None:
        """One recall of a session; without a number, the last."""

    def numbered(self, number: int) -> StoredRecall | None:
        """One recall of any session."""

    def last_with(self, item: str, session: str | None = None) -> StoredRecall | None:
        """The last recall that gave an item, in a session or in any."""

    def recalls(self, session: str) -> list[StoredRecall]: ...

    def neighbours(self, first: str, end: str) -> tuple[str | None, str | None]:
        """The time of the last recall before `first`, and of the first one from `end` on."""

    def all_recalls(self) -> Iterator[StoredRecall]:
        """Every recall, the oldest first, some at a time: a ledger keeps more of them each day."""

    def recalls_between(self, begin: str, end: str) -> list[StoredRecall]:
        """Recalls from a moment on and before another, in the order in which they were made."""

    def recalls_of(self, prefix: str) -> list[StoredRecall]:
        """Recalls that gave an item whose id begins so."""

    def replace_recall(self, recall: StoredRecall) -> None:
        """Write the message and the detail of a recall anew."""

    def items(self, recall: int) -> list[StoredItem]: ...

    def keep(self, text: str) -> str:
        """Keep a text that is no item's and return its digest."""

    def kept(self, digest: str) -> str | None: ...

    def given_texts(self) -> Mapping[str, set[str]]:
        """By the digest of its text, the items that were given with that text."""

    def forget_text(self, digest: str) -> None:
        """Make the items that were given with this text be forgotten ones."""

    def uses(self, item: str) -> list[Use]:
        """Every time that an item was given, the last first."""

    def feedback(self, items: Sequence[str] | None = None) -> Iterator[tuple[str, tuple[Feedback, ...]]]:
        """The feedback on each time that one of these items, or any, was given."""

    def of_note(self, path: str) -> list[tuple[str, str]]:
        """The passages of a note that were given, and their texts as far as they are kept."""

    def note(self, item: str, word: Feedback, session: str | None = None) -> int | None:
        """Add feedback where an item was given last, in a session or in any; return the number of that recall.

        None where it was not given, or has this feedback already.
        """

    def note_again(self, recall: int, item: str, word: Feedback) -> None: ...

    def take_back(self, recall: int, item: str, word: Feedback) -> None: ...

"""A ledger in memory that people share: who sees a row is kept, and the journal says whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memoro.ledger.repositories.visibility import SeenKind
from memoro.model.vocabulary import Visibility
from memoro.store.plain.ledger import PlainLedger, PlainTransaction


class KeptVisibility:
    """Who sees what; what was never set is shared."""

    def __init__(self) -> None:
        self._seen: dict[tuple[SeenKind, int], Visibility] = {}

    def of(self, kind: SeenKind, number: int) -> Visibility | None:
        return self._seen.get((kind, number))

    def put(self, kind: SeenKind, number: int, visibility: Visibility) -> None:
        self._seen[kind, number] = visibility


class SharedPlainLedger(PlainLedger):
    def __init__(self) -> None:
        super().__init__()
        self.person: str | None = "mia"
        self.elsewhere: list[tuple[str, str]] = []  # what other machines forgot
        self._visibility = KeptVisibility()

    @contextmanager
    def reading(self) -> Iterator[PlainTransaction]:
        with super().reading() as tx:
            tx.visibility = self._visibility  # type: ignore[assignment]
            yield tx

    @contextmanager
    def writing(self) -> Iterator[PlainTransaction]:
        with super().writing() as tx:
            tx.visibility = self._visibility  # type: ignore[assignment]
            yield tx

    def sign(self) -> None:
        """Let the journal say that all of it is the person's."""
        with self.writing() as tx:
            for entry in list(tx.journal.all()):
                tx.journal.delete(entry.id)
                tx.journal.restore(entry._replace(person=self.person))

    def forgotten_elsewhere(self) -> list[tuple[str, str]]:
        return list(self.elsewhere)

    def note_erased(self) -> None:
        self.elsewhere.clear()

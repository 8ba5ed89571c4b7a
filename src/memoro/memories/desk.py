"""All operations on the ledger of one home, put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import apsw

from memoro.memories.archive import Archiving, Limits
from memoro.memories.backups import Backups
from memoro.memories.book import Book
from memoro.memories.forget import Forgetting, Shadows
from memoro.memories.housekeeping import Housekeeping
from memoro.memories.items import Items
from memoro.memories.memories import Found, Memories, Weights
from memoro.memories.narratives import Narratives
from memoro.memories.undo import Journal
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger import Archive, Ledger
from memoro.store.sqlite.precious import IN_MEMORY


class Choices(NamedTuple):
    """What the settings say about memories."""

    weights: Weights
    limits: Limits
    schedule: str


class Who(NamedTuple):
    """For whom the home was opened."""

    agent: str | None
    project: str | None
    secrets: Sequence[str]  # that must never be kept


class Desk:
    def __init__(
        self,
        home: str,
        engine: Engine,
        choices: Choices,
        who: Who,
        clock: Callable[[], datetime],
        by_meaning: Found,
        shadows: Shadows,
    ) -> None:
        self.book = Book(
            Ledger(home, engine, self._before_migration),
            Archive(home, engine),
            clock,
            who.secrets,
        )
        self.backups = Backups(home, self.book)
        self.archiving = Archiving(self.book, choices.limits)
        self.forgetting = Forgetting(self.book, self.backups, shadows)
        self.journal = Journal(self.book, self.archiving)
        self.memories = Memories(
            self.book, self.archiving, self.forgetting, choices.weights, (who.agent, who.project), by_meaning
        )
        self.narratives = Narratives(self.book, who.agent, who.project)
        self.items = Items(self.book, who.agent, who.project)
        self.housekeeping = Housekeeping(
            home, self.book, self.backups, self.archiving, self.forgetting.finish, schedule=choices.schedule
        )
        if home != IN_MEMORY:
            self.book.after_write = self.housekeeping.after_write
            self.book.make_room = self.housekeeping.drop_ballast

    def _before_migration(self, db: apsw.Connection) -> None:
        self.backups.before_migration(db)

    def close(self) -> None:
        self.book.close()

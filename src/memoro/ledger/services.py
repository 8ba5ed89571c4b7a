"""All operations on the ledger of one home, put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import apsw

from memoro.ledger.access import LedgerAccess
from memoro.ledger.archive import Archiving, Limits
from memoro.ledger.backups import Backups
from memoro.ledger.forget import Forgetting, Shadows
from memoro.ledger.housekeeping import Housekeeping
from memoro.ledger.items import Items
from memoro.ledger.undo import Journal
from memoro.memories.lifecycle import Found, Memories, Weights
from memoro.memories.narratives import Narratives
from memoro.store.sqlite.durable import IN_MEMORY
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger import Archive, Ledger


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


class LedgerServices:
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
        self.access = LedgerAccess(
            Ledger(home, engine, self._before_migration),
            Archive(home, engine),
            clock,
            who.secrets,
        )
        self.backups = Backups(home, self.access)
        self.archiving = Archiving(self.access, choices.limits)
        self.forgetting = Forgetting(self.access, self.backups, shadows)
        self.journal = Journal(self.access, self.archiving)
        self.memories = Memories(
            self.access, self.archiving, self.forgetting, choices.weights, (who.agent, who.project), by_meaning
        )
        self.narratives = Narratives(self.access, who.agent, who.project)
        self.items = Items(self.access, who.agent, who.project)
        self.housekeeping = Housekeeping(
            home, self.access, self.backups, self.archiving, self.forgetting.finish, schedule=choices.schedule
        )
        if home != IN_MEMORY:
            self.access.after_write = self.housekeeping.after_write
            self.access.make_room = self.housekeeping.drop_ballast

    def _before_migration(self, db: apsw.Connection) -> None:
        self.backups.before_migration(db)

    def close(self) -> None:
        self.access.close()

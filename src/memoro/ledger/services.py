"""All operations on the ledger of one home, put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.index.item_index import IndexSource, ItemIndex
from memoro.ledger.access import LedgerAccess
from memoro.ledger.archive import Archiving, Limits
from memoro.ledger.backups import Backups
from memoro.ledger.forget import Forgetting, Shadows
from memoro.ledger.housekeeping import Housekeeping
from memoro.ledger.items import Items
from memoro.ledger.undo import Journal
from memoro.memories.lifecycle import Found, Memories, MemorySearch, Weights
from memoro.memories.narratives import Narratives
from memoro.model.home import IN_MEMORY
from memoro.store.opening import LedgerStores, open_ledger

if TYPE_CHECKING:
    from memoro.ledger.ports import BeforeMigration, Copyable


class Choices(NamedTuple):
    """What the settings say about memories."""

    weights: Weights
    limits: Limits
    schedule: str


class Who(NamedTuple):
    """For whom the home was opened, and by whose clock."""

    agent: str | None
    project: str | None
    secrets: Sequence[str]  # that must never be kept
    clock: Callable[[], datetime]


class IndexSide(NamedTuple):
    """What the ledger asks of the index."""

    source: IndexSource
    by_meaning: Found
    drop: Shadows


OpenStores = Callable[[str, "BeforeMigration"], LedgerStores]


class LedgerServices:
    def __init__(
        self,
        home: str,
        choices: Choices,
        who: Who,
        index: IndexSide,
        open_stores: OpenStores = open_ledger,
    ) -> None:
        stores = open_stores(home, self._before_migration)
        self.access = LedgerAccess(stores.ledger, stores.archive, who.clock, who.secrets)
        self.words = ItemIndex(self.access, index.source)
        self.backups = Backups(home, self.access)
        self.archiving = Archiving(self.access, choices.limits)
        self.forgetting = Forgetting(self.access, self.backups, index.drop)
        self.journal = Journal(self.access, self.archiving)
        self.memories = Memories(
            self.access,
            self.archiving,
            self.forgetting,
            choices.weights,
            (who.agent, who.project),
            MemorySearch(self.words, index.by_meaning),
        )
        self.narratives = Narratives(self.access, self.words, who.agent, who.project)
        self.items = Items(self.access, who.agent, who.project)
        self.housekeeping = Housekeeping(
            home, self.access, self.backups, self.archiving, self.forgetting.finish, schedule=choices.schedule
        )
        if home != IN_MEMORY:
            self.access.after_write = self.housekeeping.after_write
            self.access.make_room = self.housekeeping.free_spare_room

    def _before_migration(self, ledger: Copyable) -> None:
        self.backups.before_migration(ledger)

    def close(self) -> None:
        self.access.close()

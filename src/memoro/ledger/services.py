"""Puts together the services on the ledger of one home."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.ledger.access import LedgerAccess, Owner
from memoro.ledger.archive import Archiving, PruneLimits
from memoro.ledger.backups import Backups
from memoro.ledger.forget import DropFromIndex, Forgetting
from memoro.ledger.housekeeping import Housekeeping, UpkeepOptions
from memoro.ledger.item_index import IndexSource, ItemIndex
from memoro.ledger.items import Items
from memoro.ledger.revert import NoVaultOpen, Reverter
from memoro.ledger.undo import Journal
from memoro.memories.lifecycle import Memories, MemoryUpkeep, Weights
from memoro.memories.narratives import Narratives
from memoro.memories.nearest import NearestMemories
from memoro.memories.querying import MemorySearch, NearMemories
from memoro.model.home import IN_MEMORY
from memoro.model.scope import EVERYTHING, Scope
from memoro.store.opening import LedgerStores, open_ledger

if TYPE_CHECKING:
    from memoro.ledger.ports import BeforeMigration, Copyable, NewestBackup
    from memoro.model.ledger import SharedLineage
    from memoro.search.ledger_search import FoundMemories, MemoryQuestion


class Choices(NamedTuple):
    """The settings of memories."""

    weights: Weights
    limits: PruneLimits
    schedule: str
    private: tuple[str, ...] = ()  # what the owner calls private


class Who(NamedTuple):
    """For whom the home was opened, and by whose clock."""

    agent: str | None
    project: str | None
    secrets: Sequence[str]  # that must never be kept
    clock: Callable[[], datetime]
    scope: Scope = EVERYTHING  # what they see


class IndexSide(NamedTuple):
    """The parts of the index that the ledger uses."""

    source: IndexSource
    by_meaning: Callable[[MemoryQuestion], FoundMemories]
    nearest: NearMemories
    drop: DropFromIndex


OpenStores = Callable[[str, "BeforeMigration", "NewestBackup"], LedgerStores]


class LedgerServices:
    def __init__(
        self,
        home: str,
        choices: Choices,
        who: Who,
        index: IndexSide,
        open_stores: OpenStores = open_ledger,
    ) -> None:
        stores = open_stores(home, self._before_migration, self._newest_backup)
        self.access = LedgerAccess(stores.ledger, stores.archive, who.clock, who.secrets)
        self.item_index = ItemIndex(self.access, index.source)
        self.backups = Backups(home, self.access)
        self.archiving = Archiving(self.access, choices.limits)
        self.forgetting = Forgetting(self.access, self.backups, index.drop)
        self.reverter = Reverter(self.access, self.archiving, NoVaultOpen())
        self.journal = Journal(self.access, self.reverter)
        owner = self.owner = Owner(who.agent, who.project, who.scope)
        search = MemorySearch(self.item_index, index.by_meaning, index.nearest)
        self.nearest = NearestMemories(self.access, owner, search)
        upkeep = MemoryUpkeep(
            access=self.access, archiving=self.archiving, forgetting=self.forgetting, private=choices.private
        )
        self.memories = Memories(upkeep, choices.weights, owner, search)
        self.narratives = Narratives(self.access, owner, self.item_index)
        self.items = Items(self.access, owner)
        self.housekeeping = Housekeeping(
            home,
            self.access,
            self.backups,
            self.archiving,
            UpkeepOptions(finish_forgetting=self.forgetting.finish, schedule=choices.schedule),
        )
        if home != IN_MEMORY:
            self.access.after_write = self.housekeeping.after_write
            self.access.make_room = self.housekeeping.free_spare_room

    def _before_migration(self, ledger: Copyable) -> None:
        made = self.backups.before_migration(ledger)
        self.housekeeping.notices.append(
            f"An earlier version wrote this ledger. It now has the format of this version; the backup {made.name} "
            "keeps it as it was"
        )

    def _newest_backup(self, lineage: SharedLineage | None) -> str | None:
        return self.backups.newest_sound(lineage)

    def close(self) -> None:
        self.access.close()

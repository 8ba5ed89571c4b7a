"""The SQLite files behind a ledger, for tests that look at them or break them."""

from __future__ import annotations

from memoro.ledger.ports import Archive, BeforeMigration, Ledger, NewestBackup
from memoro.ledger.services import IndexSide
from memoro.model.vocabulary import STORE_PARTS
from memoro.search.ledger_search import FoundMemories
from memoro.store.file_record import FileRecord
from memoro.store.opening import LedgerStores
from memoro.store.plain.home import PlainIndexHome
from memoro.store.sqlite.durable import DurableDatabase
from memoro.store.sqlite.engine import Engine
from memoro.store.sqlite.ledger.files import SqliteArchive, SqliteLedger


def database_of(store: Ledger | Archive) -> DurableDatabase:
    assert isinstance(store, SqliteLedger | SqliteArchive)
    return store.database


class OpenedWith:
    """Opens ledger and archive with an engine of the test's choice."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(self, home: str, before_migration: BeforeMigration, newest_backup: NewestBackup) -> LedgerStores:
        ledger, archive = (FileRecord(home, part, newest_backup) for part in STORE_PARTS)
        return LedgerStores(
            SqliteLedger(home, self._engine, before_migration, ledger), SqliteArchive(home, self._engine, archive)
        )


class _InMemory:
    """Keeps the index of a ledger in memory, whatever happens to the ledger."""

    def __init__(self) -> None:
        self.indexes = PlainIndexHome()


def index_in_memory() -> IndexSide:
    """The side of the index for services that a test makes without a home around them."""
    return IndexSide(
        source=_InMemory(),
        by_meaning=lambda _asked: FoundMemories(None),
        nearest=lambda _asked: ((), ()),
        drop=lambda _paths, _digests: None,
    )

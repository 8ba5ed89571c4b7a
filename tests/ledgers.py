"""The SQLite files behind a ledger, for tests that look at them or break them."""

from __future__ import annotations

from memoro.ledger.ports import Archive, BeforeMigration, Ledger
from memoro.store.opening import LedgerStores
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

    def __call__(self, home: str, before_migration: BeforeMigration) -> LedgerStores:
        return LedgerStores(SqliteLedger(home, self._engine, before_migration), SqliteArchive(home, self._engine))

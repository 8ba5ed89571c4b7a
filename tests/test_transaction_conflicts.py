"""The server rolls back a transaction because of another one: the node runs it again, and nothing is lost or doubled.

Distributed engines do so at their default isolation level; here Postgres is told to use that level, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from memoro.errors import LedgerUnreachable
from memoro.ledger.ports import Ledger
from memoro.store.opening import SharedLedger, open_ledger
from memoro.store.postgres import installing
from memoro.store.postgres.opening import close_servers
from tests.postgres import InstalledServer, server

NODES, WRITES = 4, 15


@pytest.fixture
def postgres() -> Iterator[InstalledServer]:
    yield server()
    close_servers()


def serializable(url: str) -> str:
    return f"{url}&options=-c%20default_transaction_isolation%3Dserializable"


def put(ledger: Ledger, key: str, value: str) -> None:
    with ledger.writing() as tx:
        tx.meta.put(key, value)


def revision(postgres: InstalledServer, tenant: str) -> int:
    with psycopg.connect(postgres.owner_url) as connection:
        connection.execute("SELECT set_config('memoro.tenant', %s, false)", [tenant])
        row = connection.execute("SELECT revision FROM memoro.heads WHERE part = 'ledger'").fetchone()
    assert row is not None
    return int(row[0])


def test_nodes_that_meet_at_the_highest_isolation_level_all_write(postgres: InstalledServer, tmp_path: Path) -> None:
    tenant = postgres.new_tenant()
    shared = SharedLedger(serializable(postgres.url), tenant, "mia")
    ledgers = [open_ledger(str(tmp_path / str(number)), shared=shared).ledger for number in range(NODES)]
    before, failures = revision(postgres, tenant), []

    def write(node: int) -> None:
        try:
            for number in range(WRITES):
                put(ledgers[node], f"{node}-{number}", "written")
        except Exception as error:
            failures.append(error)

    writers = [Thread(target=write, args=(node,)) for node in range(NODES)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert failures == []
    assert revision(postgres, tenant) == before + NODES * WRITES
    with open_ledger(str(tmp_path / "fresh"), shared=shared).ledger.reading() as tx:
        keys = [f"{node}-{number}" for node in range(NODES) for number in range(WRITES)]
        assert [key for key in keys if tx.meta.get(key) != "written"] == []


@contextmanager
def failing_commits(postgres: InstalledServer, tenant: str, times: int, code: str) -> Iterator[None]:
    """The server refuses this many commits of a tenant. A sequence counts them: nothing undoes what it counted."""
    with psycopg.connect(postgres.owner_url, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE memoro.refusals")
        connection.execute("GRANT USAGE ON memoro.refusals TO memoro_app")
        connection.execute(f"""
            CREATE FUNCTION memoro.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('memoro.refusals') <= {times} THEN RAISE 'refused' USING ERRCODE = '{code}'; END IF;
                RETURN NULL;
            END $$""")
        connection.execute(f"""
            CREATE CONSTRAINT TRIGGER refusing AFTER INSERT ON memoro.commits DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.tenant = '{tenant}') EXECUTE FUNCTION memoro.refuse()""")
        try:
            yield
        finally:
            connection.execute("DROP TRIGGER refusing ON memoro.commits")
            connection.execute("DROP FUNCTION memoro.refuse()")
            connection.execute("DROP SEQUENCE memoro.refusals")


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_commit_that_was_rolled_back_is_sent_again(postgres: InstalledServer, tmp_path: Path, code: str) -> None:
    tenant = postgres.new_tenant()
    shared = SharedLedger(postgres.url, tenant, "mia")
    ledger = open_ledger(str(tmp_path / "home"), shared=shared).ledger
    put(ledger, "first", "1")
    before = revision(postgres, tenant)

    with failing_commits(postgres, tenant, 3, code):
        put(ledger, "second", "2")

    assert revision(postgres, tenant) == before + 1
    for home in ("home", "fresh"):
        with open_ledger(str(tmp_path / home), shared=shared).ledger.reading() as tx:
            assert (tx.meta.get("first"), tx.meta.get("second")) == ("1", "2")


def test_a_commit_that_is_always_rolled_back_writes_nothing(postgres: InstalledServer, tmp_path: Path) -> None:
    tenant = postgres.new_tenant()
    ledger = open_ledger(str(tmp_path / "home"), shared=SharedLedger(postgres.url, tenant, "mia")).ledger
    put(ledger, "first", "1")
    before = revision(postgres, tenant)

    with failing_commits(postgres, tenant, 1000, "40001"), pytest.raises(LedgerUnreachable):
        put(ledger, "second", "2")

    assert revision(postgres, tenant) == before
    with ledger.reading() as tx:
        assert tx.meta.get("second") is None
    put(ledger, "third", "3")


def test_a_server_without_advisory_locks_can_be_installed(postgres: InstalledServer) -> None:
    """A function of the same name is found first, and fails as on an engine that lacks the lock."""
    with psycopg.connect(postgres.owner_url) as connection:
        connection.execute("CREATE SCHEMA without_lock")
        connection.execute(
            """CREATE FUNCTION without_lock.pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE plpgsql AS
               $$ BEGIN RAISE 'not here' USING ERRCODE = '0A000'; END $$"""
        )
        connection.execute("SET LOCAL search_path = without_lock, pg_catalog")

        assert installing.install(connection).before is not None
        connection.rollback()

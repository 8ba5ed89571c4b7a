"""A node recognises the shared ledger that it knows, and refuses every other state of the server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

import memoro
from memoro.store.file_record import FileMark
from memoro.store.opening import SharedLedger
from memoro.store.postgres.ledger import PostgresLedger
from memoro.store.postgres.schema import SCHEMA
from memoro.store.postgres.tables import TABLES
from tests.conftest import wait_for
from tests.postgres import InstalledServer, server
from tests.shared_homes import Node, OwnDatabase, new_database, new_node, two_nodes


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


@pytest.fixture
def database(postgres: InstalledServer) -> OwnDatabase:  # noqa: ARG001
    made = new_database()
    made.make("team")
    return made


def node_of(database: OwnDatabase, home: Path) -> Node:
    return new_node(home, SharedLedger(database.url("memoro_app"), "team", "mia"))


def assert_refused(node: Node, *words: str) -> None:
    """Neither a read nor a write is answered, and the sentence is about a server."""
    for arguments in (("memory", "list"), ("memory", "store", "this must not be stored")):
        done = node.attempt(*arguments)
        assert done.code != 0, done.out
        for word in ("The shared ledger on", "memoro backup adopt ledger --yes", *words):
            assert word in done.err, done.err


def test_a_server_that_was_restored_from_an_older_dump_is_refused_until_its_state_is_adopted(
    database: OwnDatabase, tmp_path: Path
) -> None:
    node = node_of(database, tmp_path / "home")
    node.store("the well is at the north gate")
    database.dump(tmp_path / "dump")
    node.store("the gate is locked at nine")
    database.restore(tmp_path / "dump")

    assert_refused(node, "an older state")

    node.run("backup", "adopt", "ledger", "--yes")
    assert node.contents() == {"the well is at the north gate"}
    node.store("the gate is locked at ten")


def test_another_history_with_as_many_revisions_is_refused(database: OwnDatabase, tmp_path: Path) -> None:
    node, other = node_of(database, tmp_path / "home"), node_of(database, tmp_path / "other")
    node.store("the well is at the north gate")
    database.dump(tmp_path / "dump")
    node.store("the gate is locked at nine")
    database.restore(tmp_path / "dump")
    for text in ("written after the restore", "and one more", "and a third"):
        other.store(text)

    assert_refused(node, "another history")

    node.run("backup", "adopt", "ledger", "--yes")
    assert "and a third" in node.contents()
    assert "the gate is locked at nine" not in node.contents()


@pytest.mark.parametrize("written", [0, 3])
def test_another_database_under_the_same_address_is_refused(
    database: OwnDatabase, tmp_path: Path, written: int
) -> None:
    node = node_of(database, tmp_path / "home")
    node.store("the well is at the north gate")
    database.make("team")
    other = node_of(database, tmp_path / "other")
    for number in range(written):
        other.store(f"of another team, {number}")

    assert_refused(node)
    assert node.attempt("memory", "list").err.count("of another team") == 0

    node.run("backup", "adopt", "ledger", "--yes")
    assert len(node.contents()) == written


def test_a_node_that_has_only_read_refuses_another_empty_database(database: OwnDatabase, tmp_path: Path) -> None:
    node = node_of(database, tmp_path / "home")
    node.run("memory", "list")
    database.make("team")

    assert_refused(node)


def test_an_emptied_tenant_is_refused(database: OwnDatabase, tmp_path: Path) -> None:
    node = node_of(database, tmp_path / "home")
    node.store("the well is at the north gate")
    with psycopg.connect(database.url("postgres")) as connection:
        for name in ("heads", "commits", "identities", "numbers", "deleted", *(table.on_server for table in TABLES)):
            connection.execute(f"DELETE FROM memoro.{name} WHERE tenant = 'team'")

    assert_refused(node)


def test_a_restore_by_another_node_is_recognised(postgres: InstalledServer, tmp_path: Path) -> None:
    first, second = two_nodes(tmp_path)
    first.store("the well is at the north gate")
    backup = first.run("backup", "create", "--json").json["backups"][0]["name"]
    second.store("the gate is locked at nine")

    first.run("backup", "restore", backup)
    first.run("backup", "restore", backup)  # the archive takes on an identity that it had before

    assert second.contents() == {"the well is at the north gate"}
    second.store("the gate is locked at ten")
    assert first.contents() == {"the well is at the north gate", "the gate is locked at ten"}
    with psycopg.connect(postgres.owner_url.replace("memoro_owner@", "postgres@")) as connection:
        known = connection.execute(
            "SELECT identity FROM memoro.identities WHERE tenant = %s AND part = 'ledger' ORDER BY revision",
            [first.shared.tenant],
        ).fetchall()
        now = connection.execute(
            "SELECT value FROM memoro.meta WHERE tenant = %s AND key = 'identity'", [first.shared.tenant]
        ).fetchone()
    assert len(known) == 3
    assert known[-1] == now


def test_a_reader_takes_no_write_of_its_own_home_for_a_restored_server(database: OwnDatabase, tmp_path: Path) -> None:
    """While it looks at the server, another process of its home may record more than it sees there."""
    node, other = node_of(database, tmp_path / "home"), node_of(database, tmp_path / "other")
    node.store("the well is at the north gate")
    other.store("the gate is locked at nine")

    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(database.url("postgres")) as holding,
        memoro.open(node.home) as m,
        memoro.open(other.home) as m_other,
    ):
        ledger, other_ledger = m.ledger.access.ledger, m_other.ledger.access.ledger
        assert isinstance(ledger, PostgresLedger)
        assert isinstance(other_ledger, PostgresLedger)
        holding.execute(f"LOCK TABLE {SCHEMA}.identities IN ACCESS EXCLUSIVE MODE")
        reading = pool.submit(ledger.replica.pull)  # has seen how far the server is, and waits for its identity
        assert wait_for(lambda: waits_for_a_lock(database), 10)
        m_other.memories.store("the gate is locked at ten")
        recorded = ledger.replica.record.read()
        assert recorded is not None
        assert recorded.mark is not None
        written = FileMark(recorded.mark.identity, other_ledger.replica.known_revision())
        assert written.position > recorded.mark.position
        ledger.replica.record.keep(written)
        holding.rollback()
        reading.result(30)
    assert "the gate is locked at ten" in node.contents()


def waits_for_a_lock(database: OwnDatabase) -> bool:
    with psycopg.connect(database.url("postgres"), autocommit=True) as connection:
        asked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = %s"
        return connection.execute(asked, [database.name]).fetchone() is not None

"""What is forgotten on one machine leaves the server's files and the files of the other machines."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

import memoro
from memoro.store.opening import SharedLedger
from tests.postgres import InstalledServer, server
from tests.shared_homes import new_node, superuser_url, two_nodes

SECRET = "the combination of the safe is zwölf-elf-achtzehn"
NEEDLE = b"elf-achtzehn"


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


def data_folder() -> Path:
    with psycopg.connect(superuser_url()) as connection:
        found = connection.execute("SHOW data_directory").fetchone()
    assert found
    return Path(str(found[0]))


def checkpoint() -> None:
    with psycopg.connect(superuser_url(), autocommit=True) as connection:
        connection.execute("CHECKPOINT")


def files_with(folder: Path, needle: bytes, but: str = "no such folder") -> list[str]:
    found = []
    for file in folder.rglob("*"):
        name = str(file.relative_to(folder))
        if file.is_file() and but not in name and needle in file.read_bytes():
            found.append(name)
    return found


@pytest.mark.usefixtures("postgres")
def test_forgotten_bytes_leave_the_server_and_both_machines(tmp_path: Path) -> None:
    first, second = two_nodes(tmp_path, ("mia", "ben"))
    second.store("so that it is known")
    number = first.store(SECRET)
    with psycopg.connect(superuser_url().replace("@/postgres", "@/memoro"), autocommit=True) as connection:
        connection.execute("ANALYZE memoro.memories")
    checkpoint()
    assert SECRET in second.contents()
    vault = tmp_path / "vault"
    vault.mkdir()
    second.run("--vault", str(vault), "sync")
    assert [name for name in files_with(second.home, NEEDLE) if name.startswith("index")]
    assert files_with(second.home, NEEDLE)
    assert files_with(data_folder(), NEEDLE, but="pg_wal")

    forgotten = first.run("forget", f"memory:{number}", "--yes", "--json").json

    checkpoint()
    assert files_with(first.home, NEEDLE, but="backups") == []
    assert files_with(data_folder(), NEEDLE, but="pg_wal") == []
    assert SECRET not in second.contents()
    second.run("--vault", str(vault), "sync")
    assert files_with(second.home, NEEDLE, but="backups") == []
    assert forgotten["backups"]
    told = " ".join(forgotten["elsewhere"])
    assert "log (WAL)" in told
    assert "ben on" in told
    assert "admin vacuum" not in told
    with psycopg.connect(superuser_url().replace("@/postgres", "@/memoro")) as connection:
        for table in ("deleted", "commits", "identities"):
            rows = connection.execute(
                f"SELECT t::text FROM memoro.{table} t WHERE tenant = %s", [first.shared.tenant]
            )
            assert not [row for row in rows if NEEDLE.decode() in row[0]]


@pytest.mark.usefixtures("postgres")
def test_no_sample_of_a_text_is_kept_for_plans(tmp_path: Path) -> None:
    first, _ = two_nodes(tmp_path)
    for number in range(40):
        first.store(f"{SECRET} {number}")
    with psycopg.connect(superuser_url().replace("@/postgres", "@/memoro"), autocommit=True) as connection:
        connection.execute("ANALYZE")
        rows = connection.execute("SELECT s::text FROM pg_stats s WHERE schemaname = 'memoro'").fetchall()
    assert rows
    assert not [row for row in rows if NEEDLE.decode() in row[0]]


def test_a_role_that_may_not_clean_tables_says_who_must(postgres: InstalledServer, tmp_path: Path) -> None:
    first, _ = two_nodes(tmp_path)
    number = first.store("of this nothing must stay, said nobody")
    with psycopg.connect(postgres.owner_url, autocommit=True) as connection:
        connection.execute("REVOKE MAINTAIN ON ALL TABLES IN SCHEMA memoro FROM memoro_app")
        try:
            done = first.run("forget", f"memory:{number}", "--yes")
        finally:
            connection.execute("GRANT MAINTAIN ON ALL TABLES IN SCHEMA memoro TO memoro_app")
    assert "memoro admin vacuum" in done.out
    checkpoint()
    assert files_with(data_folder(), b"nothing must stay, said", but="pg_wal")

    first.run("admin", "vacuum", "--url", postgres.owner_url)

    checkpoint()
    assert files_with(data_folder(), b"nothing must stay, said", but="pg_wal") == []


@pytest.mark.usefixtures("postgres")
def test_slots_and_dumps_are_named(tmp_path: Path) -> None:
    first, _ = two_nodes(tmp_path)
    number = first.store("soon forgotten")
    with psycopg.connect(superuser_url().replace("@/postgres", "@/memoro"), autocommit=True) as connection:
        connection.execute("SELECT pg_create_physical_replication_slot('standby_1', true)")
        connection.execute(
            "INSERT INTO memoro.dumps (tenant, place) VALUES (%s, 'host:/backups/a.dump')", [first.shared.tenant]
        )
        try:
            told = " ".join(first.run("forget", f"memory:{number}", "--yes", "--json").json["elsewhere"])
        finally:
            connection.execute("SELECT pg_drop_replication_slot('standby_1')")
    assert "standby_1" in told
    assert "Dumps of the server that were made after it hold it, until they are deleted: host:/backups/a.dump" in told


def test_pruning_and_archiving_reach_the_other_machine(postgres: InstalledServer, tmp_path: Path) -> None:
    first, second = two_nodes(tmp_path)
    other_tenant = new_node(tmp_path / "far", SharedLedger(postgres.url, postgres.new_tenant(), "mia"))
    other_tenant.store("of another tenant")
    numbers = [first.store(f"fact {number}: " + "word " * 400) for number in range(30)]
    with memoro.open(second.home) as m:
        m.memories.archive(numbers[0])
    with memoro.open(first.home) as m, m.ledger.access.archive.reading() as old:
        assert old.memories.find(numbers[0]) is not None
        assert old.memories.count() == 1
    with memoro.open(first.home) as m:
        m.memories.archive(numbers[1])
        m.memories.unarchive(numbers[0])
    with memoro.open(second.home) as m, m.ledger.access.archive.reading() as old:
        assert [memory.id for memory in old.memories.all()] == [numbers[1]]
    assert len(second.contents()) == 29
    first.run("config", "set", "memory.max_size", "40KB")
    pruned = first.run("memory", "prune", "--json").json
    assert pruned["archive"]
    assert len(second.contents()) == 29 - len(pruned["archive"])
    with memoro.open(second.home) as m, m.ledger.access.archive.reading() as old:
        assert old.memories.count() == 1 + len(pruned["archive"])
    assert other_tenant.contents() == {"of another tenant"}

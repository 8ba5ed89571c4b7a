"""Backups of a shared ledger through the command line, on two machines; and what is trimmed on the server."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

import memoro
from memoro.model.visibility import seen_as
from memoro.store.opening import SharedLedger
from memoro.store.postgres.opening import place_of
from memoro.store.postgres.trimming import TrimLimits, trim
from tests.postgres import InstalledServer, server
from tests.shared_homes import Node, new_node, superuser_url, two_nodes


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


def counted(tenant: str, table: str) -> int:
    with psycopg.connect(superuser_url().replace("@/postgres", "@/memoro")) as connection:
        found = connection.execute(f"SELECT count(*) FROM memoro.{table} WHERE tenant = %s", [tenant]).fetchone()
    return int(found[0]) if found else -1


def trimmed(node: Node, limits: TrimLimits) -> int:
    place = place_of(str(node.home), node.shared)
    with place.server.transaction(place.seat) as cursor:
        return trim(cursor, place.seat, "ledger", limits)


@pytest.mark.usefixtures("postgres")
def test_a_backup_of_one_person_is_made_verified_and_restored_without_touching_what_others_keep_private(
    tmp_path: Path,
) -> None:
    mia, ben = two_nodes(tmp_path, ("mia", "ben"))
    mia.store("for everybody")
    with memoro.open(ben.home) as m, seen_as("private"):
        m.memories.store("only for ben")
    assert ben.contents() == {"for everybody", "only for ben"}

    made = mia.run("backup", "create", "--json").json["backups"][0]
    assert made["rows"]["ledger"]["memories"] == 1
    assert mia.run("backup", "verify", made["name"]).out.strip().endswith("ok")
    assert made["name"] in mia.run("backup", "list").out
    assert b"only for ben" not in (mia.home / "backups" / made["name"] / "ledger.db").read_bytes()
    later = mia.store("written after the backup")

    mia.run("backup", "restore", made["name"])

    assert mia.contents() == {"for everybody"}
    assert ben.contents() == {"for everybody", "only for ben"}
    assert mia.store("a new one") > later, "a number was given twice"
    assert ben.contents() == {"for everybody", "only for ben", "a new one"}
    assert mia.run("backup", "verify").code == 0


@pytest.mark.usefixtures("postgres")
def test_what_was_forgotten_stays_forgotten_after_a_restore(tmp_path: Path) -> None:
    mia, ben = two_nodes(tmp_path, ("mia", "ben"))
    number = mia.store("to be forgotten")
    mia.store("to be kept")
    backup = mia.run("backup", "create", "--json").json["backups"][0]["name"]
    mia.run("forget", f"memory:{number}", "--yes")

    mia.run("backup", "restore", backup)

    assert mia.contents() == ben.contents() == {"to be kept"}


@pytest.mark.usefixtures("postgres")
def test_a_copy_that_is_older_than_what_is_kept_is_made_anew(tmp_path: Path) -> None:
    mia, away = two_nodes(tmp_path)
    numbers = [mia.store(f"fact {number}") for number in range(6)]
    assert len(away.contents()) == 6
    for number in numbers[:4]:
        mia.run("memory", "remove", str(number))
    tenant = mia.shared.tenant
    before = counted(tenant, "deleted")
    assert before >= 4

    edge = trimmed(mia, TrimLimits(revisions=1, days=0))

    assert counted(tenant, "deleted") < before
    assert counted(tenant, "commits") <= 4  # of the ledger: the last one that is trimmed, and those after it
    assert edge > 1
    assert away.contents() == {"fact 4", "fact 5"}
    away.store("back again")
    assert mia.contents() == {"fact 4", "fact 5", "back again"}


@pytest.mark.usefixtures("postgres")
def test_nothing_young_is_trimmed_and_no_more_rows_at_once_than_may(tmp_path: Path) -> None:
    mia, _ = two_nodes(tmp_path)
    for number in [mia.store(f"fact {number}") for number in range(6)]:
        mia.run("memory", "remove", str(number))
    tenant = mia.shared.tenant
    before, commits = counted(tenant, "deleted"), counted(tenant, "commits")

    assert trimmed(mia, TrimLimits(revisions=1, days=1)) == 0
    assert trimmed(mia, TrimLimits(revisions=1000, days=0)) == 0
    assert (counted(tenant, "deleted"), counted(tenant, "commits")) == (before, commits)

    trimmed(mia, TrimLimits(revisions=1, days=0, rows=2))
    assert before - 2 <= counted(tenant, "deleted") < before
    for _ in range(6):
        trimmed(mia, TrimLimits(revisions=1, days=0, rows=2))
    assert counted(tenant, "deleted") <= 2


@pytest.mark.usefixtures("postgres")
def test_upkeep_trims_once_a_day(tmp_path: Path) -> None:
    mia, _ = two_nodes(tmp_path)
    mia.store("fact")
    with memoro.open(mia.home) as m:
        assert m.upkeep().failed == ()
    assert sorted(file.name for file in mia.home.glob("shared-*/*.trimmed")) == ["archive.trimmed", "ledger.trimmed"]


def test_upkeep_that_fails_for_one_reason_names_it_once(postgres: InstalledServer, tmp_path: Path) -> None:
    node = new_node(tmp_path / "home", SharedLedger(postgres.url, "operations", "operator"))
    with memoro.open(node.home) as m:
        (failure,) = m.upkeep().failed
    assert failure.startswith("There is no tenant 'operations'")

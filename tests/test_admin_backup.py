"""Dumps of a server: made of one moment, and checked by restoring them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest

import memoro
from memoro.model.visibility import seen_as
from memoro.store.opening import SharedLedger
from tests.command import Result, run_memoro
from tests.postgres import InstalledServer, server
from tests.shared_homes import OwnDatabase, new_database, new_node, programs


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


@pytest.fixture
def database(postgres: InstalledServer, tmp_path: Path) -> OwnDatabase:  # noqa: ARG001
    """Two tenants; in the first, one of two people has a private memory."""
    made = new_database()
    made.make("team")
    made.add_tenant("other")
    mia, ben = (
        new_node(tmp_path / name, SharedLedger(made.url("memoro_app"), "team", name)) for name in ("mia", "ben")
    )
    mia.store("the well is at the north gate")
    with memoro.open(ben.home) as m, seen_as("private"):
        m.memories.store("ben keeps this for himself")
    new_node(tmp_path / "far", SharedLedger(made.url("memoro_app"), "other", "eve")).store("of the other tenant")
    return made


def admin(tmp_path: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Result:
    chosen = {"MEMORO_POSTGRES_PROGRAMS": str(programs()), **(env or {})}
    return run_memoro("--home", str(tmp_path / "admin"), "admin", "backup", *arguments, env=chosen)


def databases() -> set[str]:
    with psycopg.connect(server().owner_url) as connection:
        return {str(name) for (name,) in connection.execute("SELECT datname FROM pg_database")}


@pytest.mark.process
def test_a_dump_of_all_tenants_is_restored_and_compared(database: OwnDatabase, tmp_path: Path) -> None:
    file = str(tmp_path / "all.dump")

    made = admin(tmp_path, file, "--url", database.url("postgres"), "--json")
    assert made.code == 0, made.err
    assert made.json["tenants"] == ["other", "team"]
    assert oct(os.stat(file).st_mode & 0o777) == "0o600"

    before = databases()
    checked = admin(tmp_path, file, "--verify", "--url", database.url("postgres"), "--json")
    assert checked.code == 0, checked.err or checked.out
    assert checked.json["restored_into"] == "a new database on the server"
    assert databases() == before


@pytest.mark.process
def test_a_dump_that_lacks_a_row_or_a_byte_is_found_out(database: OwnDatabase, tmp_path: Path) -> None:
    file = tmp_path / "all.dump"
    admin(tmp_path, str(file), "--url", database.url("postgres"))
    manifest = tmp_path / "all.dump.manifest.json"
    told = json.loads(manifest.read_text())
    rows, digest = told["contents"]["memories"]["team"]
    manifest.write_text(
        json.dumps({**told, "contents": {**told["contents"], "memories": {"team": [rows + 1, digest]}}})
    )

    lacking = admin(tmp_path, str(file), "--verify", "--url", database.url("postgres"), "--json")
    assert lacking.code == 1
    assert any("memories of the tenant 'team'" in problem for problem in lacking.json["problems"])

    manifest.write_text(json.dumps(told))
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 1
    file.write_bytes(whole)
    damaged = admin(tmp_path, str(file), "--verify", "--url", database.url("postgres"), "--json")
    assert damaged.code == 1
    assert "not those that were written" in damaged.json["problems"][0]


@pytest.mark.process
@pytest.mark.parametrize("role", ["memoro_owner", "postgres"])
def test_a_dump_of_one_tenant_has_its_private_rows_and_nothing_of_others(
    database: OwnDatabase, tmp_path: Path, role: str
) -> None:
    file = tmp_path / "team.dump"

    made = admin(tmp_path, str(file), "--url", database.url(role), "--tenant", "team", "--json")
    assert made.code == 0, made.err
    assert made.json["tenants"] == ["team"]

    contents = json.loads((tmp_path / "team.dump.manifest.json").read_text())["contents"]
    assert contents["memories"]["team"][0] == 2
    assert all(set(tenants) <= {"team"} for tenants in contents.values())
    checked = admin(tmp_path, str(file), "--verify", "--url", database.url("postgres"), "--json")
    assert checked.code == 0, checked.err or checked.out


@pytest.mark.process
def test_a_role_that_does_not_see_all_rows_is_told_so(database: OwnDatabase, tmp_path: Path) -> None:
    done = admin(tmp_path, str(tmp_path / "a.dump"), "--url", database.url("memoro_owner"))
    assert done.code != 0
    assert "does not see the rows of all tenants" in done.err
    assert not list(tmp_path.glob("a.dump*"))


@pytest.mark.process
def test_a_pg_dump_that_is_too_old_is_refused_by_a_sentence(database: OwnDatabase, tmp_path: Path) -> None:
    older = programs().parent.parent / "pginstall" / "bin"
    env = {"MEMORO_POSTGRES_PROGRAMS": str(older)}
    done = admin(tmp_path, str(tmp_path / "a.dump"), "--url", database.url("postgres"), env=env)
    assert done.code != 0
    assert "This needs `pg_dump` of Postgres 18 or later" in done.err
    assert "MEMORO_POSTGRES_PROGRAMS" in done.err


@pytest.mark.process
def test_a_dump_is_of_one_moment_though_others_write(database: OwnDatabase, tmp_path: Path) -> None:
    import threading

    stop = threading.Event()

    def write() -> None:
        with memoro.open(tmp_path / "mia") as m:
            number = 0
            while not stop.is_set():
                m.memories.store(f"written while it is dumped {number}")
                number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = admin(tmp_path, str(tmp_path / "busy.dump"), "--url", database.url("postgres"))
    finally:
        stop.set()
        writer.join()
    assert made.code == 0, made.err
    checked = admin(tmp_path, str(tmp_path / "busy.dump"), "--verify", "--url", database.url("postgres"), "--json")
    assert checked.json["problems"] == []

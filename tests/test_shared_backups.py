"""Backups in a home that came to a shared ledger: only those of that ledger are offered, and restored there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memoro.store.opening import SharedLedger
from tests.command import run_memoro
from tests.postgres import InstalledServer, server
from tests.shared_homes import Node, OwnDatabase, new_database, new_node

TOMS = "the well is at the north gate"
OWN = "my salary is 91000"


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


@pytest.fixture
def database(postgres: InstalledServer) -> OwnDatabase:  # noqa: ARG001
    made = new_database()
    made.make("team")
    return made


def joined(database: OwnDatabase, folder: Path) -> Node:
    """A home whose own ledger, with a backup of the day, was added to one in which Tom has a memory."""
    shared = SharedLedger(database.url("memoro_app"), "team", "mia")
    new_node(folder / "tom", shared._replace(person="tom")).store(TOMS)
    node = Node(folder / "mia", shared)
    node.run("memory", "store", OWN)
    where = ("--to", shared.url, "--tenant", "team", "--person", "mia")
    node.run("move-ledger", "--merge", *where)
    return node


def backups(node: Node) -> dict[str, str]:
    """The newest backup of each reason."""
    found = node.run("backup", "list", "--json").json["backups"]
    return {one["why"]: one["name"] for one in reversed(found)}


def test_after_a_restored_dump_only_a_backup_of_that_ledger_is_offered(database: OwnDatabase, tmp_path: Path) -> None:
    node = joined(database, tmp_path)
    database.dump(tmp_path / "dump")
    node.run("memory", "store", "the gate is locked at nine")
    for name in (tmp_path / "mia" / "backups").iterdir():
        if name.is_dir() and json.loads((name / "manifest.json").read_text())["shared"]:
            shutil.rmtree(name)  # the one that the write made
    database.restore(tmp_path / "dump")

    refused = node.attempt("memory", "list")

    assert "an older state" in refused.err
    assert "backup restore" not in refused.err
    assert "This home has no backup of it" in refused.err


def test_a_backup_of_the_shared_ledger_is_offered_and_restored(database: OwnDatabase, tmp_path: Path) -> None:
    node = joined(database, tmp_path)
    database.dump(tmp_path / "dump")
    node.run("memory", "store", "the gate is locked at nine")
    made = node.run("backup", "create", "--json").json["backups"][0]["name"]
    node.run("backup", "restore", made)  # it gives the ledger a new identity
    later = node.run("backup", "create", "--json").json["backups"][0]["name"]
    database.restore(tmp_path / "dump")

    assert f"memoro backup restore {later}`" in node.attempt("memory", "list").err

    node.run("backup", "adopt", "ledger", "--yes")
    node.run("backup", "adopt", "archive", "--yes")
    node.run("backup", "restore", later, "--yes")
    assert node.contents() == {TOMS, OWN, "the gate is locked at nine"}


@pytest.mark.parametrize("manifest", ["as it is", "of an earlier version"])
def test_a_backup_of_another_ledger_never_takes_the_place_of_the_shared_one(
    database: OwnDatabase, tmp_path: Path, manifest: str
) -> None:
    node = joined(database, tmp_path)
    foreign = backups(node)["before a move"]
    if manifest != "as it is":
        forget_ledger(node.home / "backups" / foreign, why="daily")

    for arguments in (("--yes",), ("--part", "ledger", "--yes"), ()):
        done = node.attempt("backup", "restore", foreign, *arguments)
        assert done.code != 0
        assert "of another ledger" in done.err, done.err
    assert node.contents() == {TOMS, OWN}

    new = tmp_path / "new"
    shutil.copytree(node.home / "backups" / foreign, new / "backups" / foreign)
    for arguments in (("backup", "restore", foreign), ("export", "--output", str(tmp_path / "own.jsonl"))):
        done = run_memoro("--home", str(new), *arguments)
        assert done.code == 0, done.err
    node.run("memory", "remove", "2")
    node.run("import", str(tmp_path / "own.jsonl"))
    assert node.contents() == {TOMS, OWN}


def forget_ledger(backup: Path, why: str) -> None:
    """Make the manifest what an earlier version would have written."""
    found = json.loads((backup / "manifest.json").read_text())
    del found["shared"]
    (backup / "manifest.json").write_text(json.dumps({**found, "why": why}))


def test_a_tenant_that_holds_nothing_may_become_any_ledger(database: OwnDatabase, tmp_path: Path) -> None:
    node = joined(database, tmp_path)
    made = node.run("backup", "create", "--json").json["backups"][0]["name"]
    database.make("team")

    assert f"memoro backup restore {made}`" in node.attempt("memory", "list").err

    node.run("backup", "adopt", "ledger", "--yes")
    node.run("backup", "adopt", "archive", "--yes")
    node.run("backup", "restore", made)
    assert node.contents() == {TOMS, OWN}


def test_the_first_day_in_a_shared_ledger_has_a_backup_of_it(database: OwnDatabase, tmp_path: Path) -> None:
    node = joined(database, tmp_path)
    node.run("memory", "store", "the gate is locked at nine")

    newest = node.run("backup", "list", "--json").json["backups"][0]

    assert newest["why"] == "daily"
    assert newest["rows"]["ledger"]["memories"] == 3

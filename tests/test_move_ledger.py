"""`memoro move-ledger` loses nothing, doubles nothing, and can die at each of its steps."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

import memoro
from memoro.errors import LedgerMoved
from memoro.model.items import ItemPut
from memoro.store.opening import SharedLedger, administration
from tests.command import Result, clean_environment, run_memoro
from tests.postgres import InstalledServer, server
from tests.raw_sqlite import dump
from tests.shared_homes import Node, new_node, superuser_url


@pytest.fixture(scope="module")
def postgres() -> InstalledServer:
    return server()


def run(home: Path, *arguments: str) -> Result:
    done = run_memoro("--home", str(home), *arguments)
    assert done.code == 0, done.err or done.out
    return done


def filled_home(folder: Path) -> Path:
    """A home with something in most tables."""
    home, vault = folder / "home", folder / "vault"
    vault.mkdir(parents=True)
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f'# mine\n[vault]\npath = "{vault}"\n')
    for number in range(12):
        run(home, "memory", "store", f"fact {number}: the well is {number} metres deep", "--session", "s1")
    run(home, "memory", "store", "a text with \x01nul\x01 and an emoji 🦉", "--key", "k1")
    run(home, "memory", "reinforce", "3")
    run(home, "memory", "remove", "4")
    run(home, "memory", "forget", "5", "--yes")
    run(home, "narrative", "update", "the well is being measured")
    run(home, "remember", "Measure wells in metres.")
    run(home, "daily", "measured the well")
    with memoro.open(home) as m:
        m.recall("how deep is the well", session="s1")
        m.items.put("langgraph", [ItemPut(("team",), "depth", {"metres": 12})])
        m.memories.archive(2)
    return home


def rows_of(home: Path) -> dict[str, list[Any]]:
    found = {f"ledger {name}": rows for name, rows in dump(home / "ledger.db").items()}
    found |= {f"archive {name}": rows for name, rows in dump(home / "archive.db").items()}
    return {name: sorted(rows, key=repr) for name, rows in found.items() if "words" not in name}


def count_on_server(tenant: str, table: str) -> int:
    with psycopg.connect(superuser_url().replace("@/postgres", "@/memoro")) as connection:
        found = connection.execute(f"SELECT count(*) FROM memoro.{table} WHERE tenant = %s", [tenant]).fetchone()
    return int(found[0]) if found else -1


def move_arguments(tenant: str) -> tuple[str, ...]:
    return ("move-ledger", "--to", server().url, "--tenant", tenant, "--person", "mia")


def test_a_ledger_moves_to_a_server_and_back_with_every_row(postgres: InstalledServer, tmp_path: Path) -> None:
    home, tenant = filled_home(tmp_path), postgres.new_tenant()
    before, exported = rows_of(home), run(home, "export", "-o", "-").out
    with memoro.open(home) as m, m.ledger.access.ledger.reading() as tx:
        highest, position = tx.numbers.highest("memories"), tx.journal.last()

    moved = run(home, *move_arguments(tenant), "--json").json["moved"]

    assert moved["rows"]["memories"] == len(before["ledger memories"])
    assert moved["rows"]["archive memories"] == 1
    assert moved["position"] == position
    assert "# mine" in (home / "memoro.toml").read_text()
    assert run(home, "config", "get", "ledger.tenant", "--json").json["value"] == tenant
    assert run(home, "export", "-o", "-").out == exported
    assert count_on_server(tenant, "memories") == len(before["ledger memories"])
    other = new_node(tmp_path / "other", SharedLedger(postgres.url, tenant, "mia"))
    assert "fact 0: the well is 0 metres deep" in other.contents()
    new = other.store("written on another machine")
    assert new == highest + 1, "a number was given twice"

    done = run(home, "move-ledger", "--finish")
    assert "backup" in done.out
    assert not (home / "ledger.db").exists()
    assert run(home, "backup", "verify").code == 0

    run(home, "move-ledger", "--to", "sqlite")
    assert run(home, "config", "get", "ledger.url", "--json").json["value"] is None
    after = rows_of(home)
    for name, rows in before.items():
        if name not in ("ledger memories", "ledger journal"):
            assert after[name] == rows, name
    assert [row for row in after["ledger memories"] if row[0] != new] == before["ledger memories"]
    run(home, "move-ledger", "--finish")
    assert not list(home.glob("shared-*"))
    assert run(home, "doctor").code == 0


def test_only_the_owner_can_read_what_a_move_writes(postgres: InstalledServer, tmp_path: Path) -> None:
    home = tmp_path / "home"
    run(home, "memory", "store", "The well is 12 metres deep")
    for arguments in (move_arguments(postgres.new_tenant()), ("move-ledger", "--to", "sqlite")):
        run(home, *arguments)
        files = [one for one in home.rglob("*") if one.is_file()]
        assert home / "move.json" in files
        assert [one.name for one in files if stat.S_IMODE(one.stat().st_mode) & 0o077] == []


def test_a_tenant_that_holds_something_is_refused_and_nothing_changes(
    postgres: InstalledServer, tmp_path: Path
) -> None:
    home, tenant = filled_home(tmp_path), postgres.new_tenant()
    new_node(tmp_path / "other", SharedLedger(postgres.url, tenant, "ben")).store("of the team")
    before = rows_of(home)

    done = run_memoro("--home", str(home), *move_arguments(tenant))

    assert done.code != 0
    assert "holds a ledger already" in done.err
    assert "memoro move-ledger --merge" in done.err
    assert count_on_server(tenant, "memories") == 1
    run(home, "memory", "store", "the old one stays in use")
    assert len(rows_of(home)["ledger memories"]) == len(before["ledger memories"]) + 1


def test_a_program_that_has_the_old_ledger_open_reads_on_and_is_told_when_it_writes(
    postgres: InstalledServer, tmp_path: Path
) -> None:
    home, tenant = filled_home(tmp_path), postgres.new_tenant()
    with memoro.open(home) as running:
        running.memories.store("before the move")
        run(home, *move_arguments(tenant))
        assert running.memories.show(1).memory.content.startswith("fact 0")
        with pytest.raises(LedgerMoved, match="Start this program again"):
            running.memories.store("after the move")
    with memoro.open(home) as again:
        again.memories.store("after the move")
        run(home, "move-ledger", "--to", "sqlite")
        with pytest.raises(LedgerMoved):
            again.memories.store("after it moved back")


def test_moving_back_takes_what_the_person_sees_and_names_who_has_more(
    postgres: InstalledServer, tmp_path: Path
) -> None:
    tenant = postgres.new_tenant()
    mia, ben = (new_node(tmp_path / name, SharedLedger(postgres.url, tenant, name)) for name in ("mia", "ben"))
    mia.store("for everybody")
    with memoro.open(ben.home) as m:
        from memoro.model.visibility import seen_as

        with seen_as("private"):
            m.memories.store("only for ben")

    done = mia.run("move-ledger", "--to", "sqlite")

    told = " ".join(done.out.split())
    assert "others stay on the server, because you cannot see them. May have some: ben." in told
    assert mia.contents() == {"for everybody"}
    assert ben.contents() == {"for everybody", "only for ben"}
    assert b"only for ben" not in b"".join(file.read_bytes() for file in mia.home.rglob("*.db*"))


# Dies before or after one step of a move; the arguments are: class, step, when, and those of the command.
DIE = """
import os, sys
from memoro.ledger.exchange.merging import Merging
from memoro.ledger.moving import LedgerMove
from memoro.store.postgres.move_steps import MergeIntoServer, MoveToFile, MoveToServer
from memoro.cli import main
owner, name, when = sys.argv[1:4]
owner = {one.__name__: one for one in (LedgerMove, MoveToServer, MoveToFile, MergeIntoServer, Merging)}[owner]
step = getattr(owner, name)
def dying(*given, **named):
    if when == "before":
        os.kill(os.getpid(), 9)
    step(*given, **named)
    os.kill(os.getpid(), 9)
setattr(owner, name, dying)
sys.exit(main(sys.argv[4:]))
"""


def die(home: Path, step: tuple[str, str], when: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIE, *step, when, "--home", str(home), *arguments],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


STEPS = [("LedgerMove", "begin"), ("LedgerMove", "back_up")]
TO_SERVER = [*STEPS, *(("MoveToServer", name) for name in ("check", "copy", "verify", "mark"))]
TO_SERVER += [("LedgerMove", "switch"), ("LedgerMove", "conclude")]
TO_FILE = [("LedgerMove", "begin"), *(("MoveToFile", name) for name in ("check", "copy", "verify"))]
TO_FILE += [
    ("MoveToFile", "put_in_place"),
    ("MoveToFile", "mark"),
    ("LedgerMove", "switch"),
    ("LedgerMove", "conclude"),
]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_move_that_is_killed_at_any_step_goes_on_and_doubles_nothing(
    postgres: InstalledServer, tmp_path: Path, when: str
) -> None:
    home, tenant = filled_home(tmp_path), postgres.new_tenant()
    numbers: list[int] = []
    for step in TO_SERVER:
        die(home, step, when, *move_arguments(tenant))
        done = run_memoro("--home", str(home), "memory", "store", f"between two deaths {step}", "--json")
        if done.code == 0:  # whichever is in use is written to, and the next attempt takes that along
            numbers.append(done.json["id"])
        else:
            assert "memoro move-ledger" in done.err
    expected = run_memoro("--home", str(home), "export", "-o", "-")

    again = run_memoro("--home", str(home), *move_arguments(tenant))

    assert again.code == 0 or "was moved already" in again.err
    assert len(numbers) >= len(TO_SERVER) - 2
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "a number was given twice, or left out"
    assert run(home, "export", "-o", "-").out == expected.out
    with memoro.open(home) as m, m.ledger.access.ledger.reading() as tx:
        assert count_on_server(tenant, "memories") == tx.memories.count() >= len(numbers)
    run(home, "move-ledger", "--finish")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_move_back_that_is_killed_at_any_step_goes_on(postgres: InstalledServer, tmp_path: Path, when: str) -> None:
    node: Node = new_node(tmp_path / "home", SharedLedger(postgres.url, postgres.new_tenant(), "mia"))
    kept = {"the well is at the north gate"}
    node.store(*kept)
    for number, step in enumerate(TO_FILE):
        die(node.home, step, when, "move-ledger", "--to", "sqlite")
        done = node.attempt("memory", "store", f"between two deaths {number}")
        if done.code == 0:
            kept.add(f"between two deaths {number}")
        else:
            assert "memoro move-ledger" in done.err

    if "url" in (node.home / "memoro.toml").read_text():
        node.run("move-ledger", "--to", "sqlite")
    node.run("move-ledger", "--finish")

    assert node.contents() == kept
    assert len(dump(node.home / "ledger.db")["memories"]) == len(kept)


# A second machine that has memories of its own joins a tenant that holds a ledger


def other_machine(folder: Path) -> Node:
    """A machine that shares a ledger already."""
    tenant = server().new_tenant()
    administration(server().owner_url).add_person(tenant, "mia")
    other = new_node(folder / "other", SharedLedger(server().url, tenant, "mia"))
    other.store("of the team")
    return other


def join(home: Path, other: Node) -> Result:
    """Let the settings of a home name the ledger of another machine."""
    for name in ("tenant", "person"):
        run(home, "config", "set", f"ledger.{name}", getattr(other.shared, name))
    return run(home, "config", "set", "ledger.url", other.shared.url)


def joined_home(folder: Path) -> tuple[Path, Node, list[str]]:
    """A home, the machine whose ledger it has joined, and what both know."""
    home, other = filled_home(folder), other_machine(folder)
    with memoro.open(home) as m, m.ledger.access.ledger.reading() as tx:
        known = sorted([*(one.content for one in tx.memories.all()), "of the team"])
    join(home, other)
    return home, other, known


@pytest.mark.usefixtures("postgres")
def test_a_home_with_memories_is_told_how_to_add_them_until_it_has(tmp_path: Path) -> None:
    home, other = tmp_path / "home", other_machine(tmp_path)
    run(home, "memory", "store", "mine alone")

    set_url = join(home, other)

    unused = "This home's own ledger has 1 memory, which no search finds"
    assert f"{unused} from now on; `memoro move-ledger --merge` adds it there." in " ".join(set_url.out.split())
    status = " ".join(run(home, "status").out.split())
    assert f"{unused} while ledger.url is set. `memoro move-ledger --merge` adds it to the shared" in status
    checks = {one["name"]: one for one in run(home, "doctor", "--json").json["checks"]}
    assert checks["own ledger"]["state"] == "warning"
    assert "memoro move-ledger --merge" in checks["own ledger"]["remedy"]

    merged = run(home, "move-ledger", "--merge").out

    assert "1 memory: 1 new, 0 known already" in merged
    assert "mine alone" in run(home, "search", "mine alone").out
    assert other.contents() == {"of the team", "mine alone"}
    for finished in (False, True):
        if finished:
            run(home, "move-ledger", "--finish")
        assert "own ledger" not in run(home, "status").out
        assert "own ledger" not in run(home, "doctor").out
    assert not (home / "ledger.db").exists()
    assert run(home, "backup", "verify").code == 0


@pytest.mark.usefixtures("postgres")
def test_a_merge_adds_what_the_home_holds_and_keeps_its_files_until_confirmed(tmp_path: Path) -> None:
    home, other, known = joined_home(tmp_path)
    other.store("fact 2: the well is 2 metres deep")
    before = rows_of(home)

    merged = run(home, "move-ledger", "--merge", "--json").json["merged"]

    assert merged["added"]["known"] == 1
    assert merged["added"]["new"] == len(before["ledger memories"]) + len(before["archive memories"]) - 1
    assert merged["added"]["narratives"] == 1
    assert sorted(other.contents()) == known
    assert rows_of(home) == before, "the old files changed"
    refused = run_memoro("--home", str(home), "move-ledger", "--merge")
    assert refused.code != 0
    assert "was moved already" in refused.err


def test_a_merge_into_an_empty_tenant_is_a_move(postgres: InstalledServer, tmp_path: Path) -> None:
    home, tenant = filled_home(tmp_path), postgres.new_tenant()
    exported = run(home, "export", "-o", "-").out
    assert run(home, *move_arguments(tenant), "--merge", "--json").json["moved"]["rows"]["journal"]
    assert run(home, "export", "-o", "-").out == exported


@pytest.mark.usefixtures("postgres")
def test_a_merge_keeps_memories_private_where_the_settings_say_so(tmp_path: Path) -> None:
    home, other, known = joined_home(tmp_path)
    run(home, "config", "set", "ledger.visibility", "private")
    run(home, "move-ledger", "--merge")
    administration(server().owner_url).add_person(other.shared.tenant, "ben")
    ben = new_node(tmp_path / "ben", other.shared._replace(person="ben"))
    assert ben.contents() == {"of the team"}
    assert sorted(other.contents()) == known


MERGE = [*STEPS, ("Merging", "_point"), ("Merging", "_archive"), ("LedgerMove", "add"), ("MergeIntoServer", "mark")]
MERGE += [("LedgerMove", "switch"), ("LedgerMove", "conclude")]


@pytest.mark.usefixtures("postgres")
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_merge_that_is_killed_at_any_step_goes_on_and_doubles_nothing(tmp_path: Path, when: str) -> None:
    home, other, known = joined_home(tmp_path)
    for step in MERGE:
        die(home, step, when, "move-ledger", "--merge")

    again = run_memoro("--home", str(home), "move-ledger", "--merge")

    assert again.code == 0 or "was moved already" in again.err
    with memoro.open(other.home) as m, m.ledger.access.ledger.reading() as tx:
        assert sorted(one.content for one in tx.memories.all()) == known
    run(home, "move-ledger", "--finish")

"""`doctor --deep` and `status` tell the truth about the ledger."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import memoro
from tests.conftest import run_memoro
from tests.ledgers import database_of


def states(home: Path, *, deep: bool = True) -> dict[str, str]:
    with memoro.open(home) as m:
        return {check.name: check.state for check in m.doctor(deep=deep)}


def stored(home: Path) -> None:
    with memoro.open(home) as m:
        m.memories.store("the backup disk is called Heron", source="user")
        m.narratives.update("setting up backups", [1])


def test_a_sound_ledger_is_called_sound(tmp_path: Path) -> None:
    stored(tmp_path / "home")
    found = states(tmp_path / "home")
    named = ("ledger", "backups", "ledger file", "archive file", "contents", "backups read")
    assert {name: found[name] for name in named} == dict.fromkeys(named, "ok")
    assert "ledger file" not in states(tmp_path / "home", deep=False)


def test_a_home_without_memories_is_no_failure(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        assert [c.state for c in m.doctor(deep=True) if c.name == "ledger"] == ["ok"]
    assert not (tmp_path / "home" / "ledger.db").exists()


def test_a_memory_that_was_changed_behind_our_back_is_noticed(tmp_path: Path) -> None:
    stored(tmp_path / "home")
    with memoro.open(tmp_path / "home") as m, database_of(m.ledger.access.ledger).write() as db:
        db.execute("UPDATE memories SET content = 'the backup disk is called Raven'")
    assert states(tmp_path / "home")["contents"] == "failed"


def test_words_that_do_not_match_the_archived_memories_are_noticed(tmp_path: Path) -> None:
    stored(tmp_path / "home")
    with memoro.open(tmp_path / "home") as m:
        m.memories.archive(1)
        with database_of(m.ledger.access.archive).write() as db:
            db.execute("DELETE FROM words WHERE rowid = 1")
    assert states(tmp_path / "home")["archive file"] == "failed"


def test_a_damaged_backup_is_noticed(tmp_path: Path) -> None:
    stored(tmp_path / "home")
    (backup,) = (one for one in (tmp_path / "home" / "backups").iterdir() if one.is_dir())
    file = backup / "ledger.db"
    data = bytearray(file.read_bytes())
    data[5000] ^= 255
    file.write_bytes(data)
    assert states(tmp_path / "home")["backups read"] == "warning"


@pytest.mark.parametrize("text", ["{", '{"created_at": "2026", "why": "daily", "rows": ["ledger"]}', "\xff"])
def test_a_backup_whose_list_cannot_be_read_is_not_said_to_hold_nothing(text: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    stored(home)
    with memoro.open(home) as m:
        m.backups.create()
    damaged = sorted(one for one in (home / "backups").iterdir() if one.is_dir())[0]
    (damaged / "manifest.json").write_bytes(text.encode("latin-1"))
    listed = run_memoro("--home", str(home), "backup", "list")
    (line,) = [line for line in listed.out.splitlines() if line.startswith(f"{damaged.name} ")]
    assert "its list (manifest.json) cannot be read" in line
    assert "0 memories" not in line
    with memoro.open(home) as m:
        (check,) = [check for check in m.doctor() if check.name == "backups"]
    assert (check.state, damaged.name in check.found) == ("warning", True)


def test_an_old_backup_gets_a_word(tmp_path: Path) -> None:
    stored(tmp_path / "home")
    (backup,) = (one for one in (tmp_path / "home" / "backups").iterdir() if one.is_dir())
    manifest = backup / "manifest.json"
    text = manifest.read_text()
    year = text.partition('"created_at": "')[2][:4]
    manifest.write_text(text.replace(f'"created_at": "{year}', '"created_at": "2020'))
    assert states(tmp_path / "home", deep=False)["backups"] == "warning"


def test_status_counts_memories_and_works_without_a_vault(tmp_path: Path) -> None:
    home = tmp_path / "home"
    stored(home)
    with memoro.open(home) as m:
        m.memories.store("another")
        m.memories.archive(2)
        found = m.status()
    assert (found.vault, found.memories, found.archived) == (None, 1, 1)
    assert found.backup in os.listdir(home / "backups")


def test_status_says_so_when_the_ledger_cannot_be_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    stored(home)
    (home / "ledger.db").write_bytes(b"not a database at all" * 400)
    for tail in ("-wal", "-shm"):
        (home / f"ledger.db{tail}").unlink(missing_ok=True)
    with memoro.open(home) as m:
        assert m.status().memories is None
        assert [c.state for c in m.doctor() if c.name == "ledger"] == ["failed"]

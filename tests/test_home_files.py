"""The files of a home: for their owner alone, and outside of the vault."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro as library
from memoro.errors import ConfigError
from memoro.model.home import IN_MEMORY, why_nested
from tests.command import Memoro, run_memoro, run_process


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(home: Path) -> list[str]:
    """The files and folders of a home, and it itself, that others than the owner may read or write."""
    found = [home, *home.rglob("*")]
    return sorted(str(one.relative_to(home)) for one in found if stat.S_IMODE(one.lstat().st_mode) & 0o077)


@pytest.mark.process
def test_every_file_of_a_home_is_for_its_owner_alone(home: Path, vault: Path):
    (vault / "a.md").write_text("# Lamp\n\nThe lamp is green.\n")
    places = ("--home", str(home), "--vault", str(vault))
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "where is the lamp", "cwd": "/"}
    run_process(*places, "search", "lamp")
    run_process(*places, "hook", "claude-code", stdin=json.dumps(event))
    run_process(*places, "hook", "claude-code", stdin=json.dumps({**event, "hook_event_name": "Stop"}))
    with library.open(home, vault) as m:  # its logs exist while it is open
        m.memories.store("The lamp costs 40 euros")
        m.memories.store("An old cup")
        m.memories.archive(2)
        m.remember("Tea is at five")
        m.daily.add("Bought a lamp")
        m.recall("lamp", session="s")
        m.backups.create()
        m.sync(force=True)
        assert len(list(home.rglob("*"))) > 25
        assert open_to_others(home) == []


def test_modes_of_an_existing_home_are_mended_when_it_is_used(home: Path, vault: Path, memoro: Memoro):
    (vault / "a.md").write_text("# Lamp\n\nThe lamp is green.\n")
    memoro("memory", "store", "The lamp costs 40 euros")
    memoro("search", "lamp")
    databases = ["embeddings.db", "index.1.db", "ledger.db", "archive.db"]
    copies = [str(one.relative_to(home)) for one in home.glob("backups/*/*.db")]
    for name in (*databases, *copies):
        (home / name).chmod(0o644)
    assert "chmod -R go-rwx" in memoro("doctor").out
    (vault / "a.md").write_text("# Lamp\n\nThe lamp is red.\n")
    memoro("search", "lamp")
    memoro("memory", "stats")
    memoro("backup", "create")
    assert open_to_others(home) == []
    assert memoro("doctor").code == 0


names = st.lists(st.sampled_from(["a", "ab", "b"]), max_size=3).map("/".join)


@given(home=names, vault=names)
def test_a_home_and_a_vault_are_apart_or_it_is_said(home: str, vault: str):
    one, two = Path("/nowhere", home), Path("/nowhere", vault)
    apart = one != two and one not in two.parents and two not in one.parents
    assert (why_nested(str(one), str(two)) is None) == apart
    assert why_nested(IN_MEMORY, str(two)) is None
    assert why_nested(str(one), None) is None


@pytest.mark.parametrize("inside", [".memoro", "notes/home"])
def test_a_home_inside_the_vault_is_refused_when_it_is_set_up(inside: str, vault: Path):
    (vault / "a.md").write_text("tea")
    home = vault / inside
    for words in (["init", str(vault)], ["--vault", str(vault), "sync"], ["--vault", str(vault), "search", "tea"]):
        done = run_memoro("--home", str(home), *words)
        assert done.code == 2, words
        assert "lies inside the vault" in done.err
        assert "--home" in done.err
    with pytest.raises(ConfigError, match="lies inside"):
        library.open(home, vault)
    assert os.listdir(vault) == ["a.md"]


def test_a_vault_inside_the_home_is_refused_when_it_is_set_up(home: Path):
    (home / "notes").mkdir(parents=True)
    home.chmod(0o700)
    done = run_memoro("--home", str(home), "init", str(home / "notes"))
    assert done.code == 2
    assert "holds the vault" in done.err
    assert "copies or shares" not in done.err, "copying the notes does not take the home along"
    assert os.listdir(home) == ["notes"]


def test_a_home_that_is_inside_the_vault_already_opens_and_says_so(vault: Path):
    (vault / "a.md").write_text("tea")
    home = vault / ".memoro"
    home.mkdir(mode=0o700)
    places = ("--home", str(home), "--vault", str(vault))
    assert run_memoro(*places, "search", "tea").code == 0
    for command in ("status", "doctor"):
        assert "lies inside the vault" in run_memoro(*places, command).out

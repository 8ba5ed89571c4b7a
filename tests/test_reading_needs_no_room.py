"""Searching and reading need no byte: on a full disk, in a home and in a vault that can only be read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

import memoro as library
from memoro.errors import StorageFull
from tests.command import Result, run_memoro, run_process
from tests.conftest import fingerprint, write_vault
from tests.test_ledger_faults import fill
from tests.test_mcp_processes import command, serving

pytestmark = pytest.mark.process

State = Literal["full disk", "read-only home", "read-only vault"]
STATES: tuple[State, ...] = ("full disk", "read-only home", "read-only vault")
NOTES = {
    "MEMORY.md": "# Memory\n\n- Tea is at five\n",
    "lamp.md": "# Lamp\n\nThe lamp in the hall is green.\n",
    "cup.md": "# Cup\n\nThe cup is blue.\n",
}


class Place(NamedTuple):
    state: State
    home: Path
    vault: Path

    def run(self, *words: str) -> Result:
        return run_memoro("--home", str(self.home), "--vault", str(self.vault), *words)


def mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this machine lets nobody mount a disk, so none can be full or read-only")


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """A disk of six megabytes with a home and a vault that are in use."""
    if not shutil.which("mount"):
        pytest.skip("there is no `mount` on this machine, so no disk can be full or read-only")
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=6m,mode=700", "tmpfs", str(folder))
    try:
        vault = write_vault(folder / "vault", NOTES)
        with library.open(folder / "home", vault) as m:
            m.memories.store("The lamp costs 40 euros")
            m.memories.store("An old lamp stood in the cellar")
            m.memories.archive(2)
            m.experiences.record("task_solution", "mend the lamp", "change the bulb")
            m.recall("lamp", session="known")
            m.search("lamp")
        yield folder
    finally:
        subprocess.run(["umount", "-R", "-l", str(folder)], check=True)


@pytest.fixture(scope="module", params=STATES)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    state: State = request.param
    with disk(tmp_path_factory.mktemp("reading") / "disk") as folder:
        home, vault = folder / "home", folder / "vault"
        if state == "full disk":
            fill(folder / "filling")
        else:
            target = str(home if state == "read-only home" else vault)
            mount("--bind", target, target)
            mount("-o", "remount,ro,bind", target)
        yield Place(state, home, vault)


READS = [
    ("search lamp", "The lamp in the hall is green."),
    ("search lamp --mode words", "The lamp costs 40 euros"),
    ("recall lamp", "The lamp in the hall is green."),
    ("recall lamp --session unknown --project roof", "The lamp in the hall is green."),
    ("recall cup --session known", "The cup is blue."),
    ("prompt lamp", "Tea is at five"),
    ("get lamp.md", "The lamp in the hall is green."),
    ("get memory:1", "The lamp costs 40 euros"),
    ("get experience:1", "change the bulb"),
    ("status", "3 notes"),
    ("memory query lamp", "The lamp costs 40 euros"),
    ("memory query lamp --session known", "The lamp costs 40 euros"),
    ("memory query cellar --archived", "An old lamp"),
    ("memory list", "The lamp costs 40 euros"),
    ("memory show 2", "archived"),
    ("memory history 1", "store"),
    ("memory stats", "1 archived"),
    ("experience find lamp", "change the bulb"),
    ("session list", "known"),
    ("session show known", "lamp"),
    ("log", "store [id:1]"),
    ("proposals", "No proposals"),
    ("backup list", "daily"),
    ("backup verify", "ok"),
    ("space list", "searched"),
]


@pytest.mark.parametrize(("words", "expected"), READS, ids=[words for words, _ in READS])
def test_every_command_that_reads_answers(words: str, expected: str, place: Place):
    before = fingerprint(place.vault)
    done = place.run(*words.split())
    assert done.code == 0, done.err
    assert expected in done.out
    assert fingerprint(place.vault) == before


def test_an_answer_says_what_was_not_done(place: Place):
    done = place.run("recall", "lamp", "--session", "another", "--json").json
    is_vault = place.state == "read-only vault"
    assert any(said.startswith("session: this was not recorded") for said in done["degraded"]) is not is_vault
    status = place.run("status").out
    expected = {
        "full disk": "No space is left for",
        "read-only home": "can only be read",
        "read-only vault": "the index is up to date",
    }
    assert expected[place.state] in status


WRITES = {
    "full disk": (4, "No space is left"),
    "read-only home": (4, "Make the folder writable"),
    "read-only vault": (3, "Nothing was changed"),
}


@pytest.mark.parametrize("words", ["memory store x", "sync --force", "backup create", "daily tea", "remember tea"])
def test_a_command_that_writes_refuses_in_a_sentence_and_loses_nothing(words: str, place: Place):
    if place.state == "read-only vault" and words.split()[0] not in ("daily", "remember"):
        return  # it writes to the home alone
    before = fingerprint(place.vault)
    done = place.run(*words.split())
    code, said = WRITES[place.state]
    assert done.code == code, done
    assert said in done.err
    assert fingerprint(place.vault) == before
    assert "The lamp costs 40 euros" in place.run("memory", "list").out


@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
def test_hooks_answer(event: str, place: Place):
    told = {"hook_event_name": event, "session_id": event, "prompt": "where is the lamp", "cwd": "/", "source": "x"}
    done = run_process(
        "--home", str(place.home), "--vault", str(place.vault), "hook", "claude", stdin=json.dumps(told)
    )
    assert done.code == 0
    assert ("Tea is at five" if event == "SessionStart" else "The lamp in the hall") in done.out, done.err


def test_reads_over_mcp_answer(place: Place):
    with serving(command(place.home, place.vault, "--profile", "full")) as server:
        for tool, given, expected in (
            ("search", {"query": "lamp"}, "The lamp in the hall"),
            ("get", {"id": "lamp.md"}, "The lamp in the hall"),
            ("get", {"id": "memory:1"}, "40 euros"),
            ("recall", {"message": "where is the lamp"}, "The lamp in the hall"),
            ("memory_query", {"query": "lamp"}, "40 euros"),
            ("experience_find", {"query": "lamp"}, "change the bulb"),
            ("status", {}, "3"),
        ):
            done = server.call(tool, **given)
            assert not done.get("isError"), done
            assert expected in str(done), tool
        if place.state != "read-only vault":
            refused = server.call("memory_store", content="tea")
            assert refused["isError"]


def test_a_living_process_reads_on_a_full_disk_and_writes_when_there_is_room_again(tmp_path: Path):
    with disk(tmp_path / "disk") as folder, library.open(folder / "home", folder / "vault") as m:
        fill(folder / "filling")
        assert m.search("lamp").results
        with pytest.raises(StorageFull):
            m.memories.store("tea")
        (folder / "filling").unlink()
        write_vault(folder / "vault", {"new.md": "# New lamp\n\nThis lamp is from today.\n"})
        answer = m.search("new lamp today")
        assert answer.degraded == ()
        assert answer.results[0].path == "new.md"
        assert m.memories.store("tea").new


def test_changed_notes_are_found_later_and_the_answer_says_that_the_index_is_behind(tmp_path: Path):
    with disk(tmp_path / "disk") as folder:
        write_vault(folder / "vault", {"new.md": "# New lamp\n\nThis lamp is from today.\n"})
        fill(folder / "filling")
        place = Place("full disk", folder / "home", folder / "vault")
        done = place.run("search", "lamp", "--json").json
        assert "lamp.md" in {hit["path"] for hit in done["results"]}
        assert not done["synced"]
        assert any("No space is left" in said for said in done["degraded"])


def test_a_home_that_a_killed_process_left_is_read_where_it_cannot_be_written(tmp_path: Path):
    """Its logs hold what the files do not."""
    with disk(tmp_path / "disk") as folder:
        script = (
            "import os, sys, memoro\n"
            "m = memoro.open(sys.argv[1], sys.argv[2])\n"
            "m.memories.store('a lamp in the log')\n"
            "m.search('lamp')\n"
            "os._exit(0)"
        )
        home, vault = folder / "home", folder / "vault"
        run_process_of(script, home, vault)
        assert (home / "ledger.db-wal").stat().st_size
        mount("--bind", str(home), str(home))
        mount("-o", "remount,ro,bind", str(home))
        place = Place("read-only home", home, vault)
        assert "a lamp in the log" in place.run("memory", "list").out
        assert "a lamp in the log" in place.run("search", "log", "--mode", "words").out


def run_process_of(script: str, *places: Path) -> None:
    subprocess.run([sys.executable, "-c", script, *map(str, places)], check=True)

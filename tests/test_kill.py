"""A process may die at any moment. The next one goes on as if nothing had happened."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import memoro
from memoro.store.sqlite.generations import Generations
from tests.conftest import run_process, times
from tests.indexes import QUERIES, answers, change_vault, complaints, fresh, leftovers, make_vault, said

NOTES = times(150, 300)


def start(home: Path, vault: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )


def kill_after(seconds: float, process: subprocess.Popen[bytes]) -> bool:
    """Kill the process after a while; whether it was still at work."""
    time.sleep(seconds)
    process.kill()
    error = process.communicate()[1]
    assert process.returncode in (0, -signal.SIGKILL), error.decode()
    return process.returncode != 0


def seconds_of(home: Path, vault: Path, *arguments: str) -> float:
    started = time.monotonic()
    done = run_process("--home", str(home), "--vault", str(vault), *arguments)
    assert done.code == 0, done.err
    return time.monotonic() - started


@pytest.mark.campaign
def test_a_sync_killed_at_any_moment_is_made_good_by_the_next(tmp_path: Path):
    rng = random.Random(18)
    vault, home, before = make_vault(tmp_path / "vault", NOTES), tmp_path / "home", tmp_path / "before"
    duration = seconds_of(before, vault, "sync")
    change_vault(vault, rng, edits=NOTES // 2, few=15)
    expected, expected_answers = fresh(vault, tmp_path / "fresh"), answers(tmp_path / "fresh", vault)
    rounds, inside = times(25, 200), 0

    for number in range(rounds):
        shutil.rmtree(home, ignore_errors=True)
        if number % 2:  # an index of how the vault was, rather than none
            shutil.copytree(before, home)
        for _ in range(rng.choice([1, 1, 2])):
            inside += kill_after(rng.uniform(0.05, duration), start(home, vault, "sync"))
        if home.exists():
            assert complaints(home) == []
        with memoro.open(home, vault) as m:
            report = m.sync()
        assert report.rebuilt is None
        assert said(home) == expected
        assert complaints(home) == []
        assert leftovers(home) == set()
        if number % 5 == 0:
            assert answers(home, vault) == expected_answers
    assert inside >= rounds // 5, "most kills came too late to show anything"


@pytest.mark.campaign
def test_a_rebuild_killed_at_any_moment_leaves_the_old_index_in_use_and_nothing_behind(tmp_path: Path):
    rng = random.Random(19)
    vault, home = make_vault(tmp_path / "vault", NOTES), tmp_path / "home"
    seconds_of(home, vault, "sync")
    duration = seconds_of(home, vault, "sync", "--force")
    expected, expected_answers = said(home), answers(home, vault)
    rounds, inside = times(15, 200), 0

    with memoro.open(home, vault) as living:  # it has the index open through all of this
        for number in range(rounds):
            process = start(home, vault, "sync", "--force")
            query = number % len(QUERIES)
            assert living.search(QUERIES[query], limit=10, mode="words").results == expected_answers[query]
            inside += kill_after(rng.uniform(0, duration), process)
            assert said(home) == expected  # before anyone could mend anything
            assert living.search(QUERIES[query], limit=10, mode="words").results == expected_answers[query]
            with memoro.open(home, vault) as other:
                assert other.sync().unchanged == NOTES
            files = (f"index.{Generations(str(home)).current()}.db", "embeddings.db")
            belong = {f"{file}{tail}" for file in files for tail in ("", "-wal", "-shm")}
            assert leftovers(home) <= belong
    assert leftovers(home) == set()
    assert complaints(home) == []
    assert answers(home, vault) == expected_answers
    assert inside >= rounds // 5, "most kills came too late to show anything"


def test_a_sync_that_was_broken_off_does_not_mix_passages_of_two_settings(tmp_path: Path):
    vault, home, other = make_vault(tmp_path / "vault", 120), tmp_path / "home", tmp_path / "other"

    def break_off(done: int, _total: int) -> None:
        if done == 100:
            raise KeyboardInterrupt

    with memoro.open(home, vault) as m, pytest.raises(KeyboardInterrupt):
        m.sync(progress=break_off)
    for folder in (home, other):
        folder.mkdir(exist_ok=True, mode=0o700)
        (folder / "memoro.toml").write_text("[chunking]\ntokens = 60\noverlap = 10\n")
    with memoro.open(home, vault) as m:
        m.sync()
    with memoro.open(other, vault) as m:
        m.sync()

    assert said(home) == said(other)

"""The vault is not ours: it moves, vanishes and changes while we look. Nothing is lost for that, and it is said."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import memoro
from memoro.errors import TooManyGone, VaultChanged, VaultMissing
from memoro.index.note_changes import EMPTY_RETRY_SECONDS
from memoro.store.ports import Counts
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from tests.conftest import times, wait_for, write_vault
from tests.indexes import QUERIES, answers, complaints, fresh, make_vault, said, write_note


def counts(home: Path) -> Counts:
    """What the index holds, looked at from outside and without a sync."""
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    try:
        index = indexes.current()
        return index.counts() if index else Counts(0, 0, 0, 0)
    finally:
        indexes.close()


def assert_converged(home: Path, vault: Path, scratch: Path) -> None:
    with memoro.open(home, vault) as m:
        m.sync()
    assert said(home) == fresh(vault, scratch)
    assert answers(home, vault) == answers(scratch, vault)
    assert complaints(home) == []


@pytest.mark.parametrize("moment", [1, 60, 119])
def test_a_vault_that_is_moved_away_during_a_sync_loses_nothing(moment: int, tmp_path: Path):
    vault, home, away = make_vault(tmp_path / "vault", 120), tmp_path / "home", tmp_path / "away"
    with memoro.open(home, vault) as m:
        m.sync()
        for file in vault.rglob("*.md"):
            file.write_text(file.read_text() + "\nChanged.\n")

        def move(done: int, _total: int) -> None:
            if done == moment:
                vault.rename(away)

        with pytest.raises(VaultMissing):
            m.sync(progress=move)
        before = counts(home)
        answer = m.search(QUERIES[0])
        with pytest.raises(VaultMissing):
            m.status()
        for _ in range(3):
            with pytest.raises(VaultMissing):
                m.sync(accept_deletions=True)
            with pytest.raises(VaultMissing):
                m.sync(force=True)

        assert counts(home) == before
        assert (before.files, before.hidden) == (120, 0)
        assert not answer.synced
        assert answer.results
        assert any("cannot be read" in sentence for sentence in answer.degraded)
        away.rename(vault)
    assert_converged(home, vault, tmp_path / "fresh")


@pytest.mark.campaign
def test_a_vault_that_comes_and_goes_at_any_moment_loses_nothing(tmp_path: Path):
    vault, home, away = make_vault(tmp_path / "vault", 100), tmp_path / "home", tmp_path / "away"
    rng = random.Random(24)
    with memoro.open(home, vault) as m:
        m.sync()
        until = time.monotonic() + times(4, 60)

        def come_and_go() -> None:
            while time.monotonic() < until:
                vault.rename(away)
                time.sleep(rng.uniform(0, 0.02))
                away.rename(vault)
                time.sleep(rng.uniform(0, 0.05))

        mover = threading.Thread(target=come_and_go)
        mover.start()
        gone = 0
        while time.monotonic() < until:
            try:
                m.sync(force=rng.random() < 0.3)
            except VaultMissing:
                gone += 1
            assert counts(home)[::2] == (100, 0)
        mover.join()
    assert gone > 0, "the vault was never seen to be gone"
    assert_converged(home, vault, tmp_path / "fresh")


def test_an_empty_folder_where_the_vault_was_mounted_empties_no_index(tmp_path: Path):
    vault, home, away = make_vault(tmp_path / "vault", 30), tmp_path / "home", tmp_path / "away"
    with memoro.open(home, vault) as m:
        m.sync()
        vault.rename(away)
        vault.mkdir()

        for force in (False, True):
            with pytest.raises((VaultChanged, TooManyGone)):
                m.sync(force=force)
        answer = m.search(QUERIES[0])

        assert counts(home)[::2] == (30, 0)
        assert answer.results
        assert any("accept-deletions" in sentence for sentence in answer.degraded)
        vault.rmdir()
        away.rename(vault)
    assert_converged(home, vault, tmp_path / "fresh")


@pytest.mark.campaign
def test_files_that_come_go_and_move_during_syncs_raise_nothing(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 150), tmp_path / "home"
    until = time.monotonic() + times(5, 60)

    def meddle(seed: int) -> None:
        rng = random.Random(seed)
        while time.monotonic() < until:
            try:
                files = [file for file in vault.rglob("*.md") if file.is_file()]
                file = rng.choice(files)
                match rng.randrange(8):
                    case 0:
                        file.unlink()
                        write_note(file, rng)
                    case 1:
                        write_note(vault / rng.choice("abc") / f"{rng.randrange(10**9)}.md", rng)
                    case 2 if len(files) > 120:
                        file.unlink()
                    case 3:
                        file.rename(vault / f"moved-{rng.randrange(10**9)}.md")
                    case 4:
                        folder = vault / rng.choice("abc")
                        if folder.is_dir():
                            folder.rename(vault / f"folder-{rng.randrange(10**9)}")
                    case 5:
                        file.write_bytes(b"")
                        write_note(file, rng)
                    case _:
                        write_note(file, rng)
            except FileNotFoundError:  # the other one was faster
                continue

    bots = [threading.Thread(target=meddle, args=(seed,)) for seed in range(2)]
    for bot in bots:
        bot.start()
    with memoro.open(home, vault) as m:
        syncs = 0
        while time.monotonic() < until:
            try:
                m.sync(force=syncs % 10 == 9)
            except TooManyGone:
                m.sync(accept_deletions=True)
            m.search(QUERIES[syncs % len(QUERIES)])
            syncs += 1
        for bot in bots:
            bot.join()
        m.sync(accept_deletions=True)
        m.sync()  # believes what the one before found to be empty
    assert syncs >= 2
    assert_converged(home, vault, tmp_path / "fresh")


@pytest.mark.campaign
def test_renames_are_seen_as_renames(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 200), tmp_path / "home"
    rng = random.Random(25)
    renamed = moved = 0
    with memoro.open(home, vault) as m:
        m.sync()
        for number in range(times(6, 60)):
            files = rng.sample(sorted(vault.rglob("*.md")), 40)
            for file in files:
                target = vault / rng.choice(["", "x", "y/z"]) / f"{number}-{rng.randrange(10**9)}.md"
                target.parent.mkdir(parents=True, exist_ok=True)
                file.rename(target)
            if number % 3 == 2:  # a whole folder in one go
                (vault / "x").rename(vault / f"x-{number}")
            report = m.sync()
            assert (report.added, report.changed) == (0, 0)
            renamed += report.moved + report.hidden
            moved += report.moved
    assert renamed >= times(6, 60) * 40
    assert moved >= 0.99 * renamed
    assert counts(home).hidden == renamed - moved
    assert_converged(home, vault, tmp_path / "fresh")


def test_of_notes_that_are_alike_each_rename_is_told_once(tmp_path: Path):
    vault, home = tmp_path / "vault", tmp_path / "home"
    write_vault(vault, {f"{number}.md": "# The same\n" for number in range(5)})
    with memoro.open(home, vault) as m:
        m.sync()
        for number in range(3):
            (vault / f"{number}.md").rename(vault / f"new-{number}.md")
        report = m.sync()
    assert (report.moved, report.hidden, report.added) == (3, 0, 0)


EDITOR = """
import os, sys, time
file, seconds, pause = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
content = open(file, "rb").read()
print("editing", flush=True)
until = time.monotonic() + seconds
longest = 0.0
while time.monotonic() < until:
    began = time.monotonic()
    with open(file, "wb", buffering=0) as handle:
        time.sleep(pause)
        handle.write(content)
    longest = max(longest, time.monotonic() - began)
    time.sleep(pause)
print(longest)
"""


@contextmanager
def editor(file: Path, seconds: float, pause: float) -> Iterator[subprocess.Popen[str]]:
    """Saves the note again and again, unchanged: empties the file, and writes it a moment later.

    In the end it says how long the note was empty at most.
    """
    with subprocess.Popen(
        [sys.executable, "-c", EDITOR, str(file), str(seconds), str(pause)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "editing\n"
        yield process


@pytest.mark.campaign
@pytest.mark.parametrize("pause", [0.001, 0.004, 0.015])
def test_a_note_that_is_saved_all_the_time_never_disappears(pause: float, tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 10), tmp_path / "home"
    write_vault(vault, {"saved.md": "# Zygote\n\nThe zygote is saved again and again.\n"})
    seconds = times(4, 60)
    until = time.monotonic() + seconds
    searches = []
    with memoro.open(home, vault) as m:
        m.sync()
        with editor(vault / "saved.md", seconds, pause) as process:
            while time.monotonic() < until:
                searches.append([hit.path for hit in m.search("zygote", mode="words").results])
            longest = float(process.communicate()[0])
    assert len(searches) > 3
    # On a machine so busy that the editor was halted within a save, the note was empty in earnest.
    assert longest >= EMPTY_RETRY_SECONDS or searches == [["saved.md"]] * len(searches)
    assert_converged(home, vault, tmp_path / "fresh")


def test_a_note_that_is_suddenly_empty_is_believed_by_the_second_sync(tmp_path: Path):
    vault, home = tmp_path / "vault", tmp_path / "home"
    write_vault(vault, {"a.md": "# A\n\nzygote\n", "b.md": "# B\n"})
    with memoro.open(home, vault) as m:
        m.sync()
        (vault / "a.md").write_bytes(b"")

        first = m.sync()
        assert counts(home).files == 2
        assert [(problem.path, problem.severity) for problem in first.problems] == [("a.md", "partly")]
        with memoro.open(home, vault) as reader:  # the search syncs as well, and so is the second to look
            assert reader.search("zygote", mode="words").results == ()
        assert m.sync().problems == ()
    assert_converged(home, vault, tmp_path / "fresh")


def test_a_note_that_was_empty_for_a_moment_is_as_it_was(tmp_path: Path):
    vault, home = tmp_path / "vault", tmp_path / "home"
    write_vault(vault, {"a.md": "# A\n\nzygote\n"})
    with memoro.open(home, vault) as m:
        m.sync()
        (vault / "a.md").write_bytes(b"")
        m.sync()
        write_vault(vault, {"a.md": "# A\n\nzygote\n"})
        report = m.sync()
        assert (report.changed, report.problems) == (0, ())
        assert [hit.path for hit in m.search("zygote", mode="words").results] == ["a.md"]
    assert_converged(home, vault, tmp_path / "fresh")


def test_one_poison_note_keeps_no_other_from_being_found(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", times(200, 999)), tmp_path / "home"
    write_vault(
        vault,
        {
            "deep.md": "---\n" + "[" * 10_000 + "\n---\n# Deep\n",
            "date.md": "---\ndate: 2026-99-99\n---\n# Date\n",
            "null.md": b"# Null\n\x00\x00\xff\xfe\n",
            "line.md": "x" * 1_500_000,
            "large.md": "# Large\n" + "word " * 500_000,
        },
    )
    os.mkfifo(vault / "pipe.md")
    (vault / "folder.md").mkdir()
    (vault / "link.md").symlink_to("/etc/passwd")
    with memoro.open(home, vault) as m:
        report = m.sync()
        assert report.files == times(200, 999) + 4
        failed = {problem.path for problem in report.problems if problem.severity == "failed"}
        assert failed == {"null.md"}
        assert {problem.path for problem in report.problems} > {"deep.md", "large.md", "pipe.md", "link.md"}
    assert_converged(home, vault, tmp_path / "fresh")


class Watching:
    """`memoro watch` in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes], out: Path, err: Path) -> None:
        self.process, self._out, self._err = process, out, err

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(timeout=20) == 0, self.err
        assert "Traceback" not in self.err
        assert self.out.endswith("Stopped.\n")


@contextmanager
def watching(home: Path, vault: Path, *before: str, settings: str = "") -> Iterator[Watching]:
    """`before` are the words of a command that runs another."""
    home.mkdir(exist_ok=True, mode=0o700)
    (home / "memoro.toml").write_text(f"[sync]\nwatch_debounce_ms = 100\n{settings}")
    out, err = home.with_name("out"), home.with_name("err")
    command = [*before, sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "watch"]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MEMORO_")}
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr, env=clean)
    try:
        yield Watching(process, out, err)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.mark.campaign
def test_a_watched_vault_is_followed_through_a_burst_of_files(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 20), tmp_path / "home"
    rng = random.Random(26)
    burst = times(500, 50_000)
    with watching(home, vault) as watch:
        assert wait_for(lambda: counts(home).files == 20 if home.joinpath("sync.lock").exists() else False, 30)
        for number in range(burst):
            file = vault / f"burst-{number % 50}" / f"{number}.md"
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"# {number}\n\n{QUERIES[number % 10]} {rng.random()}\n")
        assert wait_for(lambda: counts(home).files == burst + 20, 30), watch.err
        write_note(vault / "note-2.md", rng)
        shutil.rmtree(vault / "burst-0")
        assert wait_for(lambda: counts(home)[::2] == (burst + 20 - burst // 50, burst // 50), 30), watch.err
        watch.interrupt()
        assert watch.err == ""
    assert said(home) == fresh(vault, tmp_path / "fresh")


def test_a_watched_vault_that_goes_away_and_returns_is_followed_again(tmp_path: Path):
    vault, home, away = make_vault(tmp_path / "vault", 30), tmp_path / "home", tmp_path / "away"
    with watching(home, vault) as watch:
        assert wait_for(lambda: "30 notes" in watch.out, 20), watch.err
        vault.rename(away)
        assert wait_for(lambda: "cannot be read" in watch.err, 20)
        assert counts(home)[::2] == (30, 0)
        write_note(away / "while-away.md", random.Random(1))
        away.rename(vault)
        assert wait_for(lambda: counts(home).files == 31, 30), watch.err
        write_note(vault / "back.md", random.Random(2))
        assert wait_for(lambda: counts(home)[::2] == (32, 0), 30), watch.err
        watch.interrupt()
    assert_converged(home, vault, tmp_path / "fresh")


def test_with_events_off_the_vault_is_polled_and_that_is_said(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 5), tmp_path / "home"
    with watching(home, vault, settings="watch = false\n") as watch:
        assert wait_for(lambda: "polling: file events are off" in watch.err, 20)
        write_note(vault / "later.md", random.Random(1))
        assert wait_for(lambda: counts(home).files == 6, 30)
        watch.interrupt()
        assert watch.err.count("polling") == 1


def can_limit_watches() -> bool:
    if not shutil.which("unshare"):
        return False
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_watches"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("limit", ["max_inotify_instances", "max_inotify_watches"])
def test_with_too_few_watches_the_vault_is_polled_and_that_is_said(limit: str, tmp_path: Path):
    if not can_limit_watches():
        pytest.skip("needs user namespaces")
    vault, home = make_vault(tmp_path / "vault", 5), tmp_path / "home"
    limited = f'echo 0 > /proc/sys/user/{limit}; exec "$0" "$@"'
    with watching(home, vault, "unshare", "--user", "--map-root-user", "sh", "-c", limited) as watch:
        assert wait_for(lambda: "polling" in watch.err, 20), watch.err
        write_note(vault / "later.md", random.Random(1))
        assert wait_for(lambda: counts(home).files == 6, 30), watch.err
        watch.interrupt()


@pytest.mark.parametrize("files", range(6, 13))
def test_with_too_few_open_files_no_note_is_lost_and_no_error_is_bare(files: int, tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 12), tmp_path / "home"
    with memoro.open(home, vault) as m:
        m.sync()

    with watching(home, vault, "sh", "-c", f'ulimit -n {files}; exec "$0" "$@"') as watch:
        done = wait_for(lambda: bool(watch.out or watch.err) or watch.process.poll() is not None, 20)
        assert done
        time.sleep(0.5)
        if watch.process.poll() is None:
            watch.interrupt()
        else:  # so few that the interpreter itself cannot work, or the home cannot be opened
            assert watch.process.returncode != 0
        assert "src/memoro" not in watch.err, watch.err
    assert counts(home)[::2] == (12, 0)
    assert_converged(home, vault, tmp_path / "fresh")


def test_ctrl_c_ends_the_watch_at_once_and_well(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 5), tmp_path / "home"
    for settings in ("", "watch = false\n"):
        with watching(home, vault, settings=settings) as watch:
            assert wait_for(lambda: "5 notes" in watch.out, 20), watch.err
            time.sleep(0.3)
            watch.interrupt()

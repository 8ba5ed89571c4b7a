"""`memoro serve`: one process for a home, that starts, stops and goes on as it should."""

from __future__ import annotations

import json
import os
import plistlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.errors import AlreadyServed, ConfigError, NoVault
from memoro.serve import process
from memoro.serve.process import ServeOptions, serve
from memoro.serve.services import ServiceContext
from memoro.serve.units import launchd, systemd, unit
from memoro.store import serving
from memoro.store.file_systems import folders_without_events
from memoro.store.lock import KernelLock
from memoro.store.serving import Serving
from memoro.vault import watch
from memoro.workspace import Workspace
from tests.conftest import run_process, times, wait_for, write_vault
from tests.indexes import QUERIES, fresh, make_vault, said, write_note
from tests.test_races import can_limit_watches, counts

QUICK = "[sync]\nwatch_debounce_ms = 100\n[sync.transcripts]\ndebounce_ms = 100\n"


# The real command, with a quicker clock: what it waits for is not what is tested.
HASTY = """
import sys
from memoro.cli import main
from memoro.serve import process
from memoro.vault import watch
watch.POLL_SECONDS, watch.TICK_SECONDS, watch.STEP_MS, process.TICK_SECONDS = 0.3, 0.2, 50, 0.1
sys.exit(main())
"""


class Served:
    """`memoro serve` in a process of its own."""

    def __init__(self, child: subprocess.Popen[bytes], out: Path, err: Path) -> None:
        self.child, self._out, self._err = child, out, err

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    def end(self, by: int = signal.SIGTERM) -> None:
        self.child.send_signal(by)
        assert self.child.wait(timeout=30) == 0, self.err
        assert "Traceback" not in self.err
        assert self.out.endswith("stopped: asked to stop\n")


@contextmanager
def served(home: Path, vault: Path, *before: str, settings: str = QUICK, hasty: bool = True) -> Iterator[Served]:
    """`before` are the words of a command that runs another."""
    home.mkdir(exist_ok=True, mode=0o700)
    (home / "memoro.toml").write_text(settings)
    out, err = home.with_name("serve.out"), home.with_name("serve.err")
    ours = [sys.executable, "-c", HASTY] if hasty else [sys.executable, "-m", "memoro"]
    command = [*before, *ours, "--home", str(home), "--vault", str(vault), "serve"]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MEMORO_")}
    with out.open("wb") as stdout, err.open("wb") as stderr:
        child = subprocess.Popen(command, stdout=stdout, stderr=stderr, env={**clean, "PYTHONWARNINGS": "error"})
    try:
        yield Served(child, out, err)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def started(found: Served) -> None:
    assert wait_for(lambda: "start: " in found.out or found.child.poll() is not None, 30), found.err
    assert found.child.poll() is None, found.err


def files(home: Path) -> int:
    return counts(home).files if (home / "sync.lock").exists() else 0


def with_logs(base: Path) -> tuple[Path, str]:
    (base / "logs").mkdir()
    return base / "logs", f"{QUICK}[transcripts]\nfolders = {json.dumps([str(base / 'logs')])}\n"


def message(text: str) -> str:
    return json.dumps({"role": "user", "content": text}) + "\n"


# From start to end


def test_it_follows_notes_and_ends_well_and_can_be_started_again(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 5), tmp_path / "home"
    for name, by in (("first.md", signal.SIGTERM), ("second.md", signal.SIGINT)):
        with served(home, vault, hasty=False) as found:
            assert wait_for(lambda: "serving" in found.out, 30), found.err
            write_note(vault / name, random.Random(1))
            assert wait_for(lambda: files(home) == len(list(vault.rglob("*.md"))), 30), found.err
            found.end(by)
            assert found.err == ""
    assert said(home) == fresh(vault, tmp_path / "fresh")


def test_a_second_one_refuses_and_names_the_first_until_that_one_is_dead(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 2), tmp_path / "home"
    with served(home, vault) as first:
        started(first)
        second = run_process("--home", str(home), "--vault", str(vault), "serve")
        assert second.code == 6
        assert f"served by process {first.child.pid} since 20" in second.err
        assert "Traceback" not in second.err
        assert first.child.poll() is None
        first.child.kill()
        first.child.wait()
    assert (home / serving.FILE).read_text(), "what the dead one has left means nothing"
    assert serving.serving(str(home)) is None
    with served(home, vault) as third:
        assert wait_for(lambda: serving.is_served(str(home)), 30), third.err
        third.end()


def test_a_home_is_claimed_by_one_at_a_time(tmp_path: Path) -> None:
    with serving.claimed(str(tmp_path)) as first, serving.claimed(str(tmp_path)) as second:
        assert first is not None
        assert second is None
    with serving.claimed(str(tmp_path)) as third:
        assert third is not None


def test_whoever_looks_whether_one_runs_does_not_keep_it_from_starting(tmp_path: Path) -> None:
    home, stop = str(tmp_path), threading.Event()

    def look() -> None:
        while not stop.is_set():
            serving.is_served(home)

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(30):
            with serving.claimed(home) as lock:
                assert lock is not None
                assert serving.is_served(home)
    finally:
        stop.set()
        for looker in lookers:
            looker.join()


def test_a_long_first_sync_ends_when_it_is_told_to_and_loses_nothing(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 600), tmp_path / "home"
    with served(home, vault) as found:
        assert wait_for(lambda: files(home) > 50, 30), found.err
        before = time.monotonic()
        found.end()
        assert time.monotonic() - before < 20  # a hang guard: it takes a fraction of a second
    with memoro.open(home, vault) as m:
        m.sync()
    assert said(home) == fresh(vault, tmp_path / "fresh")


def test_without_a_vault_it_says_what_to_do(tmp_path: Path) -> None:
    refused = run_process("--home", str(tmp_path / "home"), "serve")
    assert refused.code == 3
    assert "memoro init" in refused.err
    assert run_process("--home", str(tmp_path / "home"), "serve", "--idle-exit", "0").code == 2


def test_with_memories_alone_it_keeps_house(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run_process("--home", str(home), "memory", "store", "Kiwis are green.").code == 0
    shutil.rmtree(home / "backups")
    told, _, why = in_process(home, None, lambda _told: bool(list((home / "backups").glob("*/*"))))
    assert why == "asked to stop"
    assert any(line.startswith("backup 20") for line in told)


# What it tells


def test_status_tells_that_it_runs_since_when_and_what_it_did(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 3), tmp_path / "home"
    places = ("--home", str(home), "--vault", str(vault))
    with served(home, vault) as found:
        started(found)
        write_note(vault / "later.md", random.Random(1))
        assert wait_for(lambda: "watch: 1 added; 4 notes" in found.out, 30), found.out + found.err
        before = found.out
        write_vault(vault, {"picture.png": "no note", ".hidden/a.md": "hidden"})
        os.utime(vault / "later.md")
        told = run_process(*places, "status", "--json").json["serving"]
        shown = run_process(*places, "status").out
        assert (found.out, found.err) == (before, ""), "nothing is said while nothing is done"
        found.end()
    assert (told["pid"], told["watching"], told["did"]) == (found.child.pid, "file events", "watch: 1 added; 4 notes")
    assert told["since"] <= told["did_at"]
    assert (
        f"serve     process {found.child.pid} since {told['since'][:19].replace('T', ' ')}, by file events" in shown
    )
    assert run_process(*places, "status", "--json").json["serving"] is None
    assert "serve " not in run_process(*places, "status").out


@given(st.text(max_size=200))
def test_whatever_stands_in_its_file_is_read_as_something(text: str) -> None:
    assert isinstance(serving.parse(text), Serving)


@given(
    st.builds(
        Serving, st.one_of(st.none(), st.integers(1, 2**22)), *[st.one_of(st.none(), st.text(max_size=300))] * 4
    )
)
def test_what_it_says_about_itself_is_read_again(told: Serving) -> None:
    assert serving.parse(serving.written(told)) == told


# Logs


def test_a_log_that_has_grown_enough_is_read_unasked_and_one_that_has_not_is_left(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 2), tmp_path / "home"
    logs, settings = with_logs(tmp_path)
    logs.rmdir()  # the agent is not even installed yet
    with served(home, vault, settings=settings) as found:
        started(found)
        logs.mkdir()
        (logs / "little.jsonl").write_text(message("pear"))
        time.sleep(1.0)
        assert "delta" not in found.out
        (logs / "much.jsonl").write_text(message("fig") * 50)
        assert wait_for(lambda: "delta: 2 added; 2 notes, 2 logs" in found.out, 30), found.out + found.err
        with (logs / "much.jsonl").open("a") as out:
            out.write(message("plum") * 50)
        assert wait_for(lambda: "delta: 1 changed" in found.out, 30), found.out + found.err
        found.end()


# Things go wrong


def test_a_sync_that_fails_is_told_once_and_the_next_is_done(tmp_path: Path) -> None:
    vault, home, away = make_vault(tmp_path / "vault", 4), tmp_path / "home", tmp_path / "away"
    with served(home, vault) as found:
        started(found)
        vault.rename(away)
        assert wait_for(lambda: "cannot be read" in found.err, 30)
        told = serving.serving(str(home))
        assert told is not None
        assert (told.did or "").startswith("failed: The vault ")
        write_note(away / "while-away.md", random.Random(1))
        away.rename(vault)
        assert wait_for(lambda: files(home) == 5, 30), found.err
        write_note(vault / "back.md", random.Random(2))
        assert wait_for(lambda: files(home) == 6, 30), found.err
        found.end()
        assert found.err.count("cannot be read") == 1


def test_new_settings_are_taken_up_and_wrong_ones_are_told(tmp_path: Path) -> None:
    vault, other, home = make_vault(tmp_path / "vault", 4), tmp_path / "other", tmp_path / "home"
    write_vault(other, {"more.md": "apple"})
    with served(home, vault) as found:
        started(found)
        (home / "memoro.toml").write_text("[sync]\nwatch_debounce_ms = no\n")
        assert wait_for(lambda: "Continuing with the previous settings" in found.err, 30)
        write_note(vault / "later.md", random.Random(1))
        assert wait_for(lambda: files(home) == 5, 30), found.err
        (tmp_path / "new").write_text(f"{QUICK}[vault]\nextra = {json.dumps([str(other)])}\n")
        os.replace(tmp_path / "new", home / "memoro.toml")  # an empty file in between is a change too
        assert wait_for(lambda: "the settings have changed" in found.out, 30), found.err
        assert wait_for(lambda: files(home) == 6, 30), found.err
        write_vault(other, {"most.md": "plum"})
        assert wait_for(lambda: files(home) == 7, 30), found.err
        found.end()
        assert found.out.count("the settings have changed") == 1


def in_process(
    home: Path, vault: Path | None, enough: Callable[[list[str]], bool], *parts: object, idle: float | None = None
) -> tuple[list[str], list[str], str]:
    """`serve` on a thread of the test: what it told, what it complained of, and why it ended."""
    from memoro.serve.housekeeping import HousekeepingService
    from memoro.serve.syncing import SyncService

    told: list[str] = []
    complaints: list[str] = []
    until = time.monotonic() + 60

    def wait(seconds: float) -> bool:
        time.sleep(min(seconds, 0.05))
        return enough(told) or time.monotonic() > until

    options = ServeOptions(wait, print_line=told.append, print_error=complaints.append, idle_exit=idle)
    chosen = parts or (SyncService(), HousekeepingService())
    why = serve(lambda: memoro.open(home, vault), chosen, options)  # type: ignore[arg-type]
    return told, complaints, why


def test_settings_that_change_while_it_opens_the_home_are_taken_up(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 1), tmp_path / "home"
    told: list[str] = []
    until = time.monotonic() + 30

    def open_and_change() -> Workspace:
        opened = memoro.open(home, vault)
        home.mkdir(exist_ok=True)
        (home / "memoro.toml").write_text(QUICK)
        return opened

    def wait(_seconds: float) -> bool:
        time.sleep(0.02)
        return any("settings have changed" in line for line in told) or time.monotonic() > until

    serve(open_and_change, [], ServeOptions(wait, print_line=told.append, print_error=told.append))
    assert told[1:] == ["the settings have changed; continuing with the new ones"]


def test_after_long_enough_without_a_change_it_ends_itself(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 2), tmp_path / "home"
    before = time.monotonic()
    _, complaints, why = in_process(home, vault, lambda _told: False, idle=1.5)
    assert why == "nothing to do"
    assert time.monotonic() - before >= 1.5
    assert complaints == []
    assert serving.serving(str(home)) is None


def test_a_request_keeps_it_awake(tmp_path: Path) -> None:
    class Asked:
        name = "asked"

        def run(self, context: ServiceContext) -> None:
            for _ in range(20):
                context.reports.request()
                time.sleep(0.1)

    before = time.monotonic()
    in_process(tmp_path / "home", make_vault(tmp_path / "vault", 1), lambda _told: False, Asked(), idle=0.7)
    assert time.monotonic() - before >= 2.5


def test_a_part_that_fails_by_surprise_is_told_and_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "RESTART_SECONDS", 0.05)

    class Shaky:
        name = "shaky"
        runs = 0

        def run(self, context: ServiceContext) -> None:
            Shaky.runs += 1
            if Shaky.runs < 3:
                raise ZeroDivisionError("by surprise")
            context.reports.done("well now")
            context.stop.wait()

    _, complaints, _ = in_process(tmp_path / "home", None, lambda told: "well now" in told, Shaky())
    assert complaints == ["shaky failed (ZeroDivisionError: by surprise); it starts again"], "told once"


def test_a_part_that_cannot_do_its_work_ends_the_process_with_its_error(tmp_path: Path) -> None:
    class Unable:
        name = "unable"

        def run(self, _context: ServiceContext) -> None:
            raise ConfigError("The port is taken.")

    with pytest.raises(ConfigError, match="The port is taken"):
        in_process(tmp_path / "home", None, lambda _told: False, Unable())
    assert not serving.is_served(str(tmp_path / "home"))
    with pytest.raises(NoVault):
        in_process(tmp_path / "home", None, lambda _told: False)


def test_in_one_process_too_a_home_is_served_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with serving.claimed(str(home)), pytest.raises(AlreadyServed):
        in_process(home, None, lambda _told: True)


# Housekeeping


def test_while_it_runs_others_leave_the_house_to_it(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", make_vault(tmp_path / "vault", 1)
    home.mkdir(mode=0o700)
    with KernelLock(str(home / serving.FILE)).held(), memoro.open(home, vault) as m:
        m.memories.store("Kiwis are green.")
        assert m.backups.all() == []
    with memoro.open(home, vault) as m:
        m.memories.store("Plums are blue.")
        assert [backup.why for backup in m.backups.all()] == ["daily"]


def test_a_backup_is_made_by_it_and_not_again_while_nothing_is_written(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", make_vault(tmp_path / "vault", 1)
    home.mkdir(mode=0o700)
    with KernelLock(str(home / serving.FILE)).held(), memoro.open(home, vault) as m:
        m.memories.store("Kiwis are green.")
    told, _, _ = in_process(home, vault, lambda told: any(line.startswith("backup ") for line in told))
    assert sum(line.startswith("backup ") for line in told) == 1
    with memoro.open(home, vault) as m:
        (made,) = m.backups.all()
        assert m.upkeep().done == ()
        days_ago = time.time() - 3 * 86400
        manifest = home / "backups" / made.name / "manifest.json"
        document = json.loads(manifest.read_text())
        document["created_at"] = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(days_ago))
        manifest.write_text(json.dumps(document))
        for file in home.glob("ledger.db*"):
            os.utime(file, (days_ago - 60, days_ago - 60))
        assert m.upkeep().done == (), "three days later, and nothing was written"
        for file in home.glob("ledger.db*"):
            os.utime(file)
        assert [done[:9] for done in m.upkeep().done] == ["backup 20"]


# The limits of watching


def test_with_too_few_watches_it_polls_and_says_so(tmp_path: Path) -> None:
    if not can_limit_watches():
        pytest.skip("needs user namespaces")
    vault, home = make_vault(tmp_path / "vault", 5), tmp_path / "home"
    limited = 'echo 0 > /proc/sys/user/max_inotify_watches; exec "$0" "$@"'
    with served(home, vault, "unshare", "--user", "--map-root-user", "sh", "-c", limited) as found:
        assert wait_for(lambda: "polling" in found.err, 30), found.err
        write_note(vault / "later.md", random.Random(1))
        assert wait_for(lambda: files(home) == 6, 30), found.err
        told = serving.serving(str(home))
        assert told is not None
        assert (told.watching or "").startswith("polling: ")
        found.end()
        assert found.err.count("polling") == 1


def test_with_too_few_watches_for_a_new_folder_it_polls_and_says_so(tmp_path: Path) -> None:
    if not can_limit_watches():
        pytest.skip("needs user namespaces")
    vault, home = make_vault(tmp_path / "vault", 5), tmp_path / "home"
    folders = 1 + sum(1 for one in vault.rglob("*") if one.is_dir())
    limited = f'echo {folders + 1} > /proc/sys/user/max_inotify_watches; exec "$0" "$@"'
    with served(home, vault, "unshare", "--user", "--map-root-user", "sh", "-c", limited) as found:
        started(found)
        time.sleep(1.0)
        assert found.err == ""
        for number in range(4):
            write_note(vault / f"new-{number}" / "a.md", random.Random(number))
        assert wait_for(lambda: "polling" in found.err, 30), found.err
        write_note(vault / "new-3" / "b.md", random.Random(9))
        assert wait_for(lambda: files(home) == 10, 30), found.err
        found.end()


@pytest.mark.parametrize("limit", [16, 20])
def test_with_too_few_open_files_it_polls_or_refuses_and_no_error_is_bare(limit: int, tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "vault", 5), tmp_path / "home"
    with memoro.open(home, vault) as m:
        m.sync()
    with served(home, vault, "sh", "-c", f'ulimit -n {limit}; exec "$0" "$@"') as found:
        assert wait_for(lambda: bool(found.out or found.err) or found.child.poll() is not None, 30)
        if found.child.poll() is None:
            write_note(vault / "later.md", random.Random(1))
            told = ("oo many open files", "unable to open database file", "may not open more files")
            assert wait_for(lambda: files(home) == 6 or any(one in found.err for one in told), 30), found.err
            found.end()
        else:
            assert found.child.returncode in (3, 4)
        assert "src/memoro" not in found.err, found.err


def test_events_are_tried_again_where_they_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles._rust_notify as backend

    vault, home = make_vault(tmp_path / "vault", 2), tmp_path / "home"
    real, tries = backend.RustNotify, [0]

    def scarce(*arguments: object) -> object:
        tries[0] += 1
        if tries[0] == 1:
            raise OSError(28, "No space left on device")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(backend, "RustNotify", scarce)
    monkeypatch.setattr(watch, "RETRY_SECONDS", 0.3)
    monkeypatch.setattr(watch, "POLL_SECONDS", 0.1)
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(QUICK)
    noted: list[str | None] = []
    stop = threading.Event()
    with memoro.open(home, vault) as m:
        follower = threading.Thread(target=lambda: m.watch(stop, lambda *_: None, noted.append))
        follower.start()
        assert wait_for(lambda: None in noted, 30)
        write_note(vault / "later.md", random.Random(1))
        assert wait_for(lambda: files(home) == 3, 30)
        stop.set()
        follower.join(30)
    assert noted == ["no space left on device", None]


def test_folders_on_other_file_systems_than_local_ones_are_looked_at_by_the_clock(tmp_path: Path) -> None:
    folders = [str(tmp_path / name) for name in ("local", "far", "missing")]
    for folder in folders[:2]:
        os.mkdir(folder)
    found = folders_without_events(folders, lambda folder: "nfs4" if "local" not in folder else "ext4")
    assert list(found) == [folders[1]]
    assert "nfs4" in found[folders[1]]


def test_a_folder_that_tells_of_nothing_is_polled_beside_one_that_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network: no event comes from the folder, and what is written there is found all the same."""
    near, far = tmp_path / "near", tmp_path / "far"
    near.mkdir()
    far.mkdir()
    monkeypatch.setattr(watch, "POLL_SECONDS", 1.2)
    stop = threading.Event()
    places = watch.WatchedFolders([str(near), str(far)], lambda *_: {"vault"}, {str(far): "far is on nfs4"})
    seen = []
    until = time.monotonic() + 30
    for heard in watch.Watch(places, events=True, stop=stop).changes(lambda: 0.1):
        seen.append(heard)
        if len(seen) == 3:
            (near / "a.md").write_text("apple")
        polls = [one for one in seen if one.polled]
        told = [one for one in seen[1:] if one.halves and not one.polled]
        if (len(polls) >= 2 and told) or time.monotonic() > until:
            stop.set()
    assert len(polls) >= 2
    assert told
    assert {one.polling for one in seen} == {"far is on nfs4"}


def test_looking_by_the_clock_takes_a_small_part_of_the_time(tmp_path: Path) -> None:
    stop = threading.Event()
    looker = watch.Watch(watch.WatchedFolders([str(tmp_path)], lambda *_: ()), events=False, stop=stop)
    looker.took(3.0)
    assert looker._poll_seconds == 60.0
    looker.took(0.001)
    assert looker._poll_seconds == watch.POLL_SECONDS


@pytest.mark.campaign
def test_a_burst_of_files_is_followed_to_the_last(tmp_path: Path) -> None:
    """More than the kernel's queue holds, in folders that are new: what it dropped is found all the same."""
    vault, home = make_vault(tmp_path / "vault", 20), tmp_path / "home"
    burst = times(1000, 50_000)
    with served(home, vault) as found:
        started(found)
        for number in range(burst):
            file = vault / f"burst-{number % 50}" / f"{number}.md"
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"# {number}\n\n{QUERIES[number % 10]} {number}\n")
        assert wait_for(lambda: files(home) == burst + 20, times(60, 300)), found.err
        (vault / "burst-7" / "after.md").write_text("# After\n\nStill watched.\n")  # in a folder of the burst
        assert wait_for(lambda: files(home) == burst + 21, 30), found.err
        shutil.rmtree(vault / "burst-0")
        assert wait_for(lambda: counts(home)[::2] == (burst + 21 - burst // 50, burst // 50), 60), found.err
        found.end()
        assert found.err == ""
    assert said(home) == fresh(vault, tmp_path / "fresh")


def test_after_a_burst_everything_is_watched_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import watchfiles._rust_notify as backend

    real, made = backend.RustNotify, [0]

    def counted(*arguments: object) -> object:
        made[0] += 1
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(backend, "RustNotify", counted)
    monkeypatch.setattr(watch, "BURST", 20)
    stop = threading.Event()
    looker = watch.Watch(watch.WatchedFolders([str(tmp_path)], lambda *_: {"vault"}), events=True, stop=stop)
    until = time.monotonic() + 30
    for number, _ in enumerate(looker.changes(lambda: 0.1)):
        if number == 0:
            for one in range(40):
                (tmp_path / f"{one}.md").write_text("apple")
        if made[0] == 2 or time.monotonic() > until:
            stop.set()
    assert made[0] == 2


# Unit files


def test_the_unit_files_name_this_python_this_home_and_this_vault(tmp_path: Path) -> None:
    vault, home = make_vault(tmp_path / "a vault", 1), tmp_path / "home"
    places = ("--home", str(home), "--vault", str(vault))
    for_systemd = run_process(*places, "serve", "--print-unit", "systemd", env={"CODEX_HOME": "/x y"}).out
    for_launchd = run_process(*places, "serve", "--print-unit", "launchd", env={"CODEX_HOME": "/x y"}).out
    command = [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "serve"]
    described = plistlib.loads(for_launchd.encode())
    assert described["ProgramArguments"] == command
    assert described["EnvironmentVariables"] == {"CODEX_HOME": "/x y"}
    assert "launchctl bootstrap" in for_launchd
    lines = for_systemd.splitlines()
    assert lines[0].startswith("# Save as ~/.config/systemd/user/memoro.service, then run: systemctl --user enable")
    assert f'ExecStart={" ".join(command[:6])} "{vault}" serve' in lines
    assert 'Environment="CODEX_HOME=/x y"' in lines
    assert not home.exists(), "printing makes nothing"


words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@given(st.lists(words, min_size=1, max_size=4))
def test_any_word_of_a_command_survives_the_unit_file(command: list[str]) -> None:
    assert plistlib.loads(launchd(command, {}).encode())["ProgramArguments"] == command
    line = next(line for line in systemd(command, {}).split("\n") if line.startswith("ExecStart="))
    assert as_systemd_reads(line.removeprefix("ExecStart=")) == command


def as_systemd_reads(text: str) -> list[str]:
    """The words of a command line: quotes and backslashes first, then percent signs and dollars."""
    found: list[str] = []
    word, quoted, begun, rest = "", False, False, iter(text)
    for character in rest:
        if character == "\\":
            word += next(rest)
        elif character == '"':
            quoted, begun = not quoted, True
        elif character.isspace() and not quoted:
            if word or begun:
                found.append(word)
            word, begun = "", False
        else:
            word += character
    found += [word] if word or begun else []
    return [one.replace("%%", "%").replace("$$", "$") for one in found]


def test_only_named_variables_come_into_a_unit_file() -> None:
    environment = {"ANTHROPIC_API_KEY": "sk-secret", "MEMORO_AGENT": "codex", "HOME": "/root"}
    for kind in ("systemd", "launchd"):
        made = unit(kind, ["memoro"], environment)
        assert "codex" in made
        assert "secret" not in made
        assert "ANTHROPIC" not in made

"""Every operation on the ledger's files may fail: a plain error, the old state or the new, and life goes on."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import memoro
from memoro.errors import LedgerNotRecognised, MemoroError, StorageFull, StoreUnavailable
from memoro.ledger.archive import PruneLimits
from memoro.ledger.services import Choices, LedgerServices, Who
from memoro.memories.lifecycle import Weights
from memoro.store.sqlite import engine as engines
from memoro.store.sqlite.engine import engine
from tests.conftest import run_memoro, times
from tests.ledgers import OpenedWith, database_of, index_in_memory
from tests.raw_sqlite import Rows, dump, ids_in
from tests.test_faults import FILLS, Faults, FaultyDisk, no_hang
from tests.test_ledger_kill import can_trace, holds

SECONDS = 20
COUNT = 30
NAME = "faulty-ledger"
NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
SECRET = "pelargonium"


@pytest.fixture(scope="module")
def faults() -> Iterator[Faults]:
    disk = FaultyDisk(NAME, engine("/").vfs or "")
    yield disk.faults
    disk.unregister()


def services(home: Path, vfs: str | None = None) -> LedgerServices:
    """The operations on a ledger, at a fixed time, so that two runs write the same rows."""
    chosen = engine(str(home))
    made = LedgerServices(
        str(home),
        Choices(Weights(), PruneLimits(60_000, 5.0, 0), "0 4 * * *"),
        Who(None, None, (), lambda: NOW),
        index_in_memory(),
        OpenedWith(chosen._replace(vfs=vfs) if vfs else chosen),
    )
    made.access.after_write = lambda: None
    return made


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template") / "home"
    home.mkdir(mode=0o700)
    made = services(home)
    for number in range(1, COUNT + 1):
        text = f"memory {number} " + " ".join(f"word{number}x{n}" for n in range(60))
        made.memories.store(text if number != 7 else f"{text} {SECRET}")
    made.memories.update(7, f"{SECRET} said better")
    made.memories.archive(5)
    made.close()
    return home


class Scene(NamedTuple):
    work: Callable[[LedgerServices], object]
    done: Callable[[Path], bool]  # whether it was all done
    kept: Callable[[Path], bool]  # whether all is there that must be, done or half done


def everything(home: Path) -> bool:
    return holds(home) >= set(range(1, COUNT + 1))


def but_the_seventh(home: Path) -> bool:
    return holds(home) >= set(range(1, COUNT + 1)) - {7}


def no_half_backup(home: Path) -> bool:
    made = services(home)
    try:
        return everything(home) and all(not made.backups.verify(one.name).problems for one in made.backups.all())
    finally:
        made.close()


SCENES = {
    "store": Scene(
        lambda d: d.memories.store("the new one", key="k"),
        lambda home: COUNT + 1 in ids_in(home / "ledger.db"),
        everything,
    ),
    "reinforce": Scene(
        lambda d: d.memories.reinforce(3, key="k"),
        lambda home: any(row[:2] == (3, 3) for row in dump(home / "ledger.db")["memories"]),
        everything,
    ),
    "prune": Scene(
        lambda d: d.memories.prune(),
        lambda home: len(ids_in(home / "archive.db")) > 1,
        everything,
    ),
    "forget": Scene(
        lambda d: d.memories.forget([7] if 7 in numbers(d) else [], source="nobody", yes=True),
        lambda home: 7 not in holds(home),
        but_the_seventh,
    ),
    "backup": Scene(
        lambda d: d.backups.create(),
        lambda home: any(home.glob("backups/[0-9]*")),
        no_half_backup,
    ),
}


def numbers(made: LedgerServices) -> set[int]:
    return {memory.id for memory in made.memories.all()}


def told(home: Path) -> Rows:
    return {name: rows for name, rows in dump(home / "ledger.db").items() if name not in ("meta", "keys")}


def put(template: Path, home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(template, home)


def fail_at(scene: Scene, template: Path, home: Path, faults: Faults, at: int, *, lasting: bool, full: bool) -> bool:
    """Whether the work failed for it. Anything but success or an error of ours ends the test here."""
    put(template, home)
    old = told(home)
    made = services(home, NAME)
    faults.aim(at, lasting=lasting, full=full)
    failed: MemoroError | None = None
    try:
        with no_hang(SECONDS):
            scene.work(made)
    except MemoroError as error:
        failed = error
    finally:
        faults.lift()
    assert scene.kept(home), "something is gone"
    assert not list(home.glob("*.damaged*")), "a disk that failed is not damage"
    if failed is None:
        assert scene.done(home), "acknowledged, and not done"
    elif not scene.done(home) and scene is not SCENES["prune"] and scene is not SCENES["forget"]:
        assert told(home) == old, "half done"
    if failed is not None:
        assert "SQLite refused" not in str(failed), failed
    with no_hang(SECONDS):
        scene.work(made)  # it works again, through the very object that met the fault
        after = made.memories.store("and life goes on").memory.id
    made.close()
    assert scene.done(home)
    assert scene.kept(home)
    fresh = services(home)
    assert fresh.memories.get(after).content == "and life goes on"
    assert database_of(fresh.access.ledger).check() == []
    assert database_of(fresh.access.archive).check() == []
    fresh.close()
    return failed is not None


# A connection that is let go of while the disk fails is closed all the same; a disk written in Python complains.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.campaign
@pytest.mark.parametrize("name", SCENES)
def test_a_failing_disk_gives_a_plain_error_and_costs_nothing(
    name: str, faults: Faults, template: Path, tmp_path: Path
):
    scene, home = SCENES[name], tmp_path / "home"
    put(template, home)
    made = services(home, NAME)
    faults.lift()
    scene.work(made)
    kinds = list(faults.kinds)
    made.close()
    every = times(max(1, len(kinds) // 6), 1)
    failed: list[bool] = []
    for lasting, full in ((False, False), (True, False), (False, True), (True, True)):
        chosen = [at for at, kind in enumerate(kinds, 1) if not full or kind in FILLS]
        for at in chosen[len(failed) % every :: every]:
            failed.append(fail_at(scene, template, home, faults, at, lasting=lasting, full=full))
    gc.collect()
    print(f"{name}: {len(failed)} points, {sum(failed)} errors")
    assert len(failed) >= times(10, 60)
    assert sum(failed) > len(failed) // 3, "most faults went unnoticed"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_after_a_failed_sync_nothing_is_acknowledged_before_the_file_was_looked_at(
    faults: Faults, template: Path, tmp_path: Path
):
    home = tmp_path / "home"
    put(template, home)
    made = services(home, NAME)
    failed = at = 0
    while not failed:
        at += 1
        assert at < 200, "a commit that syncs nothing is not durable"
        made.memories.reinforce(1)  # it is open, and its log is there
        faults.aim(at)
        met = ""
        try:
            made.memories.reinforce(2)
        except StoreUnavailable:
            met = faults.kinds[at - 1]
        faults.lift()
        if met != "sync":
            continue
        failed += 1
        made.memories.reinforce(1)
        assert "open" in faults.kinds, "it goes on with a connection that has lost a sync"
        pages = range(0, (home / "ledger.db").stat().st_size, 4096)
        looked_at = faults.pages.intersection(pages)  # the others are in the log
        assert len(looked_at) > len(pages) // 2, "acknowledged without a look at the file"
        faults.lift()
        made.memories.reinforce(1)
        assert "open" not in faults.kinds, "it is looked at once"
    made.close()
    gc.collect()


@pytest.mark.parametrize("call", ["fdatasync", "fsync"])
def test_a_sync_that_fails_below_the_real_command_is_told(call: str, template: Path, tmp_path: Path):
    if not can_trace():
        pytest.skip("needs strace, which is not on this machine")
    home = tmp_path / "home"
    for at in range(1, times(2, 12)):
        put(template, home)
        trace = ["strace", "-f", "-qq", "-o", str(tmp_path / "log"), "-e", f"trace={call}"]
        trace += ["-e", f"inject={call}:error=EIO:when={at}"]
        command = [
            *trace,
            sys.executable,
            "-m",
            "memoro",
            "--home",
            str(home),
            "memory",
            "store",
            "new",
            "--key",
            "k",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if "INJECTED" not in (tmp_path / "log").read_text():
            break
        assert done.returncode in (0, 4), done.stderr
        assert "Traceback" not in done.stderr
        there = [row for row in dump(home / "ledger.db")["memories"] if row[-1] == "new"]
        assert there or done.returncode == 4
        assert run_memoro("--home", str(home), "memory", "store", "new", "--key", "k", "--json").code == 0
        assert len([row for row in dump(home / "ledger.db")["memories"] if row[-1] == "new"]) == 1


@contextmanager
def small_disk(kilobytes: int) -> Iterator[Path]:
    folder = tempfile.mkdtemp()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        os.rmdir(folder)
        pytest.skip("needs the right to mount a small disk")
    try:
        yield Path(folder)
    finally:
        subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as handle:
        for size in (65536, 4096, 512, 1):
            try:
                while True:
                    handle.write(b"x" * size)
            except OSError:
                continue


@pytest.mark.parametrize("living", [True, False], ids=["one process", "a new process each time"])
def test_on_a_disk_that_is_full_reading_and_deleting_work(living: bool):
    with small_disk(3000) as disk:
        home = disk / "home"
        with memoro.open(home) as m:
            for number in range(5):
                m.memories.store(f"lamp number {number}")
            m.sync()

        def run(work: Callable[[memoro.Workspace], Any]) -> Any:
            if living:
                return work(kept)
            with memoro.open(home) as fresh:
                return work(fresh)

        kept = memoro.open(home)
        if living:
            kept.memories.store("so that all is open")
        fill(disk / "filling")
        assert len(run(lambda m: m.memories.query("lamp")).results) == 5
        with pytest.raises(StorageFull, match="No space is left"):
            for _ in range(200):  # a log that is there already has a little room
                run(lambda m: m.memories.store(f"{time.monotonic_ns()} " + "of many words " * 300))
        assert len(run(lambda m: m.memories.query("lamp")).results) == 5
        run(lambda m: m.memories.remove(2))
        done = run(lambda m: m.memories.forget(3, yes=True))
        assert done.done
        left = {one.memory.id for one in run(lambda m: m.memories.query("lamp")).results}
        assert left == {1, 4, 5}
        started = time.monotonic()
        (disk / "filling").unlink()
        assert run(lambda m: m.memories.store("there is room again")).new
        assert time.monotonic() - started < 5
        assert run(lambda m: m.sync()).degraded == ()
        kept.close()
        assert dump(home / "ledger.db")


@pytest.mark.parametrize("how", ["replaced", "unlinked"])
def test_a_ledger_that_is_swapped_under_a_living_process_is_noticed(how: str, template: Path, tmp_path: Path):
    home, other = tmp_path / "home", tmp_path / "other"
    put(template, home)
    other.mkdir(mode=0o700)
    stranger = services(other)
    stranger.memories.store("only in the other")
    stranger.close()
    made = services(home)
    made.memories.store("into the first")
    database_of(made.access.ledger).merge_log()
    if how == "replaced":
        shutil.copyfile(other / "ledger.db", home / "copy")
        os.replace(home / "copy", home / "ledger.db")
    else:
        (home / "ledger.db").unlink()
    for _ in range(3):
        with pytest.raises(LedgerNotRecognised, match="backup adopt ledger"):
            made.memories.store("must not be acknowledged")
        with pytest.raises(LedgerNotRecognised):
            made.memories.all()
    if how == "replaced":
        assert "must not be acknowledged" not in {row[-1] for row in dump(home / "ledger.db")["memories"]}
    else:
        assert not (home / "ledger.db").exists()
    made.close()


def test_a_log_that_belongs_to_another_file_is_not_read_into_the_new_one(template: Path, tmp_path: Path):
    home = tmp_path / "home"
    put(template, home)
    made = services(home)
    made.memories.store("into the first")
    assert (home / "ledger.db-wal").stat().st_size
    shutil.copyfile(template / "ledger.db", home / "copy")
    os.replace(home / "copy", home / "ledger.db")
    with pytest.raises(StoreUnavailable, match="replaced while it was in use"):
        made.memories.store("into neither")
    made.close()
    for tail in ("-wal", "-shm"):
        (home / f"ledger.db{tail}").unlink()
    made = services(home)
    with pytest.raises(LedgerNotRecognised, match="older copy"):
        made.memories.all()
    made.backups.adopt("ledger")
    assert len(made.memories.all()) == COUNT - 1
    assert made.memories.store("into the second").new
    made.close()


def test_a_swap_in_the_middle_of_a_write_is_not_acknowledged(template: Path, tmp_path: Path):
    home = tmp_path / "home"
    put(template, home)
    made = services(home)
    shutil.copyfile(home / "ledger.db", home / "copy")
    with pytest.raises(StoreUnavailable, match="may be lost"), made.access.ledger.writing() as tx:
        tx.meta.put("mark", "lost")
        os.replace(home / "copy", home / "ledger.db")
    assert made.memories.store("and goes on").new
    made.close()


QUEUE = """
import fcntl, os, sys, time
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(0.5)
"""


def test_a_writer_queues_behind_another_and_a_reader_does_not(template: Path, tmp_path: Path):
    home = tmp_path / "home"
    put(template, home)
    made = services(home)
    assert made.memories.get(1)
    with subprocess.Popen(
        [sys.executable, "-c", QUEUE, str(home / "ledger.lock")], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        started = time.monotonic()
        made.memories.query("memory")
        read = time.monotonic() - started
        made.memories.store("in its turn")
        wrote = time.monotonic() - started
    made.close()
    assert read < 0.3
    assert wrote > 0.3, "it did not wait for its turn"


def test_what_is_pruned_leaves_the_file_of_the_ledger(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    made = services(home)
    for number in range(1, 4 * COUNT):
        # Longer than a page of the file, so that every memory takes pages of its own.
        made.memories.store(f"memory {number} " + f"word{number} " * 700)
    database_of(made.access.ledger).merge_log()
    before = (home / "ledger.db").stat().st_size
    with no_hang(4):
        moved = made.memories.prune().archive
    made.close()
    assert moved
    assert (home / "ledger.db").stat().st_size < before
    assert set(moved) <= ids_in(home / "archive.db")
    assert not set(moved) & ids_in(home / "ledger.db")


HOLD = """
import sys, time
from memoro.store.sqlite.engine import connect, engine
home, file = sys.argv[1], sys.argv[2]
db = connect(file, engine(home), exclusive=True)
db.execute("BEGIN EXCLUSIVE")
db.execute("INSERT OR REPLACE INTO meta VALUES ('held', 'yes')")
print("held", flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
db.close()
"""


@pytest.mark.campaign
def test_a_ledger_that_is_in_use_elsewhere_is_not_called_damaged(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(engines, "BUSY_MS", 3)
    home = tmp_path / "home"
    put(template, home)
    before = told(home)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home), str(home / "ledger.db")],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout and holder.stdin
        assert holder.stdout.readline() == "held\n"
        for _ in range(times(25, 500)):
            made = services(home)
            with pytest.raises(StoreUnavailable, match="in use by another program"):
                database_of(made.access.ledger).check()
            with pytest.raises(StoreUnavailable, match="in use by another program"):
                made.memories.get(1)
            made.close()
            with memoro.open(home) as m:
                checks = {check.name: check for check in m.doctor()}
            assert not any("damage" in check.found for check in checks.values())
        holder.stdin.write("\n")
        holder.stdin.flush()
    assert not list(home.glob("*damaged*"))
    assert told(home) == before
    made = services(home)
    assert made.memories.store("free again").new
    made.close()

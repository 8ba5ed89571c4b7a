"""Kernel locks exclude, queue, and die with their holder."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memoro.errors import StoreError, StoreUnavailable
from memoro.model.notes import Chunk, FileEntry, Indexed, Note
from memoro.store.changes import Write
from memoro.store.lock import KernelLock
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from tests.conftest import wait_for

HOLD = """
import sys, time
from memoro.store.lock import KernelLock
with KernelLock(sys.argv[1]).held():
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_lock_held_by_one_process_is_not_had_by_another(tmp_path: Path) -> None:
    file = str(tmp_path / "lock")
    holder = subprocess.Popen([sys.executable, "-c", HOLD, file], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        with KernelLock(file).tried() as free:
            assert not free
        holder.kill()
        holder.wait()
        with KernelLock(file).tried(5) as free:
            assert free  # its holder's death released it
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_a_lock_excludes_the_threads_of_one_process(tmp_path: Path) -> None:
    file = str(tmp_path / "lock")
    inside = 0
    worst = 0

    def work() -> None:
        nonlocal inside, worst
        for _ in range(50):
            with KernelLock(file).held():
                inside += 1
                worst = max(worst, inside)
                time.sleep(0)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worst == 1


def test_a_lock_can_be_waited_for(tmp_path: Path) -> None:
    lock = KernelLock(str(tmp_path / "lock"))
    released = threading.Event()

    def hold() -> None:
        with lock.held():
            released.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert wait_for(lambda: not _is_free(lock))
        threading.Timer(0.2, released.set).start()
        with lock.tried(5) as free:
            assert free
    finally:
        released.set()
        thread.join()


def _is_free(lock: KernelLock) -> bool:
    with lock.tried() as free:
        return free


def test_a_lock_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="MEMORO_HOME"), KernelLock(str(tmp_path / "no" / "lock")).held():
        pass


def test_a_failed_write_leaves_nothing_half_done(tmp_path: Path) -> None:
    """The second file breaks a rule of the tables, after the first was written in the same transaction."""
    home = SqliteIndexHome(str(tmp_path), engine(str(tmp_path)))
    index = home.first()
    good = Indexed(FileEntry("a.md", "note", "d", None), Note("a"), "2026-01-01", (Chunk("tea", 1, 1, (), "d"),))
    bad = good._replace(entry=good.entry._replace(path="b.md"), chunks=(Chunk("rum", 0, 0, (), "d"),))
    with pytest.raises(StoreError):
        index.apply([Write(good), Write(bad)])
    assert index.files() == {}
    assert index.check() == []
    index.apply([Write(good)])
    assert set(index.files()) == {"a.md"}
    home.close()

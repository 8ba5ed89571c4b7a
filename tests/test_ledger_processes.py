"""Many processes on one ledger: nothing is lost, the arithmetic is exact, and none hears of a lock."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import MemoroError
from memoro.model.changes import MemoryChanged
from memoro.store.lock import KernelLock
from memoro.workspace import Workspace
from tests.command import run_memoro
from tests.conftest import times
from tests.crew import Crew, crew
from tests.ledgers import database_of
from tests.test_memories import settings

WORKER = """
import memoro

def opened(order):
    return memoro.open(order["home"])

def once(m, order, number):
    name = f"{order['name']}-{number}"
    match order["do"]:
        case "reinforce":
            m.memories.reinforce(1)
        case "demote":
            m.memories.demote(1)
        case "store":
            m.memories.store(f"tea {name} of a worker", key=name)
        case "keyed":
            return m.memories.store(f"tea {number} of all", key=f"shared {number}").memory.id
        case "query":
            m.memories.query("tea", session=order["name"])

"""


def do(hired: Crew, home: Path, work: list[str], count: int) -> list[dict[str, Any]]:
    """What each tells when it is done."""
    hired.order(
        [{"home": str(home), "count": count, "do": one, "name": f"w{number}"} for number, one in enumerate(work)]
    )
    return hired.reports()


def report_latencies(what: str, reports: list[dict[str, Any]]) -> None:
    took = sorted(one for report in reports for one in report["took"])
    p99 = took[int(len(took) * 0.99)]
    print(
        f"\n{what}: {len(took)} writes, median {took[len(took) // 2]:.1f} ms, p99 {p99:.1f} ms, max {took[-1]:.1f} ms"
    )


@pytest.mark.campaign
def test_eight_processes_reinforce_one_memory_and_every_time_counts(tmp_path: Path) -> None:
    home, count = settings(tmp_path / "home"), times(40, 1000)
    with memoro.open(home) as m:
        m.memories.store("tea")
    with crew(8, WORKER) as hired:
        reports = do(hired, home, ["reinforce"] * 7 + ["demote"], count)
    report_latencies("8 processes on one memory", reports)
    with memoro.open(home) as m:
        assert m.memories.get(1).feedback == 7 * count * 3 - count
        entries = m.memories.history(1)[1:]
        assert len(entries) == 8 * count
        # Each entry goes on from the one before: nobody overwrote anybody.
        changes = [entry.change for entry in entries if isinstance(entry.change, MemoryChanged)]
        values = [(change.before["feedback"], change.after["feedback"]) for change in changes]
        assert len(values) == len(entries)
        assert all(after == then for (_, after), (then, _) in pairwise(values))


@pytest.mark.campaign
def test_eight_writers_lose_nothing_and_never_hear_of_a_lock(tmp_path: Path) -> None:
    home, count = settings(tmp_path / "home"), times(30, 1000)
    with crew(8, WORKER) as hired:
        reports = do(hired, home, ["store"] * 8, count)
        report_latencies("8 writers", reports)
        again = do(hired, home, ["store"] * 8, count)  # each repeats all of its writes, as after a crash
    assert len(again) == 8
    with memoro.open(home) as m:
        kept = [one.content for one in m.memories.all()]
        assert sorted(kept) == sorted(f"tea w{w}-{n} of a worker" for w in range(8) for n in range(count))
        assert database_of(m.ledger.access.ledger).check() == []
        assert len(m.search("worker", mode="words", kind="memory", limit=200).results) == min(200, 8 * count)


def test_one_key_in_eight_processes_is_one_write(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with crew(8, WORKER) as hired:
        reports = do(hired, home, ["keyed"] * 8, 10)
    assert len({tuple(report["heard"]) for report in reports}) == 1
    with memoro.open(home) as m:
        assert m.memories.stats().memories == m.memories.stats().changes == 10


@pytest.mark.campaign
def test_a_new_home_is_opened_by_eight_processes_at_once(tmp_path: Path) -> None:
    with crew(8, WORKER) as hired:
        for number in range(times(4, 100)):
            home = tmp_path / f"home-{number}"
            do(hired, home, ["store"] * 6 + ["query"] * 2, 1)
            with memoro.open(home) as m:
                assert sorted(one.id for one in m.memories.all()) == [1, 2, 3, 4, 5, 6]
                assert database_of(m.ledger.access.ledger).check() == []


def test_readers_with_a_session_and_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home) as m:
        m.memories.store("tea")
    with crew(8, WORKER) as hired:
        do(hired, home, ["query", "store", "reinforce", "query"] * 2, 15)
    with memoro.open(home) as m:
        assert m.memories.get(1).feedback == 2 * 15 * 3
        assert m.memories.stats().memories == 1 + 2 * 15


@pytest.mark.parametrize("lock", ["ledger.lock", "ledger.making.lock"])
def test_a_writer_waits_for_its_turn_and_not_for_luck(tmp_path: Path, lock: str) -> None:
    """Writers queue in the kernel, first come first served; whoever makes the tables keeps the others out."""
    home = settings(tmp_path / "home")
    with memoro.open(":memory:") as m:
        m.memories.store("all that a first write loads is loaded now")
    with memoro.open(home) as m:
        if lock == "ledger.lock":
            m.memories.store("cup")
        writer = threading.Thread(target=lambda: m.memories.store("tea"))
        with KernelLock(str(home / lock)).held():
            writer.start()
            writer.join(1)
            assert writer.is_alive()
        writer.join(30)
        assert m.memories.query("tea").results


def store_or_hear(m: Workspace, text: str) -> bool:
    """Whether it was acknowledged. Else it was refused in our words."""
    try:
        m.memories.store(text)
    except MemoroError:
        return False
    return True


def contents(home: Path) -> set[str]:
    """What another process finds."""
    code = """
import json, sys, memoro
with memoro.open(sys.argv[1]) as m:
    print(json.dumps([one.content for one in m.memories.all()]))
"""
    done = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_a_ledger_that_takes_the_place_of_another_is_refused_until_it_is_adopted(tmp_path: Path) -> None:
    home, other = settings(tmp_path / "home"), settings(tmp_path / "other")
    with memoro.open(other) as m:
        m.memories.store("tea of another ledger")
    with memoro.open(home) as live:
        live.memories.store("tea of the first ledger")
        database_of(live.ledger.access.ledger).merge_log()
        shutil.copy(other / "ledger.db", tmp_path / "copy.db")
        os.replace(tmp_path / "copy.db", home / "ledger.db")

        assert not store_or_hear(live, "tea that nobody may acknowledge")
        assert run_memoro("--home", str(home), "backup", "adopt", "ledger", "--yes").code == 0
        acknowledged = {f"tea {n}" for n in range(3) if store_or_hear(live, f"tea {n}")}
        assert acknowledged
        assert contents(home) == {"tea of another ledger", *acknowledged}
        assert {one.content for one in live.memories.all()} == contents(home)


def test_a_file_that_is_replaced_during_a_write_is_noticed_before_it_is_acknowledged(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home) as live:
        live.memories.store("tea")
        ledger = live.ledger.access.ledger
        database_of(ledger).merge_log()
        shutil.copy(home / "ledger.db", tmp_path / "copy.db")
        with (
            pytest.raises(MemoroError, match="replaced or removed while it was written to"),
            ledger.writing() as tx,
        ):
            tx.meta.put("written", "to a file that nobody finds any more")
            os.replace(tmp_path / "copy.db", home / "ledger.db")

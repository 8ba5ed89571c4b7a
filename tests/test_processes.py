"""Many processes and threads on one home: none of them fails, and none hears of the others."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.workspace import Workspace
from tests.conftest import run_process, times
from tests.crew import assert_no_lock_is_heard_of, crew
from tests.indexes import QUERIES, answers, complaints, fresh, leftovers, make_vault, said, write_note

WORKER = """
from contextlib import nullcontext
import memoro

opened = nullcontext  # each time anew

def once(_, order, number):
    with memoro.open(order["home"], order["vault"]) as m:
        if order["do"] == "sync":
            m.sync()
        elif order["do"] == "rebuild":
            m.sync(force=True)
        else:
            query = order["queries"][number % len(order["queries"])]
            answer = m.search(query)
            return [answer.query, len(answer.results), list(answer.degraded)]

"""


def orders(home: Path, vault: Path, *work: str) -> list[dict[str, Any]]:
    return [{"home": str(home), "vault": str(vault), "queries": QUERIES, "do": do} for do in work]


def edit(vault: Path, rng: random.Random, until: float) -> None:
    """What a person and their tools do: write, add, delete, rename."""
    while time.time() < until:
        notes = sorted(vault.rglob("*.md"))
        file = rng.choice(notes)
        match rng.randrange(6):
            case 0:
                write_note(vault / "new" / f"{rng.randrange(10**9)}.md", rng)
            case 1 if len(notes) > 100:
                file.unlink()
            case 2:
                file.rename(file.with_name(f"renamed-{rng.randrange(10**9)}.md"))
            case _:
                write_note(file, rng)
        time.sleep(0.01)


@pytest.mark.campaign
def test_eight_processes_sync_and_search_while_a_ninth_edits(tmp_path: Path):
    rng = random.Random(8)
    seconds = times(4, 6)
    with crew(8, WORKER) as hired:
        for number in range(times(1, 10)):
            vault, home = make_vault(tmp_path / f"vault-{number}", 120, seed=number), tmp_path / f"home-{number}"
            work = ("sync", "sync", "search", "search", "search", "search", "search", "rebuild")
            hired.order(orders(home, vault, *work), seconds=seconds)
            edit(vault, rng, time.time() + seconds)
            reports = hired.reports()

            assert all(report["heard"] for report in reports)
            with memoro.open(home, vault) as m:
                m.sync()
            assert said(home) == fresh(vault, tmp_path / "fresh")
            assert answers(home, vault) == answers(tmp_path / "fresh", vault)
            assert complaints(home) == []
            assert leftovers(home) == set()


@pytest.mark.campaign
def test_a_new_home_opened_by_eight_processes_at_once_serves_them_all(tmp_path: Path):
    vault = make_vault(tmp_path / "vault", 12)
    expected = fresh(vault, tmp_path / "fresh")
    counts = [len(found) for found in answers(tmp_path / "fresh", vault)]
    with crew(8, WORKER) as hired:
        for number in range(times(5, 100)):
            home = tmp_path / f"home-{number}"
            work = (*(["search"] * 6), "sync", "rebuild" if number % 2 else "sync")
            hired.order(orders(home, vault, *work), seconds=0)
            for report in hired.reports()[:6]:
                [query, found, _] = report["heard"][0]
                assert found == min(6, counts[QUERIES.index(query)])
            assert said(home) == expected
            assert complaints(home) == []


def test_the_command_itself_may_be_run_eight_times_at_once(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 60), tmp_path / "home"
    commands = [["sync"], ["sync", "--force"], ["status"], ["doctor"], *([["search", QUERIES[2]]] * 4)]
    results: list[tuple[list[str], Any]] = []

    def run(command: list[str]) -> None:
        results.append((command, run_process("--home", str(home), "--vault", str(vault), *command)))

    for _ in range(times(1, 10)):
        threads = [threading.Thread(target=run, args=(command,)) for command in commands]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(results) == 8 * times(1, 10)
    for command, result in results:
        assert result.code == 0, f"{command}: {result.out}{result.err}"
        assert_no_lock_is_heard_of(result.out + result.err)


def open_files(home: Path) -> set[str]:
    """What this process has open in the home."""
    links = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        except FileNotFoundError:
            continue
    return {link for link in links if link.startswith(f"{home}/")}


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@linux
def test_a_home_opened_twice_shares_one_index_and_the_last_to_close_closes_it(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 3), tmp_path / "home"
    link = tmp_path / "link"
    link.symlink_to(home)
    first, second = memoro.open(home, vault), memoro.open(link, vault)
    first.sync()
    second.sync()

    one, other = first.indexes(), second.indexes()
    assert one is not None
    assert one is other
    assert one.current() is one.current()
    first.close()
    assert open_files(home)
    assert second.search(QUERIES[0]).synced
    second.close()
    second.close()  # once more does no harm
    assert open_files(home) == set()
    with memoro.open(home, vault) as again:
        assert again.search(QUERIES[0]).synced
    assert open_files(home) == set()


def in_threads(count: int, work: Any) -> list[str]:
    """Run `work(number)` in that many threads at once; what went wrong in them."""
    import traceback

    failures: list[str] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException:
            failures.append(traceback.format_exc())

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


@linux
@pytest.mark.campaign
def test_eight_threads_share_one_workspace(tmp_path: Path):
    """Searching, syncing and rebuilding, while notes change and another process rebuilds as well."""
    vault, home = make_vault(tmp_path / "vault", 80), tmp_path / "home"
    until = time.time() + times(4, 30)
    workspace = memoro.open(home, vault)

    def work(number: int) -> None:
        rng = random.Random(number)
        while time.time() < until:
            match number:
                case 0:
                    edit(vault, rng, time.time() + 0.2)
                case 1:
                    workspace.sync(force=rng.random() < 0.5)
                case 2:
                    workspace.status()
                    workspace.doctor()
                case 3:
                    with memoro.open(home, vault) as another:
                        another.search(rng.choice(QUERIES))
                case _:
                    answer = workspace.search(rng.choice(QUERIES))
                    assert_no_lock_is_heard_of(str(answer.degraded))

    with crew(1, WORKER) as hired:
        hired.order(orders(home, vault, "rebuild"), seconds=times(4, 30))
        failures = in_threads(8, work)
        hired.reports()
    assert failures == [], failures[0]
    workspace.sync()
    workspace.close()

    assert said(home) == fresh(vault, tmp_path / "fresh")
    assert open_files(home) == set()


@linux
def test_threads_that_open_a_workspace_together_take_the_home_once(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 3), tmp_path / "home"
    for _ in range(times(30, 300)):
        workspace: Workspace = memoro.open(home, vault)
        ready = threading.Barrier(8)

        def begin(_: int, workspace: Workspace = workspace, ready: threading.Barrier = ready) -> None:
            ready.wait()
            workspace.indexes()

        assert in_threads(8, begin) == []
        workspace.sync()
        workspace.close()
        assert open_files(home) == set()

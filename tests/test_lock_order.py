"""Threads of one process share a ledger and an index, and wait for each other in one order: ledger, then index."""

from __future__ import annotations

import threading
from pathlib import Path

import memoro
from tests.conftest import write_vault

THREADS, STORES = 8, 4
HANG = 60.0


def test_threads_that_store_at_once_do_not_wait_for_each_other_for_ever(home: Path, vault: Path) -> None:
    write_vault(vault, {"tea.md": "# Tea\n\nGreen tea at 80 degrees.\n"})
    failed: list[BaseException] = []
    m = memoro.open(home, vault)
    m.memories.store("The first fact about tea")
    begin = threading.Barrier(THREADS)

    def store(number: int) -> None:
        try:
            begin.wait(HANG)
            for one in range(STORES):
                m.memories.store(f"Fact {one} of thread {number} about tea in cup {number}")
                m.memories.query("tea in a cup")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=store, args=(number,), daemon=True) for number in range(THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(HANG)
    assert not any(one.is_alive() for one in threads), "threads wait for each other"  # then, closing would wait too
    assert failed == []
    assert m.memories.stats().memories == THREADS * STORES + 1
    m.close()

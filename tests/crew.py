"""Processes that are ready to begin at the same moment, each with an order of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.command import clean_environment

# The worker's own code gives `opened(order)`, a context manager, and `once(it, order, number)`, which is called
# with what that opens, from the moment `at` on: `count` times, or until the moment `until`.
_LOOP = """
import json, sys, time, traceback

for line in sys.stdin:
    order = json.loads(line)
    took, heard = [], []
    while time.time() < order["at"]:
        pass
    try:
        with opened(order) as it:
            for number in range(order.get("count", 1_000_000)):
                began = time.perf_counter()
                heard.append(once(it, order, number))
                took.append((time.perf_counter() - began) * 1000)
                if time.time() >= order.get("until", float("inf")):
                    break
        print(json.dumps({"took": took, "heard": heard}), flush=True)
    except BaseException:
        print(json.dumps({"failed": traceback.format_exc()}), flush=True)
"""


class Crew:
    def __init__(self, size: int, worker: str) -> None:
        self._workers = [
            subprocess.Popen(
                [sys.executable, "-c", worker + _LOOP],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**clean_environment(), "PYTHONWARNINGS": "error"},
            )
            for _ in range(size)
        ]

    def order(self, orders: Sequence[dict[str, Any]], *, seconds: float | None = None) -> None:
        """Begin all at one moment; `seconds` later they end, or when each has done its `count`."""
        at = time.time() + 0.1
        times: dict[str, float] = {"at": at} if seconds is None else {"at": at, "until": at + seconds}
        for worker, order in zip(self._workers, orders, strict=True):
            assert worker.stdin is not None
            worker.stdin.write(json.dumps({**order, **times}) + "\n")
            worker.stdin.flush()

    def reports(self) -> list[dict[str, Any]]:
        """Each worker's results and milliseconds. None may have failed, or have heard of a lock."""
        told = []
        for worker in self._workers:
            assert worker.stdout is not None
            report = json.loads(worker.stdout.readline() or '{"failed": "it died"}')
            assert "failed" not in report, report["failed"]
            assert_no_lock_is_heard_of(json.dumps(report))
            told.append(report)
        return told

    def dismiss(self) -> str:
        return "".join(worker.communicate(timeout=60)[1] for worker in self._workers)


@contextmanager
def crew(size: int, worker: str) -> Iterator[Crew]:
    hired = Crew(size, worker)
    try:
        yield hired
    finally:
        errors = hired.dismiss()
    assert errors == ""


def assert_no_lock_is_heard_of(output: str) -> None:
    assert "locked" not in output.lower()
    assert "busy" not in output.lower()
    assert "in use" not in output.lower()

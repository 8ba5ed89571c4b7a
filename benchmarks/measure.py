"""Timing on a noisy machine: medians, and ratios taken in one run."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Cost(NamedTuple):
    wall_ms: float
    cpu_ms: float


def commands(wanted: Mapping[str, Sequence[str]], *, repeat: int = 21) -> dict[str, Cost]:
    """Whole processes, from start to end: the medians. They take turns, so that noise falls on all alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in wanted}
    for _ in range(repeat):
        for name, arguments in wanted.items():
            costs[name].append(_process(arguments))
    return {
        name: Cost(statistics.median(c.wall_ms for c in found), statistics.median(c.cpu_ms for c in found))
        for name, found in costs.items()
    }


def _process(arguments: Sequence[str]) -> Cost:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(arguments, stdout=subprocess.DEVNULL, env=environment, check=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall * 1000, cpu * 1000)


def call(work: Callable[[], object]) -> Cost:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000)


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    cells = [list(header), *[[_cell(value) for value in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for number, row in enumerate(cells):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def _cell(value: object) -> str:
    return (
        f"{value:,.2f}"
        if isinstance(value, float) and abs(value) < 10
        else (f"{value:,.0f}" if isinstance(value, float) else str(value))
    )

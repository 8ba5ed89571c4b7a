"""Faulted calls, searches during faults, kills during batch jobs: what is lost, paid twice, or slower."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks import measure
from benchmarks.fault_calls import Result, run_all
from benchmarks.fault_kills import KillResult, run_kills
from benchmarks.fault_searches import SEARCHES_A_NOTE, Times, run_searches
from memoro.evaluate.metrics import percentile


def run(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks faults", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000, help="faulted calls; 0 leaves them out")
    parser.add_argument("--homes", type=int, default=50, help="over which the calls are spread")
    parser.add_argument("--blocks", type=int, default=20, help="of searches, with faults and without; 0: none")
    parser.add_argument("--kills", type=int, default=100, help="during batch jobs; 0 leaves them out")
    asked = parser.parse_args(arguments)
    if asked.blocks:
        _print_searches(run_searches(asked.blocks))
    if asked.calls:
        _print_calls(run_all(asked.calls, asked.homes), asked.homes)
    if asked.kills:
        _print_kills(run_kills(asked.kills))


def _print_calls(result: Result, homes: int) -> None:
    measure.table(
        ["what", "count"],
        [
            ["faulted calls", f"{result.faulted:,} of {result.calls:,}, {len(result.kinds)} kinds, {homes} homes"],
            ["passages", f"{result.passages:,}"],
            ["lost passages", result.lost],
            ["passages sent again whose vector had arrived", result.repeated],
            ["vectors other than in the fault-free index", result.different],
            ["requests that followed a redirection", result.strays],
            ["other texts sent again (calibration, probes)", result.asked_again],
        ],
    )
    print("\n" + ", ".join(f"{kind} {count}" for kind, count in sorted(result.kinds.items())) + "\n", flush=True)


def _print_searches(times: Times) -> None:
    rows = []
    for name, all_found in (("quiet", times.quiet), ("during faults", times.faulted)):
        for which, found in (("", all_found), (", after a new note", all_found[::SEARCHES_A_NOTE])):
            rows.append([name + which, len(found), *(percentile(found, share) for share in (0.5, 0.95, 1.0))])
    measure.table(["searches", "count", "median ms", "p95 ms", "longest ms"], rows)
    print(
        f"\np95 during faults against quiet: {times.ratio:.2f}. All but {len(times.faulted) - times.answered} of "
        f"{len(times.faulted)} had results; {times.fallbacks} said that another space answered.\n",
        flush=True,
    )


def _print_kills(result: KillResult) -> None:
    measure.table(
        ["what", "count"],
        [
            ["kills", f"{result.kills} (" + ", ".join(f"{k} {n}" for k, n in sorted(result.moments.items())) + ")"],
            ["batch jobs", result.jobs],
            ["passages", f"{result.passages:,}"],
            ["passages paid for twice", result.paid_twice],
            ["passages without a vector", result.lost],
            ["vectors other than in the fault-free index", result.different],
        ],
    )

"""Short versions of `python -m benchmarks faults`: servers that fail at random, and processes that die at random."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.fault_calls import KINDS, Plan, run_home
from benchmarks.fault_kills import run_kills

from tests.conftest import CAMPAIGN, times
from tests.standin import Fault

# A client asks again at once after these; after most others it waits for a second or longer.
_WITHOUT_WAITING: tuple[Fault, ...] = ("reordered", "short", "nan", "null", "zeros", "cap 10", "silent cap 10")


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(times(2, 20)))
def test_no_text_is_lost_or_sent_again_whatever_a_server_does(tmp_path: Path, seed: int) -> None:
    plan = Plan(seed=seed, faulted=times(8, 200), kinds=KINDS if CAMPAIGN else _WITHOUT_WAITING, retry_after=0)
    found = run_home(plan, tmp_path)

    assert found.faulted >= plan.faulted
    assert (found.lost, found.repeated, found.different, found.strays) == (0, 0, 0, 0), found


@pytest.mark.campaign
@pytest.mark.process
def test_no_text_is_paid_for_twice_when_processes_die_during_a_batch_job() -> None:
    found = run_kills(times(1, 100))

    assert found.kills >= times(1, 100) and found.jobs
    assert (found.paid_twice, found.lost, found.different) == (0, 0, 0), found

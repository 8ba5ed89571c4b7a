"""Short versions of `python -m benchmarks faults`: servers that fail at random, and processes that die at random."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.fault_calls import KINDS, Plan, run_home
from benchmarks.fault_kills import run_kills

from tests.conftest import times

# These make a client wait, for a second or longer: the short version has few of them.
_SLOW = ("429 seconds", "429 date", "429", "quota", "key refused", "500", "502", "503", "dropped", "reset", "hang")


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(times(3, 20)))
def test_no_text_is_lost_or_sent_again_whatever_a_server_does(tmp_path: Path, seed: int) -> None:
    quick = tuple(kind for kind in KINDS if kind not in _SLOW)
    kinds = times(0, 1) * KINDS or (*quick, "500", "429 seconds")
    found = run_home(Plan(seed=seed, faulted=times(25, 200), kinds=kinds, retry_after=0), tmp_path)

    assert found.faulted >= times(25, 200)
    assert (found.lost, found.repeated, found.different, found.strays) == (0, 0, 0, 0), found


@pytest.mark.campaign
@pytest.mark.process
def test_no_text_is_paid_for_twice_when_processes_die_during_a_batch_job() -> None:
    found = run_kills(times(3, 100))

    assert found.kills >= times(3, 100) and found.jobs
    assert (found.paid_twice, found.lost, found.different) == (0, 0, 0), found

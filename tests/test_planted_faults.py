"""The tests can fail: each fault of `tests/planted.py` turns the test that guards against it red."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CAMPAIGN
from tests.planted import FAULTS, Fault, TargetGone, plant

ROOT = Path(__file__).parent.parent
# A guard that fails with one of these tells that a fault no longer fits the code it is planted in.
MISFITS = {"TypeError", "AttributeError", "NameError", "ImportError"}


def unnoticed(names: list[str]) -> list[str]:
    """What is wrong with faults and guards: one process runs all of them, one after the other."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORO_", "PYTEST_"))}
    done = subprocess.run(
        [sys.executable, "-m", "tests.planted", *names],
        cwd=ROOT,
        env=kept,
        capture_output=True,
        text=True,
        timeout=60 * len(names),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (_, (code, _, report)), *outcomes = map(json.loads, done.stdout.splitlines())
    assert code == 0, f"the guards fail without a fault:\n{report}"
    wrong = []
    for name, (code, errors, report) in outcomes:
        if code != 1:
            wrong.append(f"{name}: {FAULTS[name].guard} did not notice (pytest ended with {code}):\n{report}")
        elif MISFITS & set(errors):
            wrong.append(f"{name}: it does not fit the code at {FAULTS[name].target} any more:\n{report}")
    assert [name for name, _ in outcomes] == names
    return wrong


QUICK = [name for name, fault in FAULTS.items() if not fault.slow]
SLOW = [name for name, fault in FAULTS.items() if fault.slow]


@pytest.mark.parametrize("half", [0, 1])
def test_a_planted_fault_turns_its_guard_red(half: int) -> None:
    assert unnoticed(QUICK[half::2]) == []


@pytest.mark.campaign
def test_a_fault_that_takes_longer_to_find_turns_its_guard_red() -> None:
    if not CAMPAIGN:
        pytest.skip("in `make campaign`")
    assert unnoticed(SLOW) == []


@pytest.mark.unit
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_can_be_planted_and_taken_out(name: str) -> None:
    plant(name)()


@pytest.mark.unit
@pytest.mark.parametrize("target", ["memoro.index.plan.no_such_rule", "memoro.no_such_module.rule"])
def test_a_fault_whose_target_is_gone_is_named(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAULTS, "of old", Fault(target, lambda right: right, "test_plan.py"))
    with pytest.raises(TargetGone, match=rf"the fault 'of old' is planted at {target}"):
        plant("of old")

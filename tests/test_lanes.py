"""Every test is in one lane, and a test of a quick lane starts no process."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.lanes import LANES, StartsProcess, named_files, no_processes

ROOT = Path(__file__).parent.parent


def test_every_file_that_has_a_lane_exists() -> None:
    assert named_files() <= {file.stem for file in (ROOT / "tests").glob("test_*.py")}


def test_a_test_has_one_lane(request: pytest.FixtureRequest) -> None:
    assert [lane for lane in LANES if request.node.get_closest_marker(lane)] == ["unit"]


def test_a_process_is_refused_where_none_may_be_started() -> None:
    with no_processes("this test"):
        with pytest.raises(StartsProcess, match=r"this test starts a process \(subprocess.Popen\)"):
            subprocess.run(["true"], check=True)
        with pytest.raises(StartsProcess):
            os.fork()

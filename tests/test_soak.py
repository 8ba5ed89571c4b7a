"""The soak itself, for a few seconds: every kind of client at once, and all that was acknowledged is there, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.soak import Plan, soak
from benchmarks.soak_home import Size

from tests.conftest import CAMPAIGN, times

pytestmark = pytest.mark.campaign


def test_after_a_soak_everything_acknowledged_is_there_once_and_the_forgotten_is_gone(tmp_path: Path) -> None:
    size = Size(notes=20, memories=20, log_megabytes=1, max_size="100MB")
    plan = Plan(
        minutes=times(6, 600) / 60,
        speed=600,
        pace=times(4, 2),
        sample_seconds=times(2, 10),
        owner_pause=times(2, 10),
        rebuild_every=times(3, 30),
        size=size,
        browser=False,
    )

    found = soak(tmp_path, plan)

    wrong = [one for one in found.state if not one.is_good and one.name != "hooks that gave up"]
    assert not wrong, (wrong, found.problems)
    done = found.done
    for name in ("memories stored", "memories forgotten", "notes saved", "hook events"):
        assert done.get(name), (name, done)
    if CAMPAIGN:  # ten minutes; in seconds all caches are still filling
        assert not [one for one in found.growth if not one.is_good]

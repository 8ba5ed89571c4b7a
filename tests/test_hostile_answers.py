"""Malformed, hostile, truncated and contradictory answers of a language model change nothing."""

from __future__ import annotations

import pytest
from benchmarks.answers import ANSWERS, campaign
from benchmarks.answers.hostile import KINDS

from tests.conftest import times


@pytest.mark.campaign
def test_no_answer_of_a_model_changes_anything_without_a_person() -> None:
    runs = campaign(times(2 * len(KINDS), ANSWERS))
    assert [one for one in runs if one.wrong] == []
    assert sum(one.is_used for one in runs) > len(runs) // 30, "answers in order are used"
    assert {one.kind.partition(",")[0] for one in runs} == set(KINDS)

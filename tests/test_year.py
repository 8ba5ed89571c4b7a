"""The simulated year: the same for one seed, consistent in itself, and hard enough to tell answers apart."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from benchmarks.year.life import QUARTERS, Year, make_year


@pytest.fixture(scope="module")
def year() -> Year:
    return make_year(1)


def test_one_seed_makes_one_year_and_another_seed_another(year: Year) -> None:
    assert make_year(1) == year
    assert make_year(2) != year


def test_everything_is_said_in_the_order_of_time(year: Year) -> None:
    assert all(earlier.day <= later.day for earlier, later in pairwise(year.turns))


def test_a_value_is_said_only_while_it_holds(year: Year) -> None:
    about = [turn for turn in year.turns if turn.fact is not None]
    assert all(year.facts[turn.fact].period_at(turn.day) == turn.period for turn in about if turn.fact is not None)


def test_each_question_has_been_answered_before_it_is_asked(year: Year) -> None:
    said = {(turn.fact, turn.period): turn.day for turn in reversed(year.turns) if turn.way != "asked"}
    assert all(said[probe.fact, probe.period] < probe.asked for probe in year.probes)


def test_questions_about_now_want_the_last_value_and_those_about_the_past_an_earlier_one(year: Year) -> None:
    for probe in year.probes:
        last = year.facts[probe.fact].period_at(probe.asked - timedelta(days=1))
        assert last is not None
        assert probe.period < last if probe.kind == "past" else probe.period == last


def test_a_question_never_names_a_value(year: Year) -> None:
    for probe in year.probes:
        values = [value for _, value in year.facts[probe.fact].values if value]
        assert not any(value.lower() in probe.text.lower() for value in values), probe.text


def test_every_quarter_asks_for_values_that_have_changed(year: Year) -> None:
    for day in QUARTERS:
        assert any(probe.period > 0 for probe in year.probes if probe.asked == day)

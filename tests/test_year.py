"""The simulated year: the same for one seed, consistent in itself, and hard enough to tell answers apart."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise

import pytest
from benchmarks.year import WAYS, RunChoice, live
from benchmarks.year.judging import judge
from benchmarks.year.life import QUARTERS
from benchmarks.year.methods import AnswerText
from benchmarks.year.probes import Probe, Year, make_year
from benchmarks.year.ways import Origin
from benchmarks.year.words import read_words

WORLDS = ("year", "year-b")


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def year(world: str) -> Year:
    return make_year(1, world)


def test_one_seed_makes_one_year_and_another_seed_another(world: str, year: Year) -> None:
    assert make_year(1, world) == year
    assert make_year(2, world) != year


def test_everything_is_said_in_the_order_of_time(year: Year) -> None:
    assert all(earlier.day <= later.day for earlier, later in pairwise(year.turns))


def test_a_value_is_said_only_while_it_holds(year: Year) -> None:
    for turn in year.turns:
        if turn.fact is not None and turn.period is not None:
            assert year.facts[turn.fact].period_at(turn.day) == turn.period


def test_each_question_has_been_answered_before_it_is_asked(year: Year) -> None:
    told = [turn for turn in year.turns if turn.way in ("said", "changed", "retracted")]
    said = {(turn.fact, turn.period): turn.day for turn in told}
    assert all(said[probe.fact, period] < probe.asked for probe in year.probes for period in probe.periods)


def test_questions_about_now_want_the_last_value_and_those_about_the_past_an_earlier_one(year: Year) -> None:
    for probe in year.probes:
        fact = year.facts[probe.fact]
        last = fact.period_at(probe.asked - timedelta(days=1))
        assert last is not None
        match probe.kind:
            case "now" | "here" | "steady":
                assert probe.periods == (last,)
            case "deleted":
                assert fact.deleted is not None
                assert fact.deleted < probe.asked
            case _:
                assert probe.periods[0] < last


def test_a_day_that_is_asked_about_lies_in_the_period_that_answers(year: Year) -> None:
    asked = [probe for probe in year.probes if probe.as_of]
    assert asked
    assert all((year.facts[probe.fact].period_at(probe.as_of),) == probe.periods for probe in asked if probe.as_of)


def test_a_question_never_names_its_answer(year: Year) -> None:
    for probe in year.probes:
        if probe.kind == "when":  # which names the value and asks for its end
            continue
        values = [year.facts[probe.fact].values[period][1] for period in probe.periods]
        assert not any(value.lower() in probe.text.lower() for value in values if value), probe.text


def test_no_template_is_left_unfilled(year: Year) -> None:
    texts = [text for turn in year.turns for text in (turn.text, turn.explicit, turn.fact_text)]
    assert not any(re.search(r"[{}]|  | [.?]$", text) for text in texts + [probe.text for probe in year.probes])


def test_many_questions_share_no_word_with_the_statements_of_their_fact(world: str, year: Year) -> None:
    """And many do share one: people ask neither always in the same words nor always in others."""
    probes = [probe for probe in year.probes if probe.kind == "now"]
    share = sum(_shares_no_word(probe, year, world) for probe in probes) / len(probes)
    assert 0.3 < share < 0.7


def test_every_quarter_asks_for_values_that_have_changed(year: Year) -> None:
    for day in QUARTERS:
        assert any(max(probe.periods, default=0) > 0 for probe in year.probes if probe.asked == day)


def test_every_kind_of_question_and_of_message_occurs(year: Year) -> None:
    assert {probe.kind for probe in year.probes} == {"now", "here", "steady", "past", "as of", "when", "deleted"}
    ways = {"said", "changed", "retracted", "repeated", "asked", "answered", "hearsay", "deleted", "rule", "talk"}
    assert {turn.way for turn in year.turns} == ways
    assert any(fact.german for fact in year.facts)


@pytest.fixture(scope="module")
def short() -> Year:
    """A year of five facts, one of them deleted, and a little talk."""
    year = make_year(1)
    deleted = next(fact.number for fact in year.facts if fact.deleted)
    facts = {deleted, *(fact.number for fact in year.facts if len(fact.values) > 3 and not fact.german)}
    facts = set(sorted(facts)[:5]) | {deleted}
    talk = [turn for turn in year.turns if turn.fact is None][:60]
    turns = tuple(turn for turn in year.turns if turn.fact in facts or turn in talk)
    return year._replace(turns=turns, probes=tuple(probe for probe in year.probes if probe.fact in facts))


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_feeding_is_asked_and_shows_nothing_deleted(short: Year, way: str) -> None:
    chosen = RunChoice(world="year", seeds=(1,), ways=(way,), methods=("memoro", "BM25"), show=())
    verdicts = live(way, short, chosen).verdicts
    assert {one.method for one in verdicts} == {"memoro", "BM25"}
    assert {one.judged for one in verdicts if one.probe.kind == "deleted"} == {"right"}
    assert any(one.judged == "right" for one in verdicts if one.probe.kind == "now")


@pytest.mark.slow
def test_a_perfect_agent_leaves_nothing_stale_for_plain_words(short: Year) -> None:
    chosen = RunChoice(world="year", seeds=(1,), ways=("perfect",), methods=("BM25",), show=())
    verdicts = live("perfect", short, chosen).verdicts
    assert not any(one.judged == "stale" for one in verdicts if one.probe.kind in ("now", "here"))


def test_the_first_result_is_judged_by_what_it_states(short: Year) -> None:
    probe = next(one for one in short.probes if one.kind == "now" and one.periods[0] > 0)
    (period,) = probe.periods
    other = next(fact.number for fact in short.facts if fact.subject != short.facts[probe.fact].subject)

    def judged(*origins: Origin, marked: bool = False) -> str:
        return judge([AnswerText("", origins, marked)], probe, short)

    assert judged(Origin(probe.fact, period - 1), Origin(probe.fact, period)) == "right"
    assert judged(Origin(probe.fact, period - 1)) == "stale"
    assert judged(Origin(probe.fact, period - 1), marked=True) == "marked"
    assert judged(Origin(probe.fact, asks=True)) == "question"
    assert judged(Origin(probe.fact, hearsay=True)) == "untrusted"
    assert judged(Origin(other, 0)) == "subject"
    assert judge([], probe, short) == "nothing"


_FUNCTION_WORDS = (
    "a an the of in on at for to do does did is are am was i my me we our what which who whom where when how "
    "this these it its s and or be with from as by can have has you your that there"
)


def _shares_no_word(probe: Probe, year: Year, world: str) -> bool:
    """Judged by all statements of the value that is wanted. The names of the subject count for nothing."""
    fact = year.facts[probe.fact]
    names = {word for name in (*read_words(world).projects, fact.subject) for word in _stems(name)}
    stated = {
        word
        for turn in year.turns
        if turn.fact == fact.number
        and turn.period in probe.periods
        and turn.speaker == "user"
        and turn.way != "asked"
        for word in _stems(turn.explicit)
    }
    return not (_stems(probe.text) - names) & stated


def _stems(text: str) -> set[str]:
    words = set(re.findall(r"\w+", text.lower())) - set(_FUNCTION_WORDS.split())
    return {re.sub(r"(ing|es|ed|s|e)$", "", word) for word in words}

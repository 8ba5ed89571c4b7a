"""How sure it is that a unit answers: more evidence never makes it less sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.answers import Evidence, Explanation, Match, Passage, TermScore
from memoro.search.rank import Ranked
from memoro.unasked.exchanges import Exchange, TurnText
from memoro.unasked.weighing import (
    NO_EVIDENCE,
    Unit,
    UnitEvidence,
    evidence_of,
    sure_by_score,
    sure_of,
    units_of,
)

share = st.floats(0, 1)
evidence = st.builds(
    UnitEvidence,
    held=share,
    rarest=st.floats(0, 9),
    coverage=share,
    nearness=share,
    asked=share,
    words=share,
    behind=st.floats(0, 30),
    answers=st.sampled_from([0.0, 1.0]),
    shared=st.sampled_from([0.0, 1.0]),
    general=st.sampled_from([0.0, 1.0]),
    project=st.sampled_from([0.0, 1.0]),
)


def passage(text: str = "text", *, line: int = 1, path: str = "a.md", date: str | None = None) -> Passage:
    speaker = text.partition(":")[0] if path.startswith("@") else None
    return Passage(
        path=path,
        tier="transcript" if speaker else "note",
        title="A",
        text=text,
        start_line=line,
        end_line=line,
        headings=(),
        digest="d",
        number=0,
        date=date,
        speaker=speaker,
    )


def ranked(one: Passage, chunk: int, score: float = 0.5, measured: Evidence | None = None) -> Ranked:
    terms = (TermScore(word="heron", columns={"text": 1}, weight=0.5, fullness=0.8),)
    match = Match(passage=one, counts=(("heron", "text", 1), ("tea", "context", 1)), length=4.0, chunk=chunk)
    return Ranked(match, score, Explanation(terms, (), 1, total=2.0, evidence=measured))


@given(evidence, st.sampled_from(["held", "rarest", "coverage", "nearness", "asked", "words", "answers", "project"]))
def test_more_evidence_makes_a_unit_surer(one: UnitEvidence, name: str) -> None:
    more = one._replace(**{name: getattr(one, name) + 0.5})
    assert 0 < sure_of(one) < sure_of(more) < 1


@given(evidence)
def test_a_unit_far_behind_and_a_general_message_make_it_less_sure(one: UnitEvidence) -> None:
    assert sure_of(one._replace(behind=one.behind + 1)) <= sure_of(one)
    assert sure_of(one._replace(general=1.0)) <= sure_of(one._replace(general=0.0))


def test_no_evidence_at_all_is_far_below_any_floor() -> None:
    assert sure_of(NO_EVIDENCE) < 0.1


@given(share, share)
def test_without_meaning_the_best_score_decides(low: float, high: float) -> None:
    low, high = sorted([low, high])
    units = [Unit((ranked(passage(), 1, score),)) for score in (low, high)]
    less, more = (sure_by_score(unit, NO_EVIDENCE) for unit in units)
    assert 0 < less <= more < 1
    assert sure_by_score(units[1], NO_EVIDENCE._replace(general=1.0)) < more
    if 0.01 <= high <= 0.99:
        assert more == pytest.approx(high)


def test_evidence_is_of_all_passages_that_were_found_of_a_unit() -> None:
    said = ranked(passage("User: which port?", path="@a"), 1, measured=Evidence(0.2, 0.9, 0.1, 9))
    answer = ranked(passage("Assistant: 8443", path="@a", line=2), 2, measured=Evidence(0.7, 0.3, 0.4, 9))
    turns = [
        TurnText(speaker=who, line=one.match.passage.start_line, passages=(one.match.passage,), chunks=(chunk,))
        for who, one, chunk in (("User", said, 1), ("Assistant", answer, 2))
    ]
    exchange = Exchange(turns[0], (turns[1],))
    [unit] = units_of([said, answer], {1: exchange, 2: exchange})
    found = evidence_of(unit, {"heron": 3.0, "tea": 1.0}, best=2.5)
    assert unit.key == (1, 2) and unit.is_measured
    assert (found.coverage, found.nearness, found.words, found.asked) == (0.7, 0.9, 0.4, 0.9)
    assert (found.held, found.rarest, found.behind) == (0.75, 3.0, 0.5), "a neighbour's words are not its own"


def test_words_alone_are_evidence_where_meaning_was_not_compared() -> None:
    unit = Unit((ranked(passage(), 1),))
    found = evidence_of(unit, {"heron": 3.0}, best=2.0)
    assert not unit.is_measured
    assert (found.coverage, found.words, found.nearness) == (0.5, pytest.approx(0.4), 0.0)  # type: ignore[comparison-overlap]


def test_a_unit_is_later_further_down_a_conversation_or_on_a_later_day() -> None:
    first, later = (Unit((ranked(passage("User: a", path="@a", line=n, date="2026-01-01"), n),)) for n in (1, 5))
    next_day = Unit((ranked(passage("User: b", path="@b", line=1, date="2026-01-02"), 9),))
    undated = Unit((ranked(passage(), 10),))
    assert later.is_after(first) and not first.is_after(later)
    top, below = (Unit((ranked(passage(line=n, date="2026-01-01"), n),)) for n in (1, 5))
    assert not below.is_after(top), "further down a note is not later"
    assert next_day.is_after(later) and not later.is_after(next_day)
    assert not next_day.is_after(undated) and not undated.is_after(next_day)

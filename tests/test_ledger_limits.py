"""The limits of the rules about memories, links, experiences and pruning: both sides of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.experiences.fading import Fading
from memoro.ledger.archive import Archiving, LastPruning, PruneLimits, said
from memoro.model.experiences import (
    Experience,
    Expiry,
    answers,
    canonical,
    caution,
    evidence,
    first_success,
    identity,
    is_confirmed,
    normalised,
    outcome_of,
    passage,
    plan_expiry,
    reported_by,
    used,
    weight,
    with_tags,
    worth,
)
from memoro.model.memories import (
    MAX_BYTES,
    MAX_NAME,
    Link,
    Memory,
    PrunePlan,
    Weighed,
    dated,
    days_between,
    entry_of_memory,
    faded,
    grown,
    held_between,
    held_until,
    holds_at,
    may_supersede,
    moment,
    plan_pruning,
    recency,
    score,
    stamp,
    strength,
    superseded,
    trust_of,
    usefulness,
    was_current,
)
from memoro.model.vocabulary import TRUSTS, ExperienceOutcome, Trust
from memoro.workspace import Workspace
from tests.test_memories import put

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
AT = stamp(NOON)
DAY = timedelta(days=1)
LAST, NEXT = stamp(NOON - DAY), stamp(NOON + DAY)


def a_memory(**fields: Any) -> Memory:
    known: dict[str, Any] = {"source": "agent", "trust": "agent_inferred", "created_at": AT, "content": "a fact"}
    return Memory(id=1, **(known | fields))


def an_experience(**fields: Any) -> Experience:
    known: dict[str, Any] = {
        "id": 1, "type": "task_solution", "intent": "mend the crane", "solution_json": '"grease it"', "success": 1.0,
        "source": "agent", "trust": "agent_inferred", "created_at": AT,
    }  # fmt: skip
    return Experience(**(known | fields))


# Memories


def test_a_memory_is_at_most_16_kilobytes_and_a_name_at_most_200_characters() -> None:
    assert (MAX_BYTES, MAX_NAME) == (16_384, 200)


def test_a_stamp_is_utc_with_milliseconds_and_one_without_a_zone_is_read_as_utc() -> None:
    assert stamp(datetime.fromisoformat("2026-03-05T14:00:00.1239+02:00")) == "2026-03-05T12:00:00.123Z"
    assert moment("2026-03-05T12:00:00") == NOON == moment(AT)


@pytest.mark.parametrize(("later", "days"), [(DAY, 1.0), (DAY / 2, 0.5), (-DAY, 0.0), (timedelta(0), 0.0)])
def test_days_are_never_negative(later: timedelta, days: float) -> None:
    assert days_between(AT, NOON + later) == days


@pytest.mark.parametrize(
    ("feedback", "trust", "factor"),
    [
        (0, "user_said", 1.0),
        (3, "user_said", math.exp(0.6)),
        (10, "user_said", math.exp(2)),
        (11, "user_said", math.exp(2)),
        (-10, "user_said", math.exp(-2)),
        (-11, "user_said", math.exp(-2)),
        (3, "tool_or_web", math.exp(0.6)),
        (4, "tool_or_web", 2.0),
        (10, "agent_inferred", math.exp(2)),
        (-10, "agent_inferred", math.exp(-2)),
        (10, "user_confirmed", math.exp(2)),
    ],
)
def test_feedback_counts_up_to_ten_points_and_doubles_at_most_what_is_not_trusted(
    feedback: int, trust: Trust, factor: float
) -> None:
    assert usefulness(feedback, trust) == pytest.approx(factor)


def test_recency_counts_from_the_last_hit_and_is_one_half_after_a_hundred_days() -> None:
    assert recency(a_memory(), NOON + 100 * DAY) == 0.5
    assert recency(a_memory(hit_at=stamp(NOON + 100 * DAY)), NOON + 100 * DAY) == 1.0
    assert strength(a_memory(feedback=-10), NOON + 100 * DAY) == pytest.approx(math.exp(-2) / 2)


def test_a_score_is_one_half_where_fit_times_worth_is_one_half() -> None:
    assert [score(0.0, 3.0), score(0.5, 1.0), score(0.25, 2.0), score(1.0, 1.5)] == [0.0, 0.5, 0.5, 0.75]


@pytest.mark.parametrize("new", TRUSTS)
@pytest.mark.parametrize("old", TRUSTS)
def test_a_memory_supersedes_one_that_is_trusted_as_much_or_less(new: Trust, old: Trust) -> None:
    assert may_supersede(new, old) == (TRUSTS.index(new) >= TRUSTS.index(old))


def test_trust_is_as_wanted_else_of_the_source_and_never_above_a_parent() -> None:
    web = a_memory(trust="tool_or_web")
    told = [trust_of("user", None, ()), trust_of("agent", None, ()), trust_of("curl", None, ())]
    assert told == ["user_said", "agent_inferred", "tool_or_web"]
    assert trust_of("agent", "user_said", ()) == "user_said"
    assert trust_of("user", None, [a_memory(), web]) == "tool_or_web"
    assert trust_of("curl", None, [a_memory(trust="user_confirmed")]) == "tool_or_web"


@pytest.mark.parametrize(
    ("valid_to", "superseded_at", "until"),
    [(None, None, None), (AT, None, AT), (None, AT, AT), (AT, NEXT, AT), (NEXT, AT, AT)],
)
def test_a_memory_held_until_the_first_of_its_ends(
    valid_to: str | None, superseded_at: str | None, until: str | None
) -> None:
    assert held_until(a_memory(valid_to=valid_to, superseded_at=superseded_at)) == until


def test_a_text_is_of_the_day_when_it_was_stored_or_of_a_later_one_from_which_it_holds() -> None:
    assert [dated(a_memory(valid_from=one)) for one in (None, LAST, NEXT)] == [AT, AT, NEXT]


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        (None, AT),
        (LAST, AT),  # on the very moment from which the old one holds
        (stamp(NOON - DAY + timedelta(milliseconds=1)), stamp(NOON - DAY + timedelta(milliseconds=1))),
        (stamp(NOON - timedelta(milliseconds=1)), stamp(NOON - timedelta(milliseconds=1))),
        (AT, AT),
        (NEXT, AT),
    ],
)
def test_a_superseded_memory_held_until_the_new_one_began(begins: str | None, ends: str) -> None:
    old = a_memory(created_at=LAST)
    after = superseded(old, a_memory(valid_from=begins)._replace(id=2), NOON)
    assert after == old._replace(superseded_by=2, superseded_at=AT, valid_to=ends)
    assert superseded(old._replace(valid_to=NEXT), a_memory(), NOON).valid_to == NEXT


def test_only_an_origin_that_names_an_entry_points_to_one() -> None:
    assert [entry_of_memory(a_memory(origin=one)) for one in (None, "mem0:4", "entry:k3")] == [None, None, "k3"]


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"superseded_by": 2}, False),
        ({"valid_from": AT}, True),
        ({"valid_from": NEXT}, False),
        ({"valid_from": NEXT, "hit_at": NEXT}, True),
        ({"valid_from": NEXT, "created_at": NEXT}, True),
        ({"valid_to": AT}, False),
        ({"valid_to": stamp(NOON + timedelta(milliseconds=1))}, True),
        ({"valid_to": LAST}, False),
    ],
)
def test_a_memory_holds_from_its_first_moment_and_not_at_its_last(fields: dict[str, Any], holds: bool) -> None:
    assert holds_at(a_memory(**fields), AT) is holds


@pytest.mark.parametrize(
    ("fields", "held"),
    [
        ({}, True),
        ({"created_at": NEXT}, False),
        ({"superseded_at": AT}, False),
        ({"superseded_at": NEXT}, True),
        ({"superseded_at": LAST}, False),
        ({"valid_from": AT}, True),
        ({"valid_from": NEXT}, False),
        ({"valid_to": AT}, False),
        ({"valid_to": NEXT}, True),
    ],
)
def test_the_view_of_a_moment_has_what_was_stored_valid_and_not_yet_superseded(
    fields: dict[str, Any], held: bool
) -> None:
    assert was_current(a_memory(**fields), NOON) is held


def test_a_memory_held_between_two_moments_if_it_began_before_the_last_and_ended_after_the_first() -> None:
    assert held_between(a_memory(), LAST, NEXT)
    assert not held_between(a_memory(), LAST, AT)
    assert held_between(a_memory(valid_from=LAST), LAST, AT)
    assert not held_between(a_memory(created_at=LAST, valid_to=AT), AT, NEXT)
    assert held_between(a_memory(created_at=LAST, superseded_at=NEXT), AT, NEXT)


# Links


def test_a_link_halves_in_ninety_days_and_a_use_adds_one_to_what_is_left() -> None:
    link = Link(low=3, high=7, strength=4.0, at=AT)
    assert [faded(link, NOON + days * DAY) for days in (0, 90, 180)] == [4.0, 2.0, 1.0]
    assert grown(link, NOON + 90 * DAY) == Link(3, 7, 3.0, stamp(NOON + 90 * DAY))
    assert (link.other(3), link.other(7)) == (7, 3)


# Pruning


def weighed(*strengths: float, size: int = 10) -> list[Weighed]:
    return [Weighed(number, size, one) for number, one in enumerate(strengths, 1)]


@pytest.mark.parametrize(
    ("size", "limit", "percent", "brake", "archive", "fits"),
    [
        (100, 100, 10, 1.0, (), True),
        (101, 100, 10, 1.0, (10,), True),
        (100, 90, 10, 1.0, (10,), True),
        (100, 89, 10, 1.0, (10, 9), True),
        (100, 90, 30, 1.0, (10, 9, 8), True),
        (100, 90, 1, 1.0, (10,), True),
        (100, 10, 30, 0.2, (10, 9), False),
        (100, 80, 30, 0.2, (10, 9), True),
        (100, 10, 30, 0.01, (10,), False),
        (200, 180, 10, 1.0, (10,), True),  # words and vectors shrink with the text
        (200, 179, 10, 1.0, (10, 9), True),
    ],
)
def test_pruning_takes_the_weakest_until_the_rest_fits_and_no_more_than_the_brake_lets_it(
    size: int, limit: int, percent: float, brake: float, archive: tuple[int, ...], fits: bool
) -> None:
    memories = weighed(*(float(11 - n) for n in range(1, 11)))
    plan = plan_pruning(memories, size=size, limit=limit, percent=percent, brake=brake)
    assert plan == PrunePlan(size=size, limit=limit, archive=archive, fits=fits)


def test_of_two_equally_weak_memories_the_older_is_pruned_and_an_empty_ledger_loses_nothing() -> None:
    assert plan_pruning(weighed(1.0, 1.0), size=20, limit=10, percent=10, brake=1.0).archive == (1,)
    assert plan_pruning([], size=20, limit=10, percent=10, brake=1.0) == PrunePlan(20, 10, (), False)
    assert plan_pruning(weighed(1.0, 2.0, size=0), size=20, limit=10, percent=10, brake=1.0).archive == (1, 2)


# Experiences


@pytest.mark.parametrize(
    ("success", "outcome", "words"),
    [
        (0.0, "failed", "This failed (success 0.00)"),
        (0.499, "failed", "This failed (success 0.50)"),
        (0.5, "partly", "This worked only in part (success 0.50)"),
        (0.699, "partly", "This worked only in part (success 0.70)"),
        (0.7, "worked", ""),
        (1.0, "worked", ""),
    ],
)
def test_an_experience_worked_from_seven_tenths_and_failed_below_one_half(
    success: float, outcome: ExperienceOutcome, words: str
) -> None:
    one = an_experience(success=success)
    assert outcome_of(one) == outcome
    assert caution(one).startswith(words)
    assert bool(caution(one)) == bool(words)


def a_preference(**fields: Any) -> Experience:
    return an_experience(**({"type": "user_preference", "intent": "editor", "solution_json": '"vim"'} | fields))


def test_a_preference_has_no_outcome_and_says_how_sure_it_is() -> None:
    sure = a_preference(trust="user_confirmed", success=0.1)
    assert outcome_of(sure) is None
    assert caution(sure) == "A preference that the user confirmed:"
    assert caution(a_preference(success=0.4)) == "A preference with confidence 0.40, not confirmed by the user:"
    assert [is_confirmed(sure), is_confirmed(a_preference())] == [True, False]
    assert not is_confirmed(an_experience(trust="user_confirmed"))


def test_a_preference_is_found_by_its_subject_and_value_and_another_experience_by_its_intent() -> None:
    assert passage(an_experience()) == "mend the crane"
    assert passage(a_preference()) == "editor: vim"
    assert passage(a_preference(solution_json='{"a":1}')) == 'editor: {"a":1}'


def test_intents_that_differ_in_case_spaces_or_final_punctuation_are_one() -> None:
    assert normalised("  Mend  THE crane!? … ") == "mend the crane"
    assert normalised("...") == "..."
    assert identity(an_experience()) == identity(an_experience(intent="Mend the crane.", project="pier"))
    assert identity(a_preference()) != identity(a_preference(type="task_solution"))
    assert identity(an_experience()) == identity(an_experience(type="tool_chain"))


def test_a_solution_has_one_text_for_any_order_of_keys_and_must_be_json() -> None:
    assert canonical({"b": 1, "a": ["ü"]}) == '{"a":["ü"],"b":1}'
    for wrong in (float("nan"), {1, 2}):
        with pytest.raises(ValueError):
            canonical(wrong)


def test_weight_halves_with_each_half_life_since_the_last_use() -> None:
    assert [weight(an_experience(), NOON + days * DAY, 30) for days in (0, 30, 60)] == [1.0, 0.5, 0.25]
    assert weight(an_experience(used_at=NEXT), NOON + 31 * DAY, 30) == 0.5


def test_worth_is_weight_times_success_at_least_a_twentieth_and_one_for_what_is_confirmed() -> None:
    later = NOON + 30 * DAY
    assert worth(an_experience(success=0.8), later, 30) == 0.4
    assert worth(an_experience(success=0.0), later, 30) == 0.05
    assert worth(a_preference(trust="user_confirmed", success=0.1), later, 30) == 1.0


def test_an_outcome_moves_the_mean_and_old_outcomes_count_less() -> None:
    one = an_experience(success=1.0, outcomes=4, uses=2, archived_at=AT)
    plain = used(one, None, NOON, 30)
    assert plain == one._replace(uses=3, used_at=AT, archived_at=None)
    assert used(one, 0.0, NOON, 30) == plain._replace(success=0.8, outcomes=5)
    assert used(one, 0.0, NOON + 30 * DAY, 30).success == pytest.approx(2 / 3)


def test_a_preference_moves_a_fifth_of_the_way_to_each_outcome() -> None:
    one = a_preference(success=0.4)
    assert [used(one, told, NOON, 30).success for told in (1.0, 0.0)] == pytest.approx([0.52, 0.32])
    assert used(one, 1.0, NOON, 30).outcomes == 2


def test_one_report_of_a_preference_is_at_most_four_tenths() -> None:
    assert [first_success("user_preference", told) for told in (None, 1.0, 0.4, 0.3)] == [0.4, 0.4, 0.4, 0.3]
    assert [first_success("task_solution", told) for told in (None, 0.9, 0.0)] == [1.0, 0.9, 0.0]


@pytest.mark.parametrize(
    ("success", "trust", "counts"),
    [
        (0.2, "agent_inferred", False),
        (0.6, "agent_inferred", True),
        (0.5, "agent_inferred", True),
        (0.2, "user_said", False),
        (0.2, "user_confirmed", True),
    ],
)
def test_a_confirmed_preference_is_not_talked_down_by_somebody_who_is_trusted_less(
    success: float, trust: Trust, counts: bool
) -> None:
    sure = a_preference(trust="user_confirmed", success=0.5)
    assert reported_by(sure, success, trust) == (success if counts else None)
    assert reported_by(sure._replace(trust="user_said"), success, trust) == success


def test_what_is_confirmed_outranks_then_evidence_then_the_last_shown_then_the_newest() -> None:
    ranked = [
        a_preference(id=1, trust="user_confirmed", success=0.1),
        a_preference(id=2, success=0.9),
        a_preference(id=4, success=0.5),
        a_preference(id=3, success=0.5),
        a_preference(id=5, success=0.4),
    ]
    assert sorted(ranked, key=lambda one: evidence(one, NOON, 30), reverse=True) == ranked
    later = NOON + 30 * DAY
    assert evidence(a_preference(success=0.5), later, 30) == (False, 0.25, AT, 1)
    assert evidence(a_preference(success=0.5, used_at=NEXT), NOON + DAY, 30) == (False, 0.5, NEXT, 1)


def test_tags_are_added_by_those_who_are_trusted_as_much() -> None:
    one = an_experience(tags=("a",), trust="user_said")
    assert with_tags(one, ("b", "a"), "user_said").tags == ("a", "b")
    assert with_tags(one, ("b",), "user_confirmed").tags == ("a", "b")
    assert with_tags(one, ("b",), "agent_inferred").tags == ("a",)


def test_an_experience_answers_until_it_is_archived_or_faded_below_the_limit() -> None:
    assert answers(an_experience(), NOON + 30 * DAY, 30, 0.5)
    assert not answers(an_experience(), NOON + 30 * DAY + timedelta(seconds=1), 30, 0.5)
    assert not answers(an_experience(archived_at=AT), NOON, 30, 0.5)


def test_expiry_archives_what_faded_and_brings_back_what_a_clock_ahead_archived() -> None:
    now = NOON + 30 * DAY
    plan = plan_expiry(
        [
            an_experience(id=1),  # just not faded
            an_experience(id=2, created_at=stamp(NOON - timedelta(seconds=1))),
            an_experience(id=3, archived_at=stamp(now)),
            an_experience(id=4, archived_at=stamp(now + timedelta(seconds=1))),
            an_experience(id=5, archived_at=stamp(now + DAY), created_at=LAST),
            an_experience(id=6, archived_at=AT),
        ],
        below=0.5,
        half_life_days=30,
        now=now,
    )
    assert plan == Expiry(live=2, archive=(2,), bring_back=(4,), braked=False)


@pytest.mark.parametrize(
    ("faded_ones", "fresh", "braked"),
    [(20, 0, False), (21, 0, True), (21, 83, True), (21, 84, False), (22, 87, True)],
)
def test_more_than_twenty_and_more_than_a_fifth_at_once_need_a_person(
    faded_ones: int, fresh: int, braked: bool
) -> None:
    every = [an_experience(id=n) for n in range(faded_ones)]
    every += [an_experience(id=100 + n, used_at=stamp(NOON + 90 * DAY)) for n in range(fresh)]
    plan = plan_expiry(every, below=0.5, half_life_days=30, now=NOON + 90 * DAY)
    assert (plan.live, len(plan.archive), plan.braked) == (faded_ones + fresh, faded_ones, braked)


# Fading by the settings of a home


def test_by_default_an_experience_halves_in_thirty_days_and_fades_below_a_twentieth() -> None:
    fading, one = Fading(), an_experience(success=0.8)
    assert (fading.half_life_days, fading.prune_below) == (30, 0.05)
    assert fading.weight(one, NOON + 30 * DAY) == 0.5
    assert fading.worth(one, NOON + 30 * DAY) == 0.4
    assert fading.answers(one, NOON + 129 * DAY)
    assert not fading.answers(one, NOON + 130 * DAY)
    assert fading.evidence(one, NOON + 30 * DAY) == (False, 0.4, AT, 1)
    assert fading.used(one, 0.0, NOON).success == 0.4


def test_what_was_not_used_since_a_moment_has_faded() -> None:
    assert Fading(half_life_days=10, prune_below=0.25).fades_since(NOON) == stamp(NOON - 20 * DAY)
    assert Fading(prune_below=0).fades_since(NOON) is None
    assert Fading(half_life_days=1e9).fades_since(NOON) == "0109-08-22T12:00:00.000Z"
    first = datetime(1, 1, 1, 12, tzinfo=UTC) + timedelta(days=700_000)
    assert Fading(half_life_days=1e9).fades_since(first) == "0001-01-02T00:00:00.000Z"


# Pruning by the settings of a home


@pytest.fixture
def m() -> Iterator[Workspace]:
    with memoro.open(":memory:", clock=lambda: NOON) as opened:
        yield opened


def archiving(m: Workspace, max_bytes: int = 10**9, vector_bytes: int = 0, percent: float = 1.0) -> Archiving:
    return Archiving(m.ledger.access, PruneLimits(max_bytes, percent, vector_bytes))


def rows(m: Workspace) -> int:
    with m.ledger.access.ledger.reading() as tx:
        return tx.sizes().live


def kept(m: Workspace, *memories: Memory) -> None:
    put(m, *(one._replace(id=0) for one in memories))


def test_memories_take_their_rows_half_as_much_for_words_and_a_vector_each(m: Workspace) -> None:
    kept(m, *(a_memory(content=f"fact {n}") for n in range(5)))
    assert rows(m) > 0
    assert archiving(m).stats().live_bytes == int(rows(m) * 1.5)
    assert archiving(m, vector_bytes=1000).stats().live_bytes == int(rows(m) * 1.5) + 5000
    plan = archiving(m, 7, 1000).plan()
    assert (plan.size, plan.limit) == (int(rows(m) * 1.5) + 5000, 7)


def test_a_ledger_surely_fits_if_all_of_it_with_words_and_vectors_does(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", clock=lambda: NOON) as m:
        kept(m, *(a_memory(content=f"fact {n}") for n in range(5)))
        most = m.ledger.access.ledger.size() * 1.5 + 5000
        assert archiving(m, math.ceil(most), 1000).surely_fits()
        assert not archiving(m, math.ceil(most) - 1, 1000).surely_fits()


def test_a_memory_counts_with_its_text_its_tags_and_a_row_and_an_empty_ledger_with_ten_pages(m: Workspace) -> None:
    weak = a_memory(content="ä" * 50, tags=("x" * 60, "y" * 40), feedback=-1)
    kept(m, weak, *(a_memory(content=f"{n}" * 600) for n in range(3)))
    vector, empty = 200_000, 40_960
    size = int(rows(m) * 1.5) + 4 * vector
    share = (100 + 100 + 150) / ((100 + 100 + 150) + 3 * (600 + 150))
    enough = math.ceil((size - empty) * (1 - share) + empty)
    assert archiving(m, enough, vector).plan(brake=1.0) == PrunePlan(size, enough, (1,), True)
    assert archiving(m, enough - 1, vector).plan(brake=1.0) == PrunePlan(size, enough - 1, (1, 2), True)
    assert archiving(m, enough - 1, vector).plan() == PrunePlan(size, enough - 1, (1,), False)
    assert archiving(m, size, vector).plan() == PrunePlan(size, size, (), True)


@pytest.mark.parametrize(("count", "moved"), [(1, 1), (4, 1), (5, 1), (9, 1), (10, 2), (14, 2), (15, 3)])
def test_one_pruning_moves_the_weakest_fifth_and_at_least_one(count: int, moved: int, m: Workspace) -> None:
    kept(m, *(a_memory(content=f"fact {n}", feedback=n) for n in range(count)))
    few = archiving(m, 1)
    numbers = tuple(range(1, moved + 1))
    seen = few.prune(dry_run=True)
    assert (seen.archive, few.stats().archived, few.last_pruning()) == (numbers, 0, None)

    assert few.prune() == PrunePlan(seen.size, 1, numbers, False)

    assert (few.stats().memories, few.stats().archived) == (count - moved, moved)
    assert few.last_pruning() == LastPruning(AT, moved, seen.size, 1)
    changes = [(one.operation, one.item, one.actor) for one in m.journal.log()]
    assert sorted(changes) == [("archive", n, "prune") for n in numbers]


def test_pruning_ends_as_soon_as_the_rest_fits_and_says_so(m: Workspace) -> None:
    kept(m, *(a_memory(content=f"fact {n}", feedback=n) for n in range(10)))
    vector = 100_000
    limit = int(rows(m) * 1.5) + 9 * vector + 20_000
    done = archiving(m, limit, vector).prune()
    assert (done.archive, done.fits) == ((1,), True)
    assert archiving(m, limit, vector).prune() == PrunePlan(archiving(m, limit, vector).plan().size, limit, (), True)
    last = archiving(m).last_pruning()
    assert last and last.archived == 1


def test_what_pruning_did_is_said_in_megabytes_and_a_record_of_a_later_version_is_not_read(m: Workspace) -> None:
    told = said(PrunePlan(1_234_567_890, 60_000, tuple(range(1500)), True))
    assert told.startswith(
        "1,500 memories moved to the archive, for they took 1,234.6 MB of 0.1 MB (memory.max_size)"
    )
    for record in ("{", "[1]", "[1, 2, 3, 4, 5]", "7"):
        with m.ledger.access.ledger.writing() as tx:
            tx.meta.put("last_pruning", record)
        assert archiving(m).last_pruning() is None


def test_the_figures_of_a_ledger_count_each_kind_of_thing(m: Workspace) -> None:
    for text in ("tea is green", "tea is hot", "tea is wet", "tea is dry"):
        m.memories.store(text)
    m.memories.query("tea", session="s")
    for number in (1, 2, 3):
        m.memories.reinforce(number, session="s")
    m.memories.supersede(1, 2)
    m.memories.archive(4)
    m.narratives.update("we drink tea")
    figures = archiving(m, 70_000).stats()
    assert (figures.memories, figures.current, figures.archived) == (3, 2, 1)
    assert (figures.narratives, figures.links, figures.changes, figures.max_bytes) == (1, 3, 10, 70_000)
    with m.ledger.access.ledger.reading() as tx, m.ledger.access.archive.reading() as archive:
        assert figures.tables == tx.sizes().tables
        assert figures.archive_bytes == sum(archive.sizes().tables.values()) > 0

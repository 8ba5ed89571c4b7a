"""Experiences as a caller meets them: one for one solution, fading and never lost, found by what was intended."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import memoro
from memoro.errors import (
    ConfigError,
    KeyReused,
    LedgerError,
    NeedsConsent,
    NotFound,
    QueryError,
    Refused,
    UndoConflict,
)
from memoro.experiences.lifecycle import Experiences
from memoro.ledger import housekeeping
from memoro.model import experiences as rules
from memoro.model.changes import has_content
from memoro.model.experiences import BRAKE, BRAKE_COUNT, PREFERENCE, Experience, plan_expiry, weight
from memoro.model.journal import RecordedWords
from memoro.model.memories import stamp
from memoro.model.notes import kept_at, kind_of
from memoro.model.vocabulary import EXPERIENCE_TYPES, LEDGER_KINDS, TRUSTS
from memoro.workspace import Workspace
from tests.conftest import times, write_vault
from tests.indexes import said
from tests.ledgers import database_of
from tests.test_forget_bytes import files_with
from tests.test_memories import NOON, Clock, settings
from tests.test_secrets import SAMPLES, tail

TOKEN = "ghp_" + "x4Kd" * 9


def an_experience(**fields: Any) -> Experience:
    known = {"id": 1, "type": "task_solution", "intent": "brew tea", "solution_json": '"boil"', "success": 1.0}
    told = {"source": "agent", "trust": "agent_inferred", "created_at": stamp(NOON)}
    return Experience(**{**known, **told, **fields})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(tmp_path: Path, clock: Clock) -> Any:
    with memoro.open(settings(tmp_path / "home"), clock=clock) as opened:
        yield opened


def learn(m: Workspace, intent: str = "brew tea", solution: object = "boil", **more: Any) -> int:
    return m.experiences.record("task_solution", intent, solution, **more).experience.id


days = st.floats(-1e6, 1e6, allow_nan=False)


@given(one=days, more=st.floats(0, 1e6), half=st.integers(1, 36_500))
def test_weight_is_from_0_to_1_never_rises_by_waiting_and_halves_in_a_half_life(
    one: float, more: float, half: int
) -> None:
    experience = an_experience()
    then = NOON + timedelta(days=one / 1e3)
    now = weight(experience, then, half)
    assert 0 <= now <= 1
    assert weight(experience, then + timedelta(days=more / 1e3), half) <= now
    if one >= 0:
        assert weight(experience, then + timedelta(days=half), half) == pytest.approx(now / 2)
    else:
        assert now == 1  # a clock that was set back makes nothing newer than new


def test_an_experience_unused_for_120_days_is_still_there_and_for_140_is_not(m: Workspace, clock: Clock) -> None:
    number = learn(m)
    clock.go(days=120)
    assert m.experiences.prune_expired().archive == ()
    (found,) = m.experiences.find_similar("how to brew tea").results
    assert found.experience.id == number and found.weight == pytest.approx(0.0625)
    assert [hit.id for hit in m.search("brew tea").results] == ["experience:1"]
    clock.go(days=20)
    assert m.search("brew tea").results == ()
    assert m.experiences.find_similar("brew tea").results == ()
    assert m.experiences.prune_expired().archive == (number,)
    assert m.experiences.list() == () and m.search("brew tea").results == ()
    (archived,) = m.experiences.list(archived=True)
    assert (archived.experience.id, archived.experience.archived_at) == (number, stamp(clock.now))
    assert [one.id for one in m.experiences.find_similar("brew tea", archived=True).results] == ["experience:1"]

    used = m.experiences.mark_used(number)  # and it is back, as fresh as new
    assert (used.weight, used.experience.archived_at, used.experience.uses) == (1.0, None, 1)
    assert [one.id for one in m.experiences.find_similar("brew tea").results] == ["experience:1"]
    assert [hit.id for hit in m.search("brew tea").results] == ["experience:1"]


def test_reading_an_experience_on_every_day_takes_nothing_from_it(m: Workspace, clock: Clock) -> None:
    learn(m)
    before = m.experiences.get(1)
    for _ in range(119):
        clock.go(days=1)
        m.experiences.find_similar("brew tea", mode="words")
        m.experiences.prune_expired()
    assert m.experiences.get(1) == before
    assert m.experiences.show(1).weight == pytest.approx(0.5 ** (119 / 30))


def test_the_half_life_and_the_bar_are_settings(tmp_path: Path, clock: Clock) -> None:
    home = settings(tmp_path / "home")
    with (home / "memoro.toml").open("a") as file:
        file.write("[experience]\nhalf_life_days = 10\nprune_below = 0.3\n")
    with memoro.open(home, clock=clock) as m:
        learn(m)
        clock.go(days=17)
        assert m.experiences.show(1).weight == pytest.approx(0.5**1.7)
        assert m.experiences.plan_expiry().archive == ()
        clock.go(days=1)
        assert m.experiences.plan_expiry().archive == (1,)
        assert m.experiences.plan_expiry(0.1).archive == ()


intents = st.sampled_from(["Brew tea", "brew  tea.", " BREW TEA?", "brew coffee", "brew\ntea"])
solutions = st.sampled_from([{"a": 1, "b": [2]}, {"b": [2], "a": 1}, "boil", ["boil"], None, 0])
outcomes = st.floats(0, 1, allow_nan=False)
recordings = st.tuples(intents, solutions, outcomes, st.sampled_from([None, "p", "q"]))


@given(st.lists(recordings, min_size=1, max_size=12))
@hypothesis_settings(max_examples=times(25, 2000))
def test_a_repeated_solution_to_the_same_intent_is_one_experience_and_says_so(told: list[Any]) -> None:
    seen: dict[tuple[str, str, str | None], list[float]] = {}
    with memoro.open(":memory:", clock=Clock()) as m:
        for intent, solution, success, project in told:
            name = "coffee" if "coffee" in intent else "tea"
            known = seen.setdefault((name, json.dumps(solution, sort_keys=True), project), [])
            done = m.experiences.record("task_solution", intent, solution, success=success, project=project)
            assert done.new is (not known)
            known.append(success)
            assert done.experience.success == pytest.approx(sum(known) / len(known))  # no time has gone by
            assert (done.experience.uses, done.experience.outcomes) == (len(known) - 1, len(known))
            assert done.experience.solution == solution
        assert m.experiences.stats().experiences == len(seen)


def test_what_was_seen_long_ago_counts_less_in_the_mean(m: Workspace, clock: Clock) -> None:
    learn(m, success=1.0)
    clock.go(days=60)  # a quarter of that outcome is left
    assert m.experiences.mark_used(1, 0.0).experience.success == pytest.approx(0.25 / 1.25)


@given(st.lists(st.one_of(st.none(), outcomes), max_size=30), st.floats(0, 1), st.sampled_from(EXPERIENCE_TYPES))
def test_success_stays_between_what_was_ever_told(told: list[float | None], first: float, type: str) -> None:
    one, now = an_experience(success=first, type=type), NOON
    seen = [first]
    for success in told:
        now += timedelta(days=3)
        one = rules.used(one, success, now, 30)
        seen += [] if success is None else [success]
        assert min(seen) - 1e-9 <= one.success <= max(seen) + 1e-9
    assert one.uses == len(told) and one.outcomes == len(seen)


def test_the_tags_of_repeats_add_up_but_not_by_a_hand_that_is_trusted_less(m: Workspace) -> None:
    learn(m, tags="kitchen")
    learn(m, tags="morning")
    learn(m, tags="buy-now", source="some-web-page")
    assert m.experiences.get(1).tags == ("kitchen", "morning")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"type": "hearsay"}, QueryError),
        ({"intent": "  "}, Refused),
        ({"intent": "x" * 20_000}, Refused),
        ({"solution": {1, 2}}, Refused),
        ({"solution": float("nan")}, Refused),
        ({"solution": "x" * 20_000}, Refused),
        ({"success": 1.5}, Refused),
        ({"success": float("nan")}, Refused),
        ({"source": " "}, Refused),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_sentence(
    m: Workspace, change: dict[str, Any], error: type[ConfigError]
) -> None:
    right: dict[str, Any] = {"type": "tool_chain", "intent": "x", "solution": 1, "success": 1.0, "source": "agent"}
    with pytest.raises(error) as refused:
        m.experiences.record(**{**right, **change})
    assert str(refused.value).endswith(".")
    assert m.experiences.stats().experiences == 0


deep: Any = 1
for _ in range(100_000):
    deep = [deep]


def test_a_solution_that_is_nested_without_end_is_refused(m: Workspace) -> None:
    with pytest.raises(Refused):
        learn(m, solution=deep)


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@given(value=values)
@hypothesis_settings(max_examples=times(40, 3000))
def test_any_json_comes_back_as_it_was_but_for_what_a_database_cannot_hold(value: object) -> None:
    with memoro.open(":memory:", clock=Clock()) as m:
        kept = m.experiences.record("tool_chain", "x", value)
        clean = json.loads(json.dumps(value).replace("\\u0000", "\\ufffd"))
        if not kept.redacted and json.dumps(clean).isprintable() and "\\ud" not in json.dumps(clean):
            assert m.experiences.get(1).solution == clean
        again = m.experiences.record("tool_chain", "x", m.experiences.get(1).solution)
        assert not again.new


# Preferences


def test_confidence_is_two_fifths_and_then_a_fifth_of_the_way_each_time(m: Workspace) -> None:
    sure = 0.4
    for _ in range(6):
        done = m.experiences.prefer("indentation", "tabs")
        assert done.recorded.experience.success == pytest.approx(sure)
        assert done.preference.value == "tabs" and done.preference.confidence == pytest.approx(sure)
        sure += 0.2 * (1 - sure)
    assert m.experiences.stats().experiences == 1


def test_another_value_is_kept_as_evidence_and_the_strongest_that_has_not_faded_holds(
    m: Workspace, clock: Clock
) -> None:
    for _ in range(4):
        m.experiences.prefer("Indentation", "tabs")
    done = m.experiences.prefer("indentation", "spaces")
    assert (done.recorded.new, done.preference.value) == (True, "tabs")
    assert [other.solution for other in done.preference.others] == ["spaces"]
    clock.go(days=20)  # nobody has preferred tabs since
    m.experiences.prefer("indentation", "spaces")
    assert m.experiences.preferences("INDENTATION")[0].value == "spaces"  # 0.52 against 0.69 × 0.63
    clock.go(days=200)
    assert m.experiences.preferences() == ()


def test_of_two_preferences_alike_the_later_holds(m: Workspace) -> None:
    m.experiences.prefer("editor", "vim")
    assert m.experiences.prefer("editor", "emacs").preference.value == "emacs"
    assert m.experiences.prefer("editor", "vim").preference.value == "vim"


def test_a_preference_of_one_project_is_none_of_another(m: Workspace) -> None:
    m.experiences.prefer("indentation", "tabs")
    m.experiences.prefer("indentation", "spaces", project="p")
    m.experiences.prefer("indentation", "spaces", project="p")
    assert [one.value for one in m.experiences.preferences(project="p")] == ["spaces"]
    assert [one.value for one in m.experiences.preferences()] == ["tabs"]
    assert [one.value for one in m.experiences.preferences(project="q")] == ["tabs"]


def test_a_preference_that_turned_out_wrong_loses_a_fifth(m: Workspace) -> None:
    m.experiences.prefer("editor", "vim")
    assert m.experiences.mark_used(1, 0.0).experience.success == pytest.approx(0.32)


# Finding and hints


def test_the_better_and_the_fresher_of_two_that_fit_alike_comes_first(m: Workspace, clock: Clock) -> None:
    stale = learn(m, "deploy the web site", "old way")
    clock.go(days=60)
    poor = learn(m, "deploy the web site", "poor way", success=0.2)
    good = learn(m, "deploy the web site", "good way", success=0.9)
    for mode in ("words", "hybrid"):
        found = m.experiences.find_similar("deploy the site", mode=mode).results
        assert found[0].experience.id == good, mode
    found = m.experiences.find_similar("deploy the site", mode="words").results
    assert [one.experience.id for one in found] == [good, stale, poor]
    assert all(0 <= one.score <= 1 for one in found)


def test_finding_is_by_meaning_too_and_leaves_no_trace(tmp_path: Path, clock: Clock) -> None:
    with memoro.open(tmp_path / "home", clock=clock) as m:
        learn(m, "the automobile does not start", "charge the battery")
        learn(m, "bake a cake", "preheat the oven")
        journal = m.journal.log(100)
        found = m.experiences.find_similar("my car will not start up")
        assert found.results[0].experience.solution == "charge the battery" and found.degraded == ()
        assert m.experiences.find_similar("car", mode="words").results == ()
        assert m.journal.log(100) == journal


def test_tags_are_looked_for_and_leave_nothing_out(m: Workspace) -> None:
    plain = learn(m, "run the tests", 1)
    tagged = learn(m, "run the tests", 2, tags="rust")
    found = m.experiences.find_similar("run tests", tags=["rust"], mode="words").results
    assert [one.experience.id for one in found] == [tagged, plain]


@given(
    rows=st.lists(
        st.tuples(st.sets(st.sampled_from("abcdef"), min_size=1), outcomes, st.integers(0, 200)),
        min_size=1,
        max_size=60,
    ),
    words=st.sets(st.sampled_from("abcdef"), min_size=1),
    limit=st.integers(1, 5),
)
@hypothesis_settings(max_examples=times(20, 1000))
def test_every_match_by_words_is_ranked(rows: list[Any], words: set[str], limit: int) -> None:
    """Stopping early, where no other can enter any more, gives what looking at all of them gives."""
    clock = Clock()
    with memoro.open(":memory:", clock=clock) as m:
        for number, (held, success, ago) in enumerate(rows):
            clock.now = NOON - timedelta(days=ago)
            learn(m, " ".join(f"word{letter}" for letter in sorted(held)), number, success=success)
        clock.now = NOON
        asked = " ".join(f"word{letter}" for letter in sorted(words))
        found = m.experiences.find_similar(asked, limit=limit, mode="words").results
        every = m.experiences.find_similar(asked, limit=200, mode="words").results
        assert [one.score for one in found] == [one.score for one in every[:limit]]
        assert {one.experience.id for one in every} == {
            number for number, (held, _, ago) in enumerate(rows, 1) if held & words and 0.5 ** (ago / 30) >= 0.05
        }


def test_scope_leaves_out_other_projects_and_keeps_what_belongs_to_none(m: Workspace) -> None:
    learn(m, "run the tests", 1, project="p")
    learn(m, "run the tests", 2, project="q", agent="helper")
    learn(m, "run the tests", 3)
    for mode in ("words", "hybrid"):
        found = m.experiences.find_similar("run tests", project="p", mode=mode).results
        assert {one.experience.solution for one in found} == {1, 3}
        found = m.experiences.find_similar("run tests", agent="other", mode=mode).results
        assert {one.experience.solution for one in found} == {1, 3}


def test_one_source_that_is_not_trusted_does_not_fill_an_answer(m: Workspace) -> None:
    for number in range(8):
        learn(m, "run the tests", number, source="page.example")
    for number in range(8, 12):
        learn(m, "run the tests", number, success=0.5)
    found = m.experiences.find_similar("run the tests", limit=6).results
    assert sum(one.experience.source == "page.example" for one in found) == 2


def test_without_a_vault_to_search_words_still_answer_and_it_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home, tmp_path / "no such vault") as m:
        learn(m)
        found = m.experiences.find_similar("brew tea")
        assert [one.id for one in found.results] == ["experience:1"]
        assert any("no such vault" in notice for notice in found.degraded)


@pytest.mark.parametrize("meaning", [True, False])
def test_hints_are_few_good_fresh_trusted_and_near(tmp_path: Path, clock: Clock, meaning: bool) -> None:
    home = tmp_path / "home" if meaning else settings(tmp_path / "home")
    with memoro.open(home, clock=clock) as m:
        check_hints(m, clock)


def check_hints(m: Workspace, clock: Clock) -> None:
    learn(m, "deploy the web site", "stale way")
    clock.go(days=101)  # 0.097 of it is left
    learn(m, "deploy the web site", "poor way", success=0.6)
    learn(m, "deploy the web site", "way of a stranger", source="page.example")
    learn(m, "bake a cake", "not about this")
    good = [learn(m, "deploy the web site", f"good way {number}", success=0.9) for number in range(3)]
    hints = m.experiences.hints("please deploy the web site")
    assert [hint.id for hint in hints] == [f"experience:{number}" for number in good[:0:-1]]
    assert hints[0].text == "Worked before: deploy the web site → good way 2 (success 0.90)"
    assert all(hint.tokens > 0 for hint in hints)
    assert len(m.experiences.hints("please deploy the web site", 1)) == 1
    asked = "Can you deploy this site for me, and then send the logs of yesterday to Pia? She waits for them."
    assert len(m.experiences.hints(asked)) == 2
    assert m.experiences.hints("the weather in spring") == ()
    assert m.experiences.hints("which site is good for photographs of old trains?") == ()


def test_a_preference_is_a_hint_once_it_is_sure_and_only_while_it_holds(m: Workspace) -> None:
    m.experiences.prefer("indentation of code", "tabs")
    assert m.experiences.hints("indentation of code") == ()
    for _ in range(4):
        m.experiences.prefer("indentation of code", "tabs")
    (hint,) = m.experiences.hints("which indentation of code")
    assert hint.text == "Preference: indentation of code: tabs (confidence 0.75)"
    for _ in range(6):
        m.experiences.prefer("indentation of code", "spaces")
    assert [one.id for one in m.experiences.hints("which indentation of code")] == ["experience:2"]


def test_that_a_hint_was_offered_is_a_use_and_asking_for_it_is_none(m: Workspace, clock: Clock) -> None:
    learn(m)
    clock.go(days=10)
    hints = m.experiences.hints("brew tea")
    assert m.experiences.get(1).uses == 0
    m.experiences.offered([hint.id for hint in hints], key="turn-1")
    m.experiences.offered([hint.id for hint in hints], key="turn-1")
    m.experiences.offered(["experience:99"])
    one = m.experiences.get(1)
    assert (one.uses, one.used_at, one.success, one.outcomes) == (1, stamp(clock.now), 1.0, 1)
    with pytest.raises(LedgerError):
        m.experiences.offered(["memory:1"])


# Pruning


@given(
    ages=st.lists(st.integers(-50, 400), max_size=80),
    archived=st.sets(st.integers(0, 79)),
    below=st.floats(0, 1),
    half=st.integers(1, 100),
)
def test_a_plan_archives_what_has_faded_and_brakes_where_that_is_much(
    ages: list[int], archived: set[int], below: float, half: int
) -> None:
    rows = [
        an_experience(
            id=number,
            created_at=stamp(NOON - timedelta(days=age)),
            archived_at=stamp(NOON - timedelta(days=1)) if number in archived else None,
        )
        for number, age in enumerate(ages)
    ]
    plan = plan_expiry(rows, below=below, half_life_days=half, now=NOON)
    live = [one for one in rows if not one.archived_at]
    assert set(plan.archive) == {one.id for one in live if weight(one, NOON, half) < below}
    assert plan.bring_back == () and plan.live == len(live)
    assert plan.braked == (len(plan.archive) > BRAKE_COUNT and len(plan.archive) > BRAKE * len(live))


def test_a_clock_that_jumps_ahead_archives_little_and_what_it_did_comes_back(m: Workspace, clock: Clock) -> None:
    for number in range(30):
        learn(m, f"intent {number}")
    journal = m.journal.log(1)
    clock.go(days=3650)
    with pytest.raises(NeedsConsent, match="30 of 30 experiences have faded at once"):
        m.experiences.prune_expired()
    assert m.journal.log(1) == journal
    assert len(m.experiences.prune_expired(force=True).archive) == 30  # a person was wrong about the clock
    clock.now = NOON
    plan = m.experiences.prune_expired()
    assert (len(plan.bring_back), plan.archive) == (30, ())
    assert len(m.experiences.list()) == 30
    assert len(m.search("intent", limit=50).results) == 30


def test_faded_ones_are_archived_by_whoever_writes_when_it_is_time(
    m: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "LOOK_EVERY_SECONDS", 0)
    learn(m)
    clock.go(days=140)
    learn(m, "something else")
    assert m.experiences.list(archived=True) == (), "it waits for its time"
    clock.go(days=1)
    m.memories.store("another memory")
    assert [shown.experience.id for shown in m.experiences.list(archived=True)] == [1]
    assert m.journal.log(1)[0].actor == "prune"
    clock.go(days=140)
    m.memories.store("a memory")  # whatever is written
    assert [shown.experience.id for shown in m.experiences.list(archived=True)] == [2, 1]


# The journal, keys, trust, secrets, forgetting


WAYS: dict[str, Callable[[Experiences], object]] = {
    "record": lambda e: e.record("tool_chain", "mow the lawn", ["start", "push"], tags="garden"),
    "record again": lambda e: e.record("tool_chain", "Brew tea", "boil", success=0.3, tags="again"),
    "use": lambda e: e.mark_used(1),
    "use with success": lambda e: e.mark_used(1, 0.2),
    "offer": lambda e: e.offered([1]),
    "prefer": lambda e: e.prefer("editor", "vim"),
    "prefer again": lambda e: e.prefer("tea", "green"),
    "trust": lambda e: e.trust(1, "quarantined"),
    "remove": lambda e: e.remove(1),
    "prune": lambda e: e.prune_expired(),
    "use one that was archived": lambda e: e.mark_used(3, 1.0),
}


def test_offering_a_hint_is_not_the_last_change_that_a_person_takes_back(m: Workspace) -> None:
    m.memories.store("a memory")
    learn(m)
    m.journal.undo()
    learn(m)
    m.experiences.offered([2])
    assert m.journal.undo().entries[0].operation == "record"


def rows(m: Workspace) -> dict[int, Experience]:
    with m.ledger.access.ledger.reading() as tx:
        return {one.id: one for one in tx.experiences.all()}


@pytest.mark.parametrize("way", WAYS)
def test_every_change_is_taken_back_whole_and_done_again(way: str, m: Workspace, clock: Clock) -> None:
    m.ledger.access.after_write = lambda: None
    learn(m, success=0.8, tags="kitchen")
    old = learn(m, "faded but for pruning", 1)
    archived = learn(m, "archived", 2)
    m.experiences.prefer("tea", "green")
    clock.go(days=140)
    m.experiences.mark_used(1)
    m.experiences.prefer("tea", "green")
    with m.ledger.access.ledger.writing() as tx:
        one = tx.experiences.get(archived)
        tx.experiences.replace(one, one._replace(archived_at=stamp(clock.now)))
    clock.go(hours=1)
    before = rows(m)
    WAYS[way](m.experiences)
    after = rows(m)
    assert after != before, old
    m.journal.undo(m.journal.log(1)[0].id)
    assert rows(m) == before
    m.journal.undo(m.journal.log(1)[0].id)
    assert rows(m) == after
    assert {hit.id for hit in m.search("brew mow tea vim archived", mode="words", limit=50).results} == {
        f"experience:{one.id}" for one in after.values() if one.id > 4 or (one.archived_at is None and one.used_at)
    }  # fmt: skip


def test_an_outcome_is_taken_out_of_the_mean_though_others_were_told_since(m: Workspace) -> None:
    learn(m, success=0.5)
    m.experiences.mark_used(1, 1.0, source="flatterer")
    flattered = m.journal.log(1)[0].id
    m.experiences.mark_used(1, 0.0)
    mean = m.experiences.get(1).success
    m.journal.undo(flattered)
    one = m.experiences.get(1)
    assert (one.uses, one.outcomes) == (1, 2) and one.success == pytest.approx(mean - 0.25)


def test_what_was_recorded_again_since_is_not_brought_back_beside_it(m: Workspace) -> None:
    learn(m)
    m.experiences.remove(1)
    removed = m.journal.log(1)[0].id
    learn(m)
    with pytest.raises(UndoConflict, match="recorded again since, as experience:2"):
        m.journal.undo(removed)


def test_all_that_a_source_did_is_taken_back_at_once(m: Workspace, clock: Clock) -> None:
    learn(m, success=0.6)
    before = rows(m)
    clock.go(hours=1)
    m.experiences.mark_used(1, 0.1, source="tool")
    learn(m, "of a stranger", 1, source="tool")
    m.experiences.prefer("tea", "bags", source="tool")
    done = m.journal.undo(by="tool", since="2026-03-05T12:30+00:00")
    assert (len(done.entries), done.refused) == (3, ())
    assert rows(m) == before


def test_the_history_tells_what_an_experience_is_about_and_what_became_of_it(m: Workspace) -> None:
    learn(m)
    m.experiences.mark_used("experience:1", 0.5)
    m.experiences.remove(1)
    told = m.experiences.history(1)
    assert [entry.operation for entry in told] == ["record", "use", "remove"]
    assert isinstance(told[0].words, RecordedWords) and told[0].words.intent == "brew tea"
    assert m.journal.log(3)[2].words == told[0].words
    for unknown in (99, 2**70, -1):
        with pytest.raises(NotFound):
            m.experiences.history(unknown)


def test_with_a_key_a_write_is_done_once(m: Workspace) -> None:
    for _ in range(3):
        assert learn(m, key="a", success=0.9) == 1
        m.experiences.mark_used(1, 0.4, key="b")
        m.experiences.prefer("editor", "vim", key="c")
    one = m.experiences.get(1)
    assert (one.uses, one.outcomes) == (1, 2)
    assert m.experiences.preferences()[0].confidence == pytest.approx(0.4)
    with pytest.raises(KeyReused):
        learn(m, "another", key="a")
    for _ in range(2):
        assert m.experiences.remove(1, key="d").experience.id == 1
    assert learn(m, key="a", success=0.9) == 1  # as it was answered then, though it is gone
    assert set(rows(m)) == {2}


@given(
    st.lists(
        st.tuples(st.sampled_from(["record", "use", "offer"]), st.sampled_from(["user", "agent", "web"])), max_size=8
    ),
    st.sampled_from(["user", "agent", "web"]),
)
@hypothesis_settings(max_examples=times(20, 500))
def test_trust_never_rises_but_by_a_persons_word(steps: list[tuple[str, str]], first: str) -> None:
    with memoro.open(":memory:", clock=Clock()) as m:
        learn(m, source=first)
        given = m.experiences.get(1).trust
        for step, source in steps:
            match step:
                case "record":
                    learn(m, source=source)
                case "use":
                    m.experiences.mark_used(1, 1.0, source=source)
                case _:
                    m.experiences.offered([1])
            assert m.experiences.get(1).trust == given
        assert m.experiences.trust(1, TRUSTS[-1]).experience.trust == TRUSTS[-1]


def test_no_secret_is_in_any_file_wherever_in_an_experience_it_was(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        for number, (_, secret, before, after) in enumerate(SAMPLES):
            text = f"{before}{secret}{after}"
            done = m.experiences.record(
                "tool_chain", f"{number}: {text}", {"env": [text], text: 1}, tags=[str(number)]
            )
            assert done.redacted
            assert isinstance(done.experience.solution, dict)
        m.experiences.record("tool_chain", "log in", {"password": "hunter2-Xy99-correct"})
        m.experiences.prefer("token", TOKEN)
        m.sync()
    held = [file.name for file in home.rglob("*") if file.is_file() for sample in SAMPLES
            if tail(sample.secret).encode() in file.read_bytes()]  # fmt: skip
    assert held == []
    assert files_with(home, "hunter2", TOKEN) == []


LIVES: dict[str, Callable[[Workspace, Clock], object]] = {
    "kept": lambda _m, _clock: None,
    "removed": lambda m, _clock: m.experiences.remove(31),
    "removed and brought back": lambda m, _clock: (m.experiences.remove(31), m.journal.undo()),
    "archived": lambda m, clock: faded(m, clock),  # noqa: PLW0108 - it is defined below
}


def faded(m: Workspace, clock: Clock) -> None:
    clock.go(days=150)
    m.experiences.prune_expired(force=True)


WORDS = ("pelargonium", "zeppelinfahrt", "quintessenz")


@pytest.mark.parametrize("way", LIVES)
def test_nothing_is_left_of_what_was_forgotten(way: str, tmp_path: Path, clock: Clock) -> None:
    vault, home = write_vault(tmp_path / "vault", {"a.md": "# A note\n\nAbout lamps.\n"}), tmp_path / "home"
    with memoro.open(home, vault, clock=clock) as m:
        for number in range(30):
            learn(m, f"switch on lamp {number}")
        number = learn(m, f"water the {WORDS[0]}", {"how": WORDS[1]}, tags=[WORDS[2]], key="k")
        m.experiences.mark_used(number, 0.5)
        m.sync()
        assert m.search(WORDS[0]).results and files_with(home, WORDS[0])
        assert files_with(home, WORDS[1])
        without = m.backups.create().name
        LIVES[way](m, clock)
        m.sync()
        with pytest.raises(NeedsConsent):
            m.forget(f"experience:{number}")
        assert m.experiences.forget(number, dry_run=True).experiences[0].id == number
        done = m.forget(f"experience:{number}", yes=True)
        assert done.done and without in done.backups
        assert files_with(home, *WORDS) == [], "while it is open"
        m.sync()
        assert not any(hit.id == f"experience:{number}" for hit in m.search(WORDS[0]).results)
        assert not any(has_content(entry.change) for entry in m.experiences.history(number))
        with pytest.raises(Refused, match="forgotten"):
            learn(m, f"Water the {WORDS[0]}.", {"how": WORDS[1]}, project="another")
        for entry in m.journal.log(200):
            if entry.kind == "experience" and entry.item == number:
                with pytest.raises(LedgerError):
                    m.journal.undo(entry.id)
        m.backups.restore(without)
        assert number not in rows(m) and len(rows(m)) == 30
        assert learn(m, "a new one") > number  # its number is not given again
    assert files_with(home, *WORDS) == [], "after it was closed"


def test_the_same_of_another_project_is_forgotten_with_it_and_the_same_intent_stays(m: Workspace) -> None:
    for project in ("p", "q"):
        learn(m, "water it", "daily", project=project)
    learn(m, "water it", "weekly")
    m.experiences.remove(2)
    assert [one.id for one in m.experiences.forget(1, yes=True).experiences] == [1]
    assert list(rows(m)) == [3]
    with pytest.raises(LedgerError):
        m.journal.undo(next(entry.id for entry in m.journal.log(9) if entry.operation == "remove"))


def test_a_person_takes_out_an_experience_by_its_id_and_cannot_edit_it(m: Workspace) -> None:
    learn(m)
    with pytest.raises(Refused, match="not edited"):
        m.edit("experience:1", "other")
    assert m.remove("experience:1").text == "brew tea"
    assert rows(m) == {}


# In the index


def test_the_index_says_of_experiences_what_a_fresh_one_says(tmp_path: Path, clock: Clock) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home, clock=clock) as m:
        learn(m, "one", tags="a")
        m.sync()
        learn(m, "one", tags="b")
        learn(m, "two", {"command": "make"})
        learn(m, "three")
        m.experiences.prefer("tea", "green")
        m.memories.store("a memory")
        m.sync()
        m.experiences.mark_used(2, 0.5)
        m.experiences.remove(3)
        m.sync()
        kept = said(home)
        m.sync(force=True)
        assert said(home) == kept
        assert [row[0] for row in kept.files] == ["experience:1", "experience:2", "experience:4", "memory:1"]
        (hit,) = m.search("make", kind="experience").results  # by a word of its solution
        assert (hit.id, hit.kind, hit.tier, hit.path) == ("experience:2", "experience", "experience", "experience:2")
        assert m.search("green", kind="experience").results[0].snippet.endswith("tea: green")
        text = m.get("experience:2")
        assert (text.kind, text.text) == ("experience", 'two\n\n{\n  "command": "make"\n}')
        assert m.search("two", kind="memory").results == ()
        assert m.search("one", tag="b").results[0].id == "experience:1"


def test_being_used_does_not_write_the_index_anew(m: Workspace) -> None:
    learn(m)
    m.sync()
    chunk = m.indexing.current().admitted(memoro.model.answers.Where(kinds=("experience",)))
    m.experiences.mark_used(1, 0.5)
    m.experiences.offered([1])
    m.sync()
    assert m.indexing.current().admitted(memoro.model.answers.Where(kinds=("experience",))) == chunk


def test_a_search_covers_the_sources_that_are_set(tmp_path: Path) -> None:
    home, vault = settings(tmp_path / "home"), write_vault(tmp_path / "vault", {"a.md": "brew tea"})
    toml = (home / "memoro.toml").read_text()
    with memoro.open(home, vault) as m:
        learn(m)
        m.memories.store("brew tea at four")
        assert {hit.kind for hit in m.search("brew tea").results} == {"note", "memory", "experience"}
    (home / "memoro.toml").write_text('sources = ["notes", "experiences"]\n' + toml)
    with memoro.open(home, vault) as m:
        assert {hit.kind for hit in m.search("brew tea").results} == {"note", "experience"}
        assert {hit.kind for hit in m.search("brew tea", kind="memory").results} == {"memory"}
    for wrong in ('["mail"]', "[]", '"notes"'):
        (home / "memoro.toml").write_text(f"sources = {wrong}\n" + toml)
        with pytest.raises(ConfigError, match=r"query\.sources must be"):
            memoro.open(home, vault)


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ("memory:7", ("memory", 7)),
        ("experience:12", ("experience", 12)),
        ("experience:", None),
        ("experience:x", None),
        ("experience:1.md", None),
        ("experience:٣", None),
        ("experience:" + "9" * 30, None),
        ("note:1", None),
    ],
)
def test_what_is_kept_is_named_by_its_kind_and_number_alone(target: str, kept: tuple[str, int] | None) -> None:
    assert kept_at(target) == kept
    assert kind_of(target) in LEDGER_KINDS or kept is None


# Doctor, exports


def test_doctor_notices_what_was_changed_behind_our_back(m: Workspace) -> None:
    learn(m)
    assert {c.state for c in m.doctor(deep=True) if c.name in ("contents", "ledger file")} == {"ok"}
    with database_of(m.ledger.access.ledger).write() as db:
        db.execute("""UPDATE experiences SET solution_json = '"burn"'""")
    assert {c.name for c in m.doctor(deep=True) if c.state == "failed"} == {"contents"}


def lived_in(m: Workspace, clock: Clock) -> None:
    learn(m, "brew tea", {"steps": ["boil", "pour"]}, tags="kitchen,tea", session="s", project="p", key="k")
    learn(m, "gone", 1)
    learn(m, "faded", None)
    clock.go(days=139)
    m.experiences.mark_used(1, 0.25)
    m.experiences.remove(2)
    m.experiences.prefer("editor", "vim")
    clock.go(days=1)
    m.experiences.prune_expired()
    m.memories.store("a memory")
    m.experiences.forget(learn(m, "to forget", 1), yes=True)


def exported(m: Workspace, format: str = "jsonl") -> str:
    lines: list[str] = []
    m.export(lines.append, format)
    return "".join(lines)


@pytest.mark.parametrize("format", ["jsonl", "markdown"])
def test_an_import_of_an_export_gives_the_same_ledger(
    m: Workspace, clock: Clock, tmp_path: Path, format: str
) -> None:
    lived_in(m, clock)
    file = tmp_path / "ledger.export"
    file.write_text(exported(m, format))
    with memoro.open(settings(tmp_path / "other"), clock=clock) as other:
        done = other.import_(file, trust=True)
        assert done.restored and done.experiences == len(rows(m)) == 3 and not done.problems
        assert exported(other) == exported(m)
        assert rows(other) == rows(m)
        number = next(entry.id for entry in other.journal.log(50) if entry.operation == "remove")
        other.journal.undo(number)
        assert rows(other)[2].intent == "gone"
        assert learn(other, "brew tea", {"steps": ["boil", "pour"]}, project="p") == 1
        assert learn(other, "a new one") == 6


def test_an_export_into_a_ledger_that_holds_something_adds_what_is_new_once(
    m: Workspace, clock: Clock, tmp_path: Path
) -> None:
    lived_in(m, clock)
    m.experiences.trust(1, "user_confirmed")
    file = tmp_path / "ledger.jsonl"
    file.write_text(exported(m))
    with memoro.open(settings(tmp_path / "other"), clock=clock) as other:
        learn(other, "mine", 1)
        learn(other, "faded", None)
        assert other.import_(file, dry_run=True).experiences == 2
        assert other.import_(file).experiences == 2
        assert other.import_(file).experiences == 0
        assert [(one.intent, one.trust) for one in rows(other).values()] == [
            ("mine", "agent_inferred"), ("faded", "agent_inferred"),
            ("brew tea", "agent_inferred"), ("editor", "agent_inferred"),
        ]  # fmt: skip
        other.journal.undo(by="migration", since="2026-01-01")
        assert [one.intent for one in rows(other).values()] == ["mine", "faded"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"success": 2}, {"type": "rumour"}, {"trust": "absolute"}, {"solution_json": "{"}, {"intent": " "},
        {"solution_json": '{"b": 1}'}, {"uses": -1}, {"tags": [""]}, {"more": 1}, {"created_at": "yesterday"},
    ],
)  # fmt: skip
def test_a_hostile_experience_in_an_export_is_refused_and_the_rest_comes(
    m: Workspace, clock: Clock, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    learn(m, "right", 1)
    learn(m, "wrong", 2)
    lines = [json.loads(line) for line in exported(m).splitlines()]
    lines = [line | wrong if line.get("intent") == "wrong" else line for line in lines]
    file = tmp_path / "ledger.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    with memoro.open(settings(tmp_path / "other"), clock=clock) as other:
        done = other.import_(file)
        assert done.problems and not done.restored
        assert [one.intent for one in rows(other).values()] == ["right"]


@pytest.mark.parametrize("wrong", [{"success": 7.0}, {"trust": "absolute"}, {"uses": -5}, {"tags": ["\n"]}, {"x": 1}])
def test_a_change_that_could_not_be_taken_back_is_refused(
    m: Workspace, clock: Clock, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    learn(m, success=0.5)
    m.experiences.mark_used(1, 1.0)
    lines = [json.loads(line) for line in exported(m).splitlines()]
    lines = [{**one, "before": one["before"] | wrong} if one.get("operation") == "use" else one for one in lines]
    file = tmp_path / "ledger.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    with memoro.open(settings(tmp_path / "other"), clock=clock) as other:
        assert not other.import_(file).restored


def test_secrets_in_an_export_do_not_come_in(m: Workspace, clock: Clock, tmp_path: Path) -> None:
    learn(m, "deploy", {"token": "PLACE"})
    m.experiences.remove(1)
    learn(m, "deploy", {"token": "PLACE"})
    file = tmp_path / "ledger.jsonl"
    file.write_text(exported(m).replace("PLACE", TOKEN))
    for name, first in (("empty", False), ("full", True)):
        home = settings(tmp_path / name)
        with memoro.open(home, clock=clock) as other:
            if first:
                other.memories.store("mine")
            assert other.import_(file).redacted
            assert "redacted" in rows(other)[2 if not first else 1].solution["token"]
        assert files_with(home, TOKEN) == []


# Against a dictionary

picks = st.integers(0, 6)


class AgainstADictionary(RuleBasedStateMachine):
    """Whatever is done in whatever order, crashes included, the ledger has what a dictionary has."""

    folder: Path

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.home = settings(self.folder / "home")
        self.clock = Clock()
        self.model: dict[int, Experience] = {}
        self.past: list[dict[int, Experience]] = []  # what undoing the last change gives, one after the other
        self.given = 0
        self.m = memoro.open(self.home, clock=self.clock)
        self.m.ledger.access.after_write = lambda: None

    def teardown(self) -> None:
        if hasattr(self, "m"):
            self.m.close()
            shutil.rmtree(self.folder)

    def changed(self, number: int, new: Experience) -> None:
        self.past.append(dict(self.model))
        self.model[number] = new

    @rule(intent=st.sampled_from(["tea", "cup", "Tea."]), solution=st.sampled_from([1, "x"]), success=outcomes)
    def record(self, intent: str, solution: object, success: float) -> None:
        done = self.m.experiences.record("tool_chain", intent, solution, success=success)
        same = [
            one for one in self.model.values()
            if one.intent.rstrip(".").lower() == intent.rstrip(".").lower() and one.solution == solution
        ]  # fmt: skip
        assert done.new is (not same)
        if same:
            self.changed(same[0].id, rules.used(same[0], success, self.clock.now, 30))
        else:
            self.given += 1
            fields = {"id": self.given, "type": "tool_chain", "intent": intent, "success": success}
            made = an_experience(**fields, solution_json=json.dumps(solution), created_at=stamp(self.clock.now))
            self.changed(self.given, made)

    @rule(pick=picks, success=st.one_of(st.none(), outcomes))
    def use(self, pick: int, success: float | None) -> None:
        if pick not in self.model:
            with pytest.raises(NotFound):
                self.m.experiences.mark_used(pick, success)
            return
        self.m.experiences.mark_used(pick, success)
        self.changed(pick, rules.used(self.model[pick], success, self.clock.now, 30))

    @rule(pick=picks)
    def remove(self, pick: int) -> None:
        if pick in self.model:
            self.m.experiences.remove(pick)
            self.past.append(dict(self.model))
            del self.model[pick]

    @rule(ahead=st.integers(1, 120))
    def wait(self, ahead: int) -> None:
        self.clock.go(days=ahead)

    @rule()
    def prune(self) -> None:
        self.m.experiences.prune_expired()
        for one in list(self.model.values()):
            if one.archived_at is None and weight(one, self.clock.now, 30) < 0.05:
                self.changed(one.id, one._replace(archived_at=stamp(self.clock.now)))

    @rule()
    def undo(self) -> None:
        if not self.past:
            with pytest.raises(LedgerError):
                self.m.journal.undo()
            return
        self.m.journal.undo()
        self.model = self.past.pop()

    @rule()
    def crash(self) -> None:
        """Go on from the bytes as they are on the disk, with the log not merged."""
        copy = self.folder / f"copy-{len(list(self.folder.iterdir()))}"
        shutil.copytree(self.home, copy)
        self.m.close()
        self.home = copy
        self.m = memoro.open(self.home, clock=self.clock)
        self.m.ledger.access.after_write = lambda: None

    @rule()
    def search(self) -> None:
        if not self.given:
            return
        found = self.m.search("tea cup", kind="experience", mode="words", limit=50).results
        answer = {one.id for one in self.model.values() if rules.answers(one, self.clock.now, 30, 0.05)}
        assert {hit.id for hit in found} == {f"experience:{number}" for number in answer}

    @invariant()
    def they_have_the_same(self) -> None:
        if hasattr(self, "m"):
            assert rows(self.m) == self.model
            listed = {shown.experience.id for shown in self.m.experiences.list()}
            assert listed == {one.id for one in self.model.values() if one.archived_at is None}


@pytest.mark.campaign
def test_experiences_are_what_a_dictionary_says_through_any_changes_and_crashes() -> None:
    run_state_machine_as_test(
        AgainstADictionary,
        settings=hypothesis_settings(max_examples=times(15, 1000), stateful_step_count=times(25, 50), deadline=None),
    )


def test_preferences_are_no_other_experiences(m: Workspace) -> None:
    m.experiences.prefer("tea", "green")
    assert learn(m, "tea", "green") == 2
    assert [one.experience.type for one in m.experiences.list()] == ["task_solution", PREFERENCE]


def test_a_repetition_by_key_may_come_from_another_session(m: Workspace) -> None:
    first = m.experiences.record("task_solution", "brew tea", "boil", session="one", key="k")
    again = m.experiences.record("task_solution", "brew tea", "boil", session="two", key="k")
    assert (first.experience.id, again.experience.uses) == (again.experience.id, 0)
    told = m.narratives.update("We brew tea.", session="one", key="n")
    assert m.narratives.update("We brew tea.", session="two", key="n") == told

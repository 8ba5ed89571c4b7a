"""Which texts go into which batch jobs, when a job is asked about, and how it ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.config.settings import BatchSettings
from memoro.index.batch_plan import (
    CANCELLING_SECONDS,
    MOST_BYTES,
    SLOWEST_POLL_SECONDS,
    BatchRules,
    MissingText,
    Outcome,
    batch_rules,
    failures_after,
    is_due,
    next_step,
    outcome,
    plan_jobs,
    poll_interval,
    seconds_until_due,
)
from memoro.providers.batch.ports import RemoteJob, RemoteState
from memoro.providers.records import BatchJob, JobState

texts = st.lists(
    st.builds(
        MissingText,
        digest=st.integers(0, 30).map(str),
        bytes=st.one_of(st.integers(1, 5000), st.integers(MOST_BYTES // 3, MOST_BYTES + 10)),
        tokens=st.one_of(st.integers(1, 1000), st.integers(900_000, 3_000_000)),
    ),
    max_size=40,
)
rules = st.builds(
    BatchRules,
    enabled=st.booleans(),
    concurrency=st.integers(1, 4),
    least_texts=st.integers(1, 6),
    most_texts=st.integers(6, 10),
)


def job(state: JobState = "open", polled_at: float = 1000.0) -> BatchJob:
    return BatchJob(id="j", space="s", state=state, created_at=1000.0, texts=5, tokens=50, polled_at=polled_at)


def few(count: int) -> list[MissingText]:
    return [MissingText(str(n), 100, 25) for n in range(count)]


@given(missing=texts, rules=rules, open_jobs=st.integers(0, 5))
def test_every_job_is_within_its_bounds_and_no_text_goes_twice(
    missing: list[MissingText], rules: BatchRules, open_jobs: int
) -> None:
    jobs = plan_jobs(missing, rules, open_jobs=open_jobs)
    sent = [text.digest for planned in jobs for text in planned]
    assert len(sent) == len(set(sent))
    assert set(sent) <= {text.digest for text in missing}
    assert len(jobs) <= max(0, rules.concurrency - open_jobs)
    for planned in jobs:
        assert 0 < len(planned) <= rules.most_texts
        assert sum(text.bytes for text in planned) <= MOST_BYTES
        assert sum(text.tokens for text in planned) <= rules.most_tokens
    if not rules.enabled:
        assert jobs == []


@given(missing=texts, rules=rules)
def test_a_job_is_full_or_has_as_many_texts_as_a_job_must_have(missing: list[MissingText], rules: BatchRules) -> None:
    distinct = list({text.digest: text for text in reversed(missing)}.values())[::-1]
    order = {text.digest: n for n, text in enumerate(missing[::-1])}
    fits = [one for one in distinct if one.bytes <= MOST_BYTES and one.tokens <= rules.most_tokens]
    for planned in plan_jobs(missing, rules, open_jobs=0):
        if len(planned) < rules.least_texts:
            rest = [one for one in fits if order[one.digest] < order[planned[-1].digest] and one not in planned]
            assert rest, "a short job must have been closed by a text that did not fit any more"


def test_few_missing_texts_make_no_job() -> None:
    rules = BatchRules(least_texts=10)
    assert plan_jobs(few(9), rules, open_jobs=0) == []
    assert [len(one) for one in plan_jobs(few(10), rules, open_jobs=0)] == [10]


def test_what_is_left_over_waits_until_it_is_enough() -> None:
    rules = BatchRules(least_texts=10, most_texts=20, concurrency=3)
    assert [len(one) for one in plan_jobs(few(45), rules, open_jobs=0)] == [20, 20]
    assert [len(one) for one in plan_jobs(few(55), rules, open_jobs=0)] == [20, 20, 15]
    assert [len(one) for one in plan_jobs(few(55), rules, open_jobs=2)] == [20]


def test_the_settings_are_the_rules() -> None:
    settings = BatchSettings(enabled=False, concurrency=5, poll_seconds=7, timeout_minutes=3, wait=True)
    found = batch_rules(settings, may_wait=True)
    assert (found.enabled, found.concurrency, found.poll_seconds, found.timeout_seconds) == (False, 5, 7, 180)
    assert found.wait
    assert not batch_rules(settings, may_wait=False).wait


@given(age=st.floats(0, 1e6), every=st.floats(1, 3600))
def test_a_job_is_asked_about_less_often_the_older_it_is(age: float, every: float) -> None:
    rules = BatchRules(poll_seconds=every)
    interval = poll_interval(job(), rules, 1000.0 + age)
    assert every <= interval <= max(every, SLOWEST_POLL_SECONDS)
    assert interval <= poll_interval(job(), rules, 1000.0 + age + 100)


def test_a_job_is_due_after_its_interval_and_after_a_clock_was_set_back() -> None:
    rules = BatchRules(poll_seconds=60)
    assert not is_due(job(), rules, 1059.0)
    assert is_due(job(), rules, 1060.0)
    assert is_due(job(polled_at=9999.0), rules, 1060.0)
    assert is_due(job(state="submitting"), rules, 1000.0)


def test_nobody_waits_where_no_job_is_out() -> None:
    rules = BatchRules(poll_seconds=60)
    assert seconds_until_due([job(state="done"), job(state="failed")], rules, 1000.0) is None
    assert seconds_until_due([job(), job(state="done")], rules, 1010.0) == 50.0
    pause = seconds_until_due([job(state="submitting", polled_at=0.0)], rules, 1000.0)
    assert pause is not None
    assert 0 < pause < 1


@pytest.mark.parametrize(
    ("state", "age", "step"),
    [
        ("running", 10, "wait"),
        ("running", 3601, "cancel"),
        ("cancelling", 3601, "wait"),
        ("running", 3601 + CANCELLING_SECONDS, "abandon"),
        ("cancelling", 3601 + CANCELLING_SECONDS, "abandon"),
        ("completed", 9999, "collect"),
        ("failed", 1, "collect"),
        ("expired", 1, "collect"),
        ("cancelled", 1, "collect"),
        ("gone", 1, "collect"),
    ],
)
def test_what_is_done_about_a_job(state: RemoteState, age: float, step: str) -> None:
    assert next_step(job(), RemoteJob("r", state), BatchRules(), 1000.0 + age) == step


@pytest.mark.parametrize(
    ("state", "arrived", "is_late", "ended"),
    [
        ("completed", 5, False, "done"),
        ("completed", 5, True, "done"),
        ("completed", 0, False, "failed"),
        ("gone", 5, False, "done"),
        ("gone", 0, False, "failed"),
        ("failed", 0, False, "failed"),
        ("expired", 4, False, "failed"),
        ("cancelled", 4, False, "cancelled"),
        ("cancelled", 4, True, "failed"),
        ("running", 0, True, "failed"),
    ],
)
def test_how_a_job_ends(state: RemoteState, arrived: int, is_late: bool, ended: Outcome) -> None:
    assert outcome(RemoteJob("r", state), arrived=arrived, is_late=is_late) == ended


def test_failures_count_in_a_row() -> None:
    assert failures_after(1, "failed") == 2
    assert failures_after(1, "cancelled") == 1
    assert failures_after(1, "done") == 0

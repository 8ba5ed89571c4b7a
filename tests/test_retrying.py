"""Asking again, and asking slowly: with a clock that the test sets, so that nobody waits."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import (
    CapReached,
    Interrupted,
    KeyRefused,
    LeftAlone,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    ServerFailed,
)
from memoro.index.single_flight import until
from memoro.providers.deadline import WithDeadline
from memoro.providers.pausing import pause
from memoro.providers.rate_limited import RateLimited, TokenBucket, shared_bucket
from memoro.providers.retrying import Patience, Retrying
from tests.scripted_embedders import Clock, Scripted

DOWN = ProviderUnavailable("It is down.")


def wait(seconds: float) -> ProviderUnavailable:
    return ProviderUnavailable("Later.", retry_after=seconds)


@pytest.mark.parametrize("error", [DOWN, ServerFailed("500"), PartialResponse("Nothing can be used.", {})])
def test_a_document_is_asked_for_again_with_longer_pauses(error: ProviderError) -> None:
    clock, inner = Clock(), Scripted([error] * 4)
    assert Retrying(inner, timing=clock.timing).embed(["a"], "document").any()
    assert len(inner.asked) == 5
    assert clock.now - 1_000_000 == pytest.approx((0.5 + 1 + 2 + 4) * 1.25)


def test_the_last_error_goes_on_after_the_last_attempt() -> None:
    clock, errors = Clock(), [ProviderUnavailable(str(n)) for n in range(9)]
    inner = Scripted(errors)
    with pytest.raises(ProviderUnavailable) as raised:
        Retrying(inner, Patience(attempts=3), timing=clock.timing).embed(["a"], "document")
    assert raised.value is errors[2]
    assert len(inner.asked) == 3


def test_who_has_a_deadline_does_not_wait_through_the_pause_before_another_attempt() -> None:
    """The call goes on in the background, and the next caller is told so."""
    stopped = threading.Event()
    patience = Patience(first_pause=30.0, longest_pause=30.0)
    slow = Retrying(Scripted([DOWN] * 4), patience, check=until(stopped))
    hurried = WithDeadline(slow, 20)
    try:
        with pytest.raises(ProviderUnavailable, match="failed, and is asked again"):
            hurried.embed(["a"], "document")
        with pytest.raises(ProviderUnavailable, match="earlier question"):
            hurried.embed(["a"], "document")
    finally:
        stopped.set()


@pytest.mark.parametrize(
    "error",
    [
        ProviderRejected("no"),
        KeyRefused("no"),
        CapReached("no"),
        LeftAlone("no", retry_after=3),
        PartialResponse("some", {0: [1.0] * 16}),
        wait(61),
    ],
)
def test_what_a_second_try_would_not_change_is_asked_once(error: ProviderError) -> None:
    clock, inner = Clock(), Scripted([error])
    with pytest.raises(type(error)):
        Retrying(inner, timing=clock.timing).embed(["a", "b"], "document")
    assert len(inner.asked) == 1 and clock.slept == []


def test_a_query_is_never_asked_again() -> None:
    inner = Scripted([DOWN])
    with pytest.raises(ProviderUnavailable):
        Retrying(inner).embed(["a"], "query")
    assert len(inner.asked) == 1


def test_a_provider_is_not_asked_before_the_time_that_it_named() -> None:
    clock, inner = Clock(), Scripted([wait(30), wait(0), wait(2.5)])
    Retrying(inner, timing=clock.timing).embed(["a"], "document")
    assert 32.5 <= clock.now - 1_000_000 < 34


@given(waits=st.lists(st.none() | st.floats(0, 60), max_size=30), attempts=st.integers(1, 30))
def test_attempts_and_time_are_bounded(waits: list[float | None], attempts: int) -> None:
    clock = Clock()
    inner = Scripted([ProviderUnavailable("x", retry_after=seconds) for seconds in waits])
    patience = Patience(attempts=attempts, seconds=100)
    with suppress(ProviderUnavailable):
        Retrying(inner, patience, timing=clock.timing).embed(["a"], "document")
    assert len(inner.asked) <= min(attempts, len(waits) + 1)
    assert clock.now - 1_000_000 <= 100.001


def test_a_stop_ends_the_waiting_at_once() -> None:
    stop, clock, inner = threading.Event(), Clock(), Scripted([wait(50)])

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        stop.set()

    timing = clock.timing._replace(sleep=sleep)
    with pytest.raises(Interrupted):
        Retrying(inner, timing=timing, check=until(stop)).embed(["a"], "document")
    assert len(inner.asked) == 1 and sum(clock.slept) < 1


def test_the_user_does_not_read_about_every_attempt(caplog: pytest.LogCaptureFixture) -> None:
    Retrying(Scripted([DOWN]), timing=Clock().timing).embed(["a"], "document")
    assert any(isinstance(one, logging.NullHandler) for one in logging.getLogger("stamina").handlers)
    assert "a" not in [record.getMessage() for record in caplog.records]


# --- a rate ---------------------------------------------------------------------------------------------


@given(per_minute=st.integers(1, 600), pauses=st.lists(st.floats(0, 30), max_size=40))
def test_no_minute_has_more_requests_than_the_rate_and_a_short_burst(per_minute: int, pauses: list[float]) -> None:
    clock = Clock()
    limited = RateLimited(Scripted(), TokenBucket(per_minute, clock), timing=clock.timing)
    sent: list[float] = []
    for seconds in pauses:
        clock.now += seconds
        limited.embed(["a"], "document")
        sent.append(clock.now)
    for start in sent:
        within = sum(start <= at < start + 60 for at in sent)
        assert within <= per_minute + max(1, per_minute / 10) + 1


def test_a_query_passes_at_once_and_documents_make_room_for_it() -> None:
    clock, inner = Clock(), Scripted()
    limited = RateLimited(inner, TokenBucket(6, clock), timing=clock.timing)
    limited.embed(["a"], "document")
    for _ in range(3):
        limited.embed(["?"], "query")
    assert clock.slept == []
    limited.embed(["b"], "document")
    assert clock.now - 1_000_000 == pytest.approx(40)
    assert limited.embed([], "document").shape == (0, 16)


def test_waiting_for_the_rate_can_be_stopped() -> None:
    clock, stop = Clock(), threading.Event()
    limited = RateLimited(Scripted(), TokenBucket(1, clock), timing=clock.timing, check=until(stop))
    limited.embed(["a"], "document")
    stop.set()
    with pytest.raises(Interrupted):
        limited.embed(["b"], "document")


def test_a_process_has_one_bucket_for_a_host() -> None:
    assert shared_bucket("one.example", 60) is shared_bucket("one.example", 60)
    assert shared_bucket("one.example", 60) is not shared_bucket("two.example", 60)


@given(seconds=st.floats(0, 100))
def test_a_pause_is_as_long_as_it_should_be(seconds: float) -> None:
    clock = Clock()
    pause(seconds, clock.timing, lambda: None)
    assert sum(clock.slept) == pytest.approx(seconds, abs=1e-6)

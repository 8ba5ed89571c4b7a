"""A provider that failed is left alone for a while, by every process of the home, and recovers by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memoro.errors import (
    AddressRefused,
    CapReached,
    KeyRefused,
    LeftAlone,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
    RequestTooLarge,
    ServerFailed,
    StoreUnavailable,
    TextRejected,
)
from memoro.model.vocabulary import Role
from memoro.providers.cached import Cached
from memoro.providers.checked import Checked
from memoro.providers.circuit_breaker import (
    CLOSED,
    LONGEST_REST,
    CircuitBreaker,
    end_rests,
    finish_trials,
    in_background,
)
from memoro.providers.deadline import WithDeadline
from memoro.providers.ports import EmbedderInfo
from memoro.providers.rate_limited import RateLimited, TokenBucket
from memoro.providers.records import BreakerState
from memoro.providers.retrying import Retrying
from memoro.store.plain.provider_records import PlainProviderRecords
from memoro.store.plain.vectors import PlainCache
from tests.conftest import wait_for
from tests.scripted_embedders import Clock, Scripted
from tests.test_embedder_port import Counting

DOWN = ProviderUnavailable("The server cannot be reached.")
QUERIES, DOCUMENTS = "scripted.example query", "scripted.example document"


class Counted(PlainProviderRecords):
    """Counts how often a breaker is read and written."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = self.writes = 0

    def breaker(self, host: str) -> BreakerState:
        self.reads += 1
        return super().breaker(host)

    def set_breaker(self, host: str, state: BreakerState) -> None:
        self.writes += 1
        super().set_breaker(host, state)


class Home:
    """One home with a provider, as several processes see it. Trials wait until they are let go."""

    def __init__(self, script: Sequence[ProviderError | None] = ()) -> None:
        self.clock, self.records, self.inner = Clock(), Counted(), Scripted(script)
        self.trials: list[Callable[[], None]] = []

    def process(self) -> CircuitBreaker:
        return CircuitBreaker(
            self.inner, lambda: self.records, clock=self.clock, start=lambda work, _: self.trials.append(work)
        )

    def ask(self, role: Role = "query") -> bool:
        """Return whether the provider was asked and answered."""
        try:
            return bool(self.process().embed(["a question"], role).any())
        except ProviderError:
            return False

    def run_trials(self) -> None:
        while self.trials:
            self.trials.pop()()


def test_one_failed_query_is_enough_for_every_process() -> None:
    home = Home([DOWN])
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        home.process().embed(["a question"], "query")
    home.clock.now += 2
    with pytest.raises(
        LeftAlone, match=r"not asked for another 28 s, because it failed: The server cannot be reached\."
    ):
        home.process().embed(["a question"], "query")
    assert len(home.inner.asked) == 1
    assert home.ask("document"), "documents have their own count"


def test_the_newest_reason_is_told_where_somebody_insists_during_a_rest() -> None:
    home = Home([KeyRefused("The server wants a key."), KeyRefused("The server does not accept the key.")])
    for _ in range(2):
        with pytest.raises(KeyRefused):
            CircuitBreaker(home.inner, lambda: home.records, insists=True, clock=home.clock).embed(
                ["one"], "document"
            )
    kept = home.records.breaker(DOCUMENTS)
    assert (kept.why, kept.failures) == ("The server does not accept the key.", 5)


def test_after_the_rest_a_query_is_tried_in_the_background_and_nobody_waits_for_it() -> None:
    home = Home([DOWN])
    home.ask()
    home.clock.now += 31
    with pytest.raises(LeftAlone, match="is being tried again now"):
        home.process().embed(["a question"], "query")
    assert len(home.inner.asked) == 1, "the caller did not wait"
    assert not home.ask() and len(home.trials) == 1, "one trial at a time"
    home.run_trials()
    assert home.records.breaker(QUERIES) == CLOSED
    assert home.ask()


def test_each_failed_trial_doubles_the_rest_up_to_ten_minutes() -> None:
    home = Home([DOWN] * 20)
    home.ask()
    rests = []
    for _ in range(8):
        rests.append(round(home.records.breaker(QUERIES).open_until - home.clock.now))
        home.clock.now = home.records.breaker(QUERIES).open_until + 1.5
        home.ask()
        home.run_trials()
    assert rests == [30, 60, 120, 240, 480, 600, 600, 600]


def test_a_process_that_ends_before_its_trial_does_counts_as_a_failure() -> None:
    home = Home([DOWN])
    home.ask()
    home.clock.now += 31
    home.ask()
    home.trials.clear()
    assert round(home.records.breaker(QUERIES).open_until - home.clock.now) == 60
    assert home.records.breaker(QUERIES).why == str(DOWN)


class Slow(Scripted):
    """Answers rightly, each call after the next of these seconds."""

    def __init__(self, clock: Clock, seconds: list[float]) -> None:
        super().__init__()
        self._clock, self._seconds = clock, seconds

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        self._clock.now += self._seconds.pop(0)
        return super().embed(texts, role)


@pytest.mark.parametrize(("seconds", "recovers"), [([0.3], True), ([4, 0.1], True), ([4, 0.5], False)])
def test_a_trial_that_comes_late_is_repeated_once_because_a_server_may_load_its_model(
    seconds: list[float], recovers: bool
) -> None:
    home = Home()
    home.records.set_breaker(QUERIES, BreakerState(1, 5.0, "late"))
    home.inner = Slow(home.clock, seconds)
    home.ask()
    home.run_trials()
    assert (home.records.breaker(QUERIES) == CLOSED) == recovers


@pytest.mark.parametrize("error", [KeyRefused("The key is wrong."), QuotaExhausted("No money is left.")])
def test_a_refused_key_or_an_empty_account_keeps_queries_away_for_longer(error: ProviderError) -> None:
    home = Home([error, error])
    home.ask()
    home.ask("document")
    assert home.records.breaker(QUERIES).open_until == home.clock.now + 600
    assert home.records.breaker(DOCUMENTS).open_until == home.clock.now + 30, "somebody mends it and runs a sync"
    home.clock.now += 31
    assert home.ask("document")
    assert not home.ask() and len(home.trials) == 1, "documents came back: the next query is a trial"
    home.run_trials()
    assert home.ask()


def test_documents_rest_after_five_failures_in_a_row() -> None:
    home = Home([DOWN] * 4 + [None] + [DOWN] * 5)
    for _ in range(10):
        home.ask("document")
    assert len(home.inner.asked) == 10
    with pytest.raises(LeftAlone) as left:
        home.process().embed(["a"], "document")
    assert left.value.retry_after == 30
    home.clock.now += 31
    assert home.ask("document") and home.records.breaker(DOCUMENTS) == CLOSED


@pytest.mark.parametrize(
    "error",
    [
        AddressRefused("x"),
        CapReached("x"),
        TextRejected("x"),
        RequestTooLarge("x"),
        LeftAlone("x"),
    ],
)
@pytest.mark.parametrize("role", ["query", "document"])
def test_what_says_nothing_about_the_provider_counts_for_nothing(error: ProviderError, role: Role) -> None:
    home = Home([error] * 9)
    for _ in range(9):
        home.ask(role)
    assert len(home.inner.asked) == 9 and home.records.writes == 0


@pytest.mark.parametrize("error", [ServerFailed("500"), PartialResponse("x", {}), ProviderRejected("404")])
def test_documents_that_one_text_may_break_do_not_count_and_queries_do(error: ProviderError) -> None:
    home = Home([error] * 9)
    for _ in range(9):
        home.ask("document")
    assert len(home.inner.asked) == 9 and home.records.writes == 0
    home.inner.script = [error]
    home.ask()
    assert home.records.breaker(QUERIES).failures == 1
    home.process().report_failure("document", error)
    assert not home.ask("document"), "until somebody finds that every text fails"


def test_a_provider_that_asks_for_a_long_rest_gets_it_up_to_an_hour() -> None:
    home = Home([ProviderUnavailable("Too many.", retry_after=120), ProviderUnavailable("x", retry_after=9e9)])
    home.ask("document")
    assert home.records.breaker(DOCUMENTS).open_until == home.clock.now + 120
    home.ask()
    assert home.records.breaker(QUERIES).open_until == home.clock.now + LONGEST_REST


def test_a_clock_that_was_wrong_closes_nothing_for_long() -> None:
    home = Home()
    home.records.set_breaker(DOCUMENTS, BreakerState(5, home.clock.now + 1e9, "x"))
    assert home.ask("document")


def test_a_healthy_search_reads_once_a_second_and_writes_nothing() -> None:
    home = Home()
    for _ in range(50):
        assert home.ask()
    assert (home.records.reads, home.records.writes) == (1, 0)
    home.clock.now += 1.1
    home.ask()
    assert home.records.reads == 2


def test_where_the_records_cannot_be_written_this_process_still_knows() -> None:
    class ReadOnly(PlainProviderRecords):
        def set_breaker(self, host: str, state: BreakerState) -> None:  # noqa: ARG002
            raise StoreUnavailable("The home is read-only.")

    clock, records = Clock(), ReadOnly()
    inner = Scripted([DOWN], info=EmbedderInfo(host="read-only.example"))
    with pytest.raises(ProviderUnavailable):
        CircuitBreaker(inner, lambda: records, clock=clock).embed(["?"], "query")
    with pytest.raises(LeftAlone):
        CircuitBreaker(inner, lambda: records, clock=clock).embed(["?"], "query")

    def broken() -> PlainProviderRecords:
        raise StoreUnavailable("The home cannot be opened.")

    other = Scripted(info=EmbedderInfo(host="unopened.example"))
    assert CircuitBreaker(other, broken, clock=clock).embed(["?"], "query").any()


def test_whoever_saw_the_provider_answer_can_end_its_rests() -> None:
    home = Home([KeyRefused("no"), KeyRefused("no")])
    home.ask()
    home.ask("document")
    end_rests(home.records, "scripted.example")
    home.clock.now += 2
    assert home.ask() and home.ask("document")


# --- a deadline -----------------------------------------------------------------------------------------


def stacked(inner: Counting, records: PlainProviderRecords) -> WithDeadline:
    breaker = CircuitBreaker(Checked(inner), lambda: records)
    return WithDeadline(Cached(Retrying(RateLimited(breaker, TokenBucket(6000, lambda: 0.0))), PlainCache()), 0.3)


def test_one_missed_deadline_opens_the_breaker_and_a_late_answer_does_not_close_it() -> None:
    inner, records = Counting("missed deadline"), PlainProviderRecords()
    inner.free.clear()
    with pytest.raises(ProviderUnavailable, match="within 300 ms"):
        stacked(inner, records).embed(["?"], "query")
    name = f"{inner.space} query"
    assert wait_for(lambda: records.breaker(name) != CLOSED)
    assert "within 300 ms" in records.breaker(name).why
    inner.free.set()
    WithDeadline(inner, 20, patient=True).embed(["!"], "query")  # first waits for the other to come back
    assert records.breaker(name).failures == 1
    with pytest.raises(LeftAlone):
        stacked(inner, records).embed(["?"], "query")
    assert len(inner.asked) == 2


class Locked(PlainProviderRecords):
    """Another process writes for a long time."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()

    def set_breaker(self, host: str, state: BreakerState) -> None:
        assert self.free.wait(30)
        super().set_breaker(host, state)


def test_a_caller_whose_query_is_late_does_not_wait_for_the_records_too() -> None:
    inner, records = Counting("locked records"), Locked()
    inner.free.clear()
    with pytest.raises(ProviderUnavailable, match="within 300 ms"):
        stacked(inner, records).embed(["?"], "query")  # it would wait for ever
    records.free.set()
    assert wait_for(lambda: records.breaker(f"{inner.space} query").failures == 1)
    inner.free.set()


def test_a_caller_with_hardly_any_time_says_nothing_about_the_provider() -> None:
    inner, records = Counting("little time"), PlainProviderRecords()
    inner.free.clear()
    hurried = WithDeadline(CircuitBreaker(inner, lambda: records), 0.02)
    with pytest.raises(ProviderUnavailable, match="within 20 ms"):
        hurried.embed(["?"], "query")
    inner.free.set()
    assert records.breaker(f"{inner.space} query") == CLOSED


def test_a_process_that_ends_gives_its_trial_the_time_of_a_query() -> None:
    done, free = threading.Event(), threading.Event()

    def work() -> None:
        free.wait(0.1)
        done.set()

    def work_long() -> None:
        free.wait(30)

    in_background(work, 5.0)
    finish_trials()
    assert done.is_set()
    in_background(work_long, 0.0)
    finish_trials()
    free.set()


# --- in any order ---------------------------------------------------------------------------------------


class BreakerMachine(RuleBasedStateMachine):
    """Processes ask at any time, while the provider is up, down or late; a simple model says what must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Home()
        self.is_up = True
        self.rest_began: float | None = None

    @rule(is_up=st.booleans())
    def turn(self, is_up: bool) -> None:
        self.is_up = is_up

    @rule(seconds=st.sampled_from([0.1, 1.5, 29, 31, 61, 700, 4000]))
    def pass_time(self, seconds: float) -> None:
        self.home.clock.now += seconds

    @rule()
    def query(self) -> None:
        before, asked = self.home.records.breaker(QUERIES), len(self.home.inner.asked)
        self.home.inner.script = [] if self.is_up else [DOWN]
        is_resting = self.home.clock.now < before.open_until
        answered = self.home.ask()
        sent = len(self.home.inner.asked) - asked
        if before == CLOSED:
            assert sent == 1 and answered == self.is_up
        else:
            assert sent == 0 and not answered, "nobody waits for a sick provider twice"
        if is_resting:
            assert self.home.records.breaker(QUERIES) == before

    @rule()
    def documents(self) -> None:
        before = self.home.records.breaker(DOCUMENTS)
        self.home.inner.script = [] if self.is_up else [DOWN]
        is_resting = self.home.clock.now < before.open_until
        answered = self.home.ask("document")
        after = self.home.records.breaker(DOCUMENTS)
        assert answered == (self.is_up and not is_resting)
        if answered:
            assert after == CLOSED
            assert not self.home.clock.now < self.home.records.breaker(QUERIES).open_until
        elif not is_resting:
            assert after.failures == before.failures + 1

    @precondition(lambda self: self.home.trials)
    @rule()
    def finish_trials(self) -> None:
        self.home.inner.script = [] if self.is_up else [DOWN] * 9
        self.home.run_trials()
        assert (self.home.records.breaker(QUERIES) == CLOSED) == self.is_up

    @rule()
    def recover(self) -> None:
        """Whatever happened, a provider that is well is used again after the longest rest and one trial."""
        self.is_up, self.home.inner.script = True, []
        self.home.trials.clear()
        self.home.clock.now += 601
        self.home.ask()
        self.home.run_trials()
        assert self.home.ask() and self.home.ask("document")

    @invariant()
    def rests_are_bounded(self) -> None:
        for name in (QUERIES, DOCUMENTS):
            assert self.home.records.breaker(name).open_until <= self.home.clock.now + 600


BreakerMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestBreaker = BreakerMachine.TestCase

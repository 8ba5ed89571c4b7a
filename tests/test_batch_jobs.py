"""Filling a space by batch jobs: nothing is paid for twice and nothing is lost, whenever a process is killed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

import memoro
from memoro.errors import BatchesUnavailable, CapReached, KeyRefused, ProviderRejected, ProviderUnavailable
from memoro.index.batch_plan import BatchRules
from memoro.index.batch_queue import jobs_out
from memoro.index.space_filling import Effort
from memoro.index.space_vectors import forget_texts
from memoro.index.vector_upkeep import VectorUpkeep
from memoro.model.vocabulary import Role
from memoro.providers.batch.ports import Batches
from memoro.providers.builtin.model import builtin
from memoro.providers.cached import digest
from memoro.providers.metering import Meter, MeteredModel
from memoro.providers.ports import Prices
from memoro.providers.records import BatchJob
from memoro.providers.registry import Embedders, ProviderContext
from memoro.store.plain.home import PlainIndexHome
from memoro.store.plain.provider_records import PlainProviderRecords
from memoro.store.space_progress import is_complete
from memoro.testing import HashEmbedder
from tests.batch_provider import Killed, MemoryBatches
from tests.conftest import write_vault

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

NOTES = {f"{n}.md": f"note {n} about a subject of its own, number {n}\n" for n in range(12)}
RULES = BatchRules(least_texts=3, most_texts=5, poll_seconds=0.0, timeout_seconds=1000.0)
PRICES = Prices(plain=1.0, batch=0.5)


class CountingEmbedder(HashEmbedder):
    """Counts the texts of plain requests."""

    def __init__(self, model: str) -> None:
        super().__init__(32, model=model)
        self.sent: list[str] = []

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        self.sent += map(digest, texts)
        return super().embed(texts, role)


class KillingRecords(PlainProviderRecords):
    """Kills who writes, before and after the write, where its provider is told to."""

    provider: MemoryBatches | None = None

    def put_job(self, job: BatchJob, digests: Sequence[str] | None = None) -> None:
        self._step()
        super().put_job(job, digests)
        self._step()

    def settle_texts(self, job: str, digests: Sequence[str]) -> None:
        self._step()
        super().settle_texts(job, digests)
        self._step()

    def _step(self) -> None:
        if self.provider is not None:
            self.provider.step()


class KillingHome(PlainIndexHome):
    def __init__(self) -> None:
        super().__init__()
        self.killing = KillingRecords()

    def records(self) -> KillingRecords:
        return self.killing


class Filled:
    """A home with an index, a space that is to be filled, and a provider that takes jobs for it."""

    def __init__(self, home: KillingHome, model: str = "hash-1") -> None:
        self.home, self.records = home, home.records()
        self.embedder = CountingEmbedder(model)
        self.provider = MemoryBatches(HashEmbedder(32, model=model))
        self.records.provider = self.provider
        self.space = str(self.embedder.space)
        self.cap: float | None = None

    def sync(self, rules: BatchRules = RULES, effort: Effort | None = None) -> tuple[str, ...]:
        effort = (effort or Effort())._replace(batch=rules)
        return VectorUpkeep(self.home, self._embedders(), effort).fill()

    def sync_later(self, rules: BatchRules = RULES) -> tuple[str, ...]:
        """Sync as if some time had passed: a job is asked about again only after a tenth of its age."""
        for job in self.jobs():
            if job.state == "open":
                PlainProviderRecords.put_job(self.records, job._replace(polled_at=job.polled_at - 1000.0))
        return self.sync(rules)

    def sync_until_complete(self, rules: BatchRules = RULES) -> None:
        for _ in range(200):
            self.sync(rules)
            if self.is_complete():
                return
        raise AssertionError(f"not complete: {self.records.jobs()}")

    def is_complete(self) -> bool:
        index = self.home.current()
        return index is not None and is_complete(index, self.space)

    def jobs(self) -> list[BatchJob]:
        return self.records.jobs(self.space)

    def cached(self) -> set[str]:
        return set(self.home.cache().get(self.space, DIGESTS))

    def job_tokens(self) -> int:
        return sum(row.tokens_in for row in self.records.usage() if row.is_batch)

    def _embedders(self) -> Embedders:
        model = MeteredModel("testing", "hash", PRICES, daily_cap=self.cap, space=self.space)
        meter = Meter(ProviderContext({}, self.home.records), model)
        return Embedders(
            wanted=self.embedder,
            builtin=builtin(),
            other_widths=(),
            batches=Batches(self.provider, meter),
        )


DIGESTS: list[str] = []


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KillingHome]:
    folder = tmp_path_factory.mktemp("batch")
    home = KillingHome()
    with memoro.open(folder / "home", write_vault(folder / "vault", NOTES)) as m:
        memoro.Workspace(m.home_context, index_home=home).sync()
    index = home.current()
    assert index is not None
    DIGESTS[:] = [item.digest for item in index.texts_after(0, 100)]
    yield home


@pytest.fixture
def filled(indexed: KillingHome, request: pytest.FixtureRequest) -> Iterator[Filled]:
    """A space of its own for each test."""
    made = Filled(indexed, request.node.name.replace("/", "-"))
    made.records.set_batch_failures("testing", 0)
    yield made
    indexed.killing.provider = None
    for job in indexed.killing.jobs():
        indexed.killing.put_job(job._replace(state="done"))


def test_a_large_index_is_filled_by_jobs_and_each_text_is_paid_once(filled: Filled) -> None:
    first = filled.sync()
    assert [job.state for job in filled.jobs()] == ["open", "open"]
    assert first == ("vectors: 10 passages are in 2 batch jobs at testing; a later sync takes their vectors",)
    assert filled.embedder.sent == []  # the others wait behind them, or are enough for a job of their own
    filled.sync_until_complete()
    assert sorted(filled.provider.paid + filled.embedder.sent) == sorted(DIGESTS)
    assert len(filled.embedder.sent) == 2  # too few for a job
    assert {job.state for job in filled.jobs()} == {"done"}
    assert filled.provider.files == {}
    assert filled.provider.jobs == {}
    assert filled.cached() == set(DIGESTS)


def test_what_jobs_bring_is_what_plain_requests_bring(filled: Filled) -> None:
    filled.sync_until_complete()
    by_jobs = filled.home.cache().get(filled.space, DIGESTS)
    plain = Filled(filled.home, f"{filled.embedder.space.model}-plain")
    plain.provider = MemoryBatches(HashEmbedder(32, model="other"))
    plain.sync(RULES._replace(enabled=False))
    asked = plain.home.cache().get(plain.space, DIGESTS)
    assert by_jobs.keys() == asked.keys()
    assert all((by_jobs[key] == asked[key]).all() for key in asked)


def test_few_missing_texts_are_sent_plainly(filled: Filled) -> None:
    filled.sync(RULES._replace(least_texts=13, most_texts=100))
    assert filled.is_complete()
    assert filled.provider.calls == []


def test_switched_off_in_the_settings_no_job_is_made_but_those_that_are_out_are_taken(filled: Filled) -> None:
    filled.sync(RULES._replace(concurrency=1))
    filled.sync_until_complete(RULES._replace(enabled=False))
    assert len(filled.provider.paid) == 5
    assert sorted(filled.provider.paid + filled.embedder.sent) == sorted(DIGESTS)


def test_a_search_sends_nothing_that_is_in_a_job_and_asks_about_none(filled: Filled) -> None:
    filled.sync()
    calls = list(filled.provider.calls)
    filled.sync(effort=Effort(whole=False, remote_seconds=5.0))
    assert filled.embedder.sent == []
    assert filled.provider.calls == calls


def test_a_sync_that_waits_ends_with_a_complete_space(filled: Filled) -> None:
    seen: list[tuple[int, int]] = []
    effort = Effort(filling=lambda at: seen.append((at.done, at.total)))
    filled.sync(RULES._replace(wait=True, poll_seconds=0.01), effort)
    assert filled.is_complete()
    assert seen
    assert {total for _, total in seen} == {10, 12}  # of the jobs, then of all passages


def test_a_job_is_asked_about_only_when_it_is_due(filled: Filled) -> None:
    filled.sync(RULES._replace(poll_seconds=1000.0))
    filled.sync(RULES._replace(poll_seconds=1000.0))
    assert "poll" not in filled.provider.calls


def test_texts_that_a_job_had_in_vain_go_into_no_other_job(filled: Filled) -> None:
    filled.provider.without = set(DIGESTS[1:])
    filled.sync_until_complete(RULES._replace(most_texts=20))
    assert sorted(filled.embedder.sent) == sorted(DIGESTS[1:])
    assert [job.state for job in filled.jobs()] == ["done"]


@pytest.mark.parametrize("cached", [False, True])
def test_texts_without_a_result_are_sent_plainly(filled: Filled, cached: bool) -> None:
    if cached:
        filled.home.cache().put(filled.space, {DIGESTS[1]: filled.embedder.embed(["x"], "document")[0]})
        filled.embedder.sent.clear()
    filled.provider.without = set(DIGESTS[2:4])
    filled.sync_until_complete()
    assert set(DIGESTS[2:4]) <= set(filled.embedder.sent)
    assert (DIGESTS[1] in filled.provider.paid) is not cached
    assert any("2 of its texts came back without a vector" in job.why for job in filled.jobs())
    assert filled.records.batch_failures("testing") == 0


# --- money ----------------------------------------------------------------------------------------------


def test_a_job_is_counted_once_at_the_price_of_batches(filled: Filled) -> None:
    before = filled.job_tokens()
    spent = sum(row.dollars for row in filled.records.usage() if row.is_batch)
    filled.sync(RULES._replace(concurrency=1))
    (job,) = filled.jobs()
    assert filled.job_tokens() - before == job.tokens
    after = sum(row.dollars for row in filled.records.usage() if row.is_batch)
    assert after - spent == pytest.approx(job.tokens * 0.5 / 1e6)
    filled.sync(RULES._replace(concurrency=1, enabled=False))
    assert filled.job_tokens() - before == job.tokens


def test_beyond_the_cap_of_the_day_nothing_is_sent(filled: Filled) -> None:
    filled.cap = 1e-9
    notices = filled.sync()
    assert filled.provider.calls == []
    assert filled.jobs() == []
    assert any("usage.daily_cap" in notice for notice in notices)
    assert CapReached.__mro__[1] is ProviderUnavailable  # a later sync tries again


# --- killed ---------------------------------------------------------------------------------------------


def steps_of_a_whole_run(home: KillingHome) -> int:
    quiet = Filled(home, "quiet")
    quiet.sync_until_complete()
    return quiet.provider.steps


def test_killed_at_any_step_the_next_syncs_complete_the_space_and_pay_nothing_twice(indexed: KillingHome) -> None:
    steps = steps_of_a_whole_run(indexed)
    assert steps > 40
    for kill_at in range(1, steps + 1):
        run = Filled(indexed, f"killed-{kill_at}")
        run.provider.kill_at = kill_at
        with pytest.raises(Killed):
            run.sync_until_complete()
        run.sync_until_complete()
        assert sorted(run.provider.paid + run.embedder.sent) == sorted(DIGESTS), kill_at
        assert run.cached() == set(DIGESTS)
        assert run.provider.files == {}, kill_at
    indexed.killing.provider = None


def test_killed_again_and_again_a_space_becomes_complete(indexed: KillingHome) -> None:
    run = Filled(indexed, "killed-often")
    for _ in range(500):
        run.provider.kill_at = run.provider.steps + 15
        try:
            run.sync()
        except Killed:
            continue
        if run.is_complete():
            break
    assert run.is_complete()
    assert sorted(run.provider.paid + run.embedder.sent) == sorted(DIGESTS)
    indexed.killing.provider = None


def test_a_job_whose_answer_was_lost_is_adopted(filled: Filled) -> None:
    filled.provider.kill_at = 8  # after it was ordered, before its answer
    with pytest.raises(Killed):
        filled.sync(RULES._replace(concurrency=1))
    assert (filled.jobs()[0].state, filled.jobs()[0].remote_id) == ("submitting", None)
    assert len(filled.provider.jobs) == 1
    filled.sync(RULES._replace(concurrency=1))
    assert filled.provider.calls.count("create") == 1
    assert filled.jobs()[0].remote_id == "remote-0"


def test_a_job_that_may_still_be_on_its_way_is_not_sent_again_at_once(filled: Filled) -> None:
    filled.provider.kill_at = 7  # before it was ordered, as far as the provider tells
    with pytest.raises(Killed):
        filled.sync(RULES._replace(concurrency=1))
    filled.sync(RULES._replace(concurrency=1, poll_seconds=1000.0))
    assert filled.provider.jobs == {}
    assert filled.jobs()[0].state == "submitting"
    filled.sync_until_complete()
    assert sorted(filled.provider.paid + filled.embedder.sent) == sorted(DIGESTS)


# --- failures -------------------------------------------------------------------------------------------


def test_a_provider_that_cannot_be_reached_keeps_its_jobs(filled: Filled) -> None:
    filled.sync()
    filled.provider.failing = ProviderUnavailable("It is down.")
    notices = filled.sync()
    assert notices[0] == "vectors: It is down."
    assert [job.state for job in filled.jobs()] == ["open", "open"]
    assert filled.embedder.sent == []
    filled.provider.failing = None
    filled.sync_until_complete()
    assert sorted(filled.provider.paid + filled.embedder.sent) == sorted(DIGESTS)


@pytest.mark.parametrize("ending", ["failed", "expired"])
def test_two_failures_in_a_row_end_batching_until_told_otherwise(filled: Filled, ending: str) -> None:
    filled.provider.ending = "failed" if ending == "failed" else "expired"
    filled.provider.without = set(DIGESTS)
    filled.sync()
    notices = filled.sync_later()
    assert filled.records.batch_failures("testing") == 2
    assert filled.is_complete()  # by plain requests
    assert sorted(filled.embedder.sent) == sorted(DIGESTS)
    assert len(notices) == 2
    assert all(f"failed ({ending} at the provider); what it has not done is sent again" in said for said in notices)
    assert {(job.state, job.why) for job in filled.jobs()} == {("failed", f"{ending} at the provider")}
    again = Filled(filled.home, f"{filled.embedder.space.model}-again")
    again.sync()
    assert again.provider.calls == []
    again.records.set_batch_failures("testing", 0)


def test_a_success_forgives_the_failure_before_it(filled: Filled) -> None:
    filled.records.set_batch_failures("testing", 1)
    filled.sync_until_complete()
    assert filled.records.batch_failures("testing") == 0


def test_the_partial_output_of_an_expired_job_is_kept(filled: Filled) -> None:
    filled.provider.ending = "expired"
    filled.provider.without = set(DIGESTS[3:])
    rules = RULES._replace(concurrency=1, most_texts=20)
    filled.sync(rules)
    filled.sync_later(rules._replace(least_texts=12))
    assert filled.is_complete()
    assert sorted(filled.embedder.sent) == sorted(DIGESTS[3:])
    assert filled.records.batch_failures("testing") == 1
    filled.records.set_batch_failures("testing", 0)


def test_a_job_that_takes_too_long_is_cancelled_and_the_rest_sent_plainly(filled: Filled) -> None:
    filled.provider.ending = "running"
    filled.sync(RULES._replace(concurrency=1))
    late = RULES._replace(concurrency=1, timeout_seconds=-1.0)
    filled.sync_later(late)
    assert "cancel" in filled.provider.calls
    filled.sync_later(late)
    failed = [job for job in filled.jobs() if job.state == "failed"]
    assert {job.why for job in failed} == {"not done after 0 minutes"}
    assert filled.records.batch_failures("testing") >= 1
    filled.records.set_batch_failures("testing", 0)


def test_a_refused_job_counts_as_a_failure_and_its_texts_are_sent_plainly(filled: Filled) -> None:
    filled.provider.failing = ProviderRejected("The file is not valid.")
    filled.sync()
    assert filled.is_complete()
    assert sorted(filled.embedder.sent) == sorted(DIGESTS)
    assert filled.jobs()[-1].why == "The file is not valid."
    assert filled.records.batch_failures("testing") == 1
    filled.records.set_batch_failures("testing", 0)


def test_a_provider_without_batch_jobs_is_not_asked_again(filled: Filled) -> None:
    filled.provider.failing = BatchesUnavailable("No such thing.")
    filled.sync()
    assert filled.is_complete()
    assert filled.records.batch_failures("testing") == 2
    assert sorted(filled.embedder.sent) == sorted(DIGESTS)
    filled.records.set_batch_failures("testing", 0)


def test_a_refused_key_is_no_failure_of_batch_jobs(filled: Filled) -> None:
    filled.provider.failing = KeyRefused("The key is wrong.")
    notices = filled.sync()
    assert "vectors: The key is wrong." in notices
    assert filled.records.batch_failures("testing") == 0
    assert filled.jobs()[0].state == "cancelled"


# --- forgetting -----------------------------------------------------------------------------------------


def test_a_text_that_was_forgotten_meanwhile_gets_no_vector(filled: Filled) -> None:
    filled.sync(RULES._replace(concurrency=1))
    filled.records.forget([DIGESTS[0]])
    forget_texts(filled.home, [DIGESTS[0]])
    filled.sync_later(RULES._replace(enabled=False))
    assert DIGESTS[0] not in filled.provider.paid[5:]
    assert DIGESTS[1] in filled.cached()
    assert DIGESTS[0] in filled.embedder.sent  # the index of this test still has it: it is sent as any other


def test_texts_in_jobs_are_known_without_asking_anybody(filled: Filled) -> None:
    filled.sync(RULES._replace(concurrency=1))
    out = jobs_out(filled.records, filled.space)
    assert (out.jobs, sorted(out.digests)) == (1, sorted(DIGESTS[:5]))
    assert jobs_out(filled.records, "another/space/1/text").digests == frozenset()

"""Batch jobs as their owner meets them: sync, `provider jobs`, `cancel`, `resume`, and `memoro serve`."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import memoro
from memoro.errors import ConfigError, NotFound
from memoro.index import batch_plan
from memoro.providers.records import BatchJob, BreakerState
from memoro.serve.batch_jobs import BatchJobService
from memoro.serve.services import ServiceContext
from memoro.workspace import Workspace
from tests.command import run_memoro
from tests.conftest import write_vault
from tests.kept_reports import KeptReports
from tests.standin import Options, Standin, standin
from tests.standin.jobs import JobScript

NOTES = {f"{n}.md": f"note {n} about a subject of its own, number {n}\n" for n in range(12)}
SETTINGS = """
[embedding]
provider = "openai"
model = "tiny"
dimensions = 16
url = "{url}"
key = "env:STANDIN_KEY"
price = 2.0

[embedding.batch]
poll_seconds = 1
concurrency = 1
{more}
"""


class Owner(NamedTuple):
    """A home with notes, whose settings name the stand-in."""

    home: Path
    vault: Path
    server: Standin

    def open(self) -> Workspace:
        return memoro.open(self.home, self.vault)

    def run(self, *arguments: str) -> str:
        done = run_memoro("--home", str(self.home), "--vault", str(self.vault), *arguments)
        assert done.code == 0, done.err
        return done.out

    def set(self, more: str) -> None:
        self.home.mkdir(mode=0o700, exist_ok=True)
        (self.home / "memoro.toml").write_text(SETTINGS.format(url=self.server.url, more=more))

    def let_be_asked_again(self, m: Workspace) -> None:
        """As if the time between two questions had passed."""
        indexes = m.indexes()
        assert indexes is not None
        for job in indexes.records().jobs():
            indexes.records().put_job(job._replace(polled_at=0.0 if job.remote_id else job.polled_at))

    def sync_until_complete(self, m: Workspace) -> None:
        for _ in range(10):
            self.let_be_asked_again(m)
            if not m.sync(agrees=True).degraded:
                return
        raise AssertionError(m.batch_jobs.jobs(all_jobs=True))

    def paid(self) -> list[str]:
        return sorted(payment.text for payment in self.server.payments)


@pytest.fixture
def owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Owner]:
    monkeypatch.setenv("STANDIN_KEY", "sk-test")
    monkeypatch.setattr(batch_plan, "LEAST_TEXTS", 5)
    with standin("openai", options=Options(dimensions=16)) as server:
        made = Owner(tmp_path / "home", write_vault(tmp_path / "vault", NOTES), server)
        made.set("")
        yield made


def test_a_space_is_filled_by_a_job_that_its_owner_agreed_to_and_is_searched_then(owner: Owner) -> None:
    with owner.open() as m:
        asked = m.sync()
        assert any("wait for your yes" in notice for notice in asked.degraded)
        assert owner.server.payments == []
        done = m.sync(agrees=True)
        assert done.degraded == (
            "vectors: 12 passages are in 1 batch job at openai; a later sync takes their vectors",
        )
        answer = m.search("a subject of its own", mode="vectors")
        assert any(
            "is 0 % filled, and waits for 1 batch job; searched with the built-in model instead" in n
            for n in answer.degraded
        )
        assert not [one for one in owner.server.requests if one.path == "/v1/embeddings"]
        owner.sync_until_complete(m)
        assert (m.status().model or "").startswith("openai/tiny")
        assert len(owner.paid()) == 12
        assert m.usage().total.texts == 12


def test_a_sync_waits_where_the_settings_say_so(owner: Owner) -> None:
    owner.set("wait = true")
    owner.server.set_jobs(JobScript(polls=0))
    seen: list[tuple[int, int]] = []
    with owner.open() as m:
        m.sync(agrees=True, filling=lambda at: seen.append((at.done, at.total)))
        assert (m.status().model or "").startswith("openai/tiny")
    assert (0, 12) in seen
    assert len(owner.paid()) == 12


def test_the_jobs_are_listed_for_people_and_programs(owner: Owner) -> None:
    assert owner.run("provider", "jobs") == "No batch job is running. `--all` lists ended ones.\n"
    with owner.open() as m:
        m.sync(agrees=True)
        (job,) = m.batch_jobs.jobs().jobs
    shown = owner.run("provider", "jobs")
    assert shown.startswith(f"{job.id}  open  openai tiny  12 texts  ")
    document = json.loads(owner.run("provider", "jobs", "--json"))
    assert document["switched_off"] == []
    (one,) = document["jobs"]
    assert (one["state"], one["texts"], one["waiting"], one["remote_id"]) == ("open", 12, 12, "batch_000001")
    assert one["dollars"] == pytest.approx(one["tokens"] * 1.0 / 1e6)  # half the price


def test_a_cancelled_job_keeps_what_it_has_done_and_the_rest_is_embedded(owner: Owner) -> None:
    owner.server.set_jobs(JobScript(polls=99))
    with owner.open() as m:
        m.sync(agrees=True)
        (job,) = m.batch_jobs.jobs().jobs
        told = owner.run("provider", "cancel", job.id[:12])
        assert told.startswith(f"The provider was asked to end the job {job.id}.")
        owner.set("enabled = false")
    with owner.open() as m:
        owner.sync_until_complete(m)
        ended = m.batch_jobs.jobs(all_jobs=True)
    assert (ended.jobs[0].state, ended.jobs[0].why) == ("cancelled", "cancelled by `memoro provider cancel`")
    assert ended.switched_off == ()
    assert len(owner.paid()) == len(set(owner.paid())) == 12


def test_a_job_that_is_not_out_cannot_be_cancelled(owner: Owner) -> None:
    with owner.open() as m:
        m.sync(agrees=True)
        owner.sync_until_complete(m)
        (job,) = m.batch_jobs.jobs(all_jobs=True).jobs
        with pytest.raises(ConfigError, match="has ended already"):
            m.batch_jobs.cancel(job.id)
        with pytest.raises(NotFound, match="There is no batch job 'nothing'"):
            m.batch_jobs.cancel("nothing")


def test_a_job_that_was_never_ordered_is_cancelled_without_its_provider(owner: Owner) -> None:
    with owner.open() as m:
        m.sync(agrees=True)
        records = m.indexing.records()
        lost = BatchJob(
            id="memoro-lost", space="openai/other/8/text", state="submitting", created_at=1.0, texts=1, tokens=1
        )
        records.put_job(lost, ["d" * 64])
        assert m.batch_jobs.cancel("memoro-lost").state == "cancelled"
        assert records.job_digests("memoro-lost") == []
        records.put_job(lost._replace(id="memoro-sent", state="open", remote_id="batch_9", polled_at=1.0), ["d" * 64])
        with pytest.raises(ConfigError, match="which the settings do not name now"):
            m.batch_jobs.cancel("memoro-sent")


def test_two_failed_jobs_are_followed_by_plain_requests_until_the_owner_resumes(owner: Owner) -> None:
    owner.server.set_jobs(JobScript(polls=0, end="failed"))
    with owner.open() as m:
        for _ in range(3):
            m.sync(agrees=True)
            owner.let_be_asked_again(m)
        assert (m.status().model or "").startswith("openai/tiny")
        assert m.batch_jobs.jobs().switched_off == ("openai",)
        assert len(owner.server.jobs) == 2
        assert len(owner.paid()) == 12
    assert "openai gets no more batch jobs" in owner.run("provider", "jobs", "--all")
    assert "Large indexes are embedded by batch jobs again." in owner.run("provider", "resume")
    with owner.open() as m:
        assert m.batch_jobs.jobs().switched_off == ()


def test_resume_closes_the_breaker_and_sends_rejected_texts_again(owner: Owner) -> None:
    with owner.open() as m:
        m.sync(agrees=True)
        owner.sync_until_complete(m)
        records, space = m.indexing.records(), m.status().model or ""
        resting = BreakerState(failures=5, open_until=time.time() + 500, why="It was down.")
        records.set_breaker(f"127.0.0.1:{owner.server.port} document", resting)
        records.reject(space, {"d" * 64: "It is too long."})
        told = owner.run("provider", "resume")
        assert told == (
            f"127.0.0.1:{owner.server.port} is asked again from now on.\n"
            "The next sync sends 1 text once more that was rejected before.\n"
        )
        assert records.breaker(f"127.0.0.1:{owner.server.port} document") == BreakerState()
        assert records.rejected_count(space) == 0
        m.sync(agrees=True)
        assert m.status().model == space
        assert len(owner.paid()) == 12  # the others came from the cache


def test_there_is_nothing_to_resume_for_the_built_in_model(tmp_path: Path, owner: Owner) -> None:
    with memoro.open(tmp_path / "plain", owner.vault) as m:
        m.sync()
        with pytest.raises(ConfigError, match="nothing to resume"):
            m.batch_jobs.resume()


def test_serve_asks_about_jobs_by_itself_and_takes_their_results(owner: Owner) -> None:
    owner.server.set_jobs(JobScript(polls=0))
    with owner.open() as m:
        m.sync(agrees=True)
        (job,) = m.batch_jobs.jobs().jobs
        stop, said = threading.Event(), KeptReports()
        service = threading.Thread(target=BatchJobService().run, args=(ServiceContext(m, stop, said),))
        service.start()
        deadline = time.monotonic() + 60
        while not said.lines and time.monotonic() < deadline:
            time.sleep(0.05)
        stop.set()
        service.join()
        assert said.lines == [f"batch job {job.id} with 12 texts: done"]
        assert (m.status().model or "").startswith("openai/tiny")
    assert len(owner.paid()) == 12

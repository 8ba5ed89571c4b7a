"""The batch jobs of OpenAI and Gemini, against a stand-in that speaks their formats. One suite for both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

import numpy
import pytest

from memoro.errors import BatchesUnavailable, KeyRefused, ProviderRejected, ProviderUnavailable
from memoro.providers.batch import gemini_batch
from memoro.providers.batch.gemini_batch import GeminiBatches
from memoro.providers.batch.openai_batch import OpenAIBatches
from memoro.providers.batch.ports import BatchProvider, RemoteJob
from memoro.providers.batch.reading import ResultLine, checked_results
from memoro.providers.cached import digest
from memoro.providers.http_client import HttpClient, KeyHeader, endpoint
from memoro.providers.ports import Space
from tests.standin import Fault, Faults, Options, Standin, standin
from tests.standin.jobs import JobEnd, JobScript

Form = Literal["openai", "gemini file", "gemini inline"]
FORMS: tuple[Form, ...] = ("openai", "gemini file", "gemini inline")
WIDTH = 16
OPTIONS = Options(dimensions=WIDTH)
TEXTS = {digest(text): text for text in (f"text number {n}, of one – «kind»" for n in range(20))}


class Provider:
    """A stand-in, and the client of its batch jobs."""

    def __init__(self, form: Form, server: Standin, key: str = "sk-test") -> None:
        self.server, self.form = server, form
        header: KeyHeader = "authorization" if form == "openai" else "x-goog-api-key"
        self.http = HttpClient(endpoint(server.url, key, header))
        self.batches = self.client()

    def client(self, width: int = WIDTH) -> BatchProvider:
        space = Space("openai" if self.form == "openai" else "gemini", "tiny", width, "text")
        return (
            OpenAIBatches(self.http, space, _openai_request)
            if self.form == "openai"
            else GeminiBatches(self.http, "/v1beta", space, _gemini_request)
        )

    def submit(self, job: str = "memoro-1", texts: Mapping[str, str] = TEXTS) -> RemoteJob:
        return self.batches.create(job, texts, self.batches.upload(job, texts))

    def finish(self, remote: RemoteJob) -> RemoteJob:
        for _ in range(10):
            remote = self.batches.poll(remote.id)
            if remote.state not in ("running", "cancelling"):
                return remote
        raise AssertionError(remote)

    def files(self) -> list[str]:
        path = "/files" if self.form == "openai" else "/v1beta/files"
        found = self.http.get(path)
        listed = found.get("data") or found.get("files") or []
        assert isinstance(listed, list)
        return [str(one["id" if self.form == "openai" else "name"]) for one in listed]


def _openai_request(text: str) -> Mapping[str, object]:
    return {"model": "tiny", "input": text, "encoding_format": "float"}


def _gemini_request(text: str) -> Mapping[str, object]:
    return {"model": "models/tiny", "content": {"parts": [{"text": text}]}}


@contextmanager
def served(form: Form, options: Options = OPTIONS, key: str = "sk-test") -> Iterator[Provider]:
    with standin("openai" if form == "openai" else "gemini", options=options) as server:
        provider = Provider(form, server, key)
        before = gemini_batch.MOST_INLINE_NUMBERS
        if form == "gemini file":
            gemini_batch.MOST_INLINE_NUMBERS = 0
        try:
            yield provider
        finally:
            gemini_batch.MOST_INLINE_NUMBERS = before
            provider.http.close()


@pytest.fixture(params=FORMS)
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    with served(request.param) as made:
        yield made


def vectors(provider: Provider, remote: RemoteJob) -> dict[str, object]:
    return {one.digest: one.vector for one in provider.batches.results(remote, list(TEXTS))}


def test_a_job_returns_the_vector_of_each_text_whatever_their_order(provider: Provider) -> None:
    provider.server.set_jobs(JobScript(polls=2, is_shuffled=True))
    remote = provider.submit()
    assert remote.state == "running"
    assert provider.batches.poll(remote.id).state == "running"
    remote = provider.finish(remote)
    assert (remote.state, remote.total, remote.done, remote.failed) == ("completed", 20, 20, 0)
    found = {one.digest: one.vector for one in provider.batches.results(remote, list(TEXTS))}
    assert found.keys() == TEXTS.keys()
    for key, text in TEXTS.items():
        vector = found[key]
        assert vector is not None
        numpy.testing.assert_allclose(vector, provider.server.vector(text, "tiny"), atol=1e-5)


def test_a_job_is_found_by_our_own_name_for_it(provider: Provider) -> None:
    provider.submit("memoro-0", dict(list(TEXTS.items())[:2]))
    remote = provider.submit("memoro-1")
    found = provider.batches.find("memoro-1")
    assert found is not None
    assert found.id == remote.id
    assert provider.batches.find("memoro-2") is None


def test_a_job_is_found_behind_many_others(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    from memoro.providers.batch import openai_batch

    monkeypatch.setattr(openai_batch, "PAGE", 2)
    monkeypatch.setattr(gemini_batch, "PAGE", 2)
    one = dict(list(TEXTS.items())[:1])
    ids = [provider.submit(f"memoro-{n}", one).id for n in range(7)]
    found = provider.batches.find("memoro-0")
    assert found is not None
    assert found.id == ids[0]
    assert provider.batches.find("memoro-9") is None


def test_failed_lines_and_lost_ones_are_told_from_the_others(provider: Provider) -> None:
    provider.server.set_jobs(JobScript(faults=Faults(kinds=("500",), probability=0.3)))
    remote = provider.finish(provider.submit())
    found = list(provider.batches.results(remote, list(TEXTS)))
    failed = [one for one in found if one.vector is None]
    assert 0 < len(failed) < len(found) == 20
    assert all("Internal error" in one.why for one in failed)
    assert remote.failed == len(failed)


@pytest.mark.parametrize("form", ["openai", "gemini file"])
@pytest.mark.parametrize("fault", ["dropped", "cut off"])
def test_lost_lines_lose_no_others(form: Form, fault: Fault) -> None:
    with served(form) as provider:
        provider.server.set_jobs(JobScript(faults=Faults(kinds=(fault,), probability=0.3)))
        found = vectors(provider, provider.finish(provider.submit()))
        assert 0 < len(found) < 20
        assert all(vector is not None for vector in found.values())


@pytest.mark.parametrize("fault", ["nan", "zeros", "narrow"])
def test_vectors_that_cannot_be_used_are_results_without_one(provider: Provider, fault: Fault) -> None:
    provider.server.set_jobs(JobScript(faults=Faults(kinds=(fault,), probability=0.4)))
    found = list(provider.batches.results(provider.finish(provider.submit()), list(TEXTS)))
    bad = [one for one in found if one.vector is None]
    assert 0 < len(bad) < 20
    assert all(one.why for one in bad)


def test_a_space_of_another_width_gets_nothing(provider: Provider) -> None:
    remote = provider.finish(provider.submit())
    other = provider.client(WIDTH + 1)
    found = list(other.results(remote, list(TEXTS)))
    assert len(found) == 20
    assert all(one.vector is None and "16 numbers" in one.why for one in found)


@pytest.mark.parametrize("end", ["expired", "failed"])
def test_a_job_that_ends_early_says_so_and_gives_what_it_has(provider: Provider, end: JobEnd) -> None:
    provider.server.set_jobs(JobScript(end=end, share=0.5))
    remote = provider.finish(provider.submit())
    assert remote.state == end
    found = [one for one in provider.batches.results(remote, list(TEXTS)) if one.vector is not None]
    expected = 10 if end == "expired" and provider.form != "gemini inline" else 0
    assert len(found) == expected  # without keys, a part of the answers says nothing about whose they are


def test_a_cancelled_job_gives_what_it_has_and_can_be_cancelled_once_more(provider: Provider) -> None:
    provider.server.set_jobs(JobScript(polls=5))
    remote = provider.submit()
    provider.batches.poll(remote.id)
    provider.batches.cancel(remote.id)
    remote = provider.finish(remote)
    assert remote.state == "cancelled"
    found = [one for one in provider.batches.results(remote, list(TEXTS)) if one.vector is not None]
    assert len(found) == (10 if provider.form != "gemini inline" else 0)
    provider.batches.cancel("batches/unknown" if provider.form != "openai" else "unknown")


def test_a_job_that_the_provider_does_not_know_is_gone(provider: Provider) -> None:
    assert provider.batches.poll("batches/nothing" if provider.form != "openai" else "nothing").state == "gone"


def test_nothing_of_a_job_stays_at_the_provider(provider: Provider) -> None:
    remote = provider.finish(provider.submit())
    list(provider.batches.results(remote, list(TEXTS)))
    provider.batches.discard("memoro-1", remote)
    assert provider.files() == []
    assert list(provider.batches.results(remote, list(TEXTS))) == []  # read again after a kill, it has nothing new
    provider.batches.discard("memoro-1", remote)


def test_an_input_file_whose_name_never_arrived_is_deleted_by_the_name_of_its_job(provider: Provider) -> None:
    provider.batches.upload("memoro-1", TEXTS)
    provider.batches.upload("memoro-2", TEXTS)
    provider.batches.discard("memoro-1", None)
    assert len(provider.files()) == (0 if provider.form == "gemini inline" else 1)


@pytest.mark.parametrize("form", FORMS)
def test_a_server_without_batch_jobs_says_so(form: Form) -> None:
    options = OPTIONS._replace(has_batches=False)
    with served(form, options) as provider, pytest.raises(BatchesUnavailable, match="no batch jobs"):
        provider.submit()


@pytest.mark.parametrize("form", FORMS)
def test_a_wrong_key_is_told_from_other_refusals(form: Form) -> None:
    with served(form, OPTIONS._replace(key="right"), key="wrong") as provider, pytest.raises(KeyRefused):
        provider.submit()


@pytest.mark.parametrize("fault", ["500", "html", "429", "reset"])
def test_a_server_that_fails_raises_what_may_be_tried_again(provider: Provider, fault: Fault) -> None:
    remote = provider.submit()
    provider.server.set_faults(fault)
    with pytest.raises(ProviderUnavailable):
        provider.batches.poll(remote.id)
    with pytest.raises(ProviderUnavailable):
        provider.batches.find("memoro-1")
    provider.batches.discard("memoro-1", remote)  # raises nothing


def test_no_text_is_paid_for_before_the_job_is_ordered(provider: Provider) -> None:
    file = provider.batches.upload("memoro-1", TEXTS)
    assert provider.server.payments == []
    provider.batches.create("memoro-1", TEXTS, file)
    assert sorted(one.text for one in provider.server.payments) == sorted(TEXTS.values())


# --- reading --------------------------------------------------------------------------------------------


def test_repeated_and_unknown_keys_are_left_out() -> None:
    lines = [
        ResultLine("a", [3.0, 4.0]),
        ResultLine("unknown", [1.0, 0.0]),
        ResultLine("a", [1.0, 0.0]),
        ResultLine("b", None, "It is too long."),
        ResultLine("b", [1.0, 0.0]),
        ResultLine("c", "no vector"),
    ]
    found = {one.digest: one for one in checked_results(lines, ["a", "b", "c", "d"], Space("p", "m", 2, "t"))}
    assert sorted(found) == ["a", "b", "c"]
    vector = found["a"].vector
    assert vector is not None
    assert vector.tolist() == pytest.approx([0.6, 0.8])
    assert (found["b"].vector, found["b"].why) == (None, "It is too long.")
    assert found["c"].vector is None


def test_answers_without_keys_are_not_used_where_a_text_was_forgotten() -> None:
    with served("gemini inline") as made:
        remote = made.finish(made.submit())
        assert list(made.batches.results(remote, list(TEXTS)[1:])) == []
        assert len(list(made.batches.results(remote, list(TEXTS)))) == 20


def test_a_name_that_is_no_name_is_refused() -> None:
    with served("openai") as provider, pytest.raises(ProviderRejected, match="cannot be part of a URL"):
        provider.batches.poll("../../v1/models")

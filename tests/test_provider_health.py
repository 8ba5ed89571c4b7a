"""What `status`, `space` and `doctor` say about a model on another machine, and what they do."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

import memoro
from memoro import operations, provider_checks
from memoro.cli.embedding import egress, estimate_lines, state_lines
from memoro.config.settings import EmbeddingSettings
from memoro.errors import ConfigError, NeedsConsent, NotFound
from memoro.health import Check
from memoro.kept_spaces import drop_space, kept_spaces
from memoro.model.vocabulary import Role
from memoro.operations.operation import Caller, NoArguments
from memoro.provider_checks import check_settings
from memoro.providers.ports import EmbedderInfo, Prices
from memoro.providers.records import BatchJob, BreakerState, ProviderRecords
from tests.conftest import write_vault
from tests.priced import HOST, REMOTE, PricedEmbedder

if TYPE_CHECKING:
    from memoro.embedding_status import EmbeddingStatus
    from memoro.providers.ports import Vectors

NOTES = {
    "tea.md": "green tea",
    "train.md": "the train to Berlin",
    "bike.md": "a bicycle with a flat tyre",
    "diary.md": "---\nprivate: true\n---\nthe knee hurts\n",
}


class RemoteHome:
    """A home whose embedder is on another machine."""

    def __init__(self, folder: Path, info: EmbedderInfo = REMOTE) -> None:
        self.folder, self.vault = folder / "home", write_vault(folder / "vault", NOTES)
        self.embedder = PricedEmbedder(info)
        self.m = self.open()

    def open(self) -> memoro.Workspace:
        m = memoro.open(self.folder, self.vault, embedder=self.embedder)
        self.embedder.records = m.indexing.indexes.records
        return m

    @property
    def space(self) -> str:
        return str(self.embedder.space)

    @property
    def records(self) -> ProviderRecords:
        return self.m.indexing.indexes.records()

    def status(self) -> EmbeddingStatus:
        found = self.m.status().embedding
        assert found is not None
        return found

    def check(self, name: str = "provider") -> Check:
        (found,) = [check for check in self.m.doctor() if check.name == name]
        return found


@pytest.fixture
def home(tmp_path: Path) -> RemoteHome:
    return RemoteHome(tmp_path)


# --- status -----------------------------------------------------------------------------------------------


def test_the_built_in_model_sends_nothing(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", NOTES)
    with memoro.open(tmp_path / "home", vault) as m:
        m.sync()
        assert m.status().embedding is None


def test_status_says_that_nothing_is_sent_before_the_owner_agrees(home: RemoteHome) -> None:
    home.m.sync()
    found = home.status()
    assert (
        egress(found)
        == f"nothing yet: {HOST} (priced/priced-1) gets passages and queries once you agree (`memoro sync`)"
    )
    assert found.missing is not None
    assert (found.missing.missing.texts, found.missing.missing.private) == (3, 1)
    (line,) = state_lines(found)
    assert line.startswith("0 % filled: 4 passages left, about ")
    assert line.endswith("`memoro sync` asks before it sends them")


def test_status_says_where_text_goes_and_that_private_notes_stay(home: RemoteHome) -> None:
    home.m.sync(agrees=True)
    found = home.status()
    assert egress(found) == f"passages and queries to {HOST} (priced/priced-1); private notes stay here"
    assert (found.filled, found.missing, state_lines(found)) == (1.0, None, [])
    assert egress(found._replace(with_private=True)).endswith("; private notes too")


def test_status_says_that_nothing_leaves_the_machine_where_the_server_is_here(tmp_path: Path) -> None:
    home = RemoteHome(tmp_path, EmbedderInfo(host="localhost:11434", is_home=True))
    home.m.sync()
    assert egress(home.status()) == (
        "passages and queries to localhost:11434 (priced/priced-1); nothing leaves this machine"
    )


def test_status_says_what_is_wrong_with_a_provider(home: RemoteHome) -> None:
    home.m.sync(agrees=True)
    home.records.set_breaker(f"{HOST} query", BreakerState(3, time.time() + 300, f"{HOST} did not answer."))
    home.records.suspect(home.space, "the model has changed")
    home.records.reject(home.space, {"ab" * 32: "too long"})
    job = BatchJob(id="1", space=home.space, state="open", created_at=0.0, texts=5120, tokens=9)
    home.records.put_job(job)
    home.records.put_job(job._replace(id="2", state="done"))
    lines = state_lines(home.status())
    assert lines[0] == "1 batch job open with 5,120 texts; `memoro sync` takes what is done"
    assert lines[1].startswith(f"it failed ({HOST} did not answer) and is tried again at ")
    assert lines[2] == "not searched: the model has changed"
    assert lines[3] == "1 text cannot be embedded and is found by words alone"
    home.records.set_breaker(f"{HOST} query", BreakerState(3, time.time() - 1, ""))
    assert home.status().left_alone_until is None


def test_passages_in_batch_jobs_are_not_said_to_cost_nothing(home: RemoteHome) -> None:
    home.m.sync()
    found = home.status()
    assert found.missing is not None
    nothing = found.missing._replace(missing=found.missing.missing._replace(texts=0, tokens=0), calibration_tokens=0)
    in_jobs = state_lines(found._replace(is_agreed=True, missing=nothing, jobs=1, job_texts=4))
    assert in_jobs[0] == "0 % filled: 4 passages left, all paid for in batch jobs"
    assert "1 batch job open" in in_jobs[1]
    assert "none of which need be sent" in state_lines(found._replace(is_agreed=True, missing=nothing))[0]


def test_the_json_of_a_sync_and_of_status_has_the_plan(home: RemoteHome) -> None:
    done = operations.of_command("sync")[0]
    found = done.document(done.run(home.m, done.request(), Caller()))
    assert found["embedding"]["waits"]["texts"] == 3
    assert found["embedding"]["waits"]["dollars"] > 0
    status = operations.of_command("status")[0]
    assert status.document(status.run(home.m, NoArguments(), Caller()))["embedding"]["missing"]["private"] == 1


def test_the_estimate_names_what_is_sent_what_it_costs_and_what_stays(home: RemoteHome) -> None:
    done = home.m.sync()
    assert done.embedding is not None
    assert done.embedding.waits is not None
    lines = estimate_lines(done.embedding.waits._replace(prices=Prices(0.02, 0.01), calibration_tokens=0))
    assert lines[:2] == [
        f"{home.space} needs vectors of 4 passages.",
        f"   sends    3 texts to {HOST}",
    ]
    assert lines[3] == "   stays    1 private passage, found by words alone"


# --- spaces -------------------------------------------------------------------------------------------------


def test_spaces_are_listed_with_what_they_are_used_for(home: RemoteHome) -> None:
    home.m.sync(agrees=True)
    first, second = kept_spaces(home.m.parts)
    assert (first.state.name, first.state.use, first.state.vectors, first.cached) == (home.space, "searched", 3, 3)
    assert (second.state.use, second.state.vectors) == ("kept", 4)
    home.m.indexing.indexes.cache().put("voyage/old/2/plain", {"ab" * 32: numpy.ones(2, "f4")})
    last = kept_spaces(home.m.parts)[-1]
    assert (last.state.name, last.state.use, last.cached) == ("voyage/old/2/plain", "left over", 1)


def test_a_space_is_dropped_only_after_a_yes_and_then_leaves_nothing(home: RemoteHome) -> None:
    home.m.sync(agrees=True)
    home.records.suspect(home.space, "changed")
    with pytest.raises(NeedsConsent, match=r"deletes 3 vectors of .*, and 3 exact ones.*takes about .* tokens, \$"):
        drop_space(home.m.parts, home.space, yes=False)
    assert home.status().filled == 1.0
    done = drop_space(home.m.parts, "priced/priced-1", yes=True)
    assert (done.name, done.vectors, done.cached, done.refill.missing.texts) == (home.space, 3, 3, 3)
    assert home.m.indexing.indexes.cache().count().get(home.space, 0) == 0
    assert (home.records.agreement(home.space), home.records.suspicion(home.space)) == (None, None)
    assert home.m.search("green tea").results
    home.embedder.sent.clear()
    home.m.sync()
    assert home.embedder.sent == [], "filling it again needs another yes"
    home.m.sync(agrees=True)
    assert len(home.embedder.sent) == 3


def test_a_space_that_only_the_cache_knows_can_be_dropped(home: RemoteHome) -> None:
    home.m.sync()
    home.m.indexing.indexes.cache().put("voyage/voyage-3.5/2/plain", {"ab" * 32: numpy.ones(2, "f4")})
    done = drop_space(home.m.parts, "voyage", yes=True)
    assert (done.vectors, done.cached) == (0, 1)
    assert done.refill.prices is not None


def test_the_built_in_space_is_never_dropped(home: RemoteHome) -> None:
    home.m.sync()
    with pytest.raises(ConfigError, match="is the built-in space"):
        drop_space(home.m.parts, "builtin", yes=True)


def test_a_space_that_is_not_there_or_not_clear_is_named(home: RemoteHome) -> None:
    home.m.sync()
    with pytest.raises(NotFound, match=r"There is no space nothing\. `memoro space list` shows them: "):
        drop_space(home.m.parts, "nothing", yes=True)
    for model in ("a", "b"):
        home.m.indexing.indexes.cache().put(f"voyage/{model}/2/plain", {"ab" * 32: numpy.ones(2, "f4")})
    with pytest.raises(ConfigError, match="voyage may be voyage/a/2/plain or voyage/b/2/plain"):
        drop_space(home.m.parts, "voyage", yes=True)


# --- doctor ---------------------------------------------------------------------------------------------------


def test_doctor_embeds_three_samples_again_and_is_content(home: RemoteHome) -> None:
    home.m.sync(agrees=True)
    home.embedder.sent.clear()
    check = home.check()
    assert (check.state, check.found) == ("ok", f"{home.space} answers as it did for 3 samples")
    assert len(home.embedder.sent) == 3
    assert not any("knee" in text for text in home.embedder.sent)


def test_another_model_behind_the_same_name_is_found_and_its_space_is_not_searched_until_it_is_back(
    home: RemoteHome,
) -> None:
    home.m.sync(agrees=True)
    same, home.embedder = home.embedder, PricedEmbedder()
    home.embedder.turn = 1
    home.m = home.open()
    check = home.check()
    assert check.state == "failed"
    assert f"the model behind {home.space} has changed" in check.found
    assert f"memoro space drop {home.space}" in check.remedy
    answer = home.m.search("green tea")
    assert answer.results
    assert any("has changed" in said and "searched with the built-in model" in said for said in answer.degraded)
    home.embedder = same
    home.m = home.open()
    assert home.check().found.endswith("it is searched again")
    assert home.m.search("green tea").degraded == ()


def test_an_outage_is_a_warning_and_says_nothing_about_the_model(home: RemoteHome) -> None:
    home.m.sync(agrees=True)
    home.embedder.is_down = True
    check = home.check()
    assert (check.state, home.records.suspicion(home.space)) == ("warning", None)
    assert f"{HOST} cannot be reached" in check.found


def test_doctor_sends_nothing_before_the_space_is_complete(home: RemoteHome) -> None:
    home.m.sync()
    assert home.check().state == "ok"
    assert home.embedder.sent == []


def test_doctor_says_why_a_space_that_is_not_complete_was_not_filled(home: RemoteHome) -> None:
    home.m.sync()
    home.records.set_breaker(f"{HOST} document", BreakerState(1, 0.0, f"{HOST} does not accept the key."))
    check = home.check()
    assert check.state == "warning"
    assert check.found == f"{home.space} is 0 % filled: {HOST} does not accept the key"


def test_doctor_does_not_wait_long_for_a_server_that_hangs(home: RemoteHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home.m.sync(agrees=True)
    answers, embed = threading.Event(), home.embedder.embed

    def hang(texts: Sequence[str], role: Role) -> Vectors:
        answers.wait()
        return embed(texts, role)

    monkeypatch.setattr(home.embedder, "embed", hang)
    monkeypatch.setattr(provider_checks, "SAMPLE_SECONDS", 0.05)
    check = home.check()
    answers.set()
    assert check.state == "warning"
    assert "has not answered within 50 ms" in check.found


def test_a_search_says_once_why_its_space_is_not_complete(home: RemoteHome) -> None:
    home.m.sync(agrees=True)
    home.embedder.is_down = True
    home.records.set_breaker(f"{HOST} document", BreakerState(1, 0.0, f"{HOST} cannot be reached."))
    (home.vault / "kayak.md").write_text("a red kayak")
    (said,) = home.m.search("kayak").degraded
    assert said.endswith(
        f"% filled, and the rest waits, because {HOST} cannot be reached; searched with the built-in model instead"
    )


def test_doctor_checks_the_key_and_the_address(tmp_path: Path) -> None:
    key = tmp_path / "openai.key"
    key.write_text("sk-test-0123456789")
    key.chmod(0o644)
    chosen = EmbeddingSettings(provider="openai", key=f"file:{key}", url="http://0x7f000001/v1")
    found = {check.name: check for check in check_settings(chosen, {})}
    assert found["key"].state == found["address"].state == "failed"
    assert "chmod 600" in found["key"].found
    assert "sk-test" not in str(found)
    key.chmod(0o600)
    found = {check.name: check for check in check_settings(chosen._replace(url="http://127.0.0.1:11434/v1"), {})}
    assert found["key"].state == found["address"].state == "ok"
    named = chosen._replace(url="http://nas.lan:11434/v1")
    assert {check.name: check.state for check in check_settings(named, {})}["address"] == "failed"
    assert {check.name: check.state for check in check_settings(named, {}, ("nas.lan",))}["address"] == "ok"

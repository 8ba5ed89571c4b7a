"""`memoro provider test`: what it says about each server, sound or not, and what it keeps."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.errors import ProviderError, RequestTooLarge
from memoro.model.vocabulary import EmbeddingProvider
from memoro.model_probing import ProbedModel, ProbeReport, probe_model
from memoro.providers.circuit_breaker import CLOSED
from memoro.providers.probe_lengths import read_length
from memoro.providers.probe_samples import long_text, passages
from memoro.providers.records import BreakerState, ServerFacts, server_name
from memoro.providers.registry import EmbedderSettings
from tests.conftest import write_vault
from tests.standin import FLAVOURS, Fault, Faults, Flavour, Limits, Options, Standin, standin

pytest.importorskip("httpx", reason='the extra is not installed: pip install "memoro[remote]"')
MODELS: dict[Flavour, tuple[EmbeddingProvider, str]] = {
    "openai": ("openai", "text-embedding-3-small"),
    "voyage": ("voyage", "voyage-3.5"),
    "gemini": ("gemini", "gemini-embedding-2"),
}


@pytest.fixture
def m(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[memoro.Workspace]:
    monkeypatch.setenv("A_KEY", "sk-right")
    vault = write_vault(tmp_path / "vault", {"tea.md": "green tea\n", "diary.md": "#private\n\nmy secret wish\n"})
    with memoro.open(tmp_path / "home", vault) as opened:
        opened.sync()
        yield opened


def tried(m: memoro.Workspace, server: Standin, dimensions: int | None = None, model: str = "mine") -> ProbeReport:
    provider, name = MODELS.get(server.flavour, ("compatible", model))
    asked = ProbedModel(provider=provider, url=server.url, model=name, key="env:A_KEY", dimensions=dimensions)
    return probe_model(m.parts, asked)


def said(report: ProbeReport) -> dict[str, str]:
    return {one.topic: f"{one.verdict}: {one.found} {one.remedy}".strip() for one in report.findings}


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_sound_server_can_be_used(flavour: Flavour, m: memoro.Workspace) -> None:
    with standin(flavour) as server:
        report = tried(m, server)
    assert report.is_usable, said(report)
    assert [one.verdict for one in report.findings] == ["ok"] * len(report.findings)
    assert report.measured.dimensions == (server.vector("x", report.model)).shape[0]
    cuts = {"ollama": "It cuts texts after about 5", "lmstudio": "It cuts texts after about 5"}
    refuses = {"llamacpp": "It refuses texts of more than about 5", "tei": "It refuses texts of more than about 5"}
    expected = {**cuts, **refuses}.get(flavour, "It re")
    assert expected in said(report)["long texts"]
    assert (report.measured.cut_at is not None) == (flavour in cuts)
    assert report.measured.takes_dimensions == (flavour in ("openai", "ollama", "voyage", "gemini"))
    assert ("base64" in said(report)) == (flavour not in ("voyage", "gemini"))
    wants_roles = flavour in ("voyage", "gemini")
    assert ("in another way" in said(report)["queries"]) == wants_roles
    assert report.whole_index is not None and report.whole_index.passages == 2


def test_it_sends_nothing_of_the_owner_and_counts_what_it_sends(m: memoro.Workspace) -> None:
    with standin("ollama") as server:
        report = tried(m, server)
        sent = " ".join(text for request in server.requests for text in request.texts)
    assert "green tea is" not in sent and "secret" not in sent
    (row,) = m.usage().sums
    assert (row.purpose, row.provider, row.model) == ("test", "compatible", "mine")
    assert row.requests == report.requests == len(server.requests)
    assert report.dollars == 0.0 and report.tokens > 0


def test_what_it_learns_is_kept_and_a_rest_of_the_server_ends(m: memoro.Workspace) -> None:
    with standin("ollama") as server:
        records = m.parts.indexing.records()
        host = server.url.removeprefix("http://").removesuffix("/v1")
        records.set_breaker(f"{host} query", BreakerState(3, 9e9, "It was down."))
        server.set_faults("cap 10")
        report = tried(m, server)
    assert "It takes 10 texts in one request and not 16" in said(report)["texts at once"]
    assert records.breaker(f"{host} query") == CLOSED
    assert records.facts(server_name(server.url, "mine")) == ServerFacts(
        dimensions=256, most_texts=10, takes_dimensions=True, is_truncating=True
    )


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("key refused", "does not accept the key"),
        ("quota", "billing page"),
        ("html", "web page"),
        ("redirect 302", "follows no redirects"),
        ("500", "HTTP 500"),
        ("nan", "Is it a model for embeddings?"),
        ("dropped", ""),
    ],
)
def test_a_server_that_fails_cannot_be_used_and_it_says_why(
    fault: Fault, complaint: str, m: memoro.Workspace
) -> None:
    with standin("openai") as server:
        server.set_faults(fault)
        report = tried(m, server)
        assert not report.is_usable and complaint in said(report)["connection"]
        assert len(server.requests) == 1
        assert "sk-right" not in str(report)


def test_a_server_that_is_down_or_has_no_such_model_or_no_key_cannot_be_used(m: memoro.Workspace) -> None:
    with standin("ollama") as server:
        report = tried(m, server, model="missing-model")
        assert "has no model missing-model" in said(report)["connection"]
        server.stop()
        report = tried(m, server)
    assert not report.is_usable and "cannot be reached" in said(report)["connection"]
    report = probe_model(m.parts, ProbedModel(provider="openai", key="env:NO_SUCH_KEY"))
    assert not report.is_usable and report.requests == 0


@pytest.mark.parametrize(
    ("flavour", "complaint"), [("vllm", "refuses `embedding.dim"), ("lmstudio", "ignores `embedding.dim")]
)
def test_a_width_that_the_server_does_not_make_is_refused(
    flavour: Flavour, complaint: str, m: memoro.Workspace
) -> None:
    with standin(flavour) as server:
        report = tried(m, server, dimensions=100)
    assert not report.is_usable and complaint in said(report)["width"]
    assert "config unset embedding.dimensions" in said(report)["width"]


def test_a_width_that_the_server_makes_is_tested_throughout(m: memoro.Workspace) -> None:
    with standin("ollama") as server:
        report = tried(m, server, dimensions=100)
        assert report.is_usable and "have 100 numbers" in said(report)["width"]


@pytest.mark.parametrize(("fault", "width"), [("narrow", 768), ("quarter", 384)])
def test_a_model_of_another_width_than_its_name_says_is_another_model(
    fault: Fault, width: int, m: memoro.Workspace
) -> None:
    with standin("openai") as server:
        server.set_faults(fault)
        report = tried(m, server)
    assert not report.is_usable
    assert f"have {width} numbers, where text-embedding-3-small has 1536." in said(report)["width"]
    assert ("base64 as numbers" in said(report)["width"]) == (fault == "quarter")


@pytest.mark.parametrize("fault", ["silent cap 10", "one for many"])
def test_a_server_that_takes_few_texts_is_asked_for_fewer(fault: Fault, m: memoro.Workspace) -> None:
    with standin("ollama") as server:
        server.set_faults(fault)
        report = tried(m, server)
    assert report.is_usable
    assert report.measured.most_texts == {"silent cap 10": 8, "one for many": 1}[fault]


def test_short_limits_come_with_advice(m: memoro.Workspace) -> None:
    for flavour in ("ollama", "llamacpp"):
        with standin(flavour, options=Options(limits=Limits(1000, 10**9, 100))) as server:
            report = tried(m, server)
        found = report.measured.cut_at or report.measured.refused_at
        assert found is not None and 85 <= found <= 115
        assert "chunking.tokens " in said(report)["long texts"]
        assert report.is_usable, "long passages are found by words"


def test_a_busy_server_is_asked_again(m: memoro.Workspace) -> None:
    with standin("ollama") as server:
        server.set_faults(Faults(script=("429 seconds", None, None, "429 date"), retry_after=0))
        assert tried(m, server).is_usable


def test_the_built_in_model_is_tested_where_no_other_is_set(m: memoro.Workspace) -> None:
    report = probe_model(m.parts, ProbedModel())
    assert report.is_usable and report.host is None and report.measured.dimensions == 256
    assert m.usage().sums == ()


def test_another_server_gets_neither_the_key_nor_the_width_of_the_settings() -> None:
    mine = EmbedderSettings(provider="openai", key="env:OPENAI_API_KEY", dimensions=256, price=5.0)
    same = ProbedModel(model="text-embedding-3-large").of(mine)
    assert same == mine._replace(model="text-embedding-3-large")
    other = ProbedModel(url="http://127.0.0.1:1/v1", model="x").of(mine)
    assert (other.provider, other.key, other.dimensions, other.price) == ("compatible", None, None, None)
    assert ProbedModel(provider="voyage").of(mine).key is None
    assert ProbedModel(dimensions=64).of(mine) == mine._replace(dimensions=64)


@pytest.mark.parametrize("provider", ["builtin", "fastembed", "model2vec"])
def test_a_server_that_is_named_is_tested_though_the_settings_ask_none_yet(provider: EmbeddingProvider) -> None:
    mine = EmbedderSettings(provider=provider, url="http://127.0.0.1:1/v1", model="m", key="env:A_KEY")
    named = ProbedModel(url=mine.url, model="m")
    assert named.of(mine) == mine._replace(provider="compatible")
    assert named._replace(url="http://127.0.0.1:2/v1").of(mine).provider == "compatible"
    assert named._replace(provider=provider).of(mine) == mine


def test_a_server_of_the_settings_that_is_down_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoro.cli import main

    monkeypatch.setenv("MEMORO_HOME", str(tmp_path / "home"))
    url = "http://127.0.0.1:1/v1"
    assert main(["config", "set", "embedding.url", url]) == main(["config", "set", "embedding.model", "m"]) == 0
    capsys.readouterr()
    assert main(["provider", "test", "--url", url, "--model", "m"]) == 1
    assert "minilm" not in (shown := capsys.readouterr().out) and shown.endswith("m cannot be used like this.\n")


# --- how much of a text is read -------------------------------------------------------------------------


class Cutting:
    """Reads so many words of a text, and refuses texts that are longer than others."""

    def __init__(self, reads: int, takes: int = 10**9) -> None:
        self._reads, self._takes = reads, takes

    def ask(self, texts: Sequence[str]) -> tuple[Any, int | None]:
        words = [text.split() for text in texts]
        if max(map(len, words)) > self._takes:
            raise RequestTooLarge("too long")
        sums = [zlib.crc32(" ".join(one[: self._reads]).encode()) for one in words]
        return numpy.array(sums, numpy.float64)[:, None] / 2**32, sum(map(len, words))


LENGTHS = (128, 256, 512, 1024, 2048)


@given(limit=st.integers(40, 1400))
def test_the_place_where_texts_are_cut_is_found(limit: int) -> None:
    found = read_length(Cutting(limit).ask, LENGTHS, 1e-6)
    assert found.outcome == "cut"
    assert abs(found.tokens - limit) <= max(16, 0.15 * limit)


@given(limit=st.integers(40, 2000))
def test_the_length_from_which_texts_are_refused_is_found(limit: int) -> None:
    found = read_length(Cutting(10**9, limit).ask, LENGTHS, 1e-6)
    assert found.outcome == "refused"
    assert abs(found.tokens - limit) <= max(16, 0.15 * limit)


def test_a_model_that_reads_all_is_believed_as_far_as_it_was_tried() -> None:
    assert read_length(Cutting(10**9).ask, LENGTHS, 1e-6) == ("whole", 2048)

    def broken(texts: Sequence[str]) -> tuple[Any, int | None]:
        raise ProviderError(texts[0][:3])

    with pytest.raises(ProviderError):
        read_length(broken, LENGTHS, 1e-6)


@given(words=st.integers(4, 3000))
def test_twins_differ_only_in_their_last_quarter(words: int) -> None:
    one, other = (long_text(words, end).split() for end in (0, 1))
    assert len(one) == len(other) == words
    same = words - max(1, round(words / 4))
    assert one[:same] == other[:same] and one[same:] != other[same:]
    assert len(set(passages(100))) == 100


# --- the command ----------------------------------------------------------------------------------------


def test_the_command_says_it_in_words_and_as_json(
    m: memoro.Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoro.cli import main

    monkeypatch.setenv("MEMORO_HOME", m.home)
    m.close()
    with standin("ollama") as server:
        to = ["provider", "test", "--url", server.url, "--model", "mine"]
        assert main(to) == 0
        shown = capsys.readouterr().out
        assert shown.startswith("✓ connection: mine at 127.0.0.1")
        assert "privacy: texts stay on this machine." in shown and shown.endswith("mine can be used.\n")
        assert "your index: 2 passages" in shown
        assert main([*to, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["is_usable"] is True and document["measured"]["dimensions"] == 256
        server.stop()
        assert main(to) == 1
        assert "cannot be used" in capsys.readouterr().out
    assert main(["provider", "test", "--model", "x"]) == 2
    assert numpy.isfinite(document["measured"]["query_seconds"])

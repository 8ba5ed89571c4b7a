"""Local models: made from a folder or a download, loaded once, refused once their files have changed."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import ProviderError, ProviderRejected, ProviderUnavailable, TextRejected
from memoro.index.model_download import ModelDownload
from memoro.model.vocabulary import EmbeddingProvider
from memoro.providers import local_models
from memoro.providers.auto import choose
from memoro.providers.downloads import Download, download, pending_download, shown_bytes
from memoro.providers.local_embedder import LOAD_SECONDS, LocalEmbedder, make_local, unload, verify_model
from memoro.providers.local_models import LOCAL_PROVIDERS, LocalProvider, ModelName, local_provider, parse_name
from memoro.providers.ports import info_of
from memoro.providers.registry import EmbedderSettings, ProviderContext
from memoro.store.plain.provider_records import PlainProviderRecords
from tests.loopback_hub import COMMIT, LoopbackHub, loopback_hub
from tests.tiny_models import WIDTH, make_onnx_model, make_static_model

MAKERS: dict[LocalProvider, Callable[[Path], Path]] = {"fastembed": make_onnx_model, "model2vec": make_static_model}


@pytest.fixture(params=LOCAL_PROVIDERS)
def provider(request: pytest.FixtureRequest) -> LocalProvider:
    name: LocalProvider = request.param
    pytest.importorskip(name, reason=f'the extra is not installed: pip install "memoro[{name}]"')
    return name


@pytest.fixture
def model(provider: LocalProvider, tmp_path: Path) -> Path:
    return MAKERS[provider](tmp_path / "model")


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with loopback_hub() as running:
        yield running


@pytest.fixture(autouse=True)
def no_connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse connections to other machines, whoever tries."""
    connect, tried = socket.socket.connect, list[str]()

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] != "127.0.0.1":
            tried.append(str(address))
            raise OSError("a test reaches for another machine")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    return tried


def context(home: Path | str, *, may_ask: bool = True) -> ProviderContext:
    records = PlainProviderRecords()
    return ProviderContext(environment={}, records=lambda: records, folder=str(home), may_ask=may_ask)


def made(
    provider: LocalProvider, model: Path | str, home: Path, *, may_ask: bool = True, **more: Any
) -> LocalEmbedder:
    settings = EmbedderSettings(provider=provider, model=str(model), **more)
    return make_local(provider, settings, context(home, may_ask=may_ask))


def cosine(embedder: LocalEmbedder, first: str, second: str) -> float:
    one, other = embedder.embed([first, second], "document")
    return float(one @ other)


# --- a folder that the owner names ----------------------------------------------------------------------


def test_a_folder_becomes_an_embedder_that_costs_nothing_and_sends_nothing(
    provider: LocalProvider, model: Path, tmp_path: Path, no_connections: list[str]
) -> None:
    embedder = made(provider, model, tmp_path / "home")
    space, info = embedder.space, info_of(embedder)
    assert (space.provider, space.model.partition("#")[0], space.dimensions) == (provider, "model", WIDTH)
    assert (info.host, info.is_home, info.is_free) == (None, True, True)
    assert cosine(embedder, "green tea", "green tea for the guests") > cosine(embedder, "green tea", "the dog")
    assert no_connections == []


def test_only_a_sync_prepares_a_folder_and_all_others_then_use_it(
    provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    with pytest.raises(ProviderUnavailable, match="Run `memoro sync`"):
        made(provider, model, tmp_path / "home", may_ask=False)
    prepared = made(provider, model, tmp_path / "home")
    again = made(provider, model, tmp_path / "home", may_ask=False)
    assert again.space == prepared.space
    assert (again.embed(["tea"], "query") == prepared.embed(["tea"], "query")).all()


def test_a_missing_folder_or_one_without_a_model_is_said(provider: LocalProvider, tmp_path: Path) -> None:
    with pytest.raises(ProviderRejected, match="there is no such folder"):
        made(provider, tmp_path / "nothing", tmp_path / "home")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProviderRejected, match=f"holds no model for {provider}"):
        made(provider, tmp_path / "empty", tmp_path / "home")


def test_a_model_that_cannot_be_parsed_is_said_with_its_folder(
    provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    for name in ("model.onnx", "model.safetensors"):
        if (model / name).exists():
            (model / name).write_bytes(b"no model")
    with pytest.raises(ProviderRejected, match=f"{provider} cannot load the model in {model}"):
        made(provider, model, tmp_path / "home")
    assert not (tmp_path / "home" / "models").exists()


@pytest.mark.parametrize(
    "name", ["relative/path/of/three", "./here", "name", "a b/c", "..", "a/..", "a/b@", "a/b@-x"]
)
def test_what_names_no_model_is_refused(name: str) -> None:
    with pytest.raises(ProviderRejected, match="names no model"):
        parse_name(name, "fastembed")


def test_names_revisions_and_folders_are_told_apart() -> None:
    assert parse_name("BAAI/bge-small-en-v1.5", "fastembed") == ModelName("BAAI/bge-small-en-v1.5")
    assert parse_name("minishlab/potion-base-8M@v1", "model2vec") == ModelName("minishlab/potion-base-8M", "v1")
    assert parse_name("/models/mine", "fastembed") == ModelName("/models/mine", is_folder=True)
    assert parse_name("~/mine", "fastembed").text == os.path.expanduser("~/mine")
    assert parse_name(None, "model2vec").text == "minishlab/potion-retrieval-32M"


def test_a_home_in_memory_uses_a_folder_too(provider: LocalProvider, model: Path) -> None:
    settings = EmbedderSettings(provider=provider, model=str(model))
    embedder = make_local(provider, settings, context(":memory:"))
    assert make_local(provider, settings, context(":memory:", may_ask=False)).space == embedder.space
    with pytest.raises(ProviderRejected, match="A home in memory keeps no models"):
        make_local(provider, settings._replace(model=None), context(":memory:"))


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    for provider in LOCAL_PROVIDERS:
        with pytest.raises(ProviderRejected, match=rf'pip install "memoro\[{provider}\]"'):
            made(provider, tmp_path, tmp_path / "home")
        with pytest.raises(ProviderRejected, match=rf'pip install "memoro\[{provider}\]"'):
            pending_download(EmbedderSettings(provider=provider), str(tmp_path))


# --- vectors --------------------------------------------------------------------------------------------


def test_fewer_dimensions_are_the_first_ones_and_a_space_of_their_own(
    provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    whole = made(provider, model, tmp_path / "home")
    short = made(provider, model, tmp_path / "home", dimensions=8)
    assert (short.space.dimensions, short.space.model) == (8, whole.space.model)
    expected = whole.embed(["green tea"], "query")[:, :8]
    assert short.embed(["green tea"], "query") == pytest.approx(expected / numpy.linalg.norm(expected), abs=1e-5)
    for dimensions in (0, WIDTH + 1):
        with pytest.raises(ProviderRejected, match=f"has vectors of {WIDTH} numbers"):
            made(provider, model, tmp_path / "home", dimensions=dimensions)


def test_a_model_with_prompts_puts_them_before_texts_by_their_role(
    provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    plain = made(provider, model, tmp_path / "plain")
    (model / "config_sentence_transformers.json").write_text('{"prompts": {"query": "dog ", "document": ""}}')
    prompted = made(provider, model, tmp_path / "home")
    assert (plain.space.preparation, prompted.space.preparation) == ("text", "prompts")
    assert prompted.embed(["tea"], "query") == pytest.approx(plain.embed(["dog tea"], "query"), abs=1e-5)
    assert prompted.embed(["tea"], "document") == pytest.approx(plain.embed(["tea"], "document"), abs=1e-5)


def test_a_graph_that_pools_by_itself_is_taken_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    pooled = made("fastembed", make_onnx_model(tmp_path / "pooled", pooled=True), tmp_path / "home")
    plain = made("fastembed", make_onnx_model(tmp_path / "plain"), tmp_path / "home")
    texts = ["green tea", "the train to Berlin"]
    assert pooled.embed(texts, "document") == pytest.approx(plain.embed(texts, "document"), abs=1e-5)


def test_a_text_without_any_known_word_is_rejected_as_a_text(tmp_path: Path) -> None:
    pytest.importorskip("model2vec")
    embedder = made("model2vec", make_static_model(tmp_path / "model"), tmp_path / "home")
    with pytest.raises(TextRejected, match="knows no word of the text"):
        embedder.embed([""], "document")
    with pytest.raises(TextRejected, match="knows no word of a text"):
        embedder.embed(["tea", ""], "document")


# --- loading --------------------------------------------------------------------------------------------


def test_a_model_is_loaded_by_the_first_text_and_once_for_all_threads(
    provider: LocalProvider, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(provider, model, tmp_path / "home")
    unload()
    library = import_module(f"memoro.providers.{provider}")
    loads, load = list[str](), library.load

    def counted(*arguments: Any) -> Any:
        loads.append("load")
        return load(*arguments)

    monkeypatch.setattr(library, "load", counted)
    embedder = made(provider, model, tmp_path / "home", may_ask=False)
    assert (info_of(embedder).load_seconds, info_of(embedder).query_seconds, loads) == (
        LOAD_SECONDS,
        LOAD_SECONDS,
        [],
    )
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(embedder.embed(["tea"], "query"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == ["load"]
    assert len(answers) == 8
    assert all((answer == answers[0]).all() for answer in answers)
    assert (info_of(embedder).load_seconds, info_of(embedder).query_seconds) == (0.0, 0.4)


# --- files that have changed ----------------------------------------------------------------------------


@pytest.fixture
def unloaded(provider: LocalProvider, model: Path, tmp_path: Path) -> LocalEmbedder:
    embedder = made(provider, model, tmp_path / "home")
    unload()
    return embedder


def weights(model: Path) -> Path:
    return next(file for file in model.iterdir() if file.suffix in (".onnx", ".safetensors"))


def test_a_changed_file_is_refused_and_the_sentence_says_what_to_do(
    unloaded: LocalEmbedder, provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    file = weights(model)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    for may_ask in (False, True):
        with pytest.raises(ProviderRejected, match="has changed") as refused:
            made(provider, model, tmp_path / "home", may_ask=may_ask).embed(["tea"], "query")
        assert file.name in str(refused.value)
        assert "memoro sync" in str(refused.value)
    record = next((tmp_path / "home" / "models").glob("*.json"))
    assert str(record) in str(refused.value)
    record.unlink()
    assert made(provider, model, tmp_path / "home").space != unloaded.space


def test_a_file_that_was_copied_back_is_taken_and_its_new_time_recorded(
    unloaded: LocalEmbedder, provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    os.utime(weights(model), ns=(1, 1))
    assert made(provider, model, tmp_path / "home", may_ask=False).embed(["tea"], "query").any()
    assert made(provider, model, tmp_path / "home").space == unloaded.space
    record = next((tmp_path / "home" / "models").glob("*.json"))
    assert '"mtime_ns": 1,' in record.read_text()


def test_the_doctor_reads_every_byte(
    unloaded: LocalEmbedder, provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    settings, home = EmbedderSettings(provider=provider, model=str(model)), str(tmp_path / "home")
    found = verify_model(settings, home)
    assert found is not None
    assert found.change is None
    file, before = weights(model), weights(model).stat()
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert unloaded.embed(["tea"], "query").any()  # size and time are the same: a search does not read it all
    found = verify_model(settings._replace(provider="auto"), home)
    assert found is not None
    assert "has changed" in str(found.change)
    assert verify_model(EmbedderSettings(provider="openai"), home) is None


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"files": {}}', '{"files": 3, "provider": "x"}'])
def test_a_record_that_cannot_be_read_is_made_again(
    damage: str, unloaded: LocalEmbedder, provider: LocalProvider, model: Path, tmp_path: Path
) -> None:
    next((tmp_path / "home" / "models").glob("*.json")).write_text(damage)
    with pytest.raises(ProviderUnavailable, match="Run `memoro sync`"):
        made(provider, model, tmp_path / "home", may_ask=False)
    assert made(provider, model, tmp_path / "home").space == unloaded.space


# --- downloads ------------------------------------------------------------------------------------------

POTION = "minishlab/potion-base-8M"


@pytest.fixture
def wanted(hub: LoopbackHub, tmp_path: Path) -> Download:
    pytest.importorskip("model2vec")
    hub.repositories[POTION] = make_static_model(tmp_path / "source")
    found = pending(POTION, tmp_path / "home", hub)
    assert found is not None
    return found


def pending(model: str, home: Path, hub: LoopbackHub, provider: LocalProvider = "model2vec") -> Download | None:
    settings = EmbedderSettings(provider=provider, model=model)
    return pending_download(settings, str(home), {"HF_ENDPOINT": hub.endpoint})


def test_the_question_names_the_model_its_size_its_source_and_its_place(
    wanted: Download, hub: LoopbackHub, tmp_path: Path
) -> None:
    assert wanted.sentence == (
        f"The model {POTION} (30 MB) will be downloaded from {wanted.source} and kept in {tmp_path / 'home'}/models. "
        "It runs on this machine; no text leaves it."
    )
    unknown = pending("someone/unheard-of", tmp_path / "home", hub)
    assert unknown is not None
    assert "(size unknown)" in unknown.sentence
    plain = pending_download(EmbedderSettings(provider="model2vec"), str(tmp_path / "home"))
    assert plain is not None
    assert (plain.source, str(plain.name)) == ("huggingface.co", "minishlab/potion-retrieval-32M")
    assert hub.asked == []  # nobody was asked for anything before the owner's yes


def test_fastembed_says_the_sizes_of_its_models_and_which_it_does_not_know(hub: LoopbackHub, tmp_path: Path) -> None:
    pytest.importorskip("fastembed")
    found = pending("BAAI/bge-small-en-v1.5", tmp_path, hub, "fastembed")
    assert found is not None
    assert (shown_bytes(found.bytes or 0), found.repository) == ("67 MB", "Qdrant/bge-small-en-v1.5-onnx-Q")
    assert "model_optimized.onnx" in found.files
    with pytest.raises(ProviderRejected, match="fastembed knows no model some/thing"):
        pending("some/thing", tmp_path, hub, "fastembed")


def test_nothing_is_pending_for_a_folder_or_another_provider(tmp_path: Path) -> None:
    for settings in (
        EmbedderSettings(provider="fastembed", model=str(tmp_path)),
        EmbedderSettings(provider="openai"),
        EmbedderSettings(),
    ):
        assert pending_download(settings, str(tmp_path)) is None


def test_a_model_that_was_not_downloaded_is_never_fetched_by_using_it(wanted: Download, hub: LoopbackHub) -> None:
    for may_ask in (False, True):
        with pytest.raises(ProviderUnavailable, match="it asks before it downloads"):
            made("model2vec", POTION, Path(wanted.home), may_ask=may_ask)
    assert hub.asked == []


def test_a_download_is_used_by_its_name_and_is_for_its_owner_alone(wanted: Download, hub: LoopbackHub) -> None:
    seen: list[tuple[int, int]] = []
    download(wanted, lambda done, total: seen.append((done, total)))
    assert (
        seen[-1][0] == seen[-1][1] == sum((hub.repositories[POTION] / name).stat().st_size for name in downloaded())
    )
    home = Path(wanted.home)
    assert pending(POTION, home, hub) is None
    embedder = made("model2vec", POTION, home, may_ask=False)
    assert embedder.space.model.startswith(f"{POTION}#")
    assert cosine(embedder, "green tea", "green tea for the guests") > cosine(embedder, "green tea", "the dog")
    assert sorted(file.name for file in Path(wanted.folder).iterdir()) == downloaded()
    for file in (home / "models").rglob("*"):
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
    assert all("authorization" not in (name.lower() for name in headers) for _, _, headers in hub.asked)


def downloaded() -> list[str]:
    return ["config.json", "model.safetensors", "tokenizer.json"]


def test_a_home_may_be_moved_with_its_models(wanted: Download, tmp_path: Path) -> None:
    download(wanted)
    before = made("model2vec", POTION, Path(wanted.home), may_ask=False)
    os.rename(wanted.home, tmp_path / "elsewhere")
    after = made("model2vec", POTION, tmp_path / "elsewhere", may_ask=False)
    assert after.space == before.space
    assert after.embed(["tea"], "query").any()


def test_an_interrupted_download_is_resumed_and_never_used_half(wanted: Download, hub: LoopbackHub) -> None:
    hub.cut_after = 1000
    with pytest.raises(ProviderUnavailable, match="it continues from there"):
        download(wanted)
    with pytest.raises(ProviderUnavailable, match="not on this machine yet"):
        made("model2vec", POTION, Path(wanted.home))
    hub.cut_after, hub.asked = None, []
    download(wanted)
    ranges = [headers.get("Range") for _, path, headers in hub.asked if path.endswith("model.safetensors")]
    assert ranges == ["bytes=4000-"]  # four attempts brought a thousand bytes each
    fetched = Path(wanted.folder, "model.safetensors").read_bytes()
    assert fetched == (hub.repositories[POTION] / "model.safetensors").read_bytes()
    assert [file.name for file in Path(wanted.home, "models").glob("*partial*")] == []


def test_what_is_left_of_another_revision_is_not_mixed_in(wanted: Download) -> None:
    stale = Path(f"{wanted.folder}.partial-ffffffffffff")
    stale.mkdir(parents=True)
    (stale / "config.json").write_text("of another revision")
    download(wanted)
    assert not stale.exists()
    assert "another" not in Path(wanted.folder, "config.json").read_text()


def test_other_bytes_than_announced_are_deleted(wanted: Download, hub: LoopbackHub) -> None:
    hub.lies = True
    with pytest.raises(ProviderRejected, match=r"model\.safetensors of .* did not arrive as .* announced it"):
        download(wanted)
    assert not os.path.exists(wanted.folder)
    hub.lies = False
    download(wanted)
    assert made("model2vec", POTION, Path(wanted.home), may_ask=False).embed(["tea"], "query").any()


def test_a_revision_is_asked_for_and_kept_apart(wanted: Download, hub: LoopbackHub) -> None:
    pinned = pending(f"{POTION}@v1", Path(wanted.home), hub)
    assert pinned is not None
    download(pinned)
    assert hub.asked[0][1] == f"/api/models/{POTION}/revision/v1?blobs=true"
    assert pinned.folder.endswith("@v1")
    assert pending(POTION, Path(wanted.home), hub) is not None
    record = local_models.read_record(wanted.home, "model2vec", ModelName(POTION, "v1"))
    assert record is not None
    assert record.commit == COMMIT


def test_a_source_that_has_no_such_model_or_no_answer_is_said(wanted: Download, hub: LoopbackHub) -> None:
    with pytest.raises(ProviderRejected, match="has no model someone/else that it gives to everybody"):
        download(wanted._replace(repository="someone/else"))
    with pytest.raises(ProviderRejected, match="of the revision v9"):
        download(wanted._replace(name=ModelName(POTION, "v9")))
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        download(wanted._replace(endpoint="http://127.0.0.1:1"))
    with pytest.raises(ProviderRejected, match="HF_ENDPOINT"):
        download(wanted._replace(endpoint="file:///etc"))
    weights(hub.repositories[POTION]).unlink()
    with pytest.raises(ProviderRejected, match="holds no model for model2vec"):
        download(wanted)


def test_two_processes_do_not_download_at_once(wanted: Download) -> None:
    errors: list[ProviderError] = []

    def second(done: int, total: int) -> None:  # noqa: ARG001
        try:
            download(wanted)
        except ProviderUnavailable as error:
            errors.append(error)

    download(wanted, second)
    assert errors
    assert "another process is downloading" in str(errors[0])


def test_a_download_that_is_stopped_leaves_no_model(wanted: Download) -> None:
    def stop(done: int, _total: int) -> None:
        if done > 10_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(wanted, stop)
    assert not os.path.exists(wanted.folder)
    download(wanted)
    assert os.path.isdir(wanted.folder)


@given(st.integers(0, 10**13))
def test_a_size_is_shown_in_megabytes_or_gigabytes(count: int) -> None:
    number, unit = shown_bytes(count).split()
    assert float(number) * {"MB": 1e6, "GB": 1e9}[unit] == pytest.approx(max(count, 1e6), rel=0.6)


# --- auto -----------------------------------------------------------------------------------------------

REMOTE: tuple[EmbeddingProvider, ...] = ("openai", "gemini", "voyage")


@given(
    model=st.sampled_from([None, "text-embedding-3-small", "gemini-embedding-2", "voyage-4", "some/model"]),
    url=st.sampled_from([None, "http://127.0.0.1:11434/v1"]),
    keys=st.sets(st.sampled_from(REMOTE)),
    local=st.sampled_from([None, *LOCAL_PROVIDERS]),
)
def test_auto_takes_what_is_here_then_who_has_a_key_then_the_built_in_model(
    model: str | None, url: str | None, keys: set[EmbeddingProvider], local: LocalProvider | None
) -> None:
    local = local if model else None
    chosen, why = choose(EmbedderSettings(provider="auto", model=model, url=url), keys.__contains__, local)
    assert chosen != "auto"
    assert why
    if url:
        assert chosen == "compatible"
    elif local:
        assert chosen == local
    elif chosen in REMOTE:
        assert chosen in keys
        if model is None:
            assert chosen == min(keys, key=REMOTE.index)
    else:
        assert chosen == "builtin"
        assert model is not None or not keys


@pytest.mark.parametrize(
    ("model", "chosen"), [("text-embedding-3-large", "openai"), ("voyage-4", "voyage"), ("some/model", "builtin")]
)
def test_auto_sends_no_text_to_a_provider_that_does_not_have_the_model(model: str, chosen: str) -> None:
    found = choose(EmbedderSettings(provider="auto", model=model), lambda _: True, None)
    assert found.provider == chosen


def test_auto_knows_which_library_has_a_model(model: Path, provider: LocalProvider, tmp_path: Path) -> None:
    assert local_provider(str(model), str(tmp_path)) == provider
    assert local_provider(str(tmp_path / "nothing"), str(tmp_path)) is None
    assert local_provider("BAAI/bge-small-en-v1.5", str(tmp_path)) is None
    assert local_provider("text-embedding-3-small", str(tmp_path)) is None
    assert local_provider(None, str(tmp_path)) is None


def test_auto_knows_a_model_that_was_downloaded(wanted: Download) -> None:
    assert local_provider(POTION, wanted.home) is None
    download(wanted)
    assert local_provider(POTION, wanted.home) == "model2vec"


def test_a_sync_says_once_why_a_model_cannot_be_downloaded() -> None:
    why = "It needs a package that is not installed."
    said = ModelDownload(problem=why).better_said((f"vectors: {why}", "index: another notice"))
    assert said == (f"vectors: {why}", "index: another notice")

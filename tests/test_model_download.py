"""A local model from the first sync to the last search: asked for, downloaded, loaded by those who can wait."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import memoro
from memoro.providers.downloads import ENDPOINT
from memoro.providers.local_embedder import unload
from memoro.workspace import Workspace
from tests.command import Memoro
from tests.conftest import write_vault
from tests.loopback_hub import LoopbackHub, loopback_hub
from tests.tiny_models import make_onnx_model, make_static_model

POTION = "minishlab/potion-base-8M"
NOTES = {
    "tea.md": "# Tea\n\ngreen tea is steeped at seventy degrees\n",
    "train.md": "the night train to Berlin leaves from platform three\n",
}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    pytest.importorskip("model2vec", reason='the extra is not installed: pip install "memoro[model2vec]"')
    with loopback_hub() as running:
        running.repositories[POTION] = make_static_model(tmp_path / "source")
        monkeypatch.setenv(ENDPOINT, running.endpoint)
        yield running


@pytest.fixture
def wanting(hub: LoopbackHub, home: Path, vault: Path) -> Path:  # noqa: ARG001
    """A home whose owner wants a model that is not on this machine."""
    write_vault(vault, NOTES)
    return want(home, "model2vec", POTION)


def want(home: Path, provider: str, model: str) -> Path:
    home.mkdir(exist_ok=True)
    (home / "memoro.toml").write_text(f'[embedding]\nprovider = "{provider}"\nmodel = "{model}"\n')
    return home


def searched(m: Workspace) -> str:
    return next(space.name for space in m.status().spaces if space.use == "searched")


def test_a_sync_without_a_yes_downloads_nothing_and_says_what_waits(
    wanting: Path, vault: Path, hub: LoopbackHub
) -> None:
    with memoro.open(wanting, vault) as m:
        done = m.sync()
        assert done.download is not None
        assert (str(done.download.name), done.download.bytes, done.downloaded) == (POTION, 30_000_000, None)
        assert done.degraded == ()  # the question says it
        answer = m.search("green tea")
        assert answer.results[0].path == "tea.md"
        assert any("not on this machine yet" in said and "built-in model" in said for said in answer.degraded)
        assert hub.asked == []
        assert not (wanting / "models").exists()


def test_with_a_yes_the_model_is_downloaded_used_and_found_whole(wanting: Path, vault: Path) -> None:
    seen: list[tuple[int, int]] = []
    with memoro.open(wanting, vault) as m:
        done = m.sync(agrees=True, downloading=lambda at, total: seen.append((at, total)))
        assert (done.download, done.downloaded, done.degraded) == (None, POTION, ())
        assert seen[-1][0] == seen[-1][1] > 0
        answer = m.search("green tea")
        assert (answer.results[0].path, answer.degraded) == ("tea.md", ())
        assert searched(m).startswith(f"model2vec/{POTION}#")
        checks = {check.name: check for check in m.doctor()}
        assert (checks["model files"].state, checks["provider"].state) == ("ok", "ok")
        assert m.sync().downloaded is None


def test_a_download_that_fails_leaves_the_built_in_model_and_its_reason(
    wanting: Path, vault: Path, hub: LoopbackHub
) -> None:
    hub.repositories.clear()
    with memoro.open(wanting, vault) as m:
        done = m.sync(agrees=True)
        (said,) = done.degraded
        assert "has no model minishlab/potion-base-8M" in said
        assert searched(m).startswith("builtin/")


def test_the_command_says_what_it_would_download_and_yes_downloads_it(
    wanting: Path, memoro: Memoro, hub: LoopbackHub
) -> None:
    shown = memoro("sync").out
    assert f"The model {POTION} (30 MB) will be downloaded from 127.0.0.1:" in shown
    assert "`memoro sync --yes` agrees without being asked" in shown
    document = json.loads(memoro("sync", "--json").out)
    assert document["download"] == {
        "model": POTION,
        "source": hub.endpoint.removeprefix("http://"),
        "bytes": 30_000_000,
        "folder": str(wanting / "models" / "model2vec-minishlab--potion-base-8M"),
    }
    assert hub.asked == []
    assert f"downloaded the model {POTION}" in memoro("sync", "--yes").out
    status = memoro("status").out
    assert f"nothing leaves this machine (model2vec/{POTION}#" in status


def test_doctor_tells_which_file_of_a_model_has_changed(wanting: Path, vault: Path) -> None:
    with memoro.open(wanting, vault) as m:
        m.sync(agrees=True)
        with (next((wanting / "models").glob("*/config.json"))).open("a") as file:
            file.write(" ")
        unload()
        check = {check.name: check for check in m.doctor()}["model files"]
        assert check.state == "failed"
        assert "config.json is not the file that was downloaded" in check.found
        answer = m.search("green tea")
        assert answer.results[0].path == "tea.md"
        assert any("has changed on disk" in said for said in answer.degraded)


# --- who waits for a model to be loaded -----------------------------------------------------------------


@pytest.fixture(params=["fastembed", "model2vec"])
def local(request: pytest.FixtureRequest, home: Path, vault: Path, tmp_path: Path) -> Iterator[Workspace]:
    """A home with a local model whose space is complete, in a process that has not loaded it."""
    pytest.importorskip(request.param, reason=f'the extra is not installed: pip install "memoro[{request.param}]"')
    make = make_onnx_model if request.param == "fastembed" else make_static_model
    model = make(tmp_path / "model")
    write_vault(vault, NOTES)
    with memoro.open(want(home, request.param, str(model)), vault) as m:
        m.sync()
        unload()
        yield m


def is_loaded(m: Workspace) -> bool:
    from memoro.providers.ports import info_of

    return info_of(m.home_context.embedders(m.indexing.indexes.records).wanted).load_seconds == 0


def test_a_search_that_somebody_asks_for_loads_the_model(local: Workspace) -> None:
    assert not is_loaded(local)
    answer = local.search("green tea")
    assert (answer.results[0].path, answer.degraded) == ("tea.md", ())
    assert is_loaded(local)


def test_a_recall_loads_no_model_and_is_answered_by_the_built_in_one(local: Workspace, vault: Path) -> None:
    write_vault(vault, {"dog.md": "the dog is afraid of thunder\n"})  # to be embedded too
    recalled = local.recall("what is the dog afraid of?")
    assert "dog.md" in recalled.block
    assert not is_loaded(local)
    local.search("green tea")
    assert "tea.md" in local.recall("how is green tea steeped?").block
    assert is_loaded(local)


def test_a_search_after_an_edit_uses_the_local_model_all_the_same(local: Workspace, vault: Path) -> None:
    write_vault(vault, {"dog.md": "the dog is afraid of thunder\n"})
    answer = local.search("a dog and thunder")
    assert (answer.results[0].path, answer.degraded) == ("dog.md", ())
    assert searched(local).startswith(("fastembed/", "model2vec/"))


def test_auto_uses_the_model_of_a_folder(local: Workspace, home: Path, vault: Path) -> None:
    before = searched(local)
    settings = (home / "memoro.toml").read_text()
    (home / "memoro.toml").write_text(settings.replace(local.settings.embedding.provider, "auto"))
    with memoro.open(home, vault) as m:
        m.sync()
        assert searched(m) == before
        assert any("auto means" in said and "is on this machine" in said for said in m.status().notices)

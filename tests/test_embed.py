"""Keeping vectors complete: nothing is embedded twice, and a sync broken off anywhere is made good."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
import pytest

import memoro
from memoro.config import Settings
from memoro.index import sync as syncing
from memoro.index.report import Options, Report
from memoro.index.space_filling import Effort
from memoro.index.space_vectors import SpaceVectors
from memoro.index.sync_run import SyncSource
from memoro.index.vector_upkeep import VectorUpkeep
from memoro.model.answers import Where
from memoro.model.vocabulary import Role
from memoro.providers.builtin import model as builtin_model
from memoro.providers.builtin.model import SPACE, builtin
from memoro.providers.cached import Cached
from memoro.providers.ports import Space
from memoro.providers.registry import Embedders
from memoro.store.matrix import Matrix
from memoro.store.plain.home import PlainIndexHome
from memoro.store.ports import Index, IndexHome
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.vault.files import VaultFiles
from tests.conftest import write_vault
from tests.indexes import make_vault

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

RULES = Settings().rules
NOTES = {
    "tea.md": "# Tea\n\ngreen tea\n\n# Coffee\n\nblack coffee\n",
    "train.md": "the train to Berlin\n",
    "dog.md": "my dog is ill\n",
}


class Counting:
    """The real model, with a list of every text it was asked for."""

    def __init__(self, space: Space = SPACE) -> None:
        self.space = space
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:  # noqa: ARG002
        self.asked += texts
        return builtin().embed(texts)[:, : self.space.dimensions]


class Keeper:
    """A vault, a home and a counting model."""

    def __init__(self, home: IndexHome, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.model = Counting()
        self.vault = VaultFiles(str(folder))

    def upkeep(self, index: Index, model: Counting | None = None) -> VectorUpkeep:
        embedders = Embedders(wanted=model or self.model, builtin=self.model, other_widths=())
        upkeep = VectorUpkeep(self.home, embedders, Effort())
        upkeep.begin(index)
        return upkeep

    def vectors(self, index: Index, model: Counting | None = None) -> Any:
        space = (model or self.model).space
        return self.home.vectors(index, str(space), space.dimensions)

    def sync(self, model: Counting | None = None) -> Report:
        index = self.home.first()
        upkeep = self.upkeep(index, model)
        report = syncing.sync(index, SyncSource(self.vault, RULES), options(), upkeep)
        upkeep.fill()
        return report

    def rebuild(self) -> None:
        with self.home.next() as fresh:
            upkeep = self.upkeep(fresh)
            syncing.sync(fresh, SyncSource(self.vault, RULES), options(), upkeep)
            upkeep.take_from_cache()
        upkeep.fill()

    def asked(self) -> list[str]:
        """The texts that were embedded since the last look."""
        texts = sorted(self.model.asked)
        self.model.asked.clear()
        return texts

    def nearest(self, text: str, model: Counting | None = None) -> str:
        index = self.home.first()
        vector = (model or self.model).embed([text], "query")[0]
        (found, *_) = self.vectors(index, model).nearest(vector, 1)
        self.model.asked.clear()
        return index.look_up([found[0]], [])[0].passage.text

    def missing(self, model: Counting | None = None) -> int:
        """How many passages have no vector."""
        index = self.home.first()
        rows = self.vectors(index, model).rows([item.chunk for item in index.texts_after(0, 10_000)])
        return int((~rows.any(axis=1)).sum())


def options() -> Options:
    return Options("2026-03-03T12:00:00", accept_deletions=True)


@pytest.fixture(params=["sqlite", "memory"])
def keeper(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Keeper]:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    home: IndexHome = (
        SqliteIndexHome(str(folder), engine(str(folder))) if request.param == "sqlite" else PlainIndexHome()
    )
    yield Keeper(home, write_vault(tmp_path / "vault", NOTES))
    home.close()


def test_a_first_sync_embeds_every_passage_once(keeper: Keeper) -> None:
    keeper.sync()
    assert keeper.asked() == sorted(
        ["# Tea\n\ngreen tea", "# Coffee\n\nblack coffee", "the train to Berlin", "my dog is ill"]
    )
    assert keeper.missing() == 0
    assert keeper.nearest("a hot drink of green leaves") == "# Tea\n\ngreen tea"


def test_a_sync_that_finds_nothing_new_embeds_nothing(keeper: Keeper) -> None:
    keeper.sync()
    keeper.asked()
    keeper.sync()
    assert keeper.asked() == []


def test_an_edit_embeds_the_changed_passage_alone(keeper: Keeper) -> None:
    keeper.sync()
    keeper.asked()
    write_vault(keeper.folder, {"tea.md": NOTES["tea.md"].replace("black coffee", "white coffee")})
    keeper.sync()
    assert keeper.asked() == ["# Coffee\n\nwhite coffee"]
    assert keeper.missing() == 0
    write_vault(keeper.folder, NOTES)  # and back again
    keeper.sync()
    assert keeper.asked() == []
    assert keeper.nearest("black coffee") == "# Coffee\n\nblack coffee"


def test_a_rename_embeds_nothing(keeper: Keeper) -> None:
    keeper.sync()
    keeper.asked()
    os.rename(keeper.folder / "train.md", keeper.folder / "journey.md")
    keeper.sync()
    assert keeper.asked() == []
    assert keeper.missing() == 0
    assert keeper.nearest("railway to Berlin") == "the train to Berlin"


def test_a_rebuild_embeds_nothing_and_gives_the_same_vectors(keeper: Keeper) -> None:
    keeper.sync()
    before = by_text(keeper)
    keeper.asked()
    keeper.rebuild()
    assert keeper.asked() == []
    assert by_text(keeper) == before


def by_text(keeper: Keeper) -> dict[str, list[float]]:
    index = keeper.home.first()
    texts = index.texts_after(0, 10_000)
    rows = keeper.vectors(index).rows([item.chunk for item in texts])
    return {item.text: row.tolist() for item, row in zip(texts, rows, strict=True)}


def test_a_text_that_stands_in_many_notes_is_embedded_once(keeper: Keeper) -> None:
    write_vault(keeper.folder, {f"copy{number}.md": "the very same words" for number in range(20)})
    keeper.sync()
    assert keeper.asked().count("the very same words") == 1
    assert keeper.missing() == 0


def test_a_note_that_went_away_is_near_nothing_and_costs_nothing_when_it_returns(keeper: Keeper) -> None:
    keeper.sync()
    (keeper.folder / "train.md").unlink()
    keeper.sync()
    assert keeper.nearest("railway to Berlin") != "the train to Berlin"
    keeper.asked()
    write_vault(keeper.folder, {"train.md": NOTES["train.md"]})
    keeper.sync()
    assert keeper.asked() == []
    assert keeper.nearest("railway to Berlin") == "the train to Berlin"


def test_a_passage_without_words_has_no_vector_and_stops_nothing(keeper: Keeper) -> None:
    write_vault(keeper.folder, {"0.md": "\u200b\u200c", "z.md": "\u200b"})
    keeper.sync()
    assert keeper.missing() == 2
    write_vault(keeper.folder, {"zz.md": "a bicycle"})
    keeper.sync()
    assert keeper.missing() == 2
    assert keeper.nearest("riding a bike") == "a bicycle"


def test_spaces_live_side_by_side_and_each_is_kept_complete(keeper: Keeper) -> None:
    other = Counting(Space("test", "half", 128, "text"))
    keeper.sync()
    keeper.asked()
    keeper.sync(other)
    assert keeper.asked() == []
    assert len(other.asked) == 4
    assert (keeper.missing(), keeper.missing(other)) == (0, 0)
    assert keeper.vectors(keeper.home.first()).rows([1]).shape == (1, SPACE.dimensions)
    assert keeper.vectors(keeper.home.first(), other).rows([1]).shape == (1, 128)
    assert keeper.nearest("railway to Berlin", other) == "the train to Berlin"
    assert keeper.home.cache().count() == {str(SPACE): 4, str(other.space): 4}


@pytest.mark.slow
def test_many_more_than_a_batch_are_all_embedded(keeper: Keeper) -> None:
    write_vault(keeper.folder, {f"{number}.md": f"note number {number}" for number in range(1100)})
    keeper.sync()
    assert len(keeper.asked()) == 1104
    assert keeper.missing() == 0


def test_a_home_in_memory_never_gives_a_new_index_the_vectors_of_an_old_one(tmp_path: Path) -> None:
    keeper = Keeper(PlainIndexHome(), write_vault(tmp_path / "vault", NOTES))
    keeper.sync()
    for number in range(30):  # a number that Python gives to objects is given again soon
        write_vault(keeper.folder, {"new.md": f"note {number}"})
        keeper.rebuild()
        assert keeper.missing() == 0


# --- broken off -----------------------------------------------------------------------------------------


class Killed(BaseException):
    pass


STEPS: dict[str, tuple[Any, str, Callable[[Any], bool]]] = {
    "before the cache is filled": (Cached, "embed", lambda _: True),
    "before the first rows": (Matrix, "append", lambda _: True),
    "between the files": (Matrix, "_write", lambda arguments: arguments[1] == "scales"),
    "before the last file": (Matrix, "_write", lambda arguments: arguments[1] == "chunks"),
    "before erasing": (SpaceVectors, "erase", lambda arguments: bool(arguments[1])),
}


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_a_sync_broken_off_is_made_good_by_the_next(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, home = make_vault(tmp_path / "vault", 30), tmp_path / "home"
    with memoro.open(home, vault) as m:
        m.sync()
    rng = random.Random(3)
    for file in rng.sample(sorted(vault.rglob("*.md")), 10):
        file.write_text(f"# Tea\n\ngreen tea is drunk hot {rng.random()}\n")
    write_vault(vault, {"train.md": "the train to Berlin"})
    owner, name, applies = STEPS[step]
    real = getattr(owner, name)

    def dies(*arguments: Any, **named: Any) -> Any:
        if applies(arguments):
            raise Killed
        return real(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, dies)
        with memoro.open(home, vault) as m, pytest.raises(Killed):
            m.sync()
    with memoro.open(home, vault) as m:
        assert m.sync().rebuilt is None
        assert m.search("railway to Berlin", mode="vectors").results[0].path == "train.md"
        found = ids(m)
    with memoro.open(tmp_path / "fresh", vault) as m:
        assert found == ids(m)


def ids(m: memoro.Workspace) -> list[list[str]]:
    queries = ("a hot drink", "railway", "green leaves")
    return [[hit.id for hit in m.search(query, mode="vectors", limit=40).results] for query in queries]


def test_a_search_by_words_leaves_the_vectors_to_the_next_search_by_meaning(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", NOTES)
    with memoro.open(tmp_path / "home", vault) as m:
        m.sync()
        write_vault(vault, {"bike.md": "a bicycle", "train.md": "a walk in the park"})
        assert m.search("bicycle", mode="words").results[0].path == "bike.md"
        assert m.search("riding a bike", mode="vectors").results[0].path == "bike.md"
        assert "the train to Berlin" not in {hit.snippet for hit in m.search("railway", mode="vectors").results}


@pytest.mark.slow
def test_passages_that_went_away_unseen_by_the_vectors_take_no_places_from_others(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "green tea 0", "b.md": "a cup of green tea for the guests"})
    with memoro.open(tmp_path / "home", vault) as m:
        m.sync()
        for number in range(1, 101):  # each leaves a row behind, nearer to the query than the other note
            write_vault(vault, {"a.md": f"green tea {number}"})
            m.search("tea", mode="vectors")
            write_vault(vault, {"a.md": f"green tea again {number}"})
            m.search("tea", mode="words")
        found = {hit.path for hit in m.search("green tea", mode="vectors").results}
    assert found == {"a.md", "b.md"}


def test_the_model_that_cannot_be_loaded_costs_the_vectors_and_not_the_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        raise OSError(24, "Too many open files")

    vault = write_vault(tmp_path / "vault", NOTES)
    with memoro.open(tmp_path / "home", vault) as m:
        with monkeypatch.context() as patched:
            patched.setattr(builtin_model, "builtin", fails)
            assert m.sync().files == 3
            answer = m.search("tea")
            assert (answer.mode, answer.results[0].path) == ("words", "tea.md")
            assert answer.degraded[0].startswith("vectors: The built-in model cannot be loaded")
        assert m.search("a hot drink", mode="vectors").degraded == ()


def test_filters_that_admit_nothing_find_nothing(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", write_vault(tmp_path / "vault", NOTES)) as m:
        for mode in ("hybrid", "vectors", "words"):
            assert m.search("tea", mode=mode, tag="none", kind="transcript").results == ()


def test_the_numbers_of_vectors_are_those_of_the_passages(keeper: Keeper) -> None:
    keeper.sync()
    index = keeper.home.first()
    texts = index.texts_after(0, 100)
    rows = keeper.vectors(index).rows([item.chunk for item in texts])
    assert rows == pytest.approx(builtin().embed([item.text for item in texts]), abs=0.01)
    assert index.admitted(Where()) is None
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1.0] * len(texts), abs=0.02)

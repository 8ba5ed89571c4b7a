"""Changing the space: it is filled beside the old one, which answers until then, and nothing is rebuilt for it."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memoro
from memoro import config
from memoro.errors import ConfigError, StoreUnavailable, VectorsDamaged
from memoro.index import vector_upkeep
from memoro.index.space_vectors import SpaceVectors
from memoro.index.vector_upkeep import VectorUpkeep
from memoro.model.answers import Answer
from memoro.model.vocabulary import Dimensions
from memoro.providers.builtin.model import SPACE, builtin, shortened
from memoro.providers.ports import Space
from memoro.store.matrix import Matrix
from memoro.store.plain.home import PlainIndexHome
from memoro.store.ports import IndexHome
from memoro.store.space_progress import is_complete, settled
from memoro.store.sqlite.generations import Generations
from memoro.store.sqlite.home import SqliteIndexHome
from tests.conftest import run_memoro, times, write_vault
from tests.indexes import make_vault

WIDE, NARROW = str(SPACE), str(SPACE._replace(dimensions=128))
FILLER = "green tea and the train to Berlin, with a dog and a bicycle besides "


class Home:
    """A vault with notes, and a home whose number of dimensions can be changed."""

    def __init__(self, folder: Path, notes: int) -> None:
        self.folder = folder / "home"
        self.vault = write_vault(folder / "vault", {f"{n}.md": f"note {n} {FILLER}" for n in range(notes)})
        write_vault(self.vault, {"tea.md": "green tea", "train.md": "the train to Berlin"})
        with self.open() as m:
            m.sync()

    def open(self) -> memoro.Workspace:
        return memoro.open(self.folder, self.vault)

    def set(self, dimensions: int) -> None:
        (self.folder / "memoro.toml").write_text(f"[embedding]\ndimensions = {dimensions}\n")

    def spaces(self, m: memoro.Workspace) -> dict[str, str]:
        return {space.name: space.use for space in m.status().spaces}

    def files(self) -> list[str]:
        return sorted({file.name.rpartition(".")[0] for file in self.folder.glob("index.*.vectors-*")})

    def prefix(self, space: str) -> str:
        return Path(Generations(str(self.folder)).vectors(1, space)).name


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, 10)


@pytest.fixture
def big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """More passages than one slice fills."""
    monkeypatch.setattr(vector_upkeep, "SLICE_CHARACTERS", 20_000)
    return Home(tmp_path, 300)


def best(answer: Answer) -> str:
    return answer.results[0].path


def with_dimensions(
    m: memoro.Workspace, dimensions: Dimensions, index_home: IndexHome | None = None
) -> memoro.Workspace:
    """The same home with vectors of another length."""
    settings = m.settings._replace(embedding=config.EmbeddingSettings(dimensions=dimensions))
    return memoro.Workspace(m.home_context._replace(settings=settings), index_home=index_home)


def ask(m: memoro.Workspace) -> Answer:
    return m.search("railway to Berlin", mode="vectors")


# --- the model ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimensions", config.DIMENSIONS)
def test_a_shortened_vector_is_the_beginning_of_the_whole_one_made_one_long(dimensions: int) -> None:
    texts = ["green tea", "the train to Berlin", ""]
    model = shortened(dimensions)
    rows = model.embed(texts, "document")
    assert model.space == SPACE._replace(dimensions=dimensions)
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 0], abs=1e-5)
    whole = builtin().embed(texts)[:, :dimensions]
    assert rows * numpy.linalg.norm(whole, axis=1, keepdims=True) == pytest.approx(whole, abs=1e-6)


def test_the_numbers_of_the_table_stand_by_how_much_texts_differ_in_them() -> None:
    words = [line.split()[0] for line in FILLER.split(" ") if line] + [
        "music",
        "invoice",
        "garden",
        "server",
        "bread",
    ]
    spread = builtin().embed(words).var(axis=0)
    assert spread[:128].sum() > 1.5 * spread[128:].sum()
    assert spread[:64].sum() > spread[64:128].sum()


@given(
    st.builds(
        Space,
        provider=st.text("abc-_.", min_size=1),
        model=st.text("abc/-1", min_size=1),
        dimensions=st.integers(1, 4096),
        preparation=st.text("abc-", min_size=1),
    )
)
def test_the_name_of_a_space_tells_all_of_it(space: Space) -> None:
    assert Space.parse(str(space)) == space


def test_other_numbers_of_dimensions_are_refused() -> None:
    with pytest.raises(ConfigError, match="must be one of 256, 128, 64, not 100"):
        config.settle([config.Source("memoro.toml", {"embedding.dimensions": 100})])


# --- the change -----------------------------------------------------------------------------------------


def test_a_change_is_filled_by_one_sync_and_rebuilds_nothing(home: Home) -> None:
    home.set(128)
    with home.open() as m:
        assert m.sync().rebuilt is None
        status = m.status()
        assert (status.generation, status.model, status.vectors) == (1, NARROW, 12)
        assert home.spaces(m) == {NARROW: "searched"}
        answer = ask(m)
    assert (best(answer), answer.degraded) == ("train.md", ())
    assert home.files() == [home.prefix(NARROW)]


def test_embeddings_db_keeps_the_old_vectors_and_a_way_back_costs_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.set(128)
    with home.open() as m:
        m.sync()
        assert m.indexing.indexes.cache().count() == {WIDE: 12, NARROW: 12}
    home.set(256)

    def never(*_: object) -> None:
        raise AssertionError("what is known was embedded again")

    with home.open() as m, monkeypatch.context() as patched:
        patched.setattr(builtin(), "embed", never)
        m.sync()
        patched.undo()
        assert home.spaces(m) == {WIDE: "searched"}
        assert best(ask(m)) == "train.md"


def test_a_search_waits_for_a_slice_alone_and_goes_on_in_the_old_space(big: Home) -> None:
    big.set(128)
    with big.open() as m:
        before = None
        for _ in range(3):
            answer = ask(m)
            assert best(answer) == "train.md"
            (said,) = answer.degraded
            assert said.startswith(f"vectors: the space {NARROW} is ")
            assert f"% filled, and `memoro sync` completes it; searched with {WIDE} instead" in said
            states = {space.name: space for space in m.status().spaces}
            assert states[WIDE] == (WIDE, 302, 1.0, "searched")
            assert states[NARROW].use == "wanted"
            assert before is None or states[NARROW].filled > before > 0
            before = states[NARROW].filled
        searches = 0
        while ask(m).degraded:
            searches += 1
            assert searches < 30, "the searches never fill it"
        assert big.spaces(m) == {NARROW: "searched"}
        assert best(ask(m)) == "train.md"
    assert big.files() == [big.prefix(NARROW)]


def test_a_sync_completes_what_the_searches_began(big: Home) -> None:
    big.set(128)
    with big.open() as m:
        assert ask(m).degraded
        m.sync()
        assert ask(m).degraded == ()
        assert big.spaces(m) == {NARROW: "searched"}


def test_new_changed_and_lost_notes_are_right_in_both_spaces_meanwhile(big: Home) -> None:
    big.set(128)
    with big.open() as m:
        assert ask(m).degraded
        write_vault(big.vault, {"bike.md": "a bicycle", "tea.md": "an umbrella"})
        (big.vault / "train.md").unlink()
        answer = m.search("riding a bike", mode="vectors")
        assert (best(answer), len(answer.degraded)) == ("bike.md", 1)
        assert best(m.search("rain shelter umbrella", mode="vectors")) == "tea.md"
        assert "train.md" not in {hit.path for hit in ask(m).results}
        m.sync()
        assert best(m.search("riding a bike", mode="vectors")) == "bike.md"
        assert "train.md" not in {hit.path for hit in ask(m).results}
        assert ask(m).degraded == ()


def test_changing_ones_mind_goes_back_at_once(big: Home) -> None:
    big.set(128)
    with big.open() as m:
        assert ask(m).degraded
    big.set(256)
    with big.open() as m:
        assert ask(m).degraded == ()
        assert big.spaces(m) == {WIDE: "searched"}
    assert big.files() == [big.prefix(WIDE)]


def test_a_second_change_before_the_first_is_done_is_searched_in_the_complete_space(big: Home) -> None:
    big.set(128)
    with big.open() as m:
        assert ask(m).degraded
    big.set(64)
    with big.open() as m:
        assert f"searched with {WIDE} instead" in ask(m).degraded[0]
        assert sorted(big.spaces(m).values()) == ["left over", "searched", "wanted"]
        m.sync()
        assert list(big.spaces(m).values()) == ["searched"]
    assert len(big.files()) == 1


def test_two_with_different_wishes_both_get_right_answers(home: Home) -> None:
    (home.folder / "memoro.toml").write_text("[agents.small.embedding]\ndimensions = 64\n")
    for _ in range(2):
        for agent in (None, "small"):
            with memoro.open(home.folder, home.vault, agent=agent) as m:
                m.sync()
                assert (best(ask(m)), ask(m).degraded) == ("train.md", ())


def test_a_search_while_spaces_come_and_go_misses_nothing(home: Home) -> None:
    (home.folder / "memoro.toml").write_text("[sync]\non_search = false\n")
    wrong: list[object] = []
    ended = threading.Event()

    def search() -> None:
        with home.open() as m:
            while not ended.is_set():
                answer = ask(m)
                if answer.mode != "vectors" or [hit.path for hit in answer.results[:1]] != ["train.md"]:
                    wrong.append(answer)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(times(12, 300)):
        with home.open() as m, with_dimensions(m, (128, 256)[number % 2]) as other:
            other.sync()
    ended.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_vectors_wanted_after_the_index_was_made_are_filled_by_slices(big: Home) -> None:
    (big.folder / "memoro.toml").write_text("[embedding]\nenabled = false\n")
    with big.open() as m:
        m.sync(force=True)
        assert m.status().spaces == ()
    big.set(256)
    with big.open() as m:
        (said,) = m.search("railway to Berlin").degraded
        assert "some passages have none yet and are found by words alone until `memoro sync` completes them" in said
        m.sync()
        assert m.search("railway to Berlin").degraded == ()


def test_a_first_index_waits_for_all_its_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_upkeep, "SLICE_CHARACTERS", 100)
    vault = write_vault(tmp_path / "vault", {f"{n}.md": f"note {n} {FILLER}" for n in range(200)})
    with memoro.open(tmp_path / "home", vault) as m:
        assert m.search("note").degraded == ()
        write_vault(vault, {f"new{n}.md": f"new note {n} {FILLER}" for n in range(200)})
        assert m.search("note").degraded == ()  # what a sync adds is embedded at once
        assert m.status().vectors == 400


def test_a_home_in_memory_changes_spaces_too(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"tea.md": "green tea", "train.md": "the train to Berlin"})
    with memoro.open(":memory:", vault) as m:
        m.sync()
        with with_dimensions(m, 64, m.indexes()) as other:
            other.sync()
            assert [space.use for space in other.status().spaces] == ["searched"]
            assert (best(ask(other)), ask(other).degraded) == ("train.md", ())


def test_a_search_by_words_leaves_every_space_alone(big: Home) -> None:
    big.set(128)
    with big.open() as m:
        assert m.search("Berlin", mode="words").degraded == ()
        assert big.files() == [big.prefix(WIDE)]


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", ["forget", "drop", "unlink"])
def test_a_change_broken_off_as_the_old_space_is_dropped_is_made_good(
    at: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise Killed

    home.set(128)
    with home.open() as m, monkeypatch.context() as patched:
        if at == "unlink":
            patched.setattr(os, "unlink", dies)
        else:
            patched.setattr(*{"forget": (SpaceVectors, "drop"), "drop": (Matrix, "drop")}[at], dies)
        with pytest.raises(Killed):
            m.sync()
    with home.open() as m:
        assert (best(ask(m)), ask(m).degraded) == ("train.md", ())
        m.sync()
        assert home.spaces(m) == {NARROW: "searched"}
        assert m.indexing.indexes.current().check() == []  # type: ignore[union-attr]
    home.set(256)
    with home.open() as m:
        m.sync()
        assert (best(ask(m)), ask(m).degraded) == ("train.md", ())
        assert {check.name: check.state for check in m.doctor()}["vectors"] == "ok"


DIMENSIONS = st.sampled_from(config.DIMENSIONS)
STEPS = st.one_of(
    st.tuples(st.just("want"), DIMENSIONS),
    st.tuples(st.just("search"), st.just(0)),
    st.tuples(st.just("words"), st.just(0)),
    st.tuples(st.just("sync"), st.just(0)),
    st.tuples(st.just("write"), st.integers(0, 30)),
    st.tuples(st.just("remove"), st.integers(0, 30)),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=12))
def test_whatever_happens_what_is_searched_is_what_the_notes_say(
    steps: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any run of wishes, searches and edits, a sync leaves one space with a true vector for each passage."""
    monkeypatch.setattr(vector_upkeep, "SLICE_CHARACTERS", 2_000)
    folder = tmp_path_factory.mktemp("spaces")
    home = Home(folder, 30)
    wanted = 256
    for step, number in steps:
        if step == "want":
            wanted = number
            home.set(number)
        elif step == "write":
            write_vault(home.vault, {f"{number}.md": f"written again {random.Random(number).random()}"})
        elif step == "remove":
            (home.vault / f"{number}.md").unlink(missing_ok=True)
        else:
            with home.open() as m:
                if step == "sync":
                    m.sync(accept_deletions=True)
                else:
                    m.search("Berlin", mode="words" if step == "words" else "vectors")
    with home.open() as m:
        m.sync(accept_deletions=True)
        index = m.indexing.indexes.current()
        assert index is not None
        name = str(SPACE._replace(dimensions=wanted))
        assert list(home.spaces(m)) == [name]
        texts = index.texts_after(0, 1000)
        vectors = m.indexing.indexes.vectors(index, name, wanted)
        rows = vectors.rows([item.chunk for item in texts])
        assert rows == pytest.approx(shortened(wanted).embed([item.text for item in texts], "document"), abs=0.02)
        found = {chunk for row in rows for chunk, _ in vectors.nearest(row, 100)}
        assert found <= {item.chunk for item in texts}
        assert is_complete(index, name)
        assert settled(index, name) >= texts[-1].chunk


# --- memories -------------------------------------------------------------------------------------------

SECRET = "the pelargonium stands by the window of the laboratory"


def traces(folder: Path) -> set[str]:
    """The files of a home in which a vector of the secret is: rounded to 8 bits, or exact."""
    found = set()
    for dimensions in config.DIMENSIONS:
        exact = shortened(dimensions).embed([SECRET], "document")[0].astype(numpy.float16)
        wide = exact.astype(numpy.float32)
        rounded = numpy.round(wide / (numpy.abs(wide).max() / numpy.float32(127))).astype(numpy.int8)
        for file in folder.glob("*"):
            data = file.read_bytes() if file.is_file() else b""
            if exact.tobytes()[:64] in data or rounded.tobytes()[:32] in data:
                found.add(file.name)
    return found


def remember(home: Home) -> int:
    """A memory with vectors in three spaces, because the syncs that were to drop two of them are broken off there."""
    with home.open() as m:
        number = m.memories.store(SECRET).memory.id
        m.memories.store("the bicycle has a flat tyre")
        m.sync()
    for dimensions in (128, 64):
        home.set(dimensions)
        with home.open() as m, pytest.MonkeyPatch.context() as patched:
            patched.setattr(SpaceVectors, "drop", _dies)
            with pytest.raises(Killed):
                m.sync()
    assert len(home.files()) == 3
    assert {f"{name}.rows" for name in home.files()} < traces(home.folder)
    return number


def _dies(*_: object) -> None:
    raise Killed


def test_a_memory_is_found_by_meaning_in_whatever_space_is_searched(big: Home) -> None:
    with big.open() as m:
        m.memories.store(SECRET)
        assert best(m.search("a flower near the glass", mode="vectors", kind="memory", min_score=0)) == "memory:1"
    big.set(128)
    with big.open() as m:
        m.memories.store("the bicycle has a flat tyre")
        answer = m.search("riding a bike", mode="vectors", kind="memory", min_score=0)
        assert best(answer) == "memory:2"
        assert f"searched with {WIDE} instead" in answer.degraded[0]
        m.sync()
        answer = m.search("a flower near the glass", mode="vectors", kind="memory", min_score=0)
        assert (best(answer), answer.degraded) == ("memory:1", ())


@pytest.mark.parametrize("enabled", [True, False], ids=["by meaning", "by words alone"])
def test_what_is_forgotten_is_gone_from_every_space(home: Home, enabled: bool) -> None:
    number = remember(home)
    if not enabled:
        (home.folder / "memoro.toml").write_text("[embedding]\nenabled = false\n")
    with home.open() as m:
        m.memories.forget(number, yes=True)
        assert traces(home.folder) == set()
        assert {check.name: check.state for check in m.doctor()}["vectors"] == "ok"
        if enabled:
            assert best(m.search("riding a bike", mode="vectors", kind="memory", min_score=0)) == "memory:2"
            assert ask(m).degraded == ()


@pytest.mark.parametrize("at", ["keep", "scrub", "sweep", "rows", "sums"])
def test_forgetting_that_was_killed_is_completed_in_every_space(
    at: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = remember(home)
    changed = Matrix._changed

    def dies(*arguments: object) -> object:
        if at in ("rows", "sums") and arguments[1] != at:
            return changed(*arguments)  # type: ignore[arg-type]
        raise Killed

    with home.open() as m, monkeypatch.context() as patched:
        if at == "sweep":
            patched.setattr(SqliteIndexHome, at, dies)
        else:
            patched.setattr(Matrix, "_changed" if at in ("rows", "sums") else at, dies)
        with pytest.raises(Killed):
            m.memories.forget(number, yes=True)
    assert traces(home.folder)  # at least the exact ones
    with home.open() as m:
        m.sync()
        assert traces(home.folder) == set()
        assert {check.name: check.state for check in m.doctor()}["vectors"] == "ok"
        assert best(m.search("riding a bike", mode="vectors", kind="memory", min_score=0)) == "memory:2"


def test_forgetting_with_damaged_vectors_drops_them_all_and_they_come_back(home: Home) -> None:
    number = remember(home)
    for file in home.folder.glob("index.1.vectors-*.sums"):
        file.write_bytes(bytes(file.stat().st_size))
    with home.open() as m:
        m.memories.forget(number, yes=True)
        assert traces(home.folder) == set()
        assert home.files() == []
        m.sync()
        assert m.status().generation == 1
        assert best(m.search("riding a bike", mode="vectors", kind="memory", min_score=0)) == "memory:2"
        assert ask(m).degraded == ()


def test_forgetting_reaches_what_a_broken_off_drop_left(home: Home) -> None:
    number = remember(home)
    with home.open() as m:
        m.indexing.indexes.first().put_meta({f"vectors/{WIDE}": None})
        m.memories.forget(number, yes=True)
        assert traces(home.folder) == set()
        assert home.prefix(WIDE) not in home.files()
        assert len(home.files()) == 2


def test_an_index_in_memory_forgets_in_every_space(tmp_path: Path) -> None:
    with (
        memoro.open(tmp_path / "home") as first,
        with_dimensions(first, 256, PlainIndexHome()) as m,
        with_dimensions(first, 64, m.indexes()) as narrow,
    ):
        number = m.memories.store(SECRET).memory.id
        m.memories.store("the bicycle has a flat tyre")
        assert best(m.search("a flower near the glass", mode="vectors", min_score=0)) == "memory:1"
        assert best(narrow.search("a flower near the glass", mode="vectors", min_score=0)) == "memory:1"
        narrow.memories.forget(number, yes=True)
        for one in (m, narrow):
            found = one.search("a flower near the glass", mode="vectors").results
            assert [hit.path for hit in found] in ([], ["memory:2"])
        assert best(narrow.search("riding a bike", mode="vectors")) == "memory:2"


# --- damage ---------------------------------------------------------------------------------------------


@pytest.fixture
def damaged(big: Home) -> Iterator[Home]:
    (file,) = big.folder.glob("index.1.vectors-*.sums")
    file.write_bytes(bytes(file.stat().st_size))
    yield big


def test_damaged_files_are_filled_anew_by_slices_too(damaged: Home) -> None:
    with damaged.open() as m:
        answer = ask(m)
        assert any("damaged" in said and "written anew" in said for said in answer.degraded)
        assert any("some passages have none yet" in said for said in answer.degraded)
        m.sync()
        assert (best(ask(m)), ask(m).degraded) == ("train.md", ())
        assert m.status().generation == 1


def test_a_sync_finds_damage_says_so_and_mends_it(damaged: Home) -> None:
    with damaged.open() as m:
        checks = {check.name: check for check in m.doctor()}
        assert checks["index"].state == "ok"
        assert (checks["vectors"].state, checks["vectors"].remedy) == (
            "failed",
            "Run `memoro sync`: it writes them anew.",
        )
        report = m.sync()
        assert report.damage is not None
        assert report.rebuilt is None
        assert m.sync().damage is None
        assert {check.name: check.state for check in m.doctor()}["vectors"] == "ok"


def test_damage_in_a_home_that_cannot_be_mended_leaves_the_words(
    damaged: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    (damaged.folder / "memoro.toml").write_text("[sync]\non_search = false\n")

    def cannot(*_: object, **__: object) -> None:
        raise StoreUnavailable("The home cannot be written.")

    with damaged.open() as m, monkeypatch.context() as patched:
        patched.setattr(VectorUpkeep, "mend", cannot)
        answer = m.search("train to Berlin")
    assert (answer.mode, answer.results[0].path) == ("words", "train.md")
    assert "damaged" in answer.degraded[0]


def test_an_error_of_vectors_names_the_space_and_the_cure() -> None:
    error = VectorsDamaged("three rows are wrong", space=WIDE)
    assert str(error) == (
        f"The vector files of {WIDE} are damaged (three rows are wrong). `memoro sync` writes them again."
    )
    assert (error.why, error.space) == ("three rows are wrong", WIDE)


# --- the exact vectors ----------------------------------------------------------------------------------


def test_exact_vectors_that_cannot_be_read_are_said(home: Home) -> None:
    (home.folder / "memoro.toml").write_text("[sync]\non_search = false\n")
    for file in home.folder.glob("embeddings.db*"):
        file.unlink()
    (home.folder / "embeddings.db").mkdir()
    with home.open() as m:
        answer = ask(m)
    assert best(answer) == "train.md"
    (said,) = answer.degraded
    assert said.startswith("vectors: compared as rounded to 8 bits, because the exact ones cannot be read: ")


# --- what people see ------------------------------------------------------------------------------------


def test_status_shows_the_vectors_of_each_space(big: Home) -> None:
    big.set(128)
    with big.open() as m:
        assert ask(m).degraded
    places = ("--home", str(big.folder), "--vault", str(big.vault))
    shown = run_memoro(*places, "status").out
    assert f"meaning by {WIDE} (302 vectors)" in shown
    assert f"wanted: {NARROW} (" in shown


def test_notes_and_logs_are_counted_each(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault", 3)
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(2):
        (logs / f"{number}.jsonl").write_text('{"role": "user", "content": "hello there"}\n')
    places = ("--home", str(tmp_path / "home"), "--vault", str(vault))
    notes = len(list(vault.rglob("*.md")))
    assert f"{notes} notes in" in run_memoro(*places, "sync").out
    assert f"{notes} notes, 2 logs in" in run_memoro(*places, "transcripts", "add", str(logs)).out
    assert f"{notes} notes, 2 logs in" in run_memoro(*places, "status").out
    (logs / "1.jsonl").unlink()
    assert f"{notes} notes, 1 log in" in run_memoro(*places, "sync").out

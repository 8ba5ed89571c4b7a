"""The model that comes with Memoro: what its vectors are good for, and what happens when it is damaged."""

from __future__ import annotations

import hashlib
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

from memoro.errors import ProviderRejected
from memoro.providers.builtin import model as module
from memoro.providers.builtin.model import DIMENSIONS, SPACE, BuiltinModel, builtin
from tests.conftest import Result, run_memoro, run_process, write_vault

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

SHIPPED = Path(module.__file__).parent
FILES = ("table.npy", "scales.npy", "vocabulary.txt")
SOURCE = SHIPPED.parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name in FILES:
        shutil.copyfile(SHIPPED / name, folder / name)
    return folder


def near(one: str, other: str) -> float:
    first, second = builtin().embed([one, other])
    return float(first @ second)


def test_every_text_is_a_row_of_length_one() -> None:
    rows = builtin().embed(["tea", "a long text about green tea and black coffee", "記憶", "42", "!?"])
    assert rows.shape == (5, DIMENSIONS) == (5, builtin().space.dimensions)
    assert rows.dtype == numpy.float32
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1.0] * 5, abs=1e-5)


def test_no_texts_are_no_rows() -> None:
    assert builtin().embed([]).shape == (0, DIMENSIONS)
    assert builtin().near([], []).shape == (0, 0)


def test_a_text_without_words_is_a_row_of_zeros() -> None:
    assert not builtin().embed(["", " \n\t", "\x00", "\u200b"]).any()


@pytest.mark.parametrize(
    ("text", "similar", "other"),
    [
        ("How do I brew green tea?", "Steep the leaves in hot water", "The train to Berlin is late"),
        ("my dog is ill", "the vet looked at the puppy", "quarterly tax return"),
        ("we decided to use Postgres", "the database choice", "a birthday cake with candles"),
        ("she was born in Vienna", "her birthplace is Austria", "the compiler reports an error"),
        ("fix the failing unit test", "debugging software", "holiday at the beach"),
        ("allergic to peanuts", "food intolerance and nuts", "bicycle repair shop"),
        ("salary negotiation", "asking for a pay rise", "watering the garden"),
    ],
)
def test_similar_texts_are_nearer_than_dissimilar_ones(text: str, similar: str, other: str) -> None:
    assert near(text, similar) > near(text, other) + 0.05


def test_the_same_text_gives_the_same_row_alone_in_company_and_in_a_new_model() -> None:
    texts = ["green tea", "black coffee", "a walk in the park"]
    together = builtin().embed(texts)
    assert (together == numpy.concatenate([builtin().embed([text]) for text in texts])).all()
    assert (together == BuiltinModel().embed(texts)).all()


ASKED = ["tea", "Berlin"]


def right(found: Vectors, others: list[str]) -> bool:
    """Whether these are the cosines of ASKED and the others, each as a text of one word."""
    return numpy.allclose(found, builtin().embed(ASKED) @ builtin().embed(others).T, atol=0.005)


def test_words_are_as_near_as_texts_of_one_word_and_stay_so() -> None:
    fresh = BuiltinModel()
    words = ["tea", "coffee", "tea", "unbelievably", "zzzzqq", ""]
    for _ in range(2):
        assert right(fresh.near(ASKED, words), words)
    assert float(fresh.near(ASKED, ASKED)[1, 1]) == pytest.approx(1, abs=1e-6)
    many = [f"word{number}" for number in range(3000)]  # more than the table first has room for
    assert right(fresh.near(ASKED, many), many)
    assert right(fresh.near(ASKED, words), words)


def test_words_are_right_after_the_remembered_ones_were_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 5)
    fresh = BuiltinModel()
    for words in (["a", "b", "c", "d"], ["a", "e", "f"], ["a", "b", "f"], [str(n) for n in range(9)], ["a"]):
        assert right(fresh.near(ASKED, words), words)


def test_threads_that_share_the_model_get_the_words_they_asked_for() -> None:
    fresh = BuiltinModel()
    lists = [[f"{thread}x{number}" for number in range(300)] for thread in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda words: [fresh.near(ASKED, words[i : i + 10]) for i in range(0, 300, 10)], lists))
    for words, columns in zip(lists, found, strict=True):
        assert right(numpy.concatenate(columns, axis=1), words)


def test_the_space_tells_the_model_and_its_dimensions() -> None:
    assert str(SPACE) == f"builtin/{SPACE.model}/{DIMENSIONS}/text"


def test_the_shipped_files_are_the_ones_that_were_made() -> None:
    sums = dict(line.split()[::-1] for line in (SHIPPED / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest() for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named_with_what_to_do(name: str, copy: Path) -> None:
    (copy / name).unlink()
    with pytest.raises(ProviderRejected, match=f"{name}.*Reinstall Memoro"):
        BuiltinModel(str(copy))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [0, 1, 50, 1000, -1])
def test_a_truncated_file_is_named_with_what_to_do(name: str, size: int, copy: Path) -> None:
    file = copy / name
    os.truncate(file, size if size >= 0 else file.stat().st_size - 1)
    with pytest.raises(ProviderRejected, match=f"{name}.*Reinstall Memoro"):
        BuiltinModel(str(copy))


def test_a_file_of_another_shape_or_kind_is_refused(copy: Path) -> None:
    for table in (
        numpy.zeros((10, DIMENSIONS), numpy.int8),
        numpy.zeros((30_522, DIMENSIONS), numpy.int16),
        numpy.array([{"a": "pickle"}], dtype=object),
    ):
        numpy.save(copy / "table.npy", table)
        with pytest.raises(ProviderRejected, match=r"table\.npy"):
            BuiltinModel(str(copy))


def test_a_vocabulary_with_a_line_too_many_or_bytes_that_are_no_text_is_refused(copy: Path) -> None:
    for more in (b"extra\n", b"\xff"):
        (copy / "vocabulary.txt").write_bytes((SHIPPED / "vocabulary.txt").read_bytes() + more)
        with pytest.raises(ProviderRejected, match=r"vocabulary\.txt"):
            BuiltinModel(str(copy))


@pytest.mark.process
def test_with_a_damaged_model_a_search_goes_by_words_and_doctor_says_how_to_mend_it(tmp_path: Path) -> None:
    source = tmp_path / "src"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    os.truncate(source / "memoro/providers/builtin/table.npy", 5000)
    vault = write_vault(tmp_path / "vault", {"a.md": "green tea", "b.md": "bread"})

    def memoro(*arguments: str) -> Result:
        places = ("--home", str(tmp_path / "home"), "--vault", str(vault))
        return run_process(*places, *arguments, env={"PYTHONPATH": str(source)})

    assert memoro("sync").code == 0
    for mode in ("hybrid", "vectors"):
        answer = memoro("search", "--json", "--mode", mode, "tea").json
        assert answer["mode"] == "words"
        assert [hit["path"] for hit in answer["results"]] == ["a.md"]
        assert [notice.startswith("vectors: ") for notice in answer["degraded"]] == [True]
        assert "Reinstall Memoro" in answer["degraded"][0]
    assert memoro("search", "--json", "--mode", "words", "tea").json["degraded"] == []
    checks = {check["name"]: check for check in memoro("doctor", "--json").json["checks"]}
    assert checks["model"]["state"] == "failed"
    assert "Reinstall Memoro" in checks["model"]["remedy"]


def test_doctor_says_that_the_model_is_whole(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "green tea"})
    done = run_memoro("--home", str(tmp_path / "home"), "--vault", str(vault), "doctor", "--json")
    (check,) = [check for check in done.json["checks"] if check["name"] == "model"]
    assert check["state"] == "ok"
    assert str(SPACE) in check["found"]

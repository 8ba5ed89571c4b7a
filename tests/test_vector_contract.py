"""What every store of vectors must do: one suite over the mapped files and the plain arrays, caches alike."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.errors import ProviderRejected, StoreUnavailable, VectorsDamaged
from memoro.store.matrix import Matrix, _largest
from memoro.store.plain.vectors import PlainCache, PlainVectors
from memoro.store.ports import VectorCache, VectorIndex
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from tests.conftest import times, write_vault
from tests.raw_sqlite import drop_table, set_format

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

SIZE = 32
SPACE = "test/model/32/text"
PARTS = ("rows", "scales", "chunks", "sums")


def unit(count: int, seed: int = 1, size: int = SIZE) -> Vectors:
    rows = numpy.random.default_rng(seed).normal(size=(count, size)).astype(numpy.float32)
    return numpy.asarray(rows / numpy.linalg.norm(rows, axis=1, keepdims=True), numpy.float32)


@pytest.fixture
def indexes(tmp_path: Path) -> Iterator[SqliteIndexHome]:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    home = SqliteIndexHome(str(folder), engine(str(folder)))
    yield home
    home.close()


@pytest.fixture
def matrix(indexes: SqliteIndexHome) -> Matrix:
    made = indexes.vectors(indexes.first(), SPACE, SIZE)
    assert isinstance(made, Matrix)
    return made


def files_of(indexes: SqliteIndexHome) -> dict[str, Path]:
    found = {file.suffix[1:]: file for file in Path(indexes.folder).glob("index.1.vectors-*")}
    assert set(found) == set(PARTS)
    return found


@pytest.fixture(params=["plain", "matrix"])
def vectors(request: pytest.FixtureRequest) -> VectorIndex:
    made: VectorIndex = PlainVectors(SIZE) if request.param == "plain" else request.getfixturevalue("matrix")
    return made


def nearest(rows: Vectors, chunks: list[int], query: Vectors, count: int) -> list[int]:
    """By looking at all of them."""
    return [chunks[i] for i in numpy.argsort(-(rows @ query))[:count]]


def test_nothing_is_near_where_there_is_nothing(vectors: VectorIndex) -> None:
    assert (vectors.length, vectors.last) == (0, 0)
    assert vectors.nearest(unit(1)[0], 10) == []
    assert vectors.nearest(unit(1)[0], 10, [1, 2]) == []
    assert not vectors.rows([1, 2]).any()
    assert vectors.rows([]).shape == (0, SIZE)


def test_the_nearest_are_the_nearest_best_first_with_their_cosines(vectors: VectorIndex) -> None:
    rows, chunks = unit(500), list(range(3, 1503, 3))
    vectors.append(chunks, rows)
    common = 0
    for query in unit(40, seed=2):
        found = vectors.nearest(query, 10)
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True)
        for chunk, score in found:
            assert score == pytest.approx(float(rows[chunks.index(chunk)] @ query), abs=0.02)
        common += len({chunk for chunk, _ in found} & set(nearest(rows, chunks, query, 10)))
    assert common >= 0.9 * 400


def test_a_vector_is_nearest_to_itself(vectors: VectorIndex) -> None:
    rows = unit(200)
    vectors.append(list(range(1, 201)), rows)
    assert [vectors.nearest(row, 1)[0][0] for row in rows] == list(range(1, 201))


def test_a_count_beyond_what_is_there_gives_all_that_point_the_same_way(vectors: VectorIndex) -> None:
    rows = unit(20)
    vectors.append(list(range(1, 21)), rows)
    clear = {i for i, row in enumerate(rows, 1) if row @ rows[0] > 0.02}
    against = {i for i, row in enumerate(rows, 1) if row @ rows[0] < -0.02}
    for count in (20, 21, 1000):
        found = {chunk for chunk, _ in vectors.nearest(rows[0], count)}
        assert clear <= found
        assert not found & against


def test_the_filter_comes_before_the_cut(vectors: VectorIndex) -> None:
    rows, chunks = unit(300), list(range(1, 301))
    vectors.append(chunks, rows)
    query = unit(1, seed=3)[0]
    worst = nearest(-rows, chunks, query, 150)  # none of these is among the best of all
    positive = [chunk for chunk in sorted(worst) if rows[chunk - 1] @ query > 0.02]
    allowed = sorted(worst)
    found = [chunk for chunk, _ in vectors.nearest(query, 1000, allowed)]
    assert set(positive) <= set(found) <= set(allowed)
    assert vectors.nearest(query, 5, []) == []


def test_numbers_that_have_no_vector_may_be_among_the_allowed(vectors: VectorIndex) -> None:
    rows = unit(3)
    vectors.append([10, 20, 30], rows)
    assert [c for c, _ in vectors.nearest(rows[1], 5, [1, 15, 20, 25, 99])] == [20]


def test_rows_are_those_that_were_given_and_zeros_for_the_others(vectors: VectorIndex) -> None:
    rows = unit(3)
    vectors.append([10, 20, 30], rows)
    found = vectors.rows([30, 5, 10, 31, 10])
    assert found == pytest.approx(numpy.stack([rows[2], 0 * rows[0], rows[0], 0 * rows[0], rows[0]]), abs=0.01)
    assert not found[1].any()
    assert not found[3].any()


def test_length_and_last_tell_what_was_appended(vectors: VectorIndex) -> None:
    vectors.append([4, 9], unit(2))
    assert (vectors.length, vectors.last) == (2, 9)
    vectors.append([12], unit(1))
    assert (vectors.length, vectors.last) == (3, 12)


def test_what_was_erased_is_near_nothing_and_the_rest_stays(vectors: VectorIndex) -> None:
    rows = unit(4)
    vectors.append([1, 2, 3, 4], rows)
    vectors.erase([3, 1, 77])
    assert not vectors.rows([1, 3]).any()
    assert vectors.rows([2, 4]) == pytest.approx(rows[[1, 3]], abs=0.01)
    for row in rows:
        assert not {chunk for chunk, _ in vectors.nearest(row, 10)} & {1, 3}
    vectors.erase([])
    vectors.erase([1])
    assert vectors.nearest(rows[1], 1)[0][0] == 2


def test_what_is_not_to_be_kept_is_erased(vectors: VectorIndex) -> None:
    rows = unit(4)
    vectors.append([1, 2, 3, 4], rows)
    vectors.erase([1])
    vectors.keep([1, 2, 4, 9])
    assert vectors.rows([2, 4]) == pytest.approx(rows[[1, 3]], abs=0.01)
    assert not vectors.rows([1, 3]).any()
    vectors.keep([])
    assert vectors.nearest(rows[1], 10) == []


def test_after_erasing_more_can_be_appended(vectors: VectorIndex) -> None:
    rows = unit(5)
    vectors.append([1, 2, 3], rows[:3])
    vectors.erase([2])
    vectors.append([4, 5], rows[3:])
    assert [vectors.nearest(rows[i], 1)[0][0] for i in (0, 2, 3, 4)] == [1, 3, 4, 5]
    assert 2 not in {chunk for chunk, _ in vectors.nearest(rows[1], 10)}


def test_what_was_written_passes_the_check_whatever_was_erased(vectors: VectorIndex) -> None:
    vectors.check()
    for start in (1, 101, 201):
        vectors.append(list(range(start, start + 100)), unit(100, seed=start))
        vectors.erase([start, start + 50, start + 99])
        vectors.check()
    vectors.erase([1, 2, 3])  # of which one is erased already
    vectors.keep(list(range(50, 250)))
    vectors.check()


def test_what_was_erased_stays_erased_when_it_is_scrubbed_and_the_rest_stays(vectors: VectorIndex) -> None:
    rows = unit(6)
    vectors.scrub()
    vectors.append([1, 2, 3, 4], rows[:4])
    vectors.erase([2, 4])
    for _ in range(2):
        vectors.scrub()
        vectors.check()
        assert not vectors.rows([2, 4]).any()
        assert vectors.rows([1, 3]) == pytest.approx(rows[[0, 2]], abs=0.01)
        assert not {chunk for row in rows for chunk, _ in vectors.nearest(row, 10)} & {2, 4}
    vectors.append([5, 6], rows[4:])
    vectors.erase([3])
    vectors.check()
    assert [vectors.nearest(rows[i], 1)[0][0] for i in (0, 4, 5)] == [1, 5, 6]


def test_what_was_dropped_is_forgotten_and_more_can_be_appended(vectors: VectorIndex) -> None:
    rows = unit(4)
    vectors.append([5, 6], rows[:2])
    vectors.drop()
    assert (vectors.length, vectors.last, vectors.nearest(rows[0], 5)) == (0, 0, [])
    assert not vectors.rows([5, 6]).any()
    vectors.check()
    vectors.drop()
    vectors.append([2, 6], rows[2:])
    assert [vectors.nearest(row, 1)[0][0] for row in rows[2:]] == [2, 6]
    assert (vectors.length, vectors.last) == (2, 6)


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(st.integers(1, 3), min_size=1, max_size=5)),
        st.tuples(st.just("erase"), st.lists(st.integers(1, 40), max_size=5)),
        st.tuples(st.just("keep"), st.lists(st.integers(1, 40), max_size=30)),
        st.tuples(st.just("drop"), st.just([])),
        st.tuples(st.just("scrub"), st.just([])),
    ),
    max_size=15,
)


@settings(max_examples=times(60, 60, quick=15), deadline=None)
@given(acts=ACTS, seed=st.integers(0, 1000))
def test_the_mapped_files_say_what_the_plain_arrays_say(
    acts: list[tuple[str, list[int]]], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("home", numbered=True)
    indexes = SqliteIndexHome(str(folder), engine(str(folder)))
    mapped, plain = indexes.vectors(indexes.first(), SPACE, SIZE), PlainVectors(SIZE)
    last = 0
    for number, (act, values) in enumerate(acts):
        for vectors in (mapped, plain):
            if act == "append":  # numbers rise, with gaps
                chunks = [last + sum(values[: i + 1]) for i in range(len(values))]
                vectors.append(chunks, unit(len(values), seed=seed + number))
            elif act in ("drop", "scrub"):
                getattr(vectors, act)()
            else:
                getattr(vectors, act)(values)
        last = last + sum(values) if act == "append" else last
        mapped.check()
    every = list(range(60))
    assert mapped.rows(every) == pytest.approx(plain.rows(every), abs=0.01)
    for query in unit(3, seed=seed + 1):
        near, exact = dict(mapped.nearest(query, 100)), dict(plain.nearest(query, 100))
        assert all(abs(near.get(chunk, 0) - exact.get(chunk, 0)) < 0.02 for chunk in near.keys() | exact.keys())
    indexes.close()


def with_value(value: float) -> Vectors:
    rows = unit(3)
    rows[1, 5] = value
    return rows


@pytest.mark.parametrize(
    "bad",
    [
        with_value(float("nan")),
        with_value(float("inf")),
        with_value(float("-inf")),
        numpy.concatenate([unit(1), 0 * unit(1), unit(1)]),
        unit(3, size=SIZE - 1),
        unit(3, size=SIZE + 1),
        unit(3)[0],
    ],
    ids=["NaN", "infinite", "minus infinite", "zeros", "too short", "too long", "flat"],
)
def test_vectors_that_would_poison_a_search_are_refused_whole(vectors: VectorIndex, bad: Vectors) -> None:
    vectors.append([1], unit(1))
    with pytest.raises(ProviderRejected):
        vectors.append([2, 3, 4], bad)
    assert (vectors.length, vectors.last) == (1, 1)
    assert [chunk for chunk, _ in vectors.nearest(unit(1)[0], 10)] == [1]


def test_very_small_and_very_large_numbers_keep_their_direction(vectors: VectorIndex) -> None:
    rows = unit(4)
    vectors.append([1, 2], rows[:2] * numpy.float32(1e-6))
    vectors.append([3, 4], rows[2:] * numpy.float32(1e6))
    found = vectors.rows([1, 2, 3, 4])
    lengths = numpy.linalg.norm(found, axis=1, keepdims=True)
    assert found / lengths == pytest.approx(rows, abs=0.02)


# --- the mapped files -----------------------------------------------------------------------------------


@pytest.mark.process
def test_what_was_appended_is_seen_by_another_process(matrix: Matrix, indexes: SqliteIndexHome) -> None:
    matrix.append([1, 2, 3], unit(3))
    script = f"""
import numpy
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
indexes = SqliteIndexHome({indexes.folder!r}, engine({indexes.folder!r}))
vectors = indexes.vectors(indexes.current(), {SPACE!r}, {SIZE})
print(vectors.length, vectors.last, vectors.nearest(vectors.rows([2])[0], 1)[0][0])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "3", "2"]


def test_one_who_has_the_files_open_sees_what_others_append_and_erase(
    matrix: Matrix, indexes: SqliteIndexHome
) -> None:
    rows = unit(3)
    second = SqliteIndexHome(indexes.folder, indexes.engine)
    other = second.vectors(second.first(), SPACE, SIZE)
    assert other is not matrix
    matrix.append([1, 2], rows[:2])
    assert other.nearest(rows[1], 1)[0][0] == 2
    matrix.append([3], rows[2:])
    assert other.nearest(rows[2], 1)[0][0] == 3
    matrix.erase([3])
    assert 3 not in {chunk for chunk, _ in other.nearest(rows[2], 3)}
    second.close()


def test_files_are_mapped_once_and_again_when_others_take_their_place(
    matrix: Matrix, indexes: SqliteIndexHome, tmp_path: Path
) -> None:
    rows = unit(2)
    matrix.append([1, 2], rows)
    assert matrix.nearest(rows[0], 1)[0][0] == 1
    index = indexes.current()
    assert index is not None
    assert indexes.vectors(index, SPACE, SIZE) is matrix
    others = SqliteIndexHome(str(tmp_path), engine(str(tmp_path)))
    others.vectors(others.first(), SPACE, SIZE).append([1, 2], rows[::-1])
    for part, file in files_of(others).items():
        file.rename(files_of(indexes)[part])
    assert matrix.nearest(rows[0], 1)[0][0] == 2
    file = files_of(indexes)["rows"]
    swapped = file.with_name("swapped")
    swapped.write_bytes(file.read_bytes()[SIZE:] + file.read_bytes()[:SIZE])
    swapped.rename(file)
    with pytest.raises(VectorsDamaged):
        matrix.nearest(rows[0], 1)
    others.close()


def test_an_index_that_is_left_is_not_kept_open_by_its_vectors(indexes: SqliteIndexHome) -> None:
    index = indexes.first()
    old = weakref.ref(index)
    indexes.vectors(index, SPACE, SIZE).append([1], unit(1))
    del index
    with indexes.syncing.held(), indexes.next() as building:
        indexes.vectors(building, SPACE, SIZE).append([1, 2], unit(2))
    new = indexes.current()
    assert new is not None
    assert indexes.vectors(new, SPACE, SIZE).length == 2
    assert old() is None


@given(
    scores=st.lists(st.integers(-9, 9), min_size=1, max_size=900),
    count=st.integers(1, 1200),
    repeat=st.integers(1, 9),
)
def test_the_largest_scores_are_the_largest(scores: list[int], count: int, repeat: int) -> None:
    column = numpy.asarray(scores * repeat, numpy.float32)
    found = _largest(column, count)
    assert len(set(found.tolist())) == len(found) == min(count, len(column))
    assert sorted(column[found]) == sorted(column)[-count:]


def test_what_a_crash_left_beyond_the_believed_length_is_not_seen_and_is_overwritten(
    matrix: Matrix, indexes: SqliteIndexHome
) -> None:
    rows = unit(4)
    matrix.append([1, 2], rows[:2])
    for file in files_of(indexes).values():
        with file.open("ab") as handle:
            handle.write(b"\x7f" * 1000)
    index = indexes.current()
    assert index is not None
    again = indexes.vectors(index, SPACE, SIZE)
    assert (again.length, again.last) == (2, 2)
    assert {chunk for chunk, _ in again.nearest(rows[0], 10)} <= {1, 2}
    again.append([7, 8], rows[2:])
    assert [again.nearest(row, 1)[0][0] for row in rows] == [1, 2, 7, 8]
    assert {name: file.stat().st_size for name, file in files_of(indexes).items()} == {
        "rows": 4 * SIZE, "scales": 16, "chunks": 32, "sums": 32,
    }  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("damage", ["missing", "empty", "short"])
def test_a_missing_or_short_file_is_damage(part: str, damage: str, matrix: Matrix, indexes: SqliteIndexHome) -> None:
    matrix.append([1, 2, 3], unit(3))
    file = files_of(indexes)[part]
    if damage == "missing":
        file.unlink()
    else:
        os.truncate(file, 0 if damage == "empty" else file.stat().st_size - 1)
    index = indexes.current()
    assert index is not None
    broken = indexes.vectors(index, SPACE, SIZE)
    for use in (lambda: broken.last, lambda: broken.rows([1]), lambda: broken.nearest(unit(1)[0], 1)):
        with pytest.raises(VectorsDamaged, match="cannot be read"):
            use()


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("on_search", [True, False], ids=["syncing", "not syncing"])
def test_the_next_search_after_a_file_was_lost_writes_them_anew_and_answers(
    part: str, on_search: bool, tmp_path: Path
) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "green tea", "b.md": "the train to Berlin"})
    home = tmp_path / "home"
    with memoro.open(home, vault) as m:
        m.sync()
        expected = [hit.path for hit in m.search("a hot drink", mode="vectors", min_score=0).results]
    (file,) = home.glob(f"index.1.vectors-*.{part}")
    file.unlink()
    (home / "memoro.toml").write_text(f"[sync]\non_search = {str(on_search).lower()}\n")
    with memoro.open(home, vault) as m:
        answer = m.search("a hot drink", mode="vectors", min_score=0)
        assert [hit.path for hit in answer.results] == expected != []
        assert any("written anew" in notice for notice in answer.degraded)
        again = m.search("a hot drink", mode="vectors", min_score=0)
        assert (again.results, again.degraded) == (answer.results, ())


@pytest.mark.parametrize("part", PARTS)
def test_any_flipped_bit_is_found_by_the_check(part: str, matrix: Matrix, indexes: SqliteIndexHome) -> None:
    matrix.append(list(range(1, 401, 2)), unit(200))
    matrix.erase([31, 33, 35])
    matrix.check()
    file = files_of(indexes)[part]
    good = file.read_bytes()
    rng = random.Random(part)
    index = indexes.current()
    assert index is not None
    for at in rng.sample(range(len(good)), 150):
        bad = bytearray(good)
        bad[at] ^= 1 << rng.randrange(8)
        with file.open("r+b") as handle:
            handle.write(bad)
        # What is erased is covered by its number and its mark alone.
        row = at * 200 // len(good)
        if part in ("rows", "sums") and row in (15, 16, 17):
            continue
        with pytest.raises(VectorsDamaged):
            indexes.vectors(index, SPACE, SIZE).check()
    with file.open("r+b") as handle:
        handle.write(good)
    indexes.vectors(index, SPACE, SIZE).check()


@pytest.mark.parametrize("part", PARTS)
def test_whatever_a_search_or_a_look_names_was_verified(part: str, matrix: Matrix, indexes: SqliteIndexHome) -> None:
    """With damage anywhere, an answer about a chunk is the right one or it is refused."""
    rows, chunks = unit(200), list(range(1, 401, 2))
    matrix.append(chunks, rows)
    file = files_of(indexes)[part]
    good = file.read_bytes()
    rng = random.Random(part)
    index = indexes.current()
    assert index is not None
    refused = 0
    for _ in range(150):
        at, bad = rng.randrange(len(good)), bytearray(good)
        bad[at : at + 8] = rng.choice([bytes([bad[at] ^ (1 << rng.randrange(8))]), bytes(8), rng.randbytes(8)])
        with file.open("r+b") as handle:
            handle.write(bad[: len(good)])
        broken = indexes.vectors(index, SPACE, SIZE)
        wanted = rng.sample(chunks, 40)
        query = unit(1, seed=at)[0]
        try:
            assert broken.rows(wanted) == pytest.approx(rows[[chunk // 2 for chunk in wanted]], abs=0.01)
            for among in (None, sorted(wanted)):
                for chunk, score in broken.nearest(query, 10, among):
                    assert score == pytest.approx(float(rows[chunk // 2] @ query), abs=0.02)
        except VectorsDamaged:
            refused += 1
    assert refused > 20


def test_numbers_that_do_not_rise_are_damage(matrix: Matrix, indexes: SqliteIndexHome) -> None:
    matrix.append([1, 2, 3, 4], unit(4))
    files_of(indexes)["chunks"].write_bytes(numpy.asarray([1, 3, 2, 4], numpy.int64).tobytes())
    index = indexes.current()
    assert index is not None
    with pytest.raises(VectorsDamaged, match="do not rise"):
        indexes.vectors(index, SPACE, SIZE).rows([4])


def test_rows_whose_length_is_no_multiple_of_eight_have_checksums_too(indexes: SqliteIndexHome) -> None:
    index = indexes.first()
    odd = indexes.vectors(index, "test/odd/13/text", 13)
    odd.append([1, 2, 3], unit(3, size=13))
    odd.check()
    (file,) = Path(indexes.folder).glob("index.1.vectors-*.rows")
    data = bytearray(file.read_bytes())
    data[12] ^= 1  # the last number of the first row
    file.write_bytes(data)
    with pytest.raises(VectorsDamaged):
        indexes.vectors(index, "test/odd/13/text", 13).check()


def test_scrubbing_leaves_no_byte_of_what_was_erased_or_never_counted(
    matrix: Matrix, indexes: SqliteIndexHome
) -> None:
    matrix.append([1, 2, 3, 4], unit(4))
    before = {part: file.read_bytes() for part, file in files_of(indexes).items()}
    matrix.erase([2])
    for file in files_of(indexes).values():
        with file.open("ab") as handle:  # as a crash leaves it
            handle.write(b"\x7f" * 1000)
    matrix.scrub()
    matrix.check()
    after = {part: file.read_bytes() for part, file in files_of(indexes).items()}
    assert {part: len(data) for part, data in after.items()} == {part: len(data) for part, data in before.items()}
    assert after["rows"] == before["rows"][:SIZE] + bytes(SIZE) + before["rows"][2 * SIZE :]
    assert after["sums"] == before["sums"][:8] + bytes(8) + before["sums"][16:]
    assert after["scales"][4:8] != before["scales"][4:8]
    assert after["chunks"] == before["chunks"]


@pytest.mark.parametrize("part", ["rows", "sums"])
def test_a_scrub_broken_off_anywhere_leaves_vectors_that_are_whole(
    part: str, matrix: Matrix, indexes: SqliteIndexHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    changed = Matrix._changed

    def killed(self: Matrix, name: str) -> object:
        if name == part:
            raise Killed
        return changed(self, name)

    rows = unit(4)
    matrix.append([1, 2, 3, 4], rows)
    matrix.erase([2])
    with monkeypatch.context() as patched:
        patched.setattr(Matrix, "_changed", killed)
        with pytest.raises(Killed):
            matrix.scrub()
    again = SqliteIndexHome(indexes.folder, indexes.engine)
    index = again.current()
    assert index is not None
    vectors = again.vectors(index, SPACE, SIZE)
    vectors.check()
    assert vectors.rows([1, 3, 4]) == pytest.approx(rows[[0, 2, 3]], abs=0.01)
    vectors.scrub()
    assert files_of(indexes)["rows"].read_bytes()[SIZE : 2 * SIZE] == bytes(SIZE)
    assert files_of(indexes)["sums"].read_bytes()[8:16] == bytes(8)
    again.close()


def test_files_of_a_space_that_nobody_counts_are_swept(matrix: Matrix, indexes: SqliteIndexHome) -> None:
    matrix.append([1, 2], unit(2))
    kept = set(files_of(indexes).values())
    index = indexes.first()
    indexes.vectors(index, "other/model/8/text", 8).append([2], unit(1, size=8))
    index.put_meta({"vectors/other/model/8/text": None})  # as a drop that was killed leaves it
    indexes.sweep(index)
    assert set(Path(indexes.folder).glob("index.1.vectors-*")) == kept
    matrix.check()


def test_a_folder_that_cannot_be_written_gives_a_plain_error(indexes: SqliteIndexHome) -> None:
    index = indexes.first()
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        Matrix(os.path.join(indexes.folder, "no", "such", "folder"), SIZE, index, SPACE).append([1], unit(1))


def test_spaces_live_side_by_side_in_one_index(matrix: Matrix, indexes: SqliteIndexHome) -> None:
    index = indexes.current()
    assert index is not None
    other = indexes.vectors(index, "other/model/8/text", 8)
    matrix.append([1, 2], unit(2))
    other.append([2, 5, 6], unit(3, size=8))
    assert (matrix.length, matrix.last, other.length, other.last) == (2, 2, 3, 6)
    matrix.erase([2])
    assert other.nearest(unit(3, size=8)[0], 1)[0][0] == 2
    assert len(list(Path(indexes.folder).glob("index.1.vectors-*"))) == 8


# --- the caches -----------------------------------------------------------------------------------------


@pytest.fixture(params=["plain", "sqlite"])
def cache(request: pytest.FixtureRequest) -> VectorCache:
    if request.param == "plain":
        return PlainCache()
    indexes: SqliteIndexHome = request.getfixturevalue("indexes")
    return indexes.cache()


def digest(number: int) -> str:
    return f"{number:064x}"


def test_what_was_put_is_got_and_nothing_else(cache: VectorCache) -> None:
    rows = unit(3)
    cache.put("a", {digest(i): row for i, row in enumerate(rows)})
    found = cache.get("a", [digest(2), digest(99), digest(0)])
    assert set(found) == {digest(0), digest(2)}
    assert found[digest(2)] == pytest.approx(rows[2], abs=1e-3)
    assert found[digest(2)].dtype == numpy.float32
    assert cache.get("a", []) == {}
    assert cache.get("nowhere", [digest(0)]) == {}


def test_a_space_never_answers_for_another(cache: VectorCache) -> None:
    one, two = unit(1)[0], unit(1, seed=2, size=8)[0]
    cache.put("a", {digest(1): one, digest(2): one})
    cache.put("b", {digest(1): two})
    assert cache.get("a", [digest(1)])[digest(1)].shape == (SIZE,)
    assert cache.get("b", [digest(1)])[digest(1)] == pytest.approx(two, abs=1e-3)
    assert set(cache.get("b", [digest(1), digest(2)])) == {digest(1)}
    assert cache.count() == {"a": 2, "b": 1}


def test_a_vector_that_is_put_again_replaces_the_old_one(cache: VectorCache) -> None:
    old, new = unit(2)
    cache.put("a", {digest(1): old})
    cache.put("a", {digest(1): new})
    assert cache.get("a", [digest(1)])[digest(1)] == pytest.approx(new, abs=1e-3)
    assert cache.count() == {"a": 1}


def test_a_put_vector_does_not_change_with_the_array_it_came_from(cache: VectorCache) -> None:
    row = unit(1)[0].copy()
    kept = row.copy()
    cache.put("a", {digest(1): row})
    row[:] = 9
    assert cache.get("a", [digest(1)])[digest(1)] == pytest.approx(kept, abs=1e-3)


def test_nothing_is_counted_where_nothing_was_put(cache: VectorCache) -> None:
    assert cache.count() == {}
    assert cache.prune(0) == 0


def test_pruning_leaves_as_many_as_were_asked_for(cache: VectorCache) -> None:
    for space in ("a", "b"):
        cache.put(space, {digest(i): row for i, row in enumerate(unit(10))})
    assert cache.prune(50) == 0
    assert cache.prune(20) == 0
    assert cache.prune(7) == 13
    assert sum(cache.count().values()) == 7
    assert cache.prune(0) == 7
    assert cache.get("a", [digest(i) for i in range(10)]) == {}


@pytest.mark.parametrize("wanted", ["a", "b"])
def test_pruning_drops_the_vectors_of_other_spaces_first(cache: VectorCache, wanted: str) -> None:
    for space in ("a", "b"):
        cache.put(space, {digest(i): row for i, row in enumerate(unit(10))})
    assert cache.prune(12, wanted) == 8
    assert {space: count for space, count in cache.count().items() if count == 10} == {wanted: 10}
    assert cache.prune(4, wanted) == 8
    assert {space for space, count in cache.count().items() if count} == {wanted}


def test_more_than_a_few_are_got_and_put_at_once(cache: VectorCache) -> None:
    rows = unit(1500)
    cache.put("a", {digest(i): row for i, row in enumerate(rows)})
    assert len(cache.get("a", [digest(i) for i in range(1500)])) == 1500


def test_what_is_known_is_told_without_its_vectors(cache: VectorCache) -> None:
    cache.put("a", {digest(i): row for i, row in enumerate(unit(1200))})
    cache.put("b", {digest(2000): unit(1)[0]})
    assert cache.known("a", [digest(i) for i in range(1100, 2001)]) == {digest(i) for i in range(1100, 1200)}
    assert cache.known("b", []) == cache.known("nowhere", [digest(1)]) == set()


def test_a_dropped_space_takes_only_its_own_vectors_along(cache: VectorCache) -> None:
    for space in ("a", "b"):
        cache.put(space, {digest(i): row for i, row in enumerate(unit(10))})
    assert cache.drop_space("a") == 10
    assert cache.drop_space("a") == cache.drop_space("nowhere") == 0
    assert cache.count() == {"b": 10}
    cache.put("a", {digest(1): unit(1)[0]})
    assert cache.count() == {"b": 10, "a": 1}


def test_a_dropped_space_gives_its_room_back(indexes: SqliteIndexHome) -> None:
    cache, file = indexes.cache(), Path(indexes.folder, "embeddings.db")
    cache.put("a", {digest(i): row for i, row in enumerate(unit(3000))})
    cache.put("b", {digest(1): unit(1)[0]})
    cache.drop_space("a")
    assert file.stat().st_size < 40_000
    assert set(cache.get("b", [digest(1)])) == {digest(1)}


def test_a_cache_whose_maker_died_is_made_whole(indexes: SqliteIndexHome) -> None:
    indexes.cache()
    indexes.close()
    file = Path(indexes.folder, "embeddings.db")
    drop_table(file, "vectors")
    set_format(file, 0)
    again = SqliteIndexHome(indexes.folder, indexes.engine)
    again.cache().put("a", {digest(1): unit(1)[0]})
    assert set(again.cache().get("a", [digest(1)])) == {digest(1)}
    again.close()


def test_the_cache_outlives_the_process_and_every_index(indexes: SqliteIndexHome) -> None:
    indexes.cache().put("a", {digest(1): unit(1)[0]})
    with indexes.syncing.held(), indexes.next():
        pass
    indexes.close()
    again = SqliteIndexHome(indexes.folder, indexes.engine)
    assert set(again.cache().get("a", [digest(1)])) == {digest(1)}
    again.close()


def test_two_who_share_the_cache_see_what_the_other_put(indexes: SqliteIndexHome) -> None:
    other = SqliteIndexHome(indexes.folder, indexes.engine)
    try:
        indexes.cache().put("a", {digest(1): unit(1)[0]})
        other.cache().put("a", {digest(2): unit(1)[0]})
        assert indexes.cache().count() == other.cache().count() == {"a": 2}
    finally:
        other.close()


# Vectors that nobody uses


def test_reclaiming_keeps_what_is_used_and_gives_back_the_rest(vectors: VectorIndex) -> None:
    rows = unit(9)
    vectors.append(list(range(1, 10)), rows)
    vectors.erase([1, 2, 3, 5, 9])
    assert (vectors.length, vectors.count) == (9, 4)
    before = vectors.nearest(rows[5], 9)
    vectors.reclaim()
    assert (vectors.length, vectors.count, vectors.last) == (4, 4, 8)
    assert vectors.nearest(rows[5], 9) == before
    vectors.append([12], unit(1, seed=4))
    vectors.check()
    assert (vectors.length, vectors.last) == (5, 12)
    vectors.keep([])
    vectors.reclaim()
    assert (vectors.length, vectors.count, vectors.nearest(rows[5], 9)) == (0, 0, [])
    vectors.append([20], rows[:1])
    assert [chunk for chunk, _ in vectors.nearest(rows[0], 1)] == [20]


def test_one_who_has_the_files_open_sees_them_reclaimed(matrix: Matrix, indexes: SqliteIndexHome) -> None:
    other = SqliteIndexHome(indexes.folder, indexes.engine)
    index = other.current()
    assert index is not None
    theirs = other.vectors(index, SPACE, SIZE)
    rows = unit(40)
    matrix.append(list(range(1, 41)), rows)
    assert theirs.nearest(rows[30], 1)[0][0] == 31
    matrix.erase(list(range(1, 30)))
    matrix.reclaim()
    assert theirs.nearest(rows[30], 1)[0][0] == 31
    assert (theirs.length, theirs.count) == (11, 11)
    assert len(list(Path(indexes.folder).glob("index.1.vectors-*"))) == len(PARTS)
    other.close()


@pytest.mark.parametrize("at", range(1, 7))
def test_a_reclaiming_broken_off_anywhere_has_done_nothing_or_all(
    at: int, matrix: Matrix, indexes: SqliteIndexHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    left = at

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given_: object) -> object:
            nonlocal left
            left -= 1
            if not left:
                raise Killed
            return real(*given_)

        return call

    rows = unit(9)
    matrix.append(list(range(1, 10)), rows)
    matrix.erase([1, 2, 3])
    with monkeypatch.context() as patched:
        for name in ("fsync", "unlink"):
            patched.setattr(os, name, counted(getattr(os, name)))
        with pytest.raises(Killed):
            matrix.reclaim()
    again = SqliteIndexHome(indexes.folder, indexes.engine)
    index = again.current()
    assert index is not None
    vectors = again.vectors(index, SPACE, SIZE)
    vectors.check()
    assert vectors.count == 6 and vectors.nearest(rows[5], 1)[0][0] == 6
    vectors.append([10], rows[:1])
    assert len(list(Path(indexes.folder).glob("index.1.vectors-*"))) == len(PARTS)
    vectors.scrub()
    vectors.reclaim()
    assert (vectors.length, vectors.count) == (7, 7)
    assert len(list(Path(indexes.folder).glob("index.1.vectors-*"))) == len(PARTS)
    again.close()


@pytest.mark.slow
def test_many_edits_of_one_note_leave_no_more_vectors_than_passages(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {f"{n}.md": f"# Note {n}\n\nAbout herons {n}.\n" for n in range(20)})
    with memoro.open(tmp_path / "home", vault) as m:
        m.sync()
        for edit in range(120):
            (vault / "0.md").write_text(f"# Note\n\nAbout herons, edit {edit}.\n")
            m.sync()
        status = m.status()
        assert status.vectors == status.chunks == 20
        assert all(space.vectors == 20 for space in status.spaces)
        files = list((tmp_path / "home").glob("index.*.vectors-*.chunks*"))
        assert sum(file.stat().st_size for file in files) <= 8 * (20 + 32)
        assert m.search("herons edit 119", limit=1).results[0].path == "0.md"
        assert {check.name: check.state for check in m.doctor()}["vectors"] == "ok"
